"""A scene with a mannequin, and what the tests ask of it."""

import shutil

import bpy
import pytest
from footfall.blender_addon import scene
from footfall.blender_addon.rig.retarget import Retarget
from footfall.core.jobs import check


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)


@pytest.fixture
def mannequin() -> bpy.types.Object:
    assert bpy.ops.footfall.add_mannequin() == {"FINISHED"}
    rig = bpy.context.object
    rig.footfall.motion.seconds = 1.0
    return rig


@pytest.fixture(scope="session")
def baked_walk(tmp_path_factory) -> str:
    """A second of a mannequin's walk, as a file."""
    bpy.ops.footfall.add_mannequin()
    bpy.context.object.footfall.motion.seconds = 1.0
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    return str(shutil.copy(bpy.context.object.footfall.bake.result, tmp_path_factory.mktemp("walks") / "walk.npz"))


def job(rig: bpy.types.Object) -> dict:
    made, _ = scene.job_of(bpy.context, rig)
    check(made)
    return made


def retarget(rig: bpy.types.Object) -> Retarget:
    character = scene.measure(rig)
    return Retarget(rig, character.bone_map, character.fit, character.placement)


def refused(operator, **arguments) -> str:
    """The sentence with which an operator refuses."""
    with pytest.raises(RuntimeError) as error:
        operator(**arguments)
    sentence = str(error.value).strip().removeprefix("Error: ")
    assert sentence.endswith(".") and "\n" not in sentence
    return sentence


def traces(rig: bpy.types.Object) -> list:
    """What a bake could leave behind."""
    fields = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    pose = [(bone.name, *(tuple(getattr(bone, field)) for field in fields)) for bone in rig.pose.bones]
    names = [sorted(item.name for item in getattr(bpy.data, kind)) for kind in ("actions", "objects", "meshes", "curves", "collections")]
    return [pose, rig.animation_data and rig.animation_data.action, rig.footfall.bake.report, rig.footfall.bake.result, names]


def add_bone(rig: bpy.types.Object, name: str, head: tuple, tail: tuple, parent: str = "", carries: str = "") -> None:
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    bone = bones.new(name)
    bone.head, bone.tail, bone.parent = head, tail, bones.get(parent)
    if carries:
        bones[carries].parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
