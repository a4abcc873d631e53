"""Where files that belong to a .blend are kept: beside it, or for an unsaved one among the temporary files."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.errors import FormatError


def new_file(name: str, ending: str) -> Path:
    """A path with that ending (".npz") that is not taken yet, in a folder that is there; else a FormatError says why there is none."""
    folder = Path(bpy.path.abspath("//footfall")) if bpy.data.is_saved else Path(bpy.app.tempdir) / "footfall"
    clean = bpy.path.clean_name(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_keep(folder, error) from error
    return next(path for path in (folder / f"{clean}-{number}{ending}" for number in range(1, 100_000)) if not path.exists())


def cannot_keep(folder: Path, error: OSError) -> FormatError:
    return FormatError(f"Files cannot be kept in '{folder}': {error.strerror}; free some space, or save the .blend elsewhere.")


def stored(path: Path) -> str:
    """A path as a .blend remembers it: from the folder of the .blend on ("//…") where that is possible."""
    try:
        return bpy.path.relpath(str(path)) if bpy.data.is_saved else str(path)
    except ValueError:  # on another drive
        return str(path)


def found(text: str) -> Path:
    """The reverse of ``stored``."""
    return Path(bpy.path.abspath(text))
