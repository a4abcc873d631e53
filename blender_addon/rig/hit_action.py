"""The Action of a character that was hit: a copy of the one that it plays, in which the simulated bones go another way from the hit on."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.result import Result
from ..compat import Curves, add_curve, copy_action, new_action, place_of_curves, places_of_curves
from . import keys
from .action import in_rotation_mode
from .own import Own, is_back
from .retarget import Channels

BLEND = 3  # frames of the result in which a switch is thrown


def hit_action(armature: bpy.types.Object, name: str, own: Own, result: Result, channels: Channels, switches: list[tuple[str, str, float]],
               first: float, step: float) -> bpy.types.Action:
    """A new Action with every curve of the old one, not assigned; the caller does that.

    Args: ``channels``: (N, …) from the first hit on, see ``Own``; ``first``: where the result begins, ``step``: frames from one of its frames to the
    next.
    """
    frames = first + step * np.arange(len(own.shows))
    if own.action:
        action, slot = copy_action(own.action, own.slot, name)
        for place in places_of_curves(action):
            for curve in list(place.fcurves):
                _go_on(place, curve, frames, own.shows)
        curves = place_of_curves(action, slot)
    else:
        action, curves = new_action(name, armature)
    if action.use_frame_range:
        action.frame_start, action.frame_end = frames[0], frames[-1]
    early, late = frames[:own.start], frames[own.start:]
    for bone_name, turns in channels.rotations.items():
        bone = armature.pose.bones[bone_name]
        path, values = in_rotation_mode(bone.rotation_mode, turns, near=own.values[bone_name][0])
        lead_on(curves, f"{bone.path_from_id()}.{path}", early, late, values, bone_name)
    for bone_name, values in channels.locations.items():
        lead_on(curves, f"{armature.pose.bones[bone_name].path_from_id()}.location", early, late, values, bone_name)
    for bone_name, key, value in switches:
        before = own.switches[bone_name, key]
        values = before + _thrown(is_back(result, own)) * (value - before)
        path = f'{armature.pose.bones[bone_name].path_from_id()}["{bpy.utils.escape_identifier(key)}"]'
        lead_on(curves, path, early, late, values[:, None], bone_name)
    return action


def _thrown(back: np.ndarray) -> np.ndarray:
    """(N,) 0–1, how far the switches are thrown: from the hit on in some frames, and back once the body ``is_back``."""
    number = np.arange(len(back))
    since = number - (int(np.argmax(back)) if back.any() else len(back))
    return np.minimum(np.clip(number / BLEND, 0.0, 1.0), 1.0 - np.clip(since / BLEND, 0.0, 1.0))


def _go_on(curves: Curves, curve: bpy.types.FCurve, frames: np.ndarray, shows: np.ndarray) -> None:
    """Let a curve have on each frame the value that it has on another one; where it has that anyway, nothing is touched."""
    by = frames[0] - shows[0]
    elsewhere = np.flatnonzero(np.abs(frames - by - shows) > keys.SAME)
    if len(elsewhere) and not (_rests(curve, shows[-1]) and np.ptp(shows[elsewhere[0]:]) == 0.0):
        turn = max(elsewhere[0] - 1, 0)
        kept = keys.until(curve, shows[turn])
        parts = [keys.sampled(curve, frames, shows)] if kept is None else [keys.moved(kept, by), keys.sampled(curve, frames[turn:], shows[turn:])]
    elif abs(by) < keys.SAME:
        return
    else:
        parts = [keys.sampled(curve, frames, shows) if curve.modifiers or not curve.keyframe_points else keys.moved(keys.keys_of(curve), by)]
    keys.write(_anew(curves, curve), *parts)


def _rests(curve: bpy.types.FCurve, frame: float) -> bool:
    """Whether a curve keeps still from a frame on, which is the last of its animation."""
    return not curve.modifiers and curve.extrapolation == "CONSTANT" and curve.range()[1] <= frame + 1.0


def _anew(curves: Curves, curve: bpy.types.FCurve) -> bpy.types.FCurve:
    """An empty curve in the place of another one."""
    where, how = (curve.data_path, curve.array_index, curve.group.name if curve.group else ""), (curve.extrapolation, curve.mute)
    curves.fcurves.remove(curve)
    made = add_curve(curves, *where)
    made.extrapolation, made.mute = how
    return made


def lead_on(curves: Curves, path: str, early: np.ndarray, frames: np.ndarray, values: np.ndarray, group: str) -> None:
    """Give the curves of a property, which stay as they are up to the first of ``frames``, (N, …) values from there on. ``early``: the frames before,
    for curves whose keys alone do not tell how they go."""
    for index, column in enumerate(values.T):
        curve, parts = curves.fcurves.find(path, index=index), []
        if curve:
            if not keys.is_muted(curve):
                before = keys.until(curve, frames[0])
                parts = [keys.sampled(curve, early, early) if before is None else before]
            curves.fcurves.remove(curve)
        keys.write(add_curve(curves, path, index, group), *parts, keys.plain_keys(frames, column))
