"""Reading armatures in Blender, and recognising those that Rigify makes."""

import addon_utils
import bpy
import pytest
from footfall.blender_addon.rig.read import read_bones
from footfall.core.anatomy.bones import SLOTS
from footfall.core.anatomy.recognise import recognise
from footfall.core.errors import RigError
from mathutils import Matrix, Quaternion, Vector

from tests.addon.skeletons import PLAIN, person, renamed, slots

TURN = Quaternion((0.0, 0.8, 0.6), 0.3)


@pytest.fixture(autouse=True)
def empty_scene():
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.batch_remove([*bpy.data.objects])


@pytest.fixture(scope="module")
def rigify():
    addon_utils.enable("rigify", default_set=True)


def armature_of(bones) -> bpy.types.Object:
    """An armature with these bones."""
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in bones:
        made = rig.data.edit_bones.new(bone.name)
        made.head, made.tail, made.use_deform = bone.head, bone.tail, bone.deform
    for bone in bones:
        rig.data.edit_bones[bone.name].parent = rig.data.edit_bones.get(bone.parent or "")
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def test_bones_as_they_are():
    bones = person(slots(PLAIN))
    found = {bone.name: bone for bone in read_bones(armature_of(bones))}
    assert set(found) == {bone.name for bone in bones}
    for bone in bones:
        assert found[bone.name].parent == bone.parent and found[bone.name].deform
        assert found[bone.name].head == pytest.approx(bone.head, abs=1e-6) and found[bone.name].tail == pytest.approx(bone.tail, abs=1e-6)


def test_world_axes_whatever_the_object_does():
    """A rig in centimetres with Y up, as FBX brings it in, behind a parent that turns."""
    bones = person(slots(PLAIN))
    rig = armature_of([])
    parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.matrix_world = Matrix.Rotation(1.1, 4, "Z") @ Matrix.Translation((1.0, 2.0, 0.0))
    rig.parent = parent
    rig.matrix_basis = Matrix.Rotation(1.5707963, 4, "X") @ Matrix.Scale(0.01, 4)
    bpy.context.view_layer.update()
    into = rig.matrix_world.inverted()
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in bones:
        made = rig.data.edit_bones.new(bone.name)
        made.head, made.tail = into @ Vector(bone.head), into @ Vector(bone.tail)
        made.parent = rig.data.edit_bones.get(bone.parent or "")
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.pose.bones["thigh.L"].rotation_quaternion = TURN  # the pose does not matter
    bpy.context.view_layer.update()
    found = read_bones(rig)
    assert {bone.name: bone.head for bone in found} == {bone.name: pytest.approx(bone.head, abs=1e-5) for bone in bones}
    assert recognise(found).map.bones == slots(PLAIN)


def test_names_that_say_nothing():
    bones, old = renamed(person(slots(PLAIN)))
    found = recognise(read_bones(armature_of(bones)))
    assert {slot: tuple(old[name] for name in chain) for slot, chain in found.map.bones.items()} == slots(PLAIN)


def test_an_armature_without_bones():
    assert "no bones" in recognise(read_bones(armature_of([]))).summary


def test_what_is_no_armature():
    with pytest.raises(RigError, match="'lamp' is no armature"):
        read_bones(bpy.data.objects.new("lamp", None))
    with pytest.raises(RigError, match="No object is selected"):
        read_bones(None)


def test_rigify_metarig(rigify):
    bpy.ops.object.armature_human_metarig_add()
    found = recognise(read_bones(bpy.context.object))
    names = {"pelvis": "spine", "torso": "spine.001, spine.002, spine.003", "head": "spine.004, spine.005, spine.006", "toes": "toe.{}"}
    assert found.map.bones == slots(PLAIN | names)
    assert found.summary == "Rigify metarig rig, 19 of 19 parts found"
    nameless, old = renamed(read_bones(bpy.context.object))
    assert {slot: tuple(old[name] for name in chain) for slot, chain in recognise(nameless).map.bones.items()} == found.map.bones


def test_rigify_animal_is_refused(rigify):
    bpy.ops.object.armature_wolf_metarig_add()
    bones = read_bones(bpy.context.object)
    assert not recognise(bones).usable
    assert not recognise(renamed(bones)[0]).usable


def test_generated_rigify_rig(rigify):
    bpy.ops.object.armature_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != metarig)
    found = recognise(read_bones(rig))
    assert found.summary == "Rigify rig, 19 of 19 parts found"
    limbs = {part: f"ORG-{text}" for part, text in (PLAIN | {"toes": "toe.{}"}).items() if part not in ("pelvis", "torso", "head")}
    spine = {"pelvis": "ORG-spine, ORG-spine.001", "torso": "ORG-spine.002, ORG-spine.003", "head": "ORG-spine.004, ORG-spine.005, ORG-spine.006"}
    assert found.map.bones == slots(limbs | spine)
    keyed = {part: text.replace("ORG-", "").replace(".{}", "_fk.{}") for part, text in limbs.items()} | {"shoulder": "shoulder.{}"}
    assert found.map.controls == slots(keyed | {"pelvis": "torso", "torso": "spine_fk.002, spine_fk.003", "head": "neck, head"})
    assert ("thigh_parent.L", "IK_FK", 1.0) in found.map.switches and len(found.map.switches) == 10
    for bone, key, value in found.map.switches:
        rig.pose.bones[bone][key] = value
    for slot in SLOTS:
        assert_turns(rig, found.map.controls[slot], found.map.bones[slot][-1])


def assert_turns(rig: bpy.types.Object, controls: tuple[str, ...], follower: str) -> None:
    """What is done to the last of the controls happens to the bone: it turns, as a rigid body, about where the control starts."""
    def matrix(name: str) -> Matrix:
        rig.update_tag()
        bpy.context.view_layer.update()
        return rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[name].matrix.copy()

    control = rig.pose.bones[controls[-1]]
    before = [matrix(name) for name in (control.name, follower)]
    control.matrix_basis = TURN.to_matrix().to_4x4()
    after = [matrix(name) for name in (control.name, follower)]
    control.matrix_basis = Matrix.Identity(4)
    expected = after[0] @ before[0].inverted() @ before[1]
    assert (after[1].translation - expected.translation).length < 1e-4, follower
    assert after[1].to_quaternion().rotation_difference(expected.to_quaternion()).angle < 1e-2, follower
