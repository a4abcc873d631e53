"""Files that are there whole or not at all: a crash, a cancel or a full disk leaves no half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import FormatError


@contextmanager
def in_its_place(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to; it takes its place when the block ends. Where that cannot be, an OSError says why, and what was there before stays."""
    path, temporary = Path(path), None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp gives 600
        temporary.replace(path)
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)


@contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """The same, with a sentence for the user: a FormatError."""
    try:
        with in_its_place(path) as file:
            yield file
    except OSError as error:
        raise FormatError(f"Could not write '{path}': {error.strerror or error}; choose another place or free some space.") from error
