"""Baking onto every kind of rig, measured on the rig's own bones."""

import tempfile
from pathlib import Path

import addon_utils
import bpy
import numpy as np
import pytest
from footfall.blender_addon import mapping
from footfall.blender_addon.scene import measure
from footfall.core import rotation
from footfall.core.anatomy.bones import BoneMap
from footfall.core.result import Result
from mathutils import Matrix

from tests.addon.skeletons import PLAIN, bvh, mpfb, person, renamed, slots
from tests.blender.test_read import armature_of
from tests.cases import quick

MPFB = ("cmu_mb", "default", "game_engine", "mixamo", "mixamo_unity", "openpose", "rigify_human")
BVH = ("cmu_mb", "mixamo", "rigify_metarig", "rokoko_studio", "smpl", "unreal_mannequin", "vrm_vroid")
KEPT = tempfile.TemporaryDirectory()  # what is made once, as files
PUSH = {"frame": 60, "newtons": 100.0, "seconds": 0.3}


@pytest.fixture(autouse=True)
def empty_scene():
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.batch_remove([*bpy.data.objects])
    bpy.context.scene.render.fps = 24
    bpy.context.scene.frame_set(1)


def metarig() -> bpy.types.Object:
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    return bpy.context.object


def generated() -> bpy.types.Object:
    """A rig that Rigify has generated. That takes 7 s, so it is done once: the others are copies from a file."""
    file = Path(KEPT.name) / "rigify.blend"
    if not file.is_file():
        metarig()
        bpy.ops.pose.rigify_generate()
        bpy.data.libraries.write(str(file), {bpy.context.object})
        return bpy.context.object
    addon_utils.enable("rigify", default_set=True)
    with bpy.data.libraries.load(str(file)) as (_, wanted):
        wanted.objects = ["rig"]
    rig, = wanted.objects
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    return rig


def mannequin() -> bpy.types.Object:
    bpy.ops.footfall.add_mannequin()
    return bpy.context.object


def plain() -> bpy.types.Object:
    return armature_of(person(slots(PLAIN)))


def nameless() -> bpy.types.Object:
    return armature_of(renamed(person(slots(PLAIN)))[0])


def centimetres() -> bpy.types.Object:
    """As FBX brings it in: built 100 times too large under an object scaled by 0.01, turned and moved."""
    rig = plain()
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.transform(Matrix.Scale(100.0, 4))
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.scale, rig.rotation_euler, rig.location = (0.01, 0.01, 0.01), (0.0, 0.0, 2.0), (3.0, -1.0, 0.0)
    bpy.context.view_layer.update()
    return rig


RIGS = {
    "plain": plain, "nameless": nameless, "centimetres": centimetres, "mannequin": mannequin, "metarig": metarig, "rigify": generated,
    **{f"mpfb {name}": (lambda name=name: armature_of(mpfb(name))) for name in MPFB},
    **{f"bvh {name}": (lambda name=name: armature_of(bvh(f"rest_{name}_names"))) for name in BVH},
}


def bake(rig: bpy.types.Object, **settings) -> Result:
    """Bake 5 s of walk with one push, as a user would; returns what was simulated."""
    bpy.context.view_layer.objects.active = rig
    rig.footfall.pushes.clear()
    push = rig.footfall.pushes.add()
    push.direction = rotation.rotate(measure(rig).placement.turn, [0.0, 1.0, 0.0])  # to its left
    for name, value in PUSH.items():
        setattr(push, name, value)
    for name, value in settings.items():
        setattr(rig.footfall.motion, name, value)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    return Result.load(rig.footfall.bake.result)


def joint_paths(rig: bpy.types.Object, bone_map: BoneMap, frames: list[int]) -> dict[str, np.ndarray]:
    """(F, 3) world path of the first bone's head of every simulated limb, and of the tail of foot and toes, in frames of the scene."""
    paths: dict[str, list] = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for slot, names in bone_map.bones.items():
            bone = rig.pose.bones[names[0]]
            paths.setdefault(slot, []).append(rig.matrix_world @ bone.head)
            if slot[:-2] in ("foot", "toes"):
                paths.setdefault(f"{slot} tip", []).append(rig.matrix_world @ rig.pose.bones[names[-1]].tail)
    return {slot: np.array(points) for slot, points in paths.items()}


