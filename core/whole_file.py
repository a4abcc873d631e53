"""Files that are there whole or not at all: a crash, a cancel or a full disk leaves no half of one, and half of one is not read."""

from __future__ import annotations

import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

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


@contextmanager
def whole_arrays(path: str | Path, kind: str, again: str) -> Iterator[Any]:
    """The arrays of an .npz file by name. What is wrong with it, or with what the block makes of it, is a FormatError.

    ``kind``: what it should be, with its article; ``again``: what to do where it is not.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            yield arrays
    except FormatError:
        raise
    except FileNotFoundError as error:
        raise FormatError(f"There is no file '{path}'.") from error
    except OSError as error:
        raise FormatError(f"'{path}' cannot be read: {error.strerror or error}.") from error
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise FormatError(f"'{path}' is not {kind}, or not a whole one: {again}.") from error
