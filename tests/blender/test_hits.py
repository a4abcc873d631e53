"""Hits on a clip, from the panel's settings to the keys."""

import json

import bpy
import pytest
from footfall.blender_addon import balance_map
from footfall.core.result import Result
from mathutils import Vector

from tests.blender.mannequins import empty_scene, job, mannequin, refused
from tests.blender.recordings import motions
from tests.blender.test_bake import generated
from tests.blender.test_following import mixamo
from tests.cases import quick
from tests.clips import path_of


def test_a_clip_takes_a_hit(mannequin, motions):
    """Up to the hit the keys are the clip's own, then the arm gives way, and by the end all is as in the clip again."""
    bpy.ops.footfall.add_reference(filepath=str(motions / "humanoid3d_punch.txt"))
    motion, scene = mannequin.footfall.motion, bpy.context.scene
    motion.source, motion.method = "CLIP", "HIT"
    assert "Nothing hits the body" in refused(bpy.ops.footfall.simulate)
    motion.method = "RETARGET"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}

    def hand(frame):
        scene.frame_set(frame)
        return mannequin.matrix_world @ mannequin.pose.bones["forearm.R"].tail

    last = int(mannequin.animation_data.action.frame_range[1])
    clip = [hand(frame) for frame in range(1, last + 1)]
    scene.frame_set(10)
    bpy.ops.footfall.add_push()
    push = mannequin.footfall.pushes[0]
    push.part, push.newtons, push.seconds, push.direction = "hand.R", 60.0, 0.1, (1.0, 0.0, 0.0)
    motion.method, motion.hits.back = "HIT", 1.0
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    away = [(hand(frame) - before).length for frame, before in zip(range(1, last + 1), clip, strict=True)]
    assert max(away[:10]) < 1e-4 and max(away[10:20]) > 0.05 and away[-1] < 1e-3, [round(value, 3) for value in away]
    assert "took the push at frame 10" in mannequin.footfall.bake.report


def test_a_hit_is_played_as_the_panel_says(mannequin, motions):
    """The first step lands on the mark, or as near to it as it can, wherever the character stands and faces."""
    mannequin.location, mannequin.rotation_euler.z = (2.0, 1.0, 0.0), 0.8
    bpy.context.view_layer.update()
    bpy.ops.footfall.add_reference(filepath=str(path_of("stand")))
    motion, scene = mannequin.footfall.motion, bpy.context.scene
    motion.source, motion.method = "CLIP", "HIT"
    scene.frame_set(20)
    bpy.ops.footfall.add_push()
    push = mannequin.footfall.pushes[0]
    ahead = mannequin.matrix_world.to_3x3() @ Vector((0.0, -1.0, 0.0))
    push.part, push.feel, push.direction = "torso", "SHOVE", -ahead

    def caught():
        """Where the ankles are once the character has caught itself."""
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
        scene.frame_set(50)
        return [mannequin.matrix_world @ mannequin.pose.bones[f"foot.{side}"].head for side in "LR"]

    scene.frame_set(1)
    before = [mannequin.matrix_world @ mannequin.pose.bones[f"foot.{side}"].head for side in "LR"]
    usual = caught()
    stepped = max((0, 1), key=lambda foot: (usual[foot] - before[foot]).length)
    scene.cursor.location = usual[stepped] + 0.2 * ahead
    bpy.ops.footfall.mark_place(setting="step_to")
    played = caught()
    mark = motion.methods.hit.step_to
    assert mark.location.z == pytest.approx(mannequin.location.z)
    assert (played[stepped] - usual[stepped]).dot(ahead) > 0.05
    assert (played[1 - stepped] - usual[1 - stepped]).length < 0.01
    assert "asks for no place 'nothing'" in refused(bpy.ops.footfall.mark_place, setting="nothing")


