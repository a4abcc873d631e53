"""Meshes of the scene as ground and boxes of a job."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector
from mathutils.bvhtree import BVHTree

from ..core.errors import JobError
from .compat import find_curve
from .rig.fit import Placement
from .rig.surface import read_triangles
from .selection import colliders_of

STEEP = 0.05  # rad: a box that leans more than this cannot be simulated as an upright one
OVER, UNDER = 0.5, 0.5  # m over and under the character's floor in which there must be ground at the start


def ground_of(context: bpy.types.Context, armature: bpy.types.Object, placement: Placement, frame: int) -> dict:
    """The "ground" and "obstacles" of a job that starts on ``frame``."""
    settings = context.scene.footfall.ground
    if settings.collection is None:
        raise JobError("No collection of colliders is set: choose one in the Ground panel, or walk on flat ground.")
    things = colliders_of(context.scene, armature)
    fixed = [thing for thing in things if not thing.footfall_mass]
    vertices, faces = _triangles(context, fixed, placement)
    if not len(faces):
        raise JobError(f"The collection '{settings.collection.name}' has no mesh that stands still to walk on: add a floor, or walk on flat ground.")
    hit = BVHTree.FromPolygons(vertices.tolist(), faces.tolist()).ray_cast((0.0, 0.0, OVER), (0.0, 0.0, -1.0), OVER + UNDER)
    if hit[0] is None:
        raise JobError(f"There is no collider under '{armature.name}': move it onto the ground, or add a floor to '{settings.collection.name}'.")
    return {"ground": {"type": "mesh", "vertices": vertices.round(5).tolist(), "faces": faces.tolist()},
            "obstacles": [_box(thing, placement, frame) for thing in things if thing.footfall_mass]}


def _triangles(context: bpy.types.Context, things: list[bpy.types.Object], placement: Placement) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) in simulated metres and faces (T, 3) of all the meshes together, modifiers included."""
    depsgraph = context.evaluated_depsgraph_get()
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), dtype=np.int32)], 0
    for thing in things:
        shaped = thing.evaluated_get(depsgraph)
        points, triangles = read_triangles(shaped.to_mesh(), np.array(thing.matrix_world))
        shaped.to_mesh_clear()
        vertices.append(placement.to_job(points))
        faces.append(triangles + count)
        count += len(vertices[-1])
    return np.concatenate(vertices), np.concatenate(faces)


def _box(thing: bpy.types.Object, placement: Placement, frame: int) -> dict:
    """The upright box around a mesh, in simulated metres."""
    world = start_matrix(thing, frame)
    if world.col[2].to_3d().normalized().z < math.cos(STEEP):
        raise JobError(f"'{thing.name}' leans: a box that moves must stand upright at the start; clear its X and Y rotation.")
    corners = np.array([corner[:] for corner in thing.bound_box])
    size = (corners.max(axis=0) - corners.min(axis=0)) * np.array(world.to_scale()) / placement.scale
    center = placement.to_job(np.array(world @ Vector(corners.mean(axis=0))))
    ahead = world.col[0].to_3d()
    return {"name": thing.name, "mass": thing.footfall_mass, "size": [float(max(value, 1e-3)) for value in np.abs(size)],
            "position": center.tolist(), "yaw": _wrapped(math.atan2(ahead.y, ahead.x) - placement.yaw)}


def start_matrix(thing: bpy.types.Object, frame: float) -> Matrix:
    """World matrix of an object on a frame, whatever frame is shown: a box that an earlier bake moved away starts where it stood."""
    rotation = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(thing.rotation_mode, "rotation_euler")
    if not any(find_curve(thing, path, index) for path in ("location", rotation) for index in range(4)):
        return thing.matrix_world.copy()

    def then(path: str) -> list[float]:
        curves = (find_curve(thing, path, index) for index in range(4))
        return [curve.evaluate(frame) if curve else value for curve, value in zip(curves, getattr(thing, path), strict=False)]

    place, turn, size = then("location"), then(rotation), then("scale")
    if rotation == "rotation_euler":
        turn = Euler(turn, thing.rotation_mode).to_quaternion()
    else:
        turn = Quaternion(turn) if rotation == "rotation_quaternion" else Quaternion(turn[1:], turn[0])
    own = Matrix.LocRotScale(Vector(place), turn, Vector(size))
    return thing.parent.matrix_world @ thing.matrix_parent_inverse @ own if thing.parent else own


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2 * math.pi)
