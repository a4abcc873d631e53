"""Boxes and balls that moved in the simulation, as animated objects of the scene."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ..core import others
from ..core.result import Result
from ..core.rotation import make_continuous
from . import actions, compat
from .colliders import start_matrix
from .rig.action import in_rotation_mode, key_curves
from .rig.fit import Placement

BALLS = "Footfall Balls"
BALL_RADIUS = 0.1  # m, where a job does not say
BALL_COLOR = (0.75, 0.16, 0.12, 1.0)


def bake_objects(context: bpy.types.Context, armature: bpy.types.Object, placement: Placement, result: Result, first: float, step: float) -> None:
    """Key the boxes that were pushed around, and throw the balls. Balls of an earlier bake of this character go."""
    _remove_balls(armature)
    boxes = {box["name"] for box in others.boxes(result.job.get("obstacles", [])) if box.get("name")}
    throws = sorted((event for event in result.job.get("events", []) if event["type"] == "ball"), key=lambda event: event["time"])
    positions = placement.to_world(result.object_positions)
    for number, name in enumerate(result.object_names):
        path = _matrices(placement, positions[:, number], result.object_rotations[:, number])
        if name in boxes:
            thing = context.scene.objects.get(name)
            if thing is None:
                continue  # the job came from another scene
            # The simulated box moves about its middle, the object about its origin.
            start = path[0].inverted() @ start_matrix(thing, first)
            _animate(thing, [matrix @ start for matrix in path], first, step)
        else:
            event = throws.pop(0)
            ball = _make_ball(context, armature, event.get("radius", BALL_RADIUS) * placement.scale)
            _animate(ball, path, first, step)
            _appear(ball, round(first + event["time"] * result.fps * step), first)


def _matrices(placement: Placement, positions: np.ndarray, rotations: np.ndarray) -> list[Matrix]:
    """World matrices, without scale, of (F, 3) world positions and (F, 4) simulated rotations."""
    turn = Quaternion(placement.turn)
    return [Matrix.Translation(position) @ (turn @ Quaternion(rotation)).to_matrix().to_4x4()
            for position, rotation in zip(positions, rotations, strict=True)]


def _animate(thing: bpy.types.Object, path: list[Matrix], first: float, step: float) -> None:
    """A new Action that moves an object through world matrices; the Action it had stays in the file."""
    into_parent = (thing.parent.matrix_world @ thing.matrix_parent_inverse).inverted() if thing.parent else Matrix()
    places, turns = [], []
    for world in path:
        place, turn, _ = (into_parent @ world).decompose()
        places.append(place)
        turns.append(turn)
    action, curves = compat.new_action(f"{thing.name} pushed", thing)
    key_curves(curves, "location", np.array(places), first, step, "Object Transforms")
    key_curves(curves, *in_rotation_mode(thing.rotation_mode, make_continuous(np.array(turns))), first, step, "Object Transforms")
    actions.mark_replaced(actions.current(thing), action)
    compat.assign_action(thing, action)


def _make_ball(context: bpy.types.Context, armature: bpy.types.Object, radius: float) -> bpy.types.Object:
    mesh = bpy.data.meshes.new("Ball")
    sphere = bmesh.new()
    bmesh.ops.create_uvsphere(sphere, u_segments=32, v_segments=16, radius=radius)
    sphere.to_mesh(mesh)
    sphere.free()
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    mesh.materials.append(compat.material("Footfall Ball", BALL_COLOR))
    ball = bpy.data.objects.new(f"{armature.name} Ball", mesh)
    ball["footfall_thrown_at"] = armature.name
    collection = bpy.data.collections.get(BALLS) or bpy.data.collections.new(BALLS)
    if collection.name not in {child.name for child in context.scene.collection.children_recursive}:
        context.scene.collection.children.link(collection)
    collection.objects.link(ball)
    return ball


def _remove_balls(armature: bpy.types.Object) -> None:
    for ball in [thing for thing in bpy.data.objects if thing.get("footfall_thrown_at") == armature.name]:
        mesh = ball.data
        bpy.data.objects.remove(ball)
        if mesh.users == 0:  # it may have been replaced by one that others show too
            bpy.data.meshes.remove(mesh)


def _appear(ball: bpy.types.Object, frame: int, first: float) -> None:
    """Hide the ball until it is thrown."""
    for path in ("hide_viewport", "hide_render"):
        for hidden, at in ((True, first), (False, frame)):
            setattr(ball, path, hidden and frame > first)
            ball.keyframe_insert(path, frame=at)