def test_a_standing_clip_keeps_its_balance(mannequin, motions, tmp_path):
    """A shove moves a character that stands; it steps or sways, stands again, and the clip goes on there."""
    data = json.loads((motions / "humanoid3d_punch.txt").read_text())
    data["Frames"] = [[0.05, *data["Frames"][0][1:]] for _ in range(80)]
    (tmp_path / "stand.txt").write_text(json.dumps(data))
    bpy.ops.footfall.add_reference(filepath=str(tmp_path / "stand.txt"))
    motion, scene = mannequin.footfall.motion, bpy.context.scene
    motion.source, motion.method, motion.hits.response = "CLIP", "HIT", "BALANCE"
    scene.frame_set(10)
    bpy.ops.footfall.add_push()
    push = mannequin.footfall.pushes[0]
    push.part, push.newtons, push.seconds, push.direction = "torso", 130.0, 0.2, (0.0, 1.0, 0.0)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}

    def head(frame):
        scene.frame_set(frame)
        return mannequin.matrix_world @ mannequin.pose.bones["head"].head

    places = [head(frame) for frame in range(1, int(mannequin.animation_data.action.frame_range[1]) + 1)]
    assert max((place - places[0]).length for place in places[:10]) < 1e-3
    assert max((place - places[0]).length for place in places[10:]) > 0.03
    assert min(place.z for place in places) > 0.8 * places[0].z and (places[-1] - places[-10]).length < 0.01
    # The next hit, a little harder, begins with what has held for this one; one much later does not.
    push.newtons = 150.0
    assert job(mannequin)["like"] == Result.load(bpy.path.abspath(mannequin.footfall.bake.result)).outcome["held"] != {}
    push.frame = 40
    assert job(mannequin)["like"] == {}


def played(character, bone, last):
    """Where the end of a bone is on each frame."""
    places = []
    for frame in range(1, last + 1):
        bpy.context.scene.frame_set(frame)
        places.append(character.matrix_world @ character.pose.bones[bone].tail)
    return places


def retargeted(character, motions, name):
    """Let the character play a recording as it is; the last frame of it."""
    bpy.ops.footfall.add_reference(filepath=str(motions / f"humanoid3d_{name}.txt"))
    character.footfall.motion.source, character.footfall.motion.method = "CLIP", "RETARGET"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    return int(character.animation_data.action.frame_range[1])


def test_what_it_plays_is_hit_and_stays_as_it_is_below_a_layer(mannequin, motions):
    """The animation itself is untouched; a strip above it holds what the hit changes, and nothing else."""
    scene = bpy.context.scene
    assert "plays no action" in refused(bpy.ops.footfall.add_hit)
    last = retargeted(mannequin, motions, "punch")
    clip, own = played(mannequin, "forearm.R", last), mannequin.animation_data.action
    scene.frame_set(last + 5)
    assert "outside of" in refused(bpy.ops.footfall.add_hit)
    scene.frame_set(10)
    assert bpy.ops.footfall.add_hit() == {"FINISHED"}
    motion, push = mannequin.footfall.motion, mannequin.footfall.pushes[0]
    assert (motion.source, motion.method, push.frame, push.feel) == ("CLIP", "HIT", 10, "SHOVE")
    push.part, push.feel, push.newtons, push.seconds, push.direction = "hand.R", "OWN", 60.0, 0.1, (1.0, 0.0, 0.0)
    motion.hits.back, mannequin.footfall.bake.layer = 0.8, True
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    tracks = mannequin.animation_data.nla_tracks
    assert mannequin.animation_data.action is None and len(tracks) == 2 and tracks[0].strips[0].action == own
    assert tracks[1].strips[0].frame_start == 10 and tracks[1].strips[0].frame_end < 60
    away = [(now - before).length for now, before in zip(played(mannequin, "forearm.R", last), clip, strict=True)]
    assert max(away[:10]) < 1e-5 and max(away[10:20]) > 0.03 and max(away[45:]) < 1e-5, [round(value, 4) for value in away]


def test_variations_to_choose_from(mannequin, motions):
    last = retargeted(mannequin, motions, "punch")
    bpy.context.scene.frame_set(10)
    bpy.ops.footfall.add_hit()
    push, listed = mannequin.footfall.pushes[0], mannequin.footfall.variations
    push.part, push.feel, listed.count = "hand.R", "TAP", 3
    assert "no variations" in refused(bpy.ops.footfall.keep_variation)
    before = mannequin.animation_data.action
    assert bpy.ops.footfall.vary_hits() == {"FINISHED"}
    assert len(listed.found) == 3 and mannequin.animation_data.action == before
    listed.active = 1
    assert bpy.ops.footfall.keep_variation() == {"FINISHED"}
    chosen = played(mannequin, "forearm.R", last)
    listed.active = 2
    bpy.ops.footfall.keep_variation()
    other = played(mannequin, "forearm.R", last)
    assert mannequin.animation_data.action != before and (chosen[4] - other[4]).length < 1e-6
    assert max((one - two).length for one, two in zip(chosen, other, strict=True)) > 1e-3
    assert bpy.ops.footfall.clear_variations() == {"FINISHED"} and not listed.found


