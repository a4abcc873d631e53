"""What build_addon.py is made of. Standard library only."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class BuildError(Exception):
    """Something that cannot be built or run; the message says why, and the way out."""


def say(text: str) -> None:
    """A line on what is being done, at once."""
    print(text, flush=True)


@contextmanager
def finished(path: Path) -> Iterator[Path]:
    """A path to write to, put in the place of ``path`` only when all went well: no half a file, also when two write it at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
