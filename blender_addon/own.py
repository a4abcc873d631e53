"""Reads what a character plays itself on the frames of a result that was made by hitting that."""

from __future__ import annotations

import bpy
import numpy as np

from ..core.result import Result
from . import compat
from .animation import ALL, Animation
from .playback import Playback
from .rig.own import Own, turns_of
from .rig.retarget import Retarget


class OwnReader:
    """Reads it, in slices where that goes frame by frame (see ``playback``)."""

    def __init__(self, armature: bpy.types.Object, animation: Animation, first: int, retarget: Retarget,
                 result: Result, step: float):
        """
        Args: first: frame that was recorded. step: frames of the scene from one frame of the result to the next.
        """
        self._armature, self._action = armature.name, animation.action
        self._shows = first + step * result.fps * result.clip_times
        # An action above strips does not tell how the bones move before the hit: then all is read and keyed.
        start = 0 if animation.action and animation.nla else min(int(result.outcome["hit_s"][0] * result.fps + 1e-6), result.frames - 1)
        names = {*retarget.names, *(clavicle.name for clavicle in retarget.clavicles), *retarget.hanging}
        different, self._each = np.unique(self._shows[start:], return_inverse=True)
        self._playback = Playback(armature, animation, sorted(names.union(retarget.shown.values())), different, sorted(names),
                                  [(bone, key) for bone, key, _ in retarget.bone_map.switches])

    @property
    def fraction(self) -> float:
        """Done, 0–1."""
        return self._playback.fraction

    def go_on(self, seconds: float = ALL) -> bool:
        """Read on for about so long; whether all is read."""
        return self._playback.go_on(seconds)

    def own(self) -> Own:
        """Once all is read."""
        armature, read, each = bpy.data.objects[self._armature], self._playback, self._each
        action = bpy.data.actions.get(self._action)
        return Own(action, compat.slot_for(armature, action) if action else None, self._shows, read.worlds[each],
                   {name: matrices[each] for name, matrices in read.matrices.items()},
                   {name: turns_of(matrices)[each] for name, matrices in read.locals.items()},
                   {name: values[each] for name, values in read.values.items()},
                   {name: matrices[each, :3, 3] for name, matrices in read.locals.items()},
                   {switch: values[each] for switch, values in read.switches.items()})
