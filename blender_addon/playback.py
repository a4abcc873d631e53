"""What an armature shows while it plays an animation: read from the curves where they say it all, else frame by frame, in slices.

Between two slices everything is as it was, so that Blender can draw, save and undo, and giving up costs nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import bpy
import numpy as np

from ..core.errors import RigError
from . import compat
from .animation import ALL, Animation
from .aside import aside
from .rig import forward
from .rig.action import rotation_field


class Playback:
    """Reads where bones are. Holds no references into Blender's data: the armature and the action may be gone at the next slice.

    Attributes, once all is read:
        worlds: (F, 4, 4) of the object. matrices: {bone: (F, 4, 4)} in the armature's axes.
        locals: {bone: (F, 4, 4)} of the bones' own channels. values: {bone: (F, 3 or 4)} their rotations, in their rotation modes.
        switches: {(bone, property): (F,)}.
    """

    worlds: np.ndarray
    matrices: dict[str, np.ndarray]
    locals: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    switches: dict[tuple[str, str], np.ndarray]

    def __init__(self, armature: bpy.types.Object, animation: Animation, bones: Iterable[str], frames: Sequence[float],
                 channels: Iterable[str] = (), switches: Iterable[tuple[str, str]] = ()):
        """
        Args: bones: whose ``matrices`` are read. channels: bones whose ``locals`` and ``values`` are. switches: (bone, property) that are.
        """
        self._armature, self._animation = armature.name, animation
        self._bones, self._channels, self._switches = list(bones), list(channels), list(switches)
        self._frames = [float(frame) for frame in frames]
        self._moments: list[list] = []
        curves = self._curves(armature)
        self.stepped = curves is None  # whether it goes frame by frame
        if curves is not None:
            self._read_curves(armature, curves)

    @property
    def fraction(self) -> float:
        """Done, 0–1."""
        return len(self._moments) / len(self._frames) if self.stepped else 1.0

    def go_on(self, seconds: float = ALL) -> bool:
        """Read on for about so long; whether all is read. A RigError where what is read is gone."""
        if self.fraction == 1.0:
            return True
        armature = bpy.data.objects.get(self._armature)
        if armature is None or (self._animation.action and self._animation.action not in bpy.data.actions):
            raise RigError(f"'{self._animation.action or self._armature}' is gone: the reading was ended.")
        end = time.monotonic() + seconds
        with _playing(armature, self._animation), aside(armature) as at:
            while len(self._moments) < len(self._frames):
                self._moments.append(self._moment(at(self._frames[len(self._moments)])))
                if time.monotonic() > end:
                    break
        if self.fraction < 1.0:
            return False
        columns = [np.array(column) for column in zip(*self._moments, strict=True)]
        keys = iter(columns)
        self.worlds = next(keys)
        self.matrices, self.locals, self.values, self.switches = (
            {name: next(keys) for name in names} for names in (self._bones, self._channels, self._channels, self._switches))
        return True

    def _moment(self, armature: bpy.types.Object) -> list:
        """What an evaluated armature shows, in the order in which ``go_on`` sorts it."""
        bones = armature.pose.bones
        return [np.array(armature.matrix_world), *(np.array(bones[name].matrix) for name in self._bones),
                *(np.array(bones[name].matrix_basis) for name in self._channels),
                *(np.array(getattr(bones[name], rotation_field(bones[name].rotation_mode))) for name in self._channels),
                *(float(bones[name][key]) for name, key in self._switches)]

    def _curves(self, armature: bpy.types.Object) -> forward.Curves | None:
        """The curves that say it all; None where they do not."""
        action = bpy.data.actions.get(self._animation.action)
        if action is None or self._animation.nla:
            return None
        data = armature.animation_data
        if data and data.action == action and data.use_nla and data.nla_tracks and not _plays_whole(data):
            return None
        curves = forward.by_place(compat.curves_for(armature, action))
        return curves if forward.is_plain(armature, curves, [*self._bones, *self._channels]) else None

    def _read_curves(self, armature: bpy.types.Object, curves: forward.Curves) -> None:
        bones, frames = armature.pose.bones, self._frames
        found = forward.matrices(armature, curves, self._bones, frames)
        self.matrices, self.worlds = {name: found[name] for name in self._bones}, forward.worlds(armature, curves, frames)
        self.locals = {name: forward.own_transform(bones[name], curves, frames) for name in self._channels}
        self.values = {name: forward.values(bones[name], curves, rotation_field(bones[name].rotation_mode), frames) for name in self._channels}
        self.switches = {(name, key): forward.property_values(bones[name], curves, key, frames) for name, key in self._switches}


@contextmanager
def _playing(armature: bpy.types.Object, animation: Animation) -> Iterator[None]:
    """Let the armature play an animation and nothing else."""
    had_data = armature.animation_data is not None
    data = armature.animation_data or armature.animation_data_create()
    action = bpy.data.actions.get(animation.action)
    other, silenced = data.action != action, [track for track in data.nla_tracks if track.name in animation.without and not track.mute]
    kept = [] if armature.library else _animated_values(armature, {*filter(None, (data.action, action)), *_played(data)})
    before, layered, position = compat.assigned_action(armature), data.use_nla, armature.data.pose_position
    try:
        if other:
            compat.assign_action(armature, action)
        if layered and not animation.nla:
            data.use_nla = False
        for track in silenced:
            track.mute = True
        if position != "POSE":
            armature.data.pose_position = "POSE"
        yield
    finally:
        if other:
            compat.assign_action(armature, *before)
        if data.use_nla != layered:
            data.use_nla = layered
        for track in silenced:
            track.mute = False
        if position != "POSE":
            armature.data.pose_position = position
        bpy.context.view_layer.update()
        for path, value in kept:
            _set(armature, path, value)
        if not had_data:
            armature.animation_data_clear()
        bpy.context.view_layer.update()


def _plays_whole(data: bpy.types.AnimData) -> bool:
    """Whether the action is played as it is. With tracks below it, though all are muted, it may come in like a strip, in parts."""
    return data.action_blend_type == "REPLACE" and data.action_influence == 1.0 and data.action_extrapolation == "HOLD"


def _played(data: bpy.types.AnimData) -> set[bpy.types.Action]:
    """The actions in NLA strips."""
    return {strip.action for track in data.nla_tracks for strip in track.strips if strip.action}


def _animated_values(owner: bpy.types.Object, actions: set[bpy.types.Action]) -> list[tuple[str, object]]:
    """The present value of everything that these actions animate, keyed since or not."""
    values = []
    for path in sorted({curve.data_path for action in actions for curve in compat.action_curves(action)}):
        try:
            value = owner.path_resolve(path)
        except ValueError:  # of a bone or a property that is not there
            continue
        values.append((path, tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value))
    return values


def _set(owner: bpy.types.Object, path: str, value: object) -> None:
    if path.endswith('"]'):  # a custom property
        holder, _, key = path[:-2].rpartition('["')
        (owner.path_resolve(holder) if holder else owner)[bpy.utils.unescape_identifier(key)] = value
        return
    holder, _, name = path.rpartition(".")
    setattr(owner.path_resolve(holder) if holder else owner, name, value)
