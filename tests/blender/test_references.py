"""Recordings as references: files and actions into the list, and what the list says."""

import re
from pathlib import Path

import bpy
import numpy as np
import pytest
from footfall.blender_addon import recording, scene
from footfall.core import rotation
from footfall.core.formats import read_clip

from tests.blender.mannequins import add_bone, empty_scene, mannequin, refused, traces
from tests.blender.recordings import FPS, LAST, heads, key, listed, motions, walk, write_walk
from tests.blender.test_bake import centimetres, generated

# -- files into the list -----------------------------------------------------------------------------------------------


def test_a_bvh_file_becomes_a_reference(walk):
    assert bpy.ops.footfall.add_reference(filepath=str(walk)) == {"FINISHED"}
    reference, = bpy.context.scene.footfall.references
    assert (reference.name, reference.kind, reference.repair) == ("walk", "FILE", False)
    assert reference.seconds == pytest.approx(2.0, abs=0.01) and reference.speed == pytest.approx(1.2, abs=0.06)
    assert Path(reference.filepath) == walk and Path(reference.strip).read_bytes().startswith(b"\x89PNG")
    assert "60 frames a second" in reference.facts and "centimetres" in reference.notes


def test_a_deepmimic_file(motions):
    assert bpy.ops.footfall.add_reference(filepath=str(motions / "humanoid3d_walk.txt")) == {"FINISHED"}
    reference, = bpy.context.scene.footfall.references
    assert reference.name == "humanoid3d_walk" and 1.0 < reference.seconds < 1.4 and 0.8 < reference.speed < 1.3


def test_several_files_at_once_and_one_that_is_none(walk, tmp_path):
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n")
    folder = tmp_path / "more"
    folder.mkdir()
    write_walk(tmp_path / "long.bvh", 3.0)
    files = [{"name": name} for name in ("walk.bvh", "broken.bvh", "long.bvh")]
    assert bpy.ops.footfall.add_reference(directory=str(tmp_path), files=files) == {"FINISHED"}
    assert listed() == ["walk", "long"]
    assert bpy.ops.footfall.add_reference(filepath=str(write_walk(folder / "walk.bvh"))) == {"FINISHED"}
    assert listed() == ["walk", "long", "walk 2"] and len({reference.strip for reference in bpy.context.scene.footfall.references}) == 3


@pytest.mark.parametrize("name, text", [("broken.bvh", "HIERARCHY\nROOT Hips\n"), ("letter.txt", "Dear Sir"), ("none.bvh", None)])
def test_a_file_that_cannot_be_read_is_one_sentence(name, text, tmp_path, mannequin):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    if text:
        (tmp_path / name).write_text(text)
    assert name in refused(bpy.ops.footfall.add_reference, filepath=str(tmp_path / name))
    assert listed() == [] and not list((tmp_path / "footfall").iterdir())
    assert bpy.context.object.footfall.motion.reference == ""


