"""The pictures that the documents show: copied into docs/ from where the demo and the tests in a window leave them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from . import ROOT

DOCS, DEMOS, SCREENS = ROOT / "docs", ROOT / "out", ROOT / "build" / "screens"
SHOWN = re.compile(r"!\[[^\]]*\]\(([^)]+\.png)\)")  # a picture in Markdown, by its path


def shown() -> list[Path]:
    """The pictures that README.md and the files in docs/ show."""
    documents = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    return sorted({(document.parent / path).resolve() for document in documents for path in SHOWN.findall(document.read_text(encoding="utf-8"))})


def source(picture: Path) -> Path:
    """Where a picture comes from: those in docs/panels from the tests in a window, those in docs/ from the demos."""
    return (SCREENS if picture.parent == DOCS / "panels" else DEMOS) / picture.name


def copy() -> tuple[list[Path], list[Path]]:
    """Copy what was made. Returns the pictures that were copied, and those that nobody has made yet, as paths in docs/."""
    copied: list[Path] = []
    missing: list[Path] = []
    for picture in shown():
        made = source(picture)
        if made.is_file():
            picture.parent.mkdir(exist_ok=True)
            shutil.copyfile(made, picture)
            copied.append(picture)
        else:
            missing.append(picture)
    return copied, missing
