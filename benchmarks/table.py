"""A table that grows by a row at a time, as lines of JSON, so that stopped work goes on where it was."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TextIO


def rows(path: Path | None) -> list[dict]:
    """What the file holds; nothing where there is none."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path and path.is_file() else []


def add(path: Path | None, row: dict, shown: TextIO | None = None) -> None:
    """Show a row, on stdout if nothing else is said, and keep it in the file if there is one."""
    print(json.dumps(row), flush=True, file=shown or sys.stdout)
    if path:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
