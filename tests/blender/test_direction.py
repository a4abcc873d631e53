"""Which way a character sets off: as it faces, as its animation goes, as it is turned."""

import math

import bpy
import numpy as np
import pytest
from footfall.blender_addon.aside import aside
from footfall.blender_addon.scene import measure_at_start
from footfall.core import rotation
from mathutils import Euler, Vector

from tests.blender.mannequins import empty_scene, job, mannequin, traces

FACES = -math.pi / 2  # a mannequin looks along −Y


def key_hips(rig: bpy.types.Object, away: tuple, turned: float = 0.0, frames: tuple = (1, 25)) -> None:
    """Hips that go ``away`` (world) from one frame to another, turned by ``turned`` about the vertical."""
    hips = rig.pose.bones["pelvis"]
    rest = rig.data.bones["pelvis"].matrix_local
    hips.rotation_mode = "QUATERNION"
    for frame, part in zip(frames, (0.0, 1.0), strict=True):
        matrix = rest.copy()
        matrix.translation = rest.translation + part * Vector(away)
        hips.matrix = matrix @ (rest.to_3x3().inverted() @ Euler((0.0, 0.0, turned)).to_matrix() @ rest.to_3x3()).to_4x4()
        for path in ("location", "rotation_quaternion"):
            hips.keyframe_insert(path, frame=frame)


def yaw(rig: bpy.types.Object) -> float:
    return measure_at_start(bpy.context.scene, rig, rig.footfall.motion.frame_start).placement.yaw


def off(angle: float, wanted: float) -> float:
    return abs(math.remainder(angle - wanted, 2 * math.pi))


def test_without_an_animation_it_goes_the_way_it_faces(mannequin):
    rig = mannequin
    rig.rotation_euler[2] = 0.7
    bpy.context.view_layer.update()
    assert off(yaw(rig), FACES + 0.7) < 1e-4


def test_with_an_animation_it_goes_the_way_its_hips_go(mannequin):
    key_hips(mannequin, away=(1.0, 1.0, 0.0), turned=0.5)
    for shown in (1, 25):  # whatever frame is shown
        bpy.context.scene.frame_set(shown)
        assert off(yaw(mannequin), math.pi / 4) < 0.01


def test_hips_that_go_nowhere_go_the_way_they_face(mannequin):
    key_hips(mannequin, away=(0.05, 0.0, 0.02), turned=0.5)
    bpy.context.scene.frame_set(25)
    assert off(yaw(mannequin), FACES + 0.5) < 0.01


def test_the_walk_goes_where_the_arrow_says_and_is_turned_by_the_number(mannequin):
    rig = mannequin
    key_hips(rig, away=(2.0, 0.0, 0.0))
    bpy.context.scene.frame_set(20)
    for direction, wanted in ((0.0, 0.0), (math.pi / 2, math.pi / 2), (-0.5, -0.5)):  # the later ones start where the first did
        rig.footfall.motion.direction = direction
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
        hips = []
        for frame in (1, 20):
            bpy.context.scene.frame_set(frame)
            hips.append(np.array(rig.matrix_world @ rig.pose.bones["pelvis"].head))
        away = hips[1] - hips[0]
        assert np.hypot(*hips[0][:2]) < 0.1
        assert off(math.atan2(away[1], away[0]), wanted) < 0.15


def test_a_start_from_the_current_pose_keeps_that_and_turns_the_way(mannequin):
    rig = mannequin
    rig.footfall.motion.start = "POSE"
    rotations = [np.array(job(rig)["start"]["rotations"]["pelvis"])]
    rig.footfall.motion.direction = 0.4
    rotations.append(np.array(job(rig)["start"]["rotations"]["pelvis"]))
    assert rotation.heading(rotations[1]) == pytest.approx(rotation.heading(rotations[0]) - 0.4, abs=1e-6)


def test_looking_at_another_frame_leaves_all_as_it_is(mannequin):
    rig = mannequin
    key_hips(rig, away=(1.0, 0.0, 0.0))
    bpy.context.scene.frame_set(10)
    rig.pose.bones["thigh.L"].rotation_quaternion = (0.9, 0.1, 0.0, 0.0)  # not keyed
    rig.pose.bones["pelvis"].location = (0.0, 0.0, 0.3)
    bpy.context.view_layer.update()
    before = traces(rig), [bone.matrix.copy() for bone in rig.pose.bones], len(bpy.data.scenes)
    yaw(rig)
    with aside(rig) as at:
        assert (at(25).pose.bones["pelvis"].head - rig.pose.bones["pelvis"].head).length > 0.3
    assert before == (traces(rig), [bone.matrix.copy() for bone in rig.pose.bones], len(bpy.data.scenes))
    assert bpy.context.scene.frame_current == 10
