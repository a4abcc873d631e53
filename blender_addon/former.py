"""Characters in .blend files of Footfall 0.1: their motion is put where it is kept now, when such a file is opened.

Those versions kept the settings of all methods in one place and the lines of a menu by their number, so this file alone has to know what was there.
"""

from __future__ import annotations

from zlib import crc32

import bpy

from .method import CLIP

SOURCES = ("GAIT", CLIP)
METHODS = ("TRACK", "IMITATE", "RETARGET", "PLAN", "HIT")
GROUPS = {  # a group of that time → the method whose settings it had, and its menus
    "plan": ("plan", {"quality": ("DRAFT", "NORMAL", "FINE"), "strength": ("HUMAN", "HERO")}),
    "hits": ("hit", {"response": ("AUTO", "FLINCH", "BALANCE", "STUMBLE", "FALL")}),
}


def bring_up_to_date(*_: object) -> None:
    """Of every character in the file that is open. One that is linked stays as it is, for it cannot be written to: its own file has to be opened."""
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE" and not thing.library:
            _move(thing.footfall.motion)


def _move(motion: bpy.types.PropertyGroup) -> None:
    stored = _stored(motion)
    for name, lines in (("source", SOURCES), ("method", METHODS)):
        if stored.get(name, len(lines)) < len(lines):  # today's numbers are far larger
            setattr(motion, name, lines[stored[name]])
    for name in ("gait", "loop", "tune", "arm_spread"):
        if name in stored:
            value = stored[name]
            setattr(motion, name, bool(value) if name == "loop" else _gait(motion, value) if name == "gait" else value)
            del stored[name]
    for group, (method, menus) in GROUPS.items():
        if group in stored:
            for name, value in stored[group].items():
                setattr(getattr(motion.methods, method), name, menus[name][value] if name in menus else bool(value) if name == "home" else value)
            del stored[group]


def _stored(motion: bpy.types.PropertyGroup) -> object:
    """What the file has of a group, by name, whether it is a property now or not."""
    return motion.bl_system_properties_get(do_create=True) if hasattr(motion, "bl_system_properties_get") else motion


def _gait(motion: bpy.types.PropertyGroup, number: int) -> str:
    """The gait that was stored with a number of 31 bits."""
    names = [item.identifier for item in motion.methods.gait.bl_rna.properties["gait"].enum_items]
    return next((name for name in names if crc32(name.encode()) & 0x7FFFFFFF == number), names[0])


CLASSES = ()


def register() -> None:
    bpy.app.handlers.load_post.append(bpy.app.handlers.persistent(bring_up_to_date))


def unregister() -> None:
    bpy.app.handlers.load_post.remove(bring_up_to_date)
