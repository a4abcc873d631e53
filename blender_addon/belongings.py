"""The files that a .blend refers to: they are found again after Save As, after a first save and after a move, and those that nobody refers to go.

A .blend says in each scene from which folder its paths start (``home``), because Blender writes a file before it says where to. Each folder of ours
holds a list for every .blend that uses it, so that one never takes away what another one needs.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import bpy

from ..core import methods
from ..core.errors import FootfallError
from ..core.settings import File
from ..core.whole_file import whole_file
from . import files, pressures, references
from .properties.methods import properties_of
from .references import pack_all

LIST = ".uses.json"  # after the name of the .blend
A_DAY = 86400.0  # s: after a crash, what an automatically saved .blend refers to has to be there still
LOOK_AGAIN = 2.0  # s: panels are drawn often, and disks may be slow
_looked: dict[Path, tuple[float, int, int]] = {}  # by folder: when, bytes in all, bytes that nobody uses


def places() -> Iterator[tuple[bpy.types.PropertyGroup, str]]:
    """Everything in this .blend that holds the path of a file: who has it, and the name of the property."""
    for scene in bpy.data.scenes:
        if not scene.library:
            for reference in scene.footfall.references:
                yield reference, "filepath"
                yield reference, "strip"
            for recording in scene.footfall.pressures:
                yield recording, "filepath"
                yield recording, "picture"
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE" and not thing.library:
            yield thing.footfall.bake, "result"
            for method in methods.names():
                for item in properties_of(methods.get(method)):
                    if isinstance(item.kind, File):
                        yield getattr(thing.footfall.motion.methods, method), item.name
            yield thing.footfall.underfoot, "file"
            yield thing.footfall.playing, "take"
            for entry in thing.footfall.variations.found:
                yield entry, "result"


def unused() -> list[Path]:
    """Files in our folder that neither this .blend, as it is now or as it was saved, nor any other one refers to."""
    folder = files.folder()
    lists = _lists(folder)
    # A .blend that has no list may be one that was renamed: then no list can be told to be out of date.
    if _strangers(folder, lists):
        listed = set().union(*lists.values())
    else:
        listed = set().union(*(names for name, names in lists.items() if (folder.parent / name).exists()))
    listed |= _used() | {recording.strip.name for reading in (*references.READING, *pressures.READING) for recording in reading.recordings}
    return [path for path in _ours(folder) if path.name not in listed]


def others() -> list[str]:
    """Names of .blend files beside this one of which nobody knows what they refer to."""
    return _strangers(files.folder(), _lists(files.folder()))


def sizes() -> tuple[int, int]:
    """Bytes of our files, and of those that nobody refers to. Not newer than a moment ago."""
    folder = files.folder()
    if folder not in _looked or time.monotonic() > _looked[folder][0] + LOOK_AGAIN:
        _looked.clear()
        _looked[folder] = (time.monotonic(), _bytes(_ours(folder)), _bytes(unused()))
    return _looked[folder][1:]


def in_words(size: int) -> str:
    """Bytes as people read them."""
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"


def remove_unused(older_than: float = 0.0) -> int:
    """Bytes that are free now. ``older_than``: s that files are left alone for."""
    gone = [path for path in unused() if path.stat().st_mtime <= time.time() - older_than]
    freed = _bytes(gone)
    for path in gone:
        files.remove(path)
    _looked.clear()
    return freed


def remember_home(*_: object) -> None:
    """Before a .blend is saved, which may be elsewhere: where its paths start from."""
    for scene in bpy.data.scenes:
        if not scene.library:
            scene.footfall.home = str(Path(bpy.data.filepath).parent) if bpy.data.is_saved else ""


def follow(*_: object) -> None:
    """After it was saved: elsewhere, or for the first time, what is ours comes along, and paths to other files are made to start from there."""
    home = next((scene.footfall.home for scene in bpy.data.scenes if not scene.library), "")
    now = str(Path(bpy.data.filepath).parent)
    if not bpy.data.is_saved:  # only a copy was saved
        return
    if home != now:
        ours = {Path(home) / files.NAME if home else files.temporary_folder()}
        for holder, name in places():
            text = getattr(holder, name)
            if text:
                path = Path(os.path.normpath(bpy.path.abspath(text, start=home or None)))
                setattr(holder, name, files.stored(_brought_along(path) if path.parent in ours else path))
        remember_home()
    _write_list()


def find_again(*_: object) -> None:
    """After a .blend was opened: files that came along with it, or that stayed where it was saved from; what nobody refers to any more goes."""
    if not bpy.data.is_saved:
        return
    home = next((scene.footfall.home for scene in bpy.data.scenes if not scene.library), "")
    for holder, name in places():
        text = getattr(holder, name)
        if text and not files.found(text).exists():
            candidates = [files.folder() / files.found(text).name, *([Path(bpy.path.abspath(text, start=home))] if home else [])]
            there = next((path for path in candidates if path.exists()), None)
            if there:
                setattr(holder, name, files.stored(there))
    pack_all()
    if not others():
        remove_unused(older_than=A_DAY)


def _brought_along(path: Path) -> Path:
    """A file of ours in the folder of the .blend; where it is, if it cannot be copied."""
    target = files.folder() / path.name
    if not target.exists() and path.exists():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            files.copy(path, target)
        except (FootfallError, OSError):
            return path
    return target


def _used() -> set[str]:
    """Names of the files that this .blend refers to."""
    return {files.found(getattr(holder, name)).name for holder, name in places() if getattr(holder, name)}


def _ours(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.suffix in files.ENDINGS and not path.name.endswith(LIST) and path.is_file()]
    except OSError:  # it is not there, or nobody may look
        return []


def _bytes(paths: list[Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.exists())


def _lists(folder: Path) -> dict[str, set[str]]:
    """{name of a .blend: names of the files that it refers to}."""
    found = {}
    for path in folder.glob(f"*{LIST}"):
        with contextlib.suppress(OSError, ValueError, TypeError):  # one that is damaged says nothing
            found[path.name.removesuffix(LIST)] = set(json.loads(path.read_text(encoding="utf-8")))
    return found


def _strangers(folder: Path, lists: dict[str, set[str]]) -> list[str]:
    if not bpy.data.is_saved:
        return []
    try:
        return sorted(path.name for path in folder.parent.glob("*.blend") if path.name not in lists and path != Path(bpy.data.filepath))
    except OSError:
        return []


def _write_list() -> None:
    folder = files.folder()
    if not folder.is_dir():
        return
    path = folder / (Path(bpy.data.filepath).name + LIST)
    try:
        with whole_file(path) as file:
            file.write(json.dumps(sorted(_used())).encode())
    except FootfallError:
        files.remove(path)  # nothing is taken away then, as this .blend has no list


CLASSES = ()
HANDLERS = (("save_pre", remember_home), ("save_post", follow), ("load_post", find_again))


def register() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).append(bpy.app.handlers.persistent(function))


def unregister() -> None:
    for name, function in HANDLERS:
        getattr(bpy.app.handlers, name).remove(function)
