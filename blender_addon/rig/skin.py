"""The meshes that a character moves, as points that each belong to one bone."""

from __future__ import annotations

import bpy
import numpy as np

from .flesh import Skin

MOST = 200_000  # points that are kept; of larger meshes every second, third … one
ALONG = (0.25, 0.5, 0.75)  # points on every edge: a mesh of few faces has few vertices between the ends of a limb


def read_skin(armature: bpy.types.Object) -> Skin | None:
    """The skin of a character, or None where it has no mesh. What is not rendered is no skin."""
    meshes = [thing for thing in bpy.data.objects
              if thing.type == "MESH" and not thing.hide_render and thing.data.vertices and hangs_on(thing, armature)]
    total = sum(len(thing.data.vertices) + len(ALONG) * len(thing.data.edges) for thing in meshes)
    every = max(1, -(-total // MOST))
    bones = tuple(bone.name for bone in armature.data.bones)
    number = {name: n for n, name in enumerate(bones)}
    points, owners = [], []
    for thing in meshes:
        near = np.empty(3 * len(thing.data.vertices), dtype=np.float32)
        thing.data.vertices.foreach_get("co", near)
        whole = np.array(at_rest(thing, armature))
        placed = near.reshape(-1, 3).astype(float) @ whole[:3, :3].T + whole[:3, 3]
        owner = owners_of(thing, armature, number)
        edges = np.empty(2 * len(thing.data.edges), dtype=np.int32)
        thing.data.edges.foreach_get("vertices", edges)
        for some_points, some_owners in ((placed, owner), _along(placed, owner, edges.reshape(-1, 2))):
            points.append(some_points[::every])
            owners.append(some_owners[::every])
    if not points:
        return None
    placed, moved_by = np.concatenate(points), np.concatenate(owners)
    return Skin(placed[moved_by >= 0], moved_by[moved_by >= 0], bones) if (moved_by >= 0).any() else None


def _along(points: np.ndarray, owners: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points on the edges (E, 2), and the owners of the nearer ends."""
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    return (np.concatenate([a + share * (b - a) for share in ALONG]), np.concatenate([owners[edges[:, int(share > 0.5)]] for share in ALONG]))


def hangs_on(thing: bpy.types.Object, armature: bpy.types.Object) -> bool:
    """Whether the armature moves a mesh."""
    return _modified(thing, armature) or (thing.parent == armature and thing.parent_type in ("ARMATURE", "BONE"))


def seen_of(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """The meshes of a character that are seen."""
    return [thing for thing in bpy.context.visible_objects if thing.type == "MESH" and thing.data.polygons and hangs_on(thing, armature)]


def _modified(thing: bpy.types.Object, armature: bpy.types.Object) -> bool:
    return any(modifier.type == "ARMATURE" and modifier.object == armature and modifier.show_viewport for modifier in thing.modifiers)


def at_rest(thing: bpy.types.Object, armature: bpy.types.Object) -> object:
    """(4, 4) from a mesh to the world while the armature rests."""
    bone = armature.pose.bones.get(thing.parent_bone) if thing.parent == armature and thing.parent_type == "BONE" else None
    if bone is None:
        return thing.matrix_world
    world = armature.matrix_world
    return world @ bone.bone.matrix_local @ bone.matrix.inverted_safe() @ world.inverted_safe() @ thing.matrix_world


def bone_of(thing: bpy.types.Object, armature: bpy.types.Object) -> str:
    """The bone that carries all of a mesh, "" where each point has its own."""
    return thing.parent_bone if thing.parent == armature and thing.parent_type == "BONE" and not _modified(thing, armature) else ""


def owners_of(thing: bpy.types.Object, armature: bpy.types.Object, number: dict[str, int]) -> np.ndarray:
    """(V,) the number of the bone with the largest weight on each vertex, −1 where there is none."""
    bone = bone_of(thing, armature)
    if bone:
        return np.full(len(thing.data.vertices), number.get(bone, -1))
    of_group = {group.index: number.get(group.name, -1) for group in thing.vertex_groups}
    owners = np.full(len(thing.data.vertices), -1)
    for at, vertex in enumerate(thing.data.vertices):
        most = 0.0
        for element in vertex.groups:
            if element.weight > most and of_group.get(element.group, -1) >= 0:
                most, owners[at] = element.weight, of_group[element.group]
    return owners
