"""How deep one leg's mesh goes into the other's, and how deep soles go into the floor, as the character is shown."""

import bpy
import numpy as np
from footfall.blender_addon import mapping
from footfall.blender_addon.rig.flesh import slots_of
from footfall.blender_addon.rig.read import read_bones
from footfall.blender_addon.rig.skin import hangs_on, owners_of
from footfall.core.anatomy.bones import Tree
from footfall.core.anatomy.ends import with_ends
from mathutils import Vector
from mathutils.bvhtree import BVHTree

LEG = ("thigh", "shin", "foot", "toes")
CROTCH = 0.4  # of the thigh, from the hip: there the legs grow out of one mesh
DEEPEST = 0.12  # m: a point whose nearest face is further away is on the far side of something open


def _inside(tree: BVHTree, point: Vector) -> bool:
    """Whether a leg's faces are all around a point, seen from within. Meshes are open where they are cut, and may be of several layers."""
    for x, y in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7)):
        _, normal, _, _ = tree.ray_cast(point, Vector((x, y, 0.0)), 4 * DEEPEST)
        if normal is None or normal.dot(Vector((x, y, 0.0))) < 0.0:
            return False
    return True


class Legs:
    """The legs of a character's meshes, by their vertices."""

    def __init__(self, rig: bpy.types.Object):
        self.rig = rig
        bones, bone_map = read_bones(rig), mapping.bone_map(rig)
        tree = Tree(with_ends(bones))
        names = [bone.name for bone in bones]
        slots = np.array([*slots_of(names, tree, bone_map), ""])
        self.meshes = []
        for thing in bpy.data.objects:
            if thing.type == "MESH" and not thing.hide_render and thing.data.vertices and hangs_on(thing, rig):
                slot = slots[owners_of(thing, rig, {name: n for n, name in enumerate(names)})]
                points = np.array([thing.matrix_world @ vertex.co for vertex in thing.data.vertices])
                low = np.ones(len(points), dtype=bool)
                for side in "LR":
                    hip, knee = (np.array(tree.head(bone_map.bones[f"{part}.{side}"][0])) for part in ("thigh", "shin"))
                    share = (points - hip) @ (knee - hip) / ((knee - hip) @ (knee - hip))
                    low &= (slot != f"thigh.{side}") | (share > CROTCH)
                legs = [np.isin(slot, [f"{part}.{side}" for part in LEG]) for side in "LR"]
                feet = np.isin(slot, [f"{part}.{side}" for part in ("foot", "toes") for side in "LR"])
                faces = [[tuple(face.vertices) for face in thing.data.polygons if all(leg[vertex] for vertex in face.vertices)] for leg in legs]
                self.meshes.append((thing, [leg & low for leg in legs], faces, feet))

    def measure(self, frame: int) -> tuple[float, float]:
        """m, on a frame: how deep a leg is in the other one, and the height of the lowest point of the feet."""
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        points, trees, lowest = ([], []), ([], []), np.inf
        for thing, legs, faces, feet in self.meshes:
            shown = thing.evaluated_get(graph)
            mesh = shown.to_mesh()
            near = np.empty(3 * len(mesh.vertices), dtype=np.float32)
            mesh.vertices.foreach_get("co", near)
            shown.to_mesh_clear()
            whole = np.array(shown.matrix_world)
            placed = near.reshape(-1, 3) @ whole[:3, :3].T + whole[:3, 3]
            lowest = min(lowest, placed[feet, 2].min(initial=np.inf))
            for side in (0, 1):
                points[side].append(placed[legs[side]])
                if faces[side]:
                    corners = [placed[list(face)] for face in faces[side]]
                    box = np.min([c.min(axis=0) for c in corners], axis=0), np.max([c.max(axis=0) for c in corners], axis=0)
                    trees[side].append((BVHTree.FromPolygons(placed.tolist(), faces[side]), *box))
        deepest = 0.0
        for side in (0, 1):
            mine = np.concatenate(points[side])
            for tree, low, high in trees[1 - side]:
                for point in mine[((mine > low) & (mine < high)).all(axis=1)]:
                    near, normal, _, distance = tree.find_nearest(Vector(point), DEEPEST)
                    if near is not None and distance > deepest and (Vector(point) - near).dot(normal) < 0.0 and _inside(tree, Vector(point)):
                        deepest = distance
        return float(deepest), float(lowest)
