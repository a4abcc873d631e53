"""Two characters in one scene: a warning where they meet, and one in the way of the other."""

import math

import bpy
import numpy as np
import pytest
from footfall.core import presets
from footfall.core.motion import Motion
from footfall.core.result import Result

from tests.blender.mannequins import empty_scene, job, mannequin

APART = 3.0  # m at the start, face to face


@pytest.fixture
def meeting(mannequin):
    """Two mannequins that walk towards each other; the second one has done so."""
    assert bpy.ops.footfall.add_mannequin() == {"FINISHED"}
    other = bpy.context.object
    other.name = "Anna"
    other.location, other.rotation_euler = (0.0, -APART, 0.0), (0.0, 0.0, math.pi)
    bpy.context.view_layer.update()
    for rig in (other, mannequin):
        rig.footfall.motion.seconds = 2.5
    simulated(other)
    return mannequin, other


def simulated(rig) -> Result:
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    return Result.load(bpy.path.abspath(rig.footfall.bake.result))


def links(result: Result) -> np.ndarray:
    body = presets.body(result.job["body"])
    return Motion(body.skeleton, result.fps, result.root_positions, result.rotations).world()[0]


def test_who_meets_another_is_told_so_with_the_frame(meeting):
    rig, other = meeting
    assert "meet" not in other.footfall.bake.report  # nobody else had moved yet
    simulated(rig)
    said = rig.footfall.bake.report
    assert f"'{rig.name}' and 'Anna' meet" in said and "at frame" in said and "Others Are in the Way" in said
    frame = int(said.split("at frame ")[-1].split(".")[0])
    bpy.context.scene.frame_set(frame)
    hips = [np.array(thing.matrix_world @ thing.pose.bones[thing.footfall.parts["pelvis"].bone].head)[:2] for thing in (rig, other)]
    assert np.linalg.norm(hips[0] - hips[1]) < 0.6


def test_others_that_keep_away_are_not_spoken_of(meeting):
    rig, other = meeting
    other.location.x += 3.0
    bpy.context.view_layer.update()
    simulated(rig)
    assert "Anna" not in rig.footfall.bake.report


def test_others_in_the_way_are_bumped_into(meeting):
    rig, other = meeting
    made = job(rig)
    assert not made.get("obstacles")  # off by default
    rig.footfall.others_in_way = True
    anna = job(rig)["obstacles"][0]
    assert anna["name"] == "Anna" and len(anna["positions"]) == rig.footfall.motion.seconds * made["fps"] + 1
    assert anna["positions"][0][0][0] == pytest.approx(APART, abs=0.1) and abs(anna["positions"][0][0][1]) < 0.1  # ahead of the character
    before, result = simulated(other), simulated(rig)
    assert "Bumps into 'Anna' at frame" in rig.footfall.bake.report
    # Nobody stands in the other: Anna's joints go by while this one has been pushed back.
    theirs = np.array(anna["positions"])[:result.frames]
    assert np.linalg.norm(links(result)[:len(theirs), None, :3] - theirs[:, :, None][:, :3], axis=-1).min() > 0.1
    assert result.root_positions[:, 0].max() < before.root_positions[:, 0].max() - 0.3

