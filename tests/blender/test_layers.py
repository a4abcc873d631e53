"""Hits on a character that plays NLA strips, its own or a layer of ours."""

import bpy
import pytest

from tests.blender.mannequins import empty_scene, mannequin, refused
from tests.cases import quick

BONES = ("head", "foot.L", "forearm.R")
LAST = 40


@pytest.fixture
def stripped(mannequin) -> bpy.types.Object:
    """It plays two strips and no action: one turns an arm, the other one, above it, the trunk."""
    data = mannequin.animation_data_create()
    for name, bone in (("Arm", "upper_arm.R"), ("Trunk", "pelvis")):
        data.action = bpy.data.actions.new(name)
        turned = mannequin.pose.bones[bone]
        turned.rotation_mode = "XYZ"
        for frame, turn in ((1, 0.0), (LAST // 2, 0.3), (LAST, 0.0)):
            turned.rotation_euler.z = turn
            turned.keyframe_insert("rotation_euler", frame=frame)
        action, data.action = data.action, None
        data.nla_tracks.new().strips.new(name, 1, action)
    return mannequin


def played(rig: bpy.types.Object) -> list:
    """For each frame where the ends of some bones are."""
    places = []
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        places.append([rig.matrix_world @ rig.pose.bones[name].tail for name in BONES])
    return places


def away(rig: bpy.types.Object, before: list) -> list[float]:
    """m, for each frame: how far it is from where it was."""
    return [max((now - then).length for now, then in zip(*moment, strict=True)) for moment in zip(played(rig), before, strict=True)]


def hit(rig: bpy.types.Object, frame: int) -> None:
    bpy.context.scene.frame_set(frame)
    assert bpy.ops.footfall.add_hit() == {"FINISHED"}
    push = rig.footfall.pushes[-1]
    push.part, push.feel = "head", "TAP"
    rig.footfall.motion.hits.response, rig.footfall.motion.hits.back = "FLINCH", 0.5


@pytest.mark.parametrize("layer", quick((False, True), False))
def test_strips_are_hit_and_hit_again(stripped, layer):
    """Before the hit all is as it was, and after it too once it is over. The second hit comes to the first; the strips below are not touched.
    What comes of it is a strip above them, whether a layer is asked for or not."""
    before, tracks = played(stripped), [track.name for track in stripped.animation_data.nla_tracks]
    stripped.footfall.bake.layer = layer
    bpy.context.scene.frame_set(LAST + 5)
    assert "outside of the NLA strips" in refused(bpy.ops.footfall.add_hit)
    hit(stripped, 20)
    reference, = bpy.context.scene.footfall.references
    assert (reference.action, reference.owner, reference.first, reference.last) == (None, stripped, 1, LAST)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    first = away(stripped, before)
    assert max(first[:19]) < 1e-4 and max(first[19:30]) > 0.01 and first[-1] < 2e-3, [round(value, 4) for value in first]
    hit(stripped, 8)
    assert len(stripped.footfall.pushes) == 2 and len(bpy.context.scene.footfall.references) == 1
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    both = away(stripped, before)
    assert max(both[:7]) < 1e-4 and max(both[7:16]) > 0.01 and max(both[19:30]) > 0.01 and both[-1] < 2e-3, [round(value, 4) for value in both]
    now = [track.name for track in stripped.animation_data.nla_tracks]
    assert now[:2] == tracks and len(now) == 3 and stripped.animation_data.action is None


def test_a_layer_is_replaced_by_the_next_one(mannequin):
    """An action under a layer of ours is hit again: the layer goes, and one with both hits takes its place."""
    data = mannequin.animation_data_create()
    data.action = own = bpy.data.actions.new("Arm")
    turned = mannequin.pose.bones["upper_arm.R"]
    for frame in (1, LAST):
        turned.keyframe_insert("rotation_quaternion", frame=frame)
    before = played(mannequin)
    mannequin.footfall.bake.layer = True
    for frame in (20, 8):
        hit(mannequin, frame)
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert [track.strips[0].action == own for track in data.nla_tracks] == [True, False] and len(mannequin.footfall.pushes) == 2
    both = away(mannequin, before)
    assert max(both[:7]) < 1e-4 and max(both[7:16]) > 0.01 and max(both[19:30]) > 0.01, [round(value, 4) for value in both]


def test_an_animation_that_was_changed_is_read_again(mannequin):
    """The next hit is on what it plays now, and not on what it played once."""
    data = mannequin.animation_data_create()
    data.action = bpy.data.actions.new("Arm")
    turned = mannequin.pose.bones["upper_arm.R"]
    for frame in (1, LAST):
        turned.keyframe_insert("rotation_quaternion", frame=frame)
    references = bpy.context.scene.footfall.references
    for frame, count in ((10, 1), (12, 1)):
        hit(mannequin, frame)
        assert len(references) == count
    turned.rotation_quaternion.x = 0.4
    turned.keyframe_insert("rotation_quaternion", frame=20)
    hit(mannequin, 14)
    assert len(references) == 2 and mannequin.footfall.motion.reference == references[1].name and len(mannequin.footfall.pushes) == 3
