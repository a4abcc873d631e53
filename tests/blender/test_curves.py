"""A curve is kept to, and what is done at its end; a character that stands keeps its balance."""

import math
from itertools import pairwise

import bpy
import numpy as np
import pytest

from tests.blender.mannequins import empty_scene, job, mannequin

RADIUS = 2.0


@pytest.fixture
def bend() -> bpy.types.Object:
    """From the mannequin's feet 1 m ahead (it faces −Y), half a circle of 2 m radius to its left, and 1 m on."""
    turns = np.linspace(0.0, math.pi, 60)
    points = [(0.0, 0.0), *((RADIUS * (1 - math.cos(turn)), -1.0 - RADIUS * math.sin(turn)) for turn in turns), (2 * RADIUS, 0.0)]
    data = bpy.data.curves.new("Bend", "CURVE")
    data.dimensions = "3D"
    line = data.splines.new("POLY")
    line.points.add(len(points) - 1)
    for point, (x, y) in zip(line.points, points, strict=True):
        point.co = (x, y, 0.0, 1.0)
    curve = bpy.data.objects.new("Bend", data)
    bpy.context.collection.objects.link(curve)
    return curve


def hips(rig, frames) -> np.ndarray:
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(rig.matrix_world @ rig.pose.bones[rig.footfall.parts["pelvis"].bone].head)
    return np.array(found)


@pytest.mark.parametrize(("gait", "off"), (("sturdy_walk", 0.3), ("walk", 0.35)))
def test_a_bend_of_two_metres_is_kept_to(mannequin, bend, gait, off):
    motion = mannequin.footfall.motion
    motion.gait, motion.heading_mode, motion.curve, motion.seconds = gait, "CURVE", bend, 7.0
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    line = np.array([point.co[:2] for point in bend.data.splines[0].points])
    fine = np.concatenate([np.linspace(a, b, 20) for a, b in pairwise(line)])
    gone = hips(mannequin, range(1, 170, 3))[:, :2]
    assert np.linalg.norm(gone[:, None] - fine, axis=-1).min(axis=1).max() < off
    assert np.linalg.norm(gone[-1] - gone[0]) > 3.0


def test_what_is_done_at_the_end_is_asked_for(mannequin, bend):
    motion = mannequin.footfall.motion
    assert job(mannequin)["at_end"] == "walk_on"
    motion.methods.gait.at_end = "STOP"
    motion.heading_mode, motion.curve = "CURVE", bend
    assert job(mannequin)["at_end"] == "stop"


def test_who_stands_takes_a_push_in_a_step(mannequin):
    motion = mannequin.footfall.motion
    motion.gait, motion.seconds = "stand", 3.0
    push = mannequin.footfall.pushes.add()
    push.frame, push.direction = 20, (0.0, -1.0, 0.0)
    push.newtons, push.seconds = 250.0, 0.2
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    bake = mannequin.footfall.bake
    assert not bake.fell and "Fell" not in bake.report
    assert hips(mannequin, (72,))[0][2] > 0.75
