"""The method that a character's motion comes about by, and what can be done with it. All of it is asked of the method's own module."""

from __future__ import annotations

from types import ModuleType

import bpy

from ..core import methods
from ..core.errors import JobError
from ..core.settings import Setting, declared
from .running import RUNNING

CLIP = "CLIP"  # as a source of motion: a recording is followed, by the method that is chosen


def name_of(motion: bpy.types.PropertyGroup) -> str:
    """The name of the method. Of one that this Footfall does not have, the usual one: see ``refuse_unknown``."""
    chosen = motion.method if motion.source == CLIP else motion.source
    return chosen.lower() if chosen.lower() in methods.names() else methods.usual(motion.source == CLIP)


def refuse_unknown(motion: bpy.types.PropertyGroup) -> None:
    """A .blend may come from a Footfall with other methods; Blender shows an empty menu then."""
    if not motion.source or (motion.source == CLIP and not motion.method):
        raise JobError("The method that was chosen for this character is not in this Footfall: choose another one in the Motion panel.")


def method_of(motion: bpy.types.PropertyGroup) -> ModuleType:
    return methods.get(name_of(motion))


def settings_of(motion: bpy.types.PropertyGroup) -> bpy.types.PropertyGroup:
    """The properties of the method."""
    return getattr(motion.methods, name_of(motion))


def setting_of(motion: bpy.types.PropertyGroup, name: str) -> Setting | None:
    """How the method declares a setting; None where it has none of that name."""
    return next((item for item in declared(method_of(motion).Settings) if item.name == name), None)


def has(motion: bpy.types.PropertyGroup, setting: str) -> bool:
    return setting in method_of(motion).Settings.__dataclass_fields__


def learns(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it does what a controller has learned."""
    return has(motion, "refinements")


def follows_clip(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it follows a recording."""
    return has(motion, "clips")


def follows_feet(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it does what a recording of foot pressure has."""
    return has(motion, "recording")


def goes_on(motion: bpy.types.PropertyGroup) -> bool:
    """Whether the character goes on for as long as the panel says, and not as long as a recording lasts."""
    if follows_feet(motion):
        return False
    if not follows_clip(motion):
        return True
    return settings_of(motion).loop if has(motion, "loop") else method_of(motion).STEERED


def can_be_steered(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it could go where it is told. Who follows a recording to its end goes as that goes."""
    return method_of(motion).STEERED and goes_on(motion)


def steered(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it goes where it is told: always without a recording, else if it is asked to."""
    return can_be_steered(motion) and (motion.steer or not follows_clip(motion))


def takes_hits(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it leaves a recording as it is but for what hits the character: it takes pushes, and goes nowhere else."""
    method = method_of(motion)
    return follows_clip(motion) and "push" in method.EVENTS and not method.STEERED


def has_hits(armature: bpy.types.Object | None) -> bool:
    """Whether a character is one whose clip is hit, and can be shown."""
    return (armature is not None and armature.footfall.usable and armature.name not in RUNNING and len(armature.footfall.pushes) > 0
            and takes_hits(armature.footfall.motion))


def has_physics(motion: bpy.types.PropertyGroup) -> bool:
    """Whether pushes and balls are felt."""
    return methods.physical(method_of(motion), {"how": settings_of(motion).how.lower()} if has(motion, "how") else {})


def others_taking(motion: bpy.types.PropertyGroup, event: str) -> str:
    """The methods to choose from instead, with a recording or without as now, that take an event; as a sentence lists them."""
    likewise = [method for method in map(methods.get, methods.names()) if ("clips" in method.Settings.__dataclass_fields__) == follows_clip(motion)]
    *first, last = sorted(method.LABEL for method in likewise if event in method.EVENTS) or ["another method"]
    return f"{', '.join(first)} or {last}" if first else last
