"""Recordings for tests in Blender: files, and actions."""

import importlib.util
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from footfall.blender_addon import scene
from footfall.core import rotation
from footfall.core.formats import Clip, write_bvh
from footfall.core.motion import Motion
from footfall.core.skeleton import Skeleton

FPS, LAST = 24, 30
# name, parent, offset in metres: Z up, faced to +X, as a Clip is.
TRUNK = (("Hips", None, (0.0, 0.0, 0.0)), ("Spine", "Hips", (0.0, 0.0, 0.12)), ("Chest", "Spine", (0.0, 0.0, 0.2)),
         ("Neck", "Chest", (0.0, 0.0, 0.22)), ("Head", "Neck", (0.0, 0.0, 0.1)))
LIMBS = (("UpLeg", "Hips", (0.0, 0.09, -0.06)), ("Leg", "{}UpLeg", (0.0, 0.0, -0.42)), ("Foot", "{}Leg", (0.0, 0.0, -0.41)),
         ("Toe", "{}Foot", (0.13, 0.0, -0.05)), ("Arm", "Chest", (0.0, 0.18, 0.2)), ("ForeArm", "{}Arm", (0.0, 0.28, 0.0)),
         ("Hand", "{}ForeArm", (0.0, 0.25, 0.0)))
SIDES = (("Left", 1.0), ("Right", -1.0))
BODY = (*TRUNK, *((f"{side}{name}", parent.format(side), (x, sign * y, z)) for side, sign in SIDES for name, parent, (x, y, z) in LIMBS))


@pytest.fixture
def walk(tmp_path) -> Path:
    """A BVH file of two seconds at 1.2 m/s."""
    return write_walk(tmp_path / "walk.bvh")


@pytest.fixture
def motions() -> Path:
    """The folder of pybullet's recordings, in DeepMimic's format."""
    return Path(importlib.util.find_spec("pybullet_data").origin).parent / "data" / "motions"


def write_walk(path: Path, seconds: float = 2.0) -> Path:
    """Something like a walk: the legs swing and bend, and the hips go ahead."""
    names = [name for name, *_ in BODY]
    parents = [-1 if parent is None else names.index(parent) for _, parent, _ in BODY]
    skeleton = Skeleton(tuple(names), parents, [offset for *_, offset in BODY])
    t = np.arange(round(60 * seconds) + 1) / 60.0
    rotations = rotation.identity((len(t), len(names)))
    for side, sign in SIDES:
        swing = sign * 0.4 * np.sin(2.0 * np.pi * t)
        rotations[:, names.index(f"{side}UpLeg")] = rotation.from_axis_angle((0, 1, 0), -swing)
        rotations[:, names.index(f"{side}Leg")] = rotation.from_axis_angle((0, 1, 0), 0.3 + 0.3 * np.cos(2.0 * np.pi * t) * sign)
        rotations[:, names.index(f"{side}Arm")] = rotation.from_axis_angle((1, 0, 0), -sign * (1.2 + 0.0 * t))
    roots = np.stack([1.2 * t, 0.0 * t, 0.92 + 0.02 * np.cos(4.0 * np.pi * t)], axis=-1)
    write_bvh(path, Clip(Motion(skeleton, 60.0, roots, rotations), path.stem))
    return path


def listed() -> list:
    return [reference.name for reference in bpy.context.scene.footfall.references]


def key(rig: bpy.types.Object, name: str = "Wave", last: int = LAST) -> bpy.types.Action:
    """An action in which the pelvis travels, limbs turn and the object itself turns and moves."""
    action = bpy.data.actions.new(name)
    (rig.animation_data or rig.animation_data_create()).action = action
    bones, controls = rig.pose.bones, scene.measure(rig).bone_map.controls
    for bone in bones:
        bone.rotation_mode = "QUATERNION"
    for frame in range(1, last + 1):
        part = frame / last
        for slot, angle in (("thigh.L", 0.5), ("shin.L", -0.4), ("thigh.R", -0.5), ("upper_arm.R", 0.8), ("torso", 0.2), ("foot.L", 0.3)):
            turned = bones[controls[slot][0]]
            turned.rotation_quaternion = (math.cos(0.5 * angle * part), math.sin(0.5 * angle * part), 0.1 * part, 0.0)
            turned.keyframe_insert("rotation_quaternion", frame=frame)
        rig.rotation_euler.z, rig.location.x = 0.4 * part, 0.5 + part
        rig.keyframe_insert("rotation_euler", frame=frame)
        rig.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(7)
    return action


def heads(rig: bpy.types.Object, names: tuple[str, ...], frames: range) -> np.ndarray:
    """(F, J, 3) world: where the bones are."""
    points = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        points.append([rig.matrix_world @ rig.pose.bones[name].head for name in names])
    return np.array(points)
