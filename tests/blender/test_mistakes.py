"""The sentences for mistakes, and that nothing has changed after one."""

import bpy
import pytest
from footfall.blender_addon import running
from footfall.core.result import Result

from tests.blender.mannequins import add_bone, empty_scene, job, mannequin, refused, retarget, traces


def test_no_character():
    assert refused(bpy.ops.footfall.simulate) == "Nothing is selected: click on a character's armature, or add a mannequin."
    assert refused(bpy.ops.footfall.recognise).startswith("Nothing is selected")
    assert refused(bpy.ops.footfall.add_push).startswith("Nothing is selected")


def test_an_object_that_is_no_armature():
    bpy.ops.mesh.primitive_cube_add()
    assert refused(bpy.ops.footfall.simulate) == "'Cube' is no armature: click on a character's armature, or add a mannequin."


def test_the_mesh_of_a_character_stands_for_it(mannequin):
    bpy.context.view_layer.objects.active = mannequin.children[0]
    assert bpy.ops.footfall.add_push() == {"FINISHED"} and len(mannequin.footfall.pushes) == 1


def test_an_armature_without_bones():
    rig = bpy.data.objects.new("Nobody", bpy.data.armatures.new("Nobody"))
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    assert refused(bpy.ops.footfall.simulate).startswith("'Nobody' has no bones")


def test_a_rig_with_one_leg(mannequin):
    bpy.ops.object.mode_set(mode="EDIT")
    for name in ("thigh.L", "shin.L", "foot.L", "toe.L"):
        mannequin.data.edit_bones.remove(mannequin.data.edit_bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.footfall.recognise()
    before = traces(mannequin)
    assert not mannequin.footfall.usable
    assert refused(bpy.ops.footfall.simulate) == mannequin.footfall.summary
    assert traces(mannequin) == before


@pytest.mark.parametrize("seconds, frames", [(0.0, None), (None, (10, 10)), (None, (10, 2))])
def test_an_empty_frame_range(mannequin, seconds, frames):
    motion = mannequin.footfall.motion
    if frames:
        motion.span, (motion.frame_start, motion.frame_end) = "FRAMES", frames
    else:
        motion.seconds = seconds
    before = traces(mannequin)
    assert "set the end after the start" in refused(bpy.ops.footfall.simulate)
    assert traces(mannequin) == before


def test_a_linked_rig_says_what_to_do_and_its_override_bakes(mannequin, tmp_path):
    file = str(tmp_path / "library.blend")
    bpy.data.libraries.write(file, {mannequin, *mannequin.children})
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with bpy.data.libraries.load(file, link=True) as (_, here):
        here.objects = ["Mannequin"]
    rig = here.objects[0]
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    sentence = refused(bpy.ops.footfall.simulate)
    assert "'Mannequin' is linked from 'library.blend'" in sentence and "library override" in sentence
    override = rig.override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = override
    override.footfall.motion.seconds = 1.0
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert override.footfall.bake.report.startswith("Walked") and override.animation_data.action


def test_a_rig_in_edit_mode(mannequin):
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Edit Mode" in refused(bpy.ops.footfall.simulate)


def test_a_result_that_cannot_be_kept(mannequin, tmp_path):
    """The place beside the .blend is taken by a file: as on a full disk, nothing is baked."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    (tmp_path / "footfall").write_text("in the way")
    rig = bpy.context.object
    before = traces(rig)
    assert "cannot be kept" in refused(bpy.ops.footfall.simulate)
    assert traces(rig) == before and not running.RUNNING


def test_a_bake_that_fails_keeps_no_file(mannequin, tmp_path):
    mannequin.footfall.motion.seconds, mannequin.footfall.bake.in_place = 0.3, True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a shot.blend"))
    assert "no full cycle" in refused(bpy.ops.footfall.simulate)
    assert not list(tmp_path.rglob("*.npz"))


def test_a_rig_that_is_stretched(mannequin):
    mannequin.scale.z = 1.2
    bpy.context.view_layer.update()
    assert "'Mannequin' is stretched" in refused(bpy.ops.footfall.simulate)


def test_a_root_bone_that_is_scaled(mannequin):
    add_bone(mannequin, "root", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0), carries="pelvis")
    mannequin.pose.bones["root"].scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    assert "Bone 'root' is scaled" in refused(bpy.ops.footfall.simulate)


@pytest.mark.parametrize("kind, bone", [("IK", "shin.L"), ("COPY_ROTATION", "forearm.R")])
def test_a_bone_that_a_constraint_holds(mannequin, kind, bone):
    target = bpy.data.objects.new("Target", None)
    bpy.context.collection.objects.link(target)
    constraint = mannequin.pose.bones[bone].constraints.new(kind)
    constraint.target = target
    before = traces(mannequin)
    assert f"Bone '{bone}' would not turn with its keys, because of the constraint '{constraint.name}'" in refused(bpy.ops.footfall.simulate)
    assert traces(mannequin) == before
    constraint.mute = True
    assert retarget(mannequin)


def test_a_knee_that_bends_one_way_only(mannequin):
    limit = mannequin.pose.bones["shin.L"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    limit.owner_space = "LOCAL"
    for limit.min_x, limit.max_x in ((0.0, 2.5), (-2.5, 0.0)):
        assert retarget(mannequin).parents["foot.L"] == "shin.L"


def test_a_rig_in_tweak_mode(mannequin):
    mannequin.pose.bones["head"].keyframe_insert("location", frame=1)
    data = mannequin.animation_data
    track = data.nla_tracks.new()
    strip = track.strips.new("Old", 1, data.action)
    data.action, track.select, strip.select = None, True, True
    data.use_tweak_mode = True
    assert "Tweak Mode" in refused(bpy.ops.footfall.simulate)


def test_a_result_of_the_planar_biped(mannequin, tmp_path):
    bpy.ops.footfall.simulate()
    result = Result.load(bpy.path.abspath(mannequin.footfall.bake.result))
    result.link_names = result.link_names[:7]
    result.save(tmp_path / "planar.npz")
    assert "other parts" in refused(bpy.ops.footfall.load_result, filepath=str(tmp_path / "planar.npz"))


def test_only_selected_bones_needs_some(mannequin):
    mannequin.footfall.bake.only_selected = True
    before = traces(mannequin)
    assert "No bone of 'Mannequin' is selected" in refused(bpy.ops.footfall.simulate)
    assert traces(mannequin) == before
