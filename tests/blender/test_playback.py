"""Reading what an armature plays: from its curves where they say it all, in slices where the scene has to be stepped; both the same."""

import math
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from footfall.blender_addon import compat
from footfall.blender_addon.animation import of_action
from footfall.blender_addon.playback import Playback
from mathutils import Euler, Vector

from tests.blender.mannequins import empty_scene, mannequin
from tests.blender.recordings import key, motions

SAME = 1e-5  # m and parts of a turn
RIGS = Path(__file__).resolve().parents[3] / "shared" / "rigs"


def stepped(rig: bpy.types.Object, names: list, frames: list) -> tuple[np.ndarray, np.ndarray]:
    """(F, J, 4, 4) world and (F, 4, 4) of the object, as the scene shows them."""
    found, worlds = [], []
    for frame in frames:
        bpy.context.scene.frame_set(math.floor(frame), subframe=frame % 1)
        worlds.append(np.array(rig.matrix_world))
        found.append([worlds[-1] @ np.array(rig.pose.bones[name].matrix) for name in names])
    return np.array(found), np.array(worlds)


def read(rig: bpy.types.Object, names: list, frames: list) -> Playback:
    return Playback(rig, of_action(rig, rig.animation_data.action), names, frames)


def assert_same(rig: bpy.types.Object, frames: list, names: list | None = None) -> None:
    names = names or [bone.name for bone in rig.pose.bones]
    found = read(rig, names, frames)
    assert not found.stepped and found.go_on() and found.fraction == 1.0
    there, worlds = stepped(rig, names, frames)
    here = np.stack([found.worlds @ found.matrices[name] for name in names], axis=1)
    assert np.abs(worlds - found.worlds).max() < SAME
    assert np.abs(there - here).max() < SAME, sorted(zip(np.abs(there - here).max(axis=(0, 2, 3)), names, strict=True))[-3:]


