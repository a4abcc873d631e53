"""Which way the selected character sets off, before it is simulated: for the arrow on the ground."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import bpy

from ..core.errors import FootfallError
from . import method
from .compat import curves_of
from .running import RUNNING
from .selection import find_character
from .span import span_of

if TYPE_CHECKING:
    from .rig.fit import Placement

WAIT = 0.15  # s after a change, before the start is looked at
_known: dict[str, tuple[object, Placement | None]] = {}  # by the character's name: what it was found from, and where it starts


def start_of(context: bpy.types.Context) -> Placement | None:
    """Where the selected character starts and which way it goes, as far as that is known now; what has changed is looked at as soon as Blender rests.
    None where hits happen to what it plays itself, and while it is simulated."""
    character = find_character(context)
    if character is None or not character.footfall.usable or character.name in RUNNING or method.takes_hits(character.footfall.motion):
        return None
    known = _known.get(character.name)
    if (known is None or known[0] != _seen(context.scene, character)) and not bpy.app.timers.is_registered(_look):
        bpy.app.timers.register(_look, first_interval=WAIT)
    return known[1].turned(character.footfall.motion.direction) if known and known[1] else None


def _seen(scene: bpy.types.Scene, character: bpy.types.Object) -> tuple:
    """Everything on which the start depends, cheaply: as it is shown now, or of an animation, the curves of the hips and of what carries them."""
    settings, first = character.footfall, span_of(scene, character).first
    motion, bake, data = settings.motion, settings.bake, character.animation_data
    now = tuple(value for row in character.matrix_world for value in row)
    hips = character.pose.bones.get(settings.parts["pelvis"].bone) if "pelvis" in settings.parts else None
    carriers = [hips, *hips.parent_recursive] if hips else []
    paths = tuple(bone.path_from_id() for bone in carriers)
    curves = [curve for curve in curves_of(character) if curve.data_path.startswith(paths) or "[" not in curve.data_path]
    moments = (first, first + scene.render.fps // 2)
    animated = tuple(curve.evaluate(frame) for curve in curves for frame in moments)
    posed = () if animated and scene.frame_current != first else (now, tuple(value for bone in carriers for row in bone.matrix for value in row))
    return (first, motion.source, motion.method, motion.start, settings.bone_map, data and data.action and data.action.name,
            bake.action and bake.action.name, bake.direction, posed, animated)


def _look() -> None:
    """Look at the start of the selected character, as a job would."""
    from . import scene as start  # needs numpy

    context = bpy.context
    character = find_character(context)
    if character is None or context.screen is None or character.mode == "EDIT":
        return None
    if context.screen.is_animation_playing:
        return 1.0
    seen, found = _seen(context.scene, character), None
    with suppress(FootfallError):  # the button says it when it is pressed
        found = start.measure_at_start(context.scene, character, seen[0], roughly=True).placement
    _known[character.name] = seen, found
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
    return None