@pytest.mark.parametrize("name", quick(RIGS, "nameless", "centimetres", "rigify", "mpfb mixamo_unity", "bvh rokoko_studio"))
def test_a_rig_walks_as_it_was_simulated(name):
    rig = RIGS[name]()
    character = measure(rig)
    rest = {slot: np.array(point) for slot, point in joint_paths(rig, character.bone_map, [1]).items()}
    result = bake(rig, gait="sturdy_walk")  # whose feet hardly slide, so that a slide is the rig's
    assert not result.outcome["fell"], result.outcome
    frames = list(range(result.frames))
    paths = joint_paths(rig, character.bone_map, [1 + frame for frame in frames])
    scale = character.placement.scale
    positions, _ = result_skeleton(result).forward_kinematics(result.root_positions, result.rotations)
    simulated = character.placement.to_world(positions)
    for slot in ("thigh.L", "shin.R", "foot.L", "foot.R", "upper_arm.L", "forearm.R"):
        if slot in paths:
            off = np.linalg.norm(paths[slot] - simulated[:, result.link_names.index(slot)], axis=1).max() / scale
            assert off < 0.01, f"{slot} is {1000 * off:.1f} mm off"
    assert arms_in_trunk(result) < 0.01
    ground = character.placement.origin[2]
    for side, foot in enumerate(("foot.L", "foot.R")):
        tips = [point for point in (f"toes.{foot[-1]}", f"toes.{foot[-1]} tip", f"{foot} tip") if point in paths]
        for point in (foot, *tips):
            # No lower than it stands at rest, but for a centimetre.
            sunk = (min(rest[point][0, 2], ground + 0.1 * scale) - paths[point][:, 2].min()) / scale
            assert sunk < 0.01, f"{point} sinks {1000 * sunk:.1f} mm"
        slid = max(slides([paths[point] / scale for point in tips], result.foot_forces[:, side, 2]))
        assert slid < 0.01, f"{foot} slides {1000 * slid:.1f} mm"


def in_rest_position(rig):
    rig.data.pose_position = "REST"


def with_locations_of_the_world(rig):
    rig.data.bones["pelvis"].use_local_location = False


def left_out_of_place(rig):
    rig.pose.bones["thigh.L"].location.y = 0.1
    rig.pose.bones["thigh.R"].scale = (1.2, 1.2, 1.2)


def over_an_nla_track(rig):
    bone = rig.pose.bones["thigh.L"]
    for frame, far in ((1, 0.0), (25, 0.3)):
        bone.location.y = far
        bone.keyframe_insert("location", frame=frame)
    data = rig.animation_data
    data.nla_tracks.new().strips.new("Old", 1, data.action)
    data.action = None
    bpy.context.scene.frame_set(1)


@pytest.mark.parametrize("prepare", [in_rest_position, with_locations_of_the_world, left_out_of_place, over_an_nla_track])
def test_a_rig_in_an_odd_state_walks_as_it_was_simulated(prepare):
    rig = mannequin()
    prepare(rig)
    bpy.context.view_layer.update()
    character = measure(rig)
    result = bake(rig, seconds=1.0)
    rig.data.pose_position = "POSE"
    paths = joint_paths(rig, character.bone_map, [1 + frame for frame in range(result.frames)])
    positions, _ = result_skeleton(result).forward_kinematics(result.root_positions, result.rotations)
    for slot in ("foot.L", "foot.R", "forearm.L"):
        off = np.linalg.norm(paths[slot] - character.placement.to_world(positions[:, result.link_names.index(slot)]), axis=1).max()
        assert off < 0.002, f"{slot} is {1000 * off:.1f} mm off"


def result_skeleton(result: Result):
    from footfall.core.skeleton import Skeleton

    return Skeleton(tuple(result.link_names), result.parents, result.offsets)


def arms_in_trunk(result: Result) -> float:
    """How deep, in metres, the middle line of a lower arm ever is inside the boxes of torso and pelvis. The rig's arms are within a
    centimetre of these."""
    positions, turns = result_skeleton(result).forward_kinematics(result.root_positions, result.rotations)
    deepest = 0.0
    for arm in ("forearm.L", "forearm.R"):
        index = result.link_names.index(arm)
        for part in np.linspace(0.0, 1.0, 6):
            inside = np.array([0.0, 0.0, part * 2.0 * result.shape_centers[index][2]])  # from the elbow to the fingertips
            points = positions[:, index] + rotation.rotate(turns[:, index], inside)
            for trunk in ("pelvis", "torso"):
                box = result.link_names.index(trunk)
                local = rotation.rotate(rotation.conjugate(turns[:, box]), points - positions[:, box]) - result.shape_centers[box]
                deepest = max(deepest, float((result.half_extents[box] - np.abs(local)).min(axis=1).max()))
    return deepest