def strange_rig() -> bpy.types.Object:
    """Every way in which a bone can hang on another, every rotation mode, on an object that has a parent of its own."""
    data = bpy.data.armatures.new("Strange")
    rig = bpy.data.objects.new("Strange", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for number in range(8):
        bone = data.edit_bones.new(f"bone {number}")
        bone.head, bone.tail, bone.roll = number * Vector((0.1, 0.02, 0.2)), (number + 1) * Vector((0.1, 0.02, 0.2)), 0.3
        bone.parent, bone.use_connect = above, number in (2, 5)
        above = bone
    side = data.edit_bones.new("aside")
    side.head, side.tail, side.use_local_location = (0.5, 0.5, 0.0), (0.5, 0.5, 0.4), False
    bpy.ops.object.mode_set(mode="OBJECT")
    data.bones["bone 3"].use_inherit_rotation = False
    data.bones["bone 4"].use_local_location = False
    data.bones["bone 6"].inherit_scale = "ALIGNED"
    for number, mode in enumerate(("XYZ", "QUATERNION", "ZYX", "AXIS_ANGLE", "YXZ", "XZY", "YZX", "ZXY")):
        rig.pose.bones[f"bone {number}"].rotation_mode = mode
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.location, holder.rotation_euler, holder.scale = (1.0, 2.0, 3.0), Euler((0.1, 0.2, 0.3)), (1.5, 1.5, 1.5)
    rig.parent = holder
    bpy.context.view_layer.update()
    rig.matrix_parent_inverse = holder.matrix_world.inverted()
    holder.location.x = 0.4
    bpy.context.view_layer.update()
    return rig


def play_anything(rig: bpy.types.Object) -> None:
    """Sparse keys with smooth curves between them, some channels of some bones only."""
    chance = np.random.default_rng(3)
    rig.animation_data_create().action = bpy.data.actions.new("Anything")
    for number, bone in enumerate(rig.pose.bones):
        turning = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(bone.rotation_mode, "rotation_euler")
        for frame in (1, 6, 20):
            setattr(bone, turning, chance.normal(size=len(getattr(bone, turning))))
            bone.location = 0.1 * chance.normal(size=3)
            bone.keyframe_insert(turning, frame=frame)
            if number % 2:
                bone.keyframe_insert("location", index=1, frame=frame)
    for frame in (1, 20):
        rig.location, rig.rotation_euler = chance.normal(size=3), chance.normal(size=3)
        rig.keyframe_insert("location", frame=frame)
        rig.keyframe_insert("rotation_euler", index=2, frame=frame)


def test_every_way_to_hang_and_to_turn():
    rig = strange_rig()
    play_anything(rig)
    frames = [-3.0, 1.0, 2.5, 6.0, 11.25, 20.0, 26.0]
    assert_same(rig, frames)
    curve = next(curve for curve in compat.curves_of(rig) if curve.data_path.endswith("rotation_quaternion"))
    curve.modifiers.new("CYCLES")
    curve.mute = True
    rig.pose.bones["bone 7"].scale = (0.5, 2.0, 1.0)  # nothing hangs on it
    assert_same(rig, frames)
    rig.pose.bones["bone 5"].scale = (0.5, 2.0, 1.0)  # what hangs on it, and takes its scale over in its own way, is stepped
    assert read(rig, ["bone 5"], frames).stepped is False and read(rig, ["bone 7"], frames).stepped


def test_a_character_and_one_that_plays_another_action(mannequin):
    key(mannequin)
    assert_same(mannequin, list(range(20)))
    own = mannequin.animation_data.action
    other = key(mannequin, "Other", last=8)
    bpy.context.scene.frame_set(3)
    before = [bone.matrix.copy() for bone in mannequin.pose.bones]
    names = [bone.name for bone in mannequin.pose.bones]
    found = Playback(mannequin, of_action(mannequin, own), names, range(20)).matrices
    assert mannequin.animation_data.action == other and [bone.matrix for bone in mannequin.pose.bones] == before
    mannequin.animation_data.action = own
    there, worlds = stepped(mannequin, names, range(20))
    assert np.abs(np.stack([worlds @ found[name] for name in names], axis=1) - there).max() < SAME


def spoil(rig: bpy.types.Object, how: str) -> None:
    """Something beside the action that moves it."""
    if how == "constraint":
        rig.pose.bones["thigh.L"].constraints.new("LIMIT_ROTATION").use_limit_x = True
    elif how == "reaching":
        rig.pose.bones["shin.L"].constraints.new("IK").chain_count = 2
    elif how == "driver":
        rig.pose.bones["pelvis"].driver_add("location", 0).driver.expression = "frame / 100"
    elif how == "parent":
        holder = bpy.data.objects.new("Holder", None)
        bpy.context.scene.collection.objects.link(holder)
        for frame, place in ((1, 0.0), (10, 1.0)):
            holder.location.x = place
            holder.keyframe_insert("location", index=0, frame=frame)
        rig.parent = holder
    else:
        below = bpy.data.actions.new("Below")
        track = rig.animation_data.nla_tracks.new()
        track.strips.new("Below", 1, below)


@pytest.mark.parametrize("how", ["constraint", "reaching", "driver", "parent", "track"])
def test_what_else_moves_it_is_stepped_in_slices(mannequin, how):
    """With progress, and with all as it was between two slices."""
    key(mannequin)
    spoil(mannequin, how)
    scene, names = bpy.context.scene, ["thigh.L", "foot.L", "head"]
    scene.frame_set(7)
    mannequin.pose.bones["head"].location.x = 0.125  # not keyed, and stays
    bpy.context.view_layer.update()
    shown = [bone.matrix.copy() for bone in mannequin.pose.bones]
    found = read(mannequin, names, range(1, 13))
    assert found.stepped and found.fraction == 0.0
    fractions = []
    while not found.go_on(0.0):
        fractions.append(found.fraction)
        assert scene.frame_current == 7 and [bone.matrix for bone in mannequin.pose.bones] == shown
    assert len(fractions) == 11 and fractions == sorted(fractions)
    there, _ = stepped(mannequin, names, range(1, 13))
    assert np.abs(np.stack([found.worlds @ found.matrices[name] for name in names], axis=1) - there).max() < SAME


def test_what_moves_only_other_bones_does_not_matter(mannequin):
    key(mannequin)
    mannequin.pose.bones["forearm.R"].constraints.new("LIMIT_ROTATION").use_limit_x = True
    assert not read(mannequin, ["thigh.L", "upper_arm.R"], [1, 2]).stepped
    assert read(mannequin, ["forearm.R"], [1, 2]).stepped


@pytest.mark.skipif(not RIGS.is_dir(), reason="the characters of ../shared/rigs are not there")
@pytest.mark.parametrize("name", ["Michelle", "Soldier"])
def test_imported_characters(name):
    """All that they play, in every bone; it says how long that takes."""
    bpy.ops.import_scene.gltf(filepath=str(RIGS / f"threejs_{name}.glb"))
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bpy.context.scene.render.fps = 30
    for action in bpy.data.actions:
        if not any(curve.data_path.startswith("pose.bones") for curve in compat.action_curves(action)):
            continue  # of a mesh
        compat.assign_action(rig, action)
        first, last = (round(frame) for frame in action.frame_range)
        names = [bone.name for bone in rig.pose.bones]
        began = time.monotonic()
        read(rig, names, range(first, last + 1))
        print(f"{action.name}: {last - first} frames of {len(names)} bones in {time.monotonic() - began:.2f} s")
        assert_same(rig, [*range(first, last, max(1, (last - first) // 6)), last])
