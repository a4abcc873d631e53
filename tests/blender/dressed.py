"""A mesh for a rig that has none: a tube around each limb, boxes for trunk and feet, each moved by the bones that deform."""

from math import cos, pi, sin

import bpy
from footfall.blender_addon import mapping
from footfall.blender_addon.rig.read import read_bones
from footfall.core.anatomy.bones import Tree
from footfall.core.anatomy.ends import with_ends
from mathutils import Vector

CORNERS, RINGS = 16, 9
# From one part to the next, the radii at its ends, m on a person.
LIMBS = {"thigh": ("shin", 0.085, 0.06), "shin": ("foot", 0.06, 0.045), "upper_arm": ("forearm", 0.05, 0.042), "forearm": ("hand", 0.042, 0.03)}


def dress(rig: bpy.types.Object) -> bpy.types.Object:
    """A mesh on the rig, skinned to its deforming bones, or to the mapped ones where none deforms. Returns it."""
    tree = Tree(with_ends(read_bones(rig)))
    bones = {slot: chain[0] for slot, chain in mapping.bone_map(rig).bones.items()}
    skin = [bone.name for bone in rig.data.bones if bone.use_deform]
    points, faces, groups = [], [], {}

    def nearest(point: Vector) -> str:
        def gap(name: str) -> float:
            head, tail = Vector(tree.head(name)), Vector(tree.tail(name))
            share = max(0.0, min(1.0, (point - head).dot(tail - head) / max((tail - head).length_squared, 1e-9)))
            return (head.lerp(tail, share) - point).length
        return min(skin, key=gap)

    def tube(a: Vector, b: Vector, start: float, end: float, flat: float = 1.0) -> None:
        across = (b - a).orthogonal().normalized()
        other = (b - a).normalized().cross(across)
        first = len(points)
        for ring in range(RINGS):
            share = ring / (RINGS - 1)
            middle, bone = a.lerp(b, share), nearest(a.lerp(b, min(max(share, 0.05), 0.95)))
            for corner in range(CORNERS):
                angle, radius = 2 * pi * corner / CORNERS, start + (end - start) * share
                groups.setdefault(bone, []).append(len(points))
                points.append(middle + radius * cos(angle) * across + flat * radius * sin(angle) * other)
        for ring in range(RINGS - 1):
            for corner in range(CORNERS):
                low, after = first + ring * CORNERS, (corner + 1) % CORNERS
                faces.append((low + corner, low + after, low + CORNERS + after, low + CORNERS + corner))

    def head(slot: str) -> Vector:
        return Vector(tree.head(bones[slot]))

    for side in "LR":
        for part, (below, start, end) in LIMBS.items():
            tube(head(f"{part}.{side}"), head(f"{below}.{side}"), start, end)
        _shoe(head(f"foot.{side}"), Vector(tree.tail(bones[f"toes.{side}"])), points, faces, groups, nearest)
    tube(head("pelvis"), head("head"), 0.16, 0.13, 0.7)
    tube(head("head"), head("head") + Vector((0.0, 0.0, 0.25)), 0.05, 0.1)
    mesh = bpy.data.meshes.new("Dress")
    mesh.from_pydata([tuple(point) for point in points], [], faces)
    dress = bpy.data.objects.new("Dress", mesh)
    for bone, vertices in groups.items():
        dress.vertex_groups.new(name=bone).add(vertices, 1.0, "REPLACE")
    bpy.context.scene.collection.objects.link(dress)
    dress.parent = rig
    dress.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    return dress


def _shoe(ankle: Vector, tip: Vector, points: list, faces: list, groups: dict, nearest) -> None:
    """A box on the floor from behind the ankle to the tip, 9 cm wide."""
    ahead = Vector((tip.x - ankle.x, tip.y - ankle.y, 0.0))
    aside = 0.045 * ahead.normalized().cross(Vector((0.0, 0.0, 1.0)))
    first = len(points)
    for share in (-0.3 + 1.3 * ring / (RINGS - 1) for ring in range(RINGS)):
        middle = Vector((ankle.x, ankle.y, 0.0)) + share * ahead
        for sign, height in ((-1, 0.0), (1, 0.0), (1, 0.05), (-1, 0.05)):
            groups.setdefault(nearest(middle), []).append(len(points))
            points.append(middle + sign * aside + Vector((0.0, 0.0, height)))
    for ring in range(RINGS - 1):
        for corner in range(4):
            low, after = first + 4 * ring, (corner + 1) % 4
            faces.append((low + corner, low + 4 + corner, low + 4 + after, low + after))
