"""Reads what a character plays itself on the frames of a result that was made by hitting that."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ..core.result import Result
from . import compat
from .recording import playing
from .rig.action import rotation_field
from .rig.own import Own, turns_of
from .rig.retarget import Retarget


def read_own(scene: bpy.types.Scene, armature: bpy.types.Object, action: bpy.types.Action, retarget: Retarget, result: Result, step: float) -> Own:
    """``step``: frames of the scene from one frame of the result to the next."""
    first, last = (round(frame) for frame in action.frame_range)  # where it was recorded, wherever the result is baked
    shows = np.minimum(first + step * np.arange(result.frames), last)  # and as it ends it is held
    clip = np.minimum(np.round((shows - first) / step).astype(int), len(result.clip_roots) - 1)
    start = min(int(result.outcome["hit_s"][0] * result.fps + 1e-6), result.frames - 1)
    names = {*retarget.names, *(clavicle.name for clavicle in retarget.clavicles), *retarget.hanging}
    different, each = np.unique(shows[start:], return_inverse=True)
    moments = []
    with playing(scene, armature, action):
        slot = compat.assigned_action(armature)[1]
        for frame in different:
            scene.frame_set(int(frame // 1), subframe=frame % 1)
            moments.append(_Moment(armature, names, names.union(retarget.shown.values()), retarget.bone_map.switches))
    found = [moments[row] for row in each]

    def by_name(kind: str) -> dict:
        return {name: np.array([getattr(moment, kind)[name] for moment in found]) for name in getattr(found[0], kind)}

    local = by_name("local")
    return Own(action, slot, shows, clip, np.array([moment.world for moment in found]), by_name("posed"),
               {name: turns_of(matrices) for name, matrices in local.items()}, by_name("values"),
               {name: matrices[:, :3, 3] for name, matrices in local.items()}, by_name("switches"))


class _Moment:
    """What is read on one frame, see ``Own``."""

    def __init__(self, armature: bpy.types.Object, names: Iterable[str], shown: Iterable[str], switches: list[tuple[str, str, float]]):
        bones = armature.pose.bones
        self.world = np.array(armature.matrix_world)
        self.posed = {name: np.array(bones[name].matrix) for name in shown}
        self.local = {name: np.array(bones[name].matrix_basis) for name in names}
        self.values = {name: tuple(getattr(bones[name], rotation_field(bones[name].rotation_mode))) for name in names}
        self.switches = {(bone, key): float(bones[bone][key]) for bone, key, _ in switches}