@pytest.mark.parametrize("by", quick(["keys", "constraint"], "constraint"))
def test_a_character_that_is_moved_as_an_object(mannequin, motions, by):
    """By its action or by a constraint: it goes where it went, but for what the hit changes."""
    last = retargeted(mannequin, motions, "punch")
    mover = mannequin
    if by == "constraint":
        mover = bpy.data.objects.new("Mover", None)
        bpy.context.scene.collection.objects.link(mover)
        mannequin.constraints.new("COPY_LOCATION").target = mover
    for frame, place in ((1, 0.0), (last, 2.0)):
        mover.location.x = place
        mover.keyframe_insert("location", index=0, frame=frame)
    clip = played(mannequin, "forearm.R", last)
    bpy.context.scene.frame_set(20)
    bpy.ops.footfall.add_hit()
    push = mannequin.footfall.pushes[0]
    push.part, push.feel, push.newtons, push.seconds, push.direction = "hand.R", "OWN", 60.0, 0.1, (1.0, 0.0, 0.0)
    mannequin.footfall.motion.hits.response, mannequin.footfall.motion.hits.back = "FLINCH", 0.3
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    away = [(now - before).length for now, before in zip(played(mannequin, "forearm.R", last), clip, strict=True)]
    assert max(away[:19]) < 1e-5 and 0.03 < max(away[19:30]) < 0.5 and away[-1] < 1e-3, [round(value, 4) for value in away]


@pytest.mark.parametrize("bare", [False, True])
def test_it_is_hit_where_it_is_clicked_on(mannequin, motions, bare):
    """On its mesh, or on the bones of a rig without one; the hit goes where the one who clicks looks."""
    retargeted(mannequin, motions, "punch")
    bpy.context.scene.frame_set(12)
    if bare:
        for child in list(mannequin.children_recursive):
            bpy.data.objects.remove(child)
    direction = Vector((0.3, 1.0, -0.1)).normalized()
    for number, part in enumerate(("head", "torso", "forearm.R", "shin.L")):
        bpy.context.view_layer.update()
        bone = mannequin.pose.bones[mannequin.footfall.parts[part].bone]
        place = mannequin.matrix_world @ ((bone.head + bone.tail) / 2)
        assert "is not on" in refused(bpy.ops.footfall.click_hit, origin=place + Vector((5, 5, 5)), direction=direction)
        assert bpy.ops.footfall.click_hit(origin=place - 4.0 * direction, direction=direction, another=True) == {"FINISHED"}
        push = mannequin.footfall.pushes[number]
        assert push.frame == 12 and (Vector(push.direction) - direction).length < 0.01
        assert push.part == part or (part == "torso" and "arm" in push.part)  # the arms are up before it


def test_a_ball_on_a_clip(mannequin, motions):
    """It is thrown, meets the character, and flies on; both are baked."""
    last = retargeted(mannequin, motions, "walk")
    clip = played(mannequin, "head", last)
    motion = mannequin.footfall.motion
    motion.method = "HIT"
    bpy.context.scene.frame_set(5)
    bpy.ops.footfall.add_ball()
    thrown = mannequin.footfall.balls[0]
    thrown.kilograms, thrown.speed, thrown.source = 0.5, 10.0, "LEFT"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    away = [(now - before).length for now, before in zip(played(mannequin, "head", last), clip, strict=True)]
    assert max(away[:8]) < 1e-4 and max(away[8:]) > 0.01
    ball = next(thing for thing in bpy.data.objects if thing.get("footfall_thrown_at") == mannequin.name)
    ways = []
    for frame in (5, 8, last):
        bpy.context.scene.frame_set(frame)
        chest = mannequin.pose.bones[mannequin.footfall.parts["torso"].bone]
        ways.append((ball.matrix_world.translation - mannequin.matrix_world @ chest.head).length)
    assert ways[0] > 2.0 > ways[1] and ways[2] > 0.2


def test_a_balance_map(mannequin, monkeypatch):
    """For this very character; nothing but the map changes, and it goes when it is cleared."""
    monkeypatch.setattr(balance_map, "DIRECTIONS", "4")
    monkeypatch.setattr(balance_map, "MOST", "100")
    assert bpy.ops.footfall.map_balance() == {"FINISHED"}
    kept = mannequin.footfall.balance
    assert sorted((field.degrees, field.newtons) for field in kept.fields) == [(degrees, 100.0) for degrees in (0.0, 90.0, 180.0, 270.0)]
    assert all(field.strategy >= 0 for field in kept.fields) and kept.limits == "100,100,100,100"
    assert mannequin.animation_data is None or mannequin.animation_data.action is None
    assert bpy.ops.footfall.clear_balance() == {"FINISHED"} and not kept.fields


