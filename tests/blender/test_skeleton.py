"""The skeleton, not the bones' tails: whatever importers make of them, joints are where children begin."""

import random

import bpy
import pytest
from footfall.blender_addon import picking, scene
from footfall.blender_addon.recording import record
from footfall.blender_addon.selection import part_ends
from footfall.core.kinematics import link_poses
from footfall.core.result import Result
from mathutils import Vector

from tests.addon.skeletons import RIGS
from tests.blender.mannequins import empty_scene, mannequin

IMPORTED = ("threejs_Soldier.glb", "threejs_Michelle.glb", "threejs_ArcherRi01.fbx")
PARTS = ("head", "torso", "pelvis", "upper_arm.L", "forearm.R", "thigh.L", "shin.R", "foot.L", "toes.R")


def spoil_tails(rig: bpy.types.Object) -> None:
    """Every tail somewhere else, up to a hundred times as far away."""
    chance = random.Random(1)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.use_connect = False
    for bone in rig.data.edit_bones:
        away = Vector([chance.uniform(-1.0, 1.0) for _ in range(3)]).normalized()
        bone.tail = bone.head + chance.choice((0.5, 20.0, 100.0)) * bone.length * away
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()


def imported(name: str) -> bpy.types.Object:
    """A character from a file, in its rest pose."""
    path = RIGS / name
    if not path.is_file():
        pytest.skip(f"'{name}' is not in ../shared/rigs")
    bpy.ops.import_scene.gltf(filepath=str(path)) if path.suffix == ".glb" else bpy.ops.import_scene.fbx(filepath=str(path))
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    rig.animation_data_clear()
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    return rig


def flat(body: dict) -> list[float]:
    """The numbers of a body, in order."""
    if isinstance(body, dict):
        return [number for key in sorted(body) for number in flat(body[key])]
    return [number for item in body for number in flat(item)] if isinstance(body, (list, tuple)) else [body] if not isinstance(body, str) else []


def test_tails_do_not_change_the_fit(mannequin):
    before = scene.measure(mannequin).fit
    spoil_tails(mannequin)
    bpy.ops.footfall.recognise()
    after = scene.measure(mannequin).fit
    assert flat(after.body) == pytest.approx(flat(before.body), abs=1e-5)
    assert tuple(after.placement.origin) == pytest.approx(tuple(before.placement.origin), abs=1e-6)


@pytest.mark.parametrize("name", IMPORTED)
def test_an_imported_character_has_a_foot(name):
    foot = scene.measure(imported(name)).fit.body["skeleton"]["foot"]
    assert 0.05 < foot["height"] < 0.2 and -0.12 < foot["heel"] < -0.02 and 0.15 < foot["tip"] < 0.3 and 0.06 < foot["width"] < 0.14, foot


@pytest.mark.parametrize("name", IMPORTED[:2])
def test_tails_do_not_change_the_fit_of_an_imported_character(name):
    rig = imported(name)
    before = scene.measure(rig).fit
    spoil_tails(rig)
    bpy.ops.footfall.recognise()
    assert flat(scene.measure(rig).fit.body) == pytest.approx(flat(before.body), abs=1e-4)


def test_clicks_and_arrows_are_where_the_body_is(mannequin):
    def seen() -> list:
        return [picking.part_at(bpy.context, mannequin, Vector((x, -3.0, z)), Vector((0.0, 1.0, 0.0)))
                for x, z in ((0.0, 1.65), (0.0, 1.3), (0.09, 0.7), (-0.09, 0.25))]

    bpy.ops.footfall.recognise()
    places, parts = [part_ends(mannequin, part) for part in PARTS], seen()
    assert parts == ["head", "torso", "thigh.L", "shin.R"]
    spoil_tails(mannequin)
    for part, (head, end), (head_now, end_now) in zip(PARTS, places, (part_ends(mannequin, part) for part in PARTS), strict=True):
        assert (head - head_now).length < 1e-4 and (end - end_now).length < (0.2 if part in ("head", "toes.R") else 1e-4), part
    assert seen() == parts


def test_a_recording_of_a_rig_with_wild_tails_is_the_same(mannequin):
    bone = mannequin.pose.bones["pelvis"]
    for frame, far in ((1, 0.0), (20, 0.3)):
        bone.location.x = far
        bone.keyframe_insert("location", frame=frame)
    before = record(bpy.context, mannequin, mannequin.animation_data.action)
    spoil_tails(mannequin)
    after = record(bpy.context, mannequin, mannequin.animation_data.action)
    assert after.skeleton.offsets == pytest.approx(before.skeleton.offsets, abs=1e-4)
    assert after.tips.keys() == before.tips.keys()
    for name, tip in after.tips.items():
        assert abs(tip - before.tips[name]).max() < 0.2, name


def test_a_walk_on_wild_tails_is_the_same_walk(mannequin):
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    before = Result.load(mannequin.footfall.bake.result)
    mannequin.animation_data_clear()
    spoil_tails(mannequin)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    after = Result.load(mannequin.footfall.bake.result)
    assert after.root_positions == pytest.approx(before.root_positions, abs=1e-3)
    joints, _ = link_poses(before)
    placement = scene.measure(mannequin).placement
    for frame in (5, 20):
        bpy.context.scene.frame_set(1 + frame)
        for name in ("foot.L", "forearm.R"):
            place = mannequin.matrix_world @ mannequin.pose.bones[name].head
            assert tuple(place) == pytest.approx(tuple(placement.to_world(joints[frame, before.link_names.index(name)])), abs=0.003), name