def test_beside_a_saved_blend_paths_are_relative(walk, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.footfall.add_reference(filepath=str(walk))
    reference, = bpy.context.scene.footfall.references
    assert reference.filepath == "//walk.bvh" and re.fullmatch(r"//footfall/walk-[0-9a-f]{6}\.png", reference.strip)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert listed() == ["walk"]


def test_undo_takes_a_reference_back(walk):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.footfall.add_reference(filepath=str(walk))
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert listed() == []


def test_remove_and_repair(walk):
    assert "no reference in the list" in refused(bpy.ops.footfall.remove_reference)
    assert "no reference in the list" in refused(bpy.ops.footfall.repair_reference)
    bpy.ops.footfall.add_reference(filepath=str(walk))
    reference = bpy.context.scene.footfall.references[0]
    assert bpy.ops.footfall.repair_reference() == {"FINISHED"} and reference.repair and reference.faults == ""
    assert bpy.ops.footfall.repair_reference() == {"FINISHED"} and not reference.repair
    bpy.ops.footfall.add_reference(filepath=str(walk), repair=True)
    assert bpy.context.scene.footfall.references[1].repair
    bpy.ops.footfall.remove_reference()
    walk.unlink()
    assert "is gone" in refused(bpy.ops.footfall.repair_reference) and not reference.repair
    assert bpy.ops.footfall.remove_reference() == {"FINISHED"} and listed() == []


# -- actions into the list ---------------------------------------------------------------------------------------------


def held(rig: bpy.types.Object) -> bpy.types.Object:
    """With an arm that a constraint turns, and a foot that IK holds."""
    turn = rig.pose.bones["forearm.L"].constraints.new("COPY_ROTATION")
    turn.target, turn.subtarget = rig, "thigh.L"
    target = bpy.data.objects.new("Target", None)
    bpy.context.collection.objects.link(target)
    target.location = (0.6, -0.2, 0.2)
    ik = rig.pose.bones["shin.R"].constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    return rig


@pytest.mark.parametrize("make", [lambda: held(_mannequin()), centimetres], ids=["constraints", "centimetres"])
def test_an_action_is_recorded_as_it_is_shown(make):
    rig = make()
    action = key(rig)
    assert bpy.ops.footfall.add_reference_action() == {"FINISHED"}
    reference, = bpy.context.scene.footfall.references
    assert (reference.name, reference.kind) == ("Wave", "ACTION") and reference.seconds == pytest.approx((LAST - 1) / FPS, abs=0.01)
    clip = read_clip(reference.filepath)
    assert clip.motion.fps == FPS and clip.motion.frames == LAST and clip.skeleton.names[0] in rig.pose.bones
    shown = heads(rig, clip.skeleton.names, range(1, LAST + 1))
    assert len(clip.skeleton.names) >= 15
    assert np.linalg.norm(clip.motion.world()[0] - shown, axis=-1).max() < 0.001
    toe = scene.measure(rig).bone_map.bones["toes.L"][-1]
    tip = rotation.rotate(clip.motion.world()[1][-1, clip.skeleton.index(toe)], clip.tips[toe]) + shown[-1, clip.skeleton.index(toe)]
    assert tip == pytest.approx(tuple(rig.matrix_world @ rig.pose.bones[toe].tail), abs=0.001)
    assert rig.animation_data.action == action


def _mannequin() -> bpy.types.Object:
    bpy.ops.footfall.add_mannequin()
    return bpy.context.object


def test_an_action_of_a_generated_rig():
    rig = generated()
    key(rig, last=8)
    clip = recording.record(bpy.context, rig, rig.animation_data.action)
    shown = heads(rig, clip.skeleton.names, range(1, 9))
    assert np.linalg.norm(clip.motion.world()[0] - shown, axis=-1).max() < 0.01, clip.notes


def test_a_giant_is_recorded_as_a_person(mannequin):
    mannequin.scale = (10.0, 10.0, 10.0)
    bpy.context.view_layer.update()
    key(mannequin)
    clip = recording.record(bpy.context, mannequin, mannequin.animation_data.action)
    assert clip.hip_height() == pytest.approx(0.93, abs=0.05)


def test_pelvis_below_a_root_bone_that_travels(mannequin):
    add_bone(mannequin, "root", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0), carries="pelvis")
    key(mannequin)
    for frame, x in ((1, 0.0), (LAST, 1.0)):
        mannequin.pose.bones["root"].location.x = x
        mannequin.pose.bones["root"].keyframe_insert("location", frame=frame)
    clip = recording.record(bpy.context, mannequin, mannequin.animation_data.action)
    assert clip.skeleton.names[0] == "pelvis" and clip.notes == []
    assert np.linalg.norm(clip.motion.world()[0] - heads(mannequin, clip.skeleton.names, range(1, LAST + 1)), axis=-1).max() < 0.001


def test_recording_leaves_scene_pose_and_action_as_they_were(mannequin):
    mannequin["mood"] = 0.25
    other = key(mannequin, "Other")
    for mood, frame in ((1.0, 1), (2.0, LAST)):
        mannequin["mood"] = mood
        mannequin.keyframe_insert('["mood"]', frame=frame)
    mannequin["mood"] = 0.25
    mannequin.animation_data.action = None
    own = key(mannequin, "Own", last=5)
    mannequin.pose.bones["head"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)  # keyed by none
    mannequin.pose.bones["thigh.L"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)  # posed since it was keyed
    bpy.context.scene.frame_set(3, subframe=0.5)
    mannequin.pose.bones["thigh.L"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    mannequin.data.pose_position = "REST"
    before, place = traces(mannequin), mannequin.location.copy()
    clip = recording.record(bpy.context, mannequin, other)
    assert clip.motion.frames == LAST
    assert traces(mannequin) == before and mannequin.animation_data.action == own and mannequin["mood"] == 0.25
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (3, 0.5) and mannequin.location == place
    assert mannequin.data.pose_position == "REST" and mannequin.animation_data.use_nla


def test_an_action_for_an_armature_that_plays_none(mannequin):
    action = key(mannequin)
    mannequin.animation_data_clear()
    assert "plays no action" in refused(bpy.ops.footfall.add_reference_action)
    assert bpy.ops.footfall.add_reference_action(armature="Mannequin", action=action.name) == {"FINISHED"}
    assert mannequin.animation_data is None and listed() == ["Wave"]


def test_a_short_action(mannequin):
    key(mannequin, last=6)
    assert bpy.ops.footfall.add_reference_action() == {"FINISHED"}


def test_actions_that_cannot_be_recorded(mannequin):
    key(mannequin)
    assert "no armature 'Nobody'" in refused(bpy.ops.footfall.add_reference_action, armature="Nobody")
    assert "no action 'Nothing'" in refused(bpy.ops.footfall.add_reference_action, action="Nothing")
    pose = bpy.data.actions.new("Pose")
    assert "holds a pose" in refused(bpy.ops.footfall.add_reference_action, action=pose.name)
    mannequin.hide_viewport = True
    assert "is hidden" in refused(bpy.ops.footfall.add_reference_action, armature="Mannequin")
    mannequin.hide_viewport = False
    bpy.ops.object.armature_add()
    assert bpy.context.object.name == "Armature"
    assert refused(bpy.ops.footfall.add_reference_action, action="Wave") and listed() == []
