"""Where files that belong to a .blend are kept: beside it, or for an unsaved one among the temporary files."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tempfile
from pathlib import Path

import bpy

from ..core.errors import FormatError
from ..core.whole_file import whole_file

NAME = "footfall"  # of the folder
ENDINGS = (".bvh", ".csv", ".json", ".npz", ".png")  # of the files in it
# No two files ever have the same name: one that is found under it is that one, wherever the .blend was moved or saved to.
TOKEN = re.compile(r"-[0-9a-f]{6}$")


def folder() -> Path:
    """It may not be there yet."""
    return Path(bpy.path.abspath(f"//{NAME}")) if bpy.data.is_saved else temporary_folder()


def temporary_folder() -> Path:
    return Path(bpy.app.tempdir) / NAME


def new_file(name: str, ending: str) -> Path:
    """A path with that ending (".npz") that no other file has, in a folder that is there; else a FormatError says why there is none."""
    kept = folder()
    try:
        kept.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_keep(kept, error) from error
    return kept / f"{bpy.path.clean_name(name)}-{secrets.token_hex(3)}{ending}"


def check_writable() -> None:
    """Before work that takes long: a FormatError where what comes of it could not be kept."""
    path = new_file("check", ".tmp")
    try:
        with tempfile.TemporaryFile(dir=path.parent) as file:
            file.write(b"\0" * 4096)
    except OSError as error:
        raise _cannot_keep(path.parent, error) from error


def check_place(path: Path) -> None:
    """Before work whose outcome is to be written to a path that the user chose: a FormatError where that cannot be."""
    if path.is_dir():
        raise FormatError(f"'{path}' is a folder: give the name of a file in it.")
    try:
        with tempfile.TemporaryFile(dir=path.parent) as file:
            file.write(b"\0" * 4096)
    except OSError as error:
        raise FormatError(f"Could not write '{path}': {error.strerror}; choose another place or free some space.") from error


def copy(source: Path, target: Path) -> None:
    """Whole, or not at all: then a FormatError says why."""
    try:
        with source.open("rb") as read, whole_file(target) as written:
            shutil.copyfileobj(read, written)
    except OSError as error:
        raise FormatError(f"'{source}' cannot be read: {error.strerror}; simulate again.") from error


def remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def plain_name(path: Path | str) -> str:
    """The name that a file was given, without its ending and what makes it the only one."""
    return TOKEN.sub("", Path(path).stem)


def stored(path: Path) -> str:
    """A path as a .blend remembers it: from the folder of the .blend on ("//…") where that is possible."""
    try:
        return bpy.path.relpath(str(path)) if bpy.data.is_saved else str(path)
    except ValueError:  # on another drive
        return str(path)


def found(text: str) -> Path:
    """The reverse of ``stored``."""
    return Path(os.path.normpath(bpy.path.abspath(text)))


def _cannot_keep(folder: Path, error: OSError) -> FormatError:
    return FormatError(f"Files cannot be kept in '{folder}': {error.strerror}; free some space, or save the .blend elsewhere.")
