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


def source(picture: Path) -> Path | None:
    """Where a picture comes from: docs/panels/NAME.png is the newest NAME-VERSION.png of the tests in a window, docs/NAME.png is the demo's."""
    made = SCREENS.glob(f"{picture.stem}-[0-9]*.png") if picture.parent == DOCS / "panels" else DEMOS.glob(picture.name)
    return max(made, key=lambda path: path.stat().st_mtime, default=None)


def copy() -> tuple[list[Path], list[Path]]:
    """Copy what was made. Returns the pictures that were copied, and those that nobody has made yet, as paths in docs/."""
    copied, missing = [], []
    for picture in shown():
        found = source(picture)
        if found:
            picture.parent.mkdir(exist_ok=True)
            shutil.copyfile(found, picture)
        (copied if found else missing).append(picture)
    return copied, missing
