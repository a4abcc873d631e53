"""Which part of a character is under the mouse."""

from __future__ import annotations

import bpy
from mathutils import Vector
from mathutils.geometry import intersect_line_line

from .properties.pushes import LINKS
from .selection import part_ends

NEAR = 0.12  # of the character's size: a ray that passes further from all bones meets none
FAR = 1e4  # times the character's size, that a ray reaches


def part_at(context: bpy.types.Context, character: bpy.types.Object, origin: Vector, direction: Vector) -> str | None:
    """The part of the body that a ray (world) meets, or None: its bone is nearest to where the ray meets the mesh, or, without a mesh, to the ray."""
    size = max(character.dimensions) or 1.0
    found, place, _, _, thing, _ = context.scene.ray_cast(context.evaluated_depsgraph_get(), origin, direction)
    if found and (thing.find_armature() == character or thing in character.children_recursive):
        return _nearest(character, place, place)[0]
    part, distance = _nearest(character, origin, origin + FAR * size * direction)
    return part if distance < NEAR * size else None


def _nearest(character: bpy.types.Object, start: Vector, end: Vector) -> tuple[str | None, float]:
    """The part whose bone is nearest to a line or point, and how far that is."""
    best, least = None, float("inf")
    for part in LINKS:
        ends = part_ends(character, part)
        if ends:
            distance = _distance(*ends, start, end)
            if distance < least:
                best, least = part, distance
    return best, least


def _distance(head: Vector, tail: Vector, start: Vector, end: Vector) -> float:
    """Between a bone and a line from ``start`` to ``end``, which may be one point."""
    if (end - start).length < 1e-9 or (tail - head).length < 1e-9:
        along = tail - head
        fraction = max(0.0, min(1.0, (start - head).dot(along) / max(along.length_squared, 1e-12)))
        return (start - head - fraction * along).length
    points = intersect_line_line(head, tail, start, end)
    on_bone = points[0] if points else head
    along = tail - head
    fraction = max(0.0, min(1.0, (on_bone - head).dot(along) / along.length_squared))
    on_bone = head + fraction * along
    way = (end - start).normalized()
    on_line = start + max(0.0, (on_bone - start).dot(way)) * way
    return (on_bone - on_line).length
