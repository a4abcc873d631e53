"""Variations of hits as ghosts: figures where the character would be, in the colour of what becomes of it."""

from __future__ import annotations

import bpy

from ..files import found
from . import figure, shapes
from .last_bake import LastBake, load

STAYS, FALLS, CHOSEN = (0.40, 0.66, 1.0, 0.55), (1.0, 0.42, 0.36, 0.55), (1.0, 0.82, 0.25, 0.95)
WIDTH = 3.0


def color(listed: bpy.types.PropertyGroup, number: int) -> shapes.Color:
    return CHOSEN if number == listed.active else FALLS if listed.found[number].fell else STAYS


def meaning(listed: bpy.types.PropertyGroup, number: int) -> str:
    """What the colour of a variation says."""
    if number == listed.active:
        return f"Variation {listed.found[number].name}, chosen in the list"
    return "Variations that fall" if listed.found[number].fell else "Variations that stay up"


def frame_of(bake: LastBake, listed: bpy.types.PropertyGroup, scene: bpy.types.Scene) -> int:
    """Of a variation, at the scene's current frame."""
    return min(max(scene.frame_current - listed.frame, 0), bake.frames - 1)


def draw(scene: bpy.types.Scene, listed: bpy.types.PropertyGroup) -> None:
    for number in sorted(range(len(listed.found)), key=lambda number: number == listed.active):  # the chosen one over the others
        bake = load(found(listed.found[number].result))
        if bake:
            figure.draw(bake.figure, bake.joints[frame_of(bake, listed, scene)], color(listed, number), WIDTH)
