"""Variations of hits as ghosts: stick figures where the character would be."""

from __future__ import annotations

import bpy

from ..files import found
from . import shapes
from .last_bake import load

COLOR, CHOSEN = (0.55, 0.75, 1.0, 0.45), (1.0, 0.8, 0.3, 0.95)
WIDTH = 3.0


def draw(scene: bpy.types.Scene, listed: bpy.types.PropertyGroup) -> None:
    for number, entry in enumerate(listed.found):
        bake = load(found(entry.result))
        if bake:
            frame = min(max(scene.frame_current - listed.frame, 0), bake.frames - 1)
            joints = bake.joints[frame]
            shapes.lines([joints[end] for bone in bake.bones for end in bone], CHOSEN if number == listed.active else COLOR, WIDTH)
