"""Keyframes in bulk: channels into a new Action, in each bone's own rotation mode."""

from __future__ import annotations

import bpy
import numpy as np

from ...core import rotation
from ..compat import new_action
from .retarget import Channels

LINEAR = 1  # of Keyframe.interpolation, as foreach_set takes it: between dense keys a straight line never overshoots


def make_action(armature: bpy.types.Object, name: str, channels: Channels, switches: list[tuple[str, str, float]], first: float,
                step: float = 1.0) -> bpy.types.Action:
    """A new Action that only holds these channels. It is not assigned; the caller does that.

    Args: ``first``: frame of the first key; ``step``: frames from one key to the next; switches are keyed once, at ``first``.
    """
    action, curves = new_action(name, armature)
    for bone_name, quaternions in channels.rotations.items():
        bone = armature.pose.bones[bone_name]
        path, values = in_rotation_mode(bone.rotation_mode, quaternions)
        key_curves(curves, f'pose.bones["{bpy.utils.escape_identifier(bone_name)}"].{path}', values, first, step, bone_name)
    for path, found in (("location", channels.locations), ("scale", channels.scales)):
        for bone_name, values in found.items():
            key_curves(curves, f'pose.bones["{bpy.utils.escape_identifier(bone_name)}"].{path}', values, first, step, bone_name)
    for bone_name, key, value in switches:
        path = f'pose.bones["{bpy.utils.escape_identifier(bone_name)}"]["{bpy.utils.escape_identifier(key)}"]'
        key_curves(curves, path, np.array([[value]]), first, step, bone_name)
    return action


def in_rotation_mode(mode: str, quaternions: np.ndarray) -> tuple[str, np.ndarray]:
    """Property and (F, 3 or 4) values for (F, 4) quaternions."""
    if mode == "QUATERNION":
        return "rotation_quaternion", quaternions
    if mode == "AXIS_ANGLE":
        vectors = rotation.log(quaternions)
        angles = np.linalg.norm(vectors, axis=-1, keepdims=True)
        return "rotation_axis_angle", np.concatenate([angles, np.where(angles > 1e-9, vectors / np.maximum(angles, 1e-9), (0.0, 1.0, 0.0))], axis=-1)
    # Blender names the order in which the turns are applied about fixed axes: the reverse of intrinsic angles.
    order = mode.lower()[::-1]
    angles = np.unwrap(rotation.to_euler(quaternions, order)[:, ::-1], axis=0)
    by_axis = np.empty_like(angles)
    for column, axis in enumerate(mode):
        by_axis[:, "XYZ".index(axis)] = angles[:, column]
    return "rotation_euler", by_axis


def key_curves(curves: object, path: str, values: np.ndarray, first: float, step: float, group: str) -> None:
    frames = first + step * np.arange(len(values))
    for index in range(values.shape[1]):
        curve = curves(path, index, group)
        points = curve.keyframe_points
        points.add(len(values))
        points.foreach_set("co", np.column_stack([frames, values[:, index]]).ravel())
        points.foreach_set("interpolation", [LINEAR] * len(values))
        curve.update()
