"""Arrows on the body while pushes act, drawn from the list in the panel."""

from __future__ import annotations

import bpy
from mathutils import Vector

from ..selection import part_position
from . import shapes

COLOR = (1.0, 0.28, 0.22, 0.95)
PER_NEWTON = 0.004  # m on a person: 150 N make an arrow of 0.6 m
SHORTEST, LONGEST = 0.25, 1.5  # m on a person
SKIN = 0.1  # m on a person, from the bone to where the arrow ends


def draw(scene: bpy.types.Scene, character: bpy.types.Object) -> None:
    fps = scene.render.fps / scene.render.fps_base
    for push in character.footfall.pushes:
        if push.frame <= scene.frame_current_final <= push.frame + push.force[1] * fps:
            direction = push.aim.matrix_world.col[2].to_3d() if push.aim else Vector(push.direction)
            if direction.length > 1e-9:
                size, direction = max(character.dimensions) / 1.75, direction.normalized()
                length = size * min(LONGEST, max(SHORTEST, PER_NEWTON * push.force[0]))
                shaft, head = shapes.arrow(part_position(character, push.part) - SKIN * size * direction, direction, length)
                shapes.lines(shaft, COLOR, 4.0)
                shapes.triangles(head, COLOR)
