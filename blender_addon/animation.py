"""Which animation of an armature is meant: an action, NLA tracks, or both. Needs no numpy."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from zlib import crc32

import bpy

from ..core.errors import FormatError
from . import compat

ALL = float("inf")


@dataclass(frozen=True)
class Animation:
    """What is played.

    Attributes:
        action: by name; "" where NLA strips alone play. nla: whether the NLA tracks play too. without: names of tracks that do not.
    """

    action: str
    nla: bool = False
    without: tuple[str, ...] = ()


def of_action(armature: bpy.types.Object, action: bpy.types.Action) -> Animation:
    """An action as the armature plays it: over its NLA tracks if it is the one that it plays now, else by itself."""
    data = armature.animation_data
    return Animation(action.name, nla=bool(data and data.action == action and data.use_nla and sounding(data)))


def sounding(data: bpy.types.AnimData) -> list[bpy.types.NlaTrack]:
    """The tracks that are heard, those at the bottom first."""
    alone = [track for track in data.nla_tracks if track.is_solo]
    return [track for track in alone or data.nla_tracks if track.strips and not track.mute]


def frames_of(action: bpy.types.Action) -> tuple[int, int]:
    """The first and the last frame of an action; a FormatError where it holds no motion."""
    first, last = (round(frame) for frame in action.frame_range)
    if last <= first or not compat.action_curves(action):
        raise FormatError(f"The action '{action.name}' holds a pose and no motion: choose one with two frames or more.")
    return first, last


def fingerprint(action: bpy.types.Action | None) -> str:
    """Another one once a key was moved, added or removed; empty for no action."""
    if action is None:
        return ""
    found = 0
    for curve in compat.action_curves(action):
        places = array("f", bytes(8 * len(curve.keyframe_points)))
        curve.keyframe_points.foreach_get("co", places)
        found = crc32(places.tobytes(), crc32(f"{curve.data_path} {curve.array_index}".encode(), found))
    return f"{found:08x}"


def played(armature: bpy.types.Object) -> tuple[Animation, int, int]:
    """What an armature plays now: its action, or NLA strips alone; and the first and the last frame of that."""
    data = armature.animation_data
    if data and data.action:
        return of_action(armature, data.action), *frames_of(data.action)
    strips = [strip for track in sounding(data) for strip in track.strips if not strip.mute] if data and data.use_nla else []
    if not strips:
        raise FormatError(f"'{armature.name}' plays no action: give it an animation first, or follow a recording and choose React to Hits.")
    return Animation("", nla=True), round(min(strip.frame_start for strip in strips)), round(max(strip.frame_end for strip in strips))
