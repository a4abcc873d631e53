"""Arrows on the body while pushes act, drawn from the list in the panel."""

from __future__ import annotations

import bpy
from mathutils import Vector

from ..aiming import Arrow
from ..selection import part_position
from . import shapes

COLOR = (1.0, 0.28, 0.22, 0.95)


def draw(scene: bpy.types.Scene, character: bpy.types.Object, besides: bpy.types.PropertyGroup | None = None) -> None:
    """``besides``: a push that is drawn anyway."""
    fps = scene.render.fps / scene.render.fps_base
    for push in character.footfall.pushes:
        if push != besides and push.frame <= scene.frame_current_final <= push.frame + push.force[1] * fps:
            direction = push.aim.matrix_world.col[2].to_3d() if push.aim else Vector(push.direction)
            if direction.length > 1e-9:
                draw_arrow(Arrow(part_position(character, push.part), direction.normalized(), push.force[0], max(character.dimensions) / 1.75))


def draw_arrow(arrow: Arrow) -> None:
    shaft, head = shapes.arrow(arrow.tip, arrow.direction, arrow.length)
    shapes.lines(shaft, COLOR, 4.0)
    shapes.triangles(head, COLOR)
