"""Keyframes in bulk: channels into a new Action, in each bone's own rotation mode."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np

from ...core import rotation
from ..compat import Curves, add_curve, new_action
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


def rotation_field(mode: str) -> str:
    """The property that turns a bone or an object in a rotation mode."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")


def in_rotation_mode(mode: str, quaternions: np.ndarray, near: np.ndarray | None = None) -> tuple[str, np.ndarray]:
    """Property and (F, 3 or 4) values for (F, 4) quaternions, without a jump from frame to frame; of the values that mean the same turn the first are
    those nearest to ``near`` (3 or 4,)."""
    if mode == "QUATERNION":
        return rotation_field(mode), quaternions if near is None else rotation.make_continuous(np.concatenate([[near], quaternions]))[1:]
    if mode == "AXIS_ANGLE":
        vectors = rotation.log(quaternions)
        angles = np.linalg.norm(vectors, axis=-1, keepdims=True)
        values = np.concatenate([angles, np.where(angles > 1e-9, vectors / np.maximum(angles, 1e-9), (0.0, 1.0, 0.0))], axis=-1)
        return rotation_field(mode), values if near is None else _nearest(values, near, lambda value: (value, -value))
    # Blender names the order in which the turns are applied about fixed axes: the reverse of intrinsic angles.
    order = mode.lower()[::-1]
    angles = rotation.to_euler(quaternions, order)[:, ::-1]
    by_axis = np.empty_like(angles)
    for column, axis in enumerate(mode):
        by_axis[:, "XYZ".index(axis)] = angles[:, column]
    if near is None:
        return rotation_field(mode), np.unwrap(by_axis, axis=0)
    flip = np.where(np.arange(3) == "XYZ".index(mode[1]), -1.0, 1.0)  # the other three angles that mean the same turn
    return rotation_field(mode), _nearest(by_axis, near, lambda value: (value, np.pi + flip * value), period=2.0 * np.pi)


def _nearest(values: np.ndarray, near: np.ndarray, same: Callable[[np.ndarray], tuple], period: float = np.inf) -> np.ndarray:
    """(F, N) values, each replaced by that of ``same``, less whole periods, which is nearest to the one before it."""
    found = np.empty_like(values)
    for row, value in enumerate(values):
        means = [other if np.isinf(period) else near + (other - near + 0.5 * period) % period - 0.5 * period for other in same(value)]
        near = found[row] = min(means, key=lambda other: float(np.abs(other - near).sum()))
    return found


def key_curves(curves: Curves, path: str, values: np.ndarray, first: float, step: float, group: str) -> None:
    frames = first + step * np.arange(len(values))
    for index in range(values.shape[1]):
        curve = add_curve(curves, path, index, group)
        points = curve.keyframe_points
        points.add(len(values))
        points.foreach_set("co", np.column_stack([frames, values[:, index]]).ravel())
        points.foreach_set("interpolation", [LINEAR] * len(values))
        curve.update()