@pytest.mark.parametrize("make", [mixamo, pytest.param(generated, marks=pytest.mark.slow)], ids=["Mixamo", "Rigify"])
def test_what_a_rig_of_another_build_plays_is_hit(make, motions):
    """Up to the hit it moves as before, then it is moved by it."""
    rig = make()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.footfall.recognise()
    last = retargeted(rig, motions, "punch")
    bone = rig.footfall.parts["head"].bone
    clip = played(rig, bone, last)
    bpy.context.scene.frame_set(12)
    assert bpy.ops.footfall.add_hit() == {"FINISHED"}
    push = rig.footfall.pushes[0]
    push.part, push.feel = "head", "TAP"
    rig.footfall.motion.hits.response = "FLINCH"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    size = (rig.matrix_world @ rig.data.bones[bone].head_local).z / 1.55
    away = [(now - before).length / size for now, before in zip(played(rig, bone, last), clip, strict=True)]
    assert max(away[:12]) < 1e-4 and 0.01 < max(away[12:30]) < 0.5 and away[-1] < 1e-3, [round(value, 4) for value in away]


def test_keys_of_controls_that_reach_are_hit():
    """A Rigify rig that somebody has keyed with IK: until the hit and when that is over it moves as it did, and FK shows what is in between."""
    rig = generated()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.footfall.recognise()
    hand, torso = rig.pose.bones["hand_ik.R"], rig.pose.bones["torso"]
    inward = hand.bone.matrix_local.to_3x3().inverted() @ (rig.data.bones["ORG-upper_arm.R"].head_local - hand.bone.head_local)
    for frame, reach, sink in ((1, 0.0, 0.0), (30, 0.3, 0.05), (60, 0.0, 0.0)):
        hand.location, torso.location.z = reach * inward, -sink
        hand.keyframe_insert("location", frame=frame)
        torso.keyframe_insert("location", frame=frame)
    bones = [rig.footfall.parts[part].bone for part in ("forearm.R", "shin.L", "head")]
    before = {bone: played(rig, bone, 60) for bone in bones}
    bpy.context.scene.frame_set(20)
    assert bpy.ops.footfall.add_hit() == {"FINISHED"}
    push = rig.footfall.pushes[0]
    push.part, push.feel = "head", "TAP"
    rig.footfall.motion.hits.response, rig.footfall.motion.hits.back = "FLINCH", 0.8
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    for bone in bones:
        away = [(now - then).length for now, then in zip(played(rig, bone, 60), before[bone], strict=True)]
        assert max(away[:20]) < 1e-4 and away[-1] < 1e-3, (bone, [round(value, 4) for value in away])
    assert max(away[20:40]) > 0.01


@pytest.mark.slow
def test_who_falls_gets_up_as_in_a_recording_of_the_list(mannequin, motions):
    """A recording of getting up is known as one; with it in the list a character who falls stands up again, and has keys to its end."""
    motion, scene = mannequin.footfall.motion, bpy.context.scene
    bpy.ops.footfall.add_reference(filepath=str(motions / "humanoid3d_punch.txt"))
    motion.source, motion.method, motion.reference = "CLIP", "HIT", "humanoid3d_punch"
    motion.hits.response, motion.hits.after_fall, motion.methods.hit.lies_for, motion.hits.quality = "FALL", "GET_UP", 0.5, "DRAFT"
    scene.frame_set(10)
    bpy.ops.footfall.add_push()
    push = mannequin.footfall.pushes[0]
    push.part, push.feel, push.newtons, push.seconds, push.direction = "torso", "OWN", 500.0, 0.2, (0.0, -1.0, 0.0)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert "add a recording" in mannequin.footfall.bake.report
    for name in ("getup_facedown", "getup_faceup"):
        bpy.ops.footfall.add_reference(filepath=str(motions / f"humanoid3d_{name}.txt"))
    motion.reference = "humanoid3d_punch"
    assert [reference.gets_up for reference in scene.footfall.references] == [False, True, True]
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert "got up" in mannequin.footfall.bake.report and not mannequin.footfall.bake.fell
    last = int(mannequin.animation_data.action.frame_range[1])
    heights = [place.z for place in played(mannequin, "head", last)]
    assert min(heights) < 0.4 * heights[0] and min(heights[-5:]) > 0.9 * heights[0], [round(height, 2) for height in heights[::5]]
