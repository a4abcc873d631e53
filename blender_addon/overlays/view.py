"""The draw handler: what is switched on, for every character of the scene."""

from __future__ import annotations

import bpy
import gpu

from ..running import RUNNING
from ..spaces import space_of
from . import aiming, balance, balance_map, body, direction, footprints, ghost, legend, playing, pushes, variations
from .last_bake import frame_of, last_bake

_handles = []


def draw() -> None:
    context = bpy.context
    gpu.state.blend_set("ALPHA")
    playing.draw(context)
    if context.space_data.overlay.show_overlays:
        _draw_overlays(context)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _draw_overlays(context: bpy.types.Context) -> None:
    scene, shown = context.scene, context.scene.footfall.overlays
    if shown.direction:
        gpu.state.depth_test_set("LESS_EQUAL")
        direction.draw(context)
        gpu.state.depth_test_set("NONE")
    aimed = aiming.draw(context)
    for character in context.visible_objects:
        if character.type != "ARMATURE":
            continue
        if shown.pushes:
            pushes.draw(scene, character, aimed)
        # While it is being simulated, what was baked before would only stand in the way.
        bake = last_bake(character) if character.name not in RUNNING and not character.footfall.bake.looped else None
        if bake:
            with gpu.matrix.push_pop():
                gpu.matrix.multiply_matrix(space_of(character, character.footfall.bake))
                _draw_bake(scene, shown, character, bake)
        if shown.underfoot and character.footfall.underfoot.file:
            from . import underfoot  # needs numpy

            underfoot.draw(scene, character)
        if shown.variations and character.footfall.variations.found:
            with gpu.matrix.push_pop():
                gpu.matrix.multiply_matrix(space_of(character, character.footfall.variations))
                variations.draw(scene, character.footfall.variations)
        if shown.balance_map and character.footfall.balance.fields:
            with gpu.matrix.push_pop():
                gpu.state.depth_test_set("LESS_EQUAL")
                gpu.matrix.multiply_matrix(space_of(character, character.footfall.balance))
                balance_map.draw(character.footfall.balance)
                gpu.state.depth_test_set("NONE")


def _draw_bake(scene: bpy.types.Scene, shown: bpy.types.PropertyGroup, character: bpy.types.Object, bake) -> None:
    frame = frame_of(bake, scene, character)
    gpu.state.depth_test_set("LESS_EQUAL")
    if shown.footprints:
        footprints.draw(bake, -1 if frame is None else frame)
    gpu.state.depth_test_set("NONE")
    if frame is None:
        return
    if shown.body:
        body.draw(bake, frame)
    if shown.mass:
        balance.draw_mass(bake, frame)
    if shown.pressure:
        balance.draw_pressure(bake, frame)
    if shown.ghost and bake.reference is not None:
        ghost.draw(bake, frame, shown.ghost_aside)


CLASSES = ()


def register() -> None:
    if not bpy.app.background:
        for function, when in ((draw, "POST_VIEW"), (legend.draw, "POST_PIXEL"), (aiming.draw_flat, "POST_PIXEL"), (playing.draw_flat, "POST_PIXEL")):
            _handles.append(bpy.types.SpaceView3D.draw_handler_add(function, (), "WINDOW", when))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
