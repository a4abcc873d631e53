"""Live preview: the character moves while it is being simulated, and stands as before when that ends."""

from __future__ import annotations

import bpy
import numpy as np

from .rig.pose import KeptPose, show
from .rig.retarget import Retarget
from .scene import Character
from .worker import Pose


class Preview:
    """Shows poses on a rig without keys. Nothing of it outlives ``put_back``, so that a .blend never keeps a previewed pose."""

    def __init__(self, armature: bpy.types.Object, character: Character):
        self._switches = character.bone_map.switches
        self._retarget = Retarget(armature, character.bone_map, character.fit, character.placement)
        self._kept: KeptPose | None = None
        self._kept_switches: list[float] = []

    def show(self, armature: bpy.types.Object, pose: Pose) -> None:
        channels = self._retarget.channels(np.array([pose.root]), np.array([pose.rotations]))
        bones = armature.pose.bones
        if self._kept is None:
            self._kept = KeptPose(armature, {*channels.rotations, *channels.locations})
            self._kept_switches = [bones[bone][key] for bone, key, _ in self._switches]
            for bone, key, value in self._switches:
                bones[bone][key] = value
        show(armature, channels.rotations, channels.locations)

    def put_back(self, armature: bpy.types.Object) -> None:
        if self._kept is None:
            return
        for (bone, key, _), value in zip(self._switches, self._kept_switches):
            if bone in armature.pose.bones:
                armature.pose.bones[bone][key] = value
        self._kept.put_back()
        self._kept = None
        armature.update_tag()
