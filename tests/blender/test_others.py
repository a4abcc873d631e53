"""What is not simulated in a walk: it holds still, or goes on if that is wished for."""

import bpy
import pytest
from footfall.blender_addon import scene
from footfall.blender_addon.compat import action_curves
from footfall.blender_addon.rig.turns import link_turns
from footfall.core.result import Result
from mathutils import Quaternion

from tests.blender.mannequins import add_bone, empty_scene, mannequin
from tests.cases import quick

LAST = 25  # of the walk, at 24 frames a second


@pytest.fixture
def dancer(mannequin):
    """Plays a long action that moves a finger, a prop in the hand, a clavicle and a property."""
    bones = mannequin.data.bones
    hand, end = bones["hand.R"].head_local.copy(), bones["hand.R"].tail_local.copy()
    add_bone(mannequin, "finger", end, 2.0 * end - hand, parent="hand.R")
    add_bone(mannequin, "prop", hand, end, parent="hand.R")
    mannequin["glow"] = 0.0
    for name in ("finger", "prop", "shoulder.L"):
        bone = mannequin.pose.bones[name]
        bone.rotation_mode = "XYZ"
        for frame, angle in ((1, 0.1), (10, 0.4), (60, -0.5), (80, 0.3)):
            bone.rotation_euler[0] = angle
            bone.keyframe_insert("rotation_euler", frame=frame)
            mannequin["glow"] = angle
            mannequin.keyframe_insert('["glow"]', frame=frame)
    return mannequin


def turns(rig, bone, frames):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(rig.pose.bones[bone].rotation_euler[0])
    return found


@pytest.mark.parametrize("shown", quick([1, 40], 40))
def test_other_bones_hold_the_pose_of_the_first_frame(dancer, shown):
    old = dancer.animation_data.action
    bpy.context.scene.frame_set(shown)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    new = dancer.animation_data.action
    assert new != old and old.frame_range[1] == 80 and new.frame_range[1] == LAST
    for bone in ("finger", "prop", "shoulder.L"):
        assert turns(dancer, bone, (1, 10, LAST, 60, 80)) == pytest.approx([0.1] * 5, abs=1e-6)
        assert bone in {curve.data_path.split('"')[1] for curve in action_curves(new)}
    assert dancer["glow"] == pytest.approx(0.1)
    character, result = scene.measure(dancer), Result.load(dancer.footfall.bake.result)
    bpy.context.scene.frame_set(12)
    wanted = Quaternion(link_turns(character.fit, character.placement, result.rotations)["forearm.L"][11])
    arm = dancer.pose.bones["forearm.L"]
    turned = (dancer.matrix_world @ arm.matrix @ arm.bone.matrix_local.inverted() @ dancer.matrix_world.inverted()).to_quaternion()
    assert turned.rotation_difference(wanted).angle < 1e-3  # whatever the clavicle does on the frame that was shown


def test_other_bones_keep_moving_to_the_end_of_the_walk(dancer):
    bpy.context.scene.frame_set(1)
    before = turns(dancer, "finger", range(1, LAST + 1))
    bpy.context.scene.frame_set(1)
    dancer.footfall.bake.others_go_on = True
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert dancer.animation_data.action.frame_range[1] == LAST
    assert turns(dancer, "finger", range(1, LAST + 1)) == pytest.approx(before, abs=1e-5)
    assert turns(dancer, "finger", (60, 80)) == pytest.approx(before[-1:] * 2, abs=1e-5)
    # A clavicle carries an arm that walks: it would swing that along.
    assert turns(dancer, "shoulder.L", (1, 10, LAST)) == pytest.approx([0.1] * 3, abs=1e-6)