def slides(points: list[np.ndarray], load: np.ndarray) -> list[float]:
    """Metres that a foot slides in each stance, from (F, 3) paths of its lowest points as the rig has them.

    As ``core.measure.skate`` counts it: from frame to frame the slowest of the points that stay on the ground, without the frames in which
    the foot lands and lifts.
    """
    low = np.array([path[:, 2] < path[:, 2].min() + 0.006 for path in points])
    moves = np.array([np.linalg.norm(np.diff(path[:, :2], axis=0), axis=1) for path in points])
    moves = np.where(low[:, 1:] & low[:, :-1], moves, np.inf).min(axis=0)
    total, found, stands = 0.0, [0.0], load > 100.0
    for frame in range(1, len(load) - 1):
        if stands[frame - 1] and stands[frame] and stands[frame + 1] and np.isfinite(moves[frame - 1]):
            total += moves[frame - 1]
        elif not stands[frame]:
            found.append(total)
            total = 0.0
    return [*found, total]


def test_the_old_animation_stays_and_only_mapped_bones_are_keyed():
    rig = mannequin()
    old = bpy.data.actions.new("old")
    rig.animation_data_create().action = old
    bake(rig)
    assert rig.animation_data.action != old and old.name in bpy.data.actions
    mapped = {bone for chain in mapping.bone_map(rig).controls.values() for bone in chain}
    from footfall.blender_addon.compat import action_curves

    keyed = {curve.data_path.split('"')[1] for curve in action_curves(rig.animation_data.action)}
    assert keyed and keyed <= mapped


def test_a_walk_starts_where_the_character_stands_and_looks():
    rig = mannequin()
    rig.location, rig.rotation_euler[2] = (4.0, -3.0, 0.0), 1.0
    bpy.context.view_layer.update()
    character = measure(rig)
    bake(rig)
    path = joint_paths(rig, character.bone_map, [1, 50])["thigh.L"] + joint_paths(rig, character.bone_map, [1, 50])["thigh.R"]
    start, moved = path[0] / 2, (path[1] - path[0]) / 2
    assert np.hypot(start[0] - 4.0, start[1] + 3.0) < 0.1
    assert np.arctan2(moved[1], moved[0]) == pytest.approx(1.0 - np.pi / 2, abs=0.15)  # a mannequin looks along −Y


def test_the_current_pose_is_the_first_frame():
    rig = mannequin()
    names = mapping.bone_map(rig).bones
    for side, angle in (("L", 0.5), ("R", -0.3)):
        bone = rig.pose.bones[names[f"upper_arm.{side}"][0]]
        bone.rotation_mode = "XYZ"
        bone.rotation_euler[0] = angle
    bpy.context.view_layer.update()
    before = {slot: rig.pose.bones[chain[0]].matrix.copy() for slot, chain in names.items()}
    bake(rig, start="POSE")
    bpy.context.scene.frame_set(1)
    for slot in ("upper_arm.L", "upper_arm.R", "thigh.L", "shin.R"):
        now = rig.pose.bones[names[slot][0]].matrix
        assert before[slot].to_quaternion().rotation_difference(now.to_quaternion()).angle < 0.02, slot


def test_a_loop_has_no_seam():
    rig = mannequin()
    rig.footfall.bake.in_place = True
    bake(rig)
    from footfall.blender_addon.compat import action_curves

    for curve in action_curves(rig.animation_data.action):
        values = [point.co[1] for point in curve.keyframe_points]
        assert abs(values[-1]) == pytest.approx(abs(values[0]), abs=1e-4), (curve.data_path, curve.array_index)


def test_only_selected_bones_of_a_control_rig_take_their_switches_along():
    rig = generated()
    chosen = frozenset({"upper_arm_fk.L", "forearm_fk.L"})
    character = measure(rig)
    from footfall.blender_addon.rig.retarget import Retarget
    from footfall.blender_addon.rig.write import _needed

    retarget = Retarget(rig, character.bone_map, character.fit, character.placement)
    assert {bone for bone, _, _ in _needed(rig, retarget, chosen)} == {"upper_arm_parent.L"}
    assert _needed(rig, retarget, None) == character.bone_map.switches
