"""Live preview: the character moves while it is being simulated, and stands as before when that ends.

What is to be put back is kept in the character's own properties: so an undo step or an automatic save that was made in between holds it too.
"""

from __future__ import annotations

import json

import bpy
import numpy as np

from .object_motion import may_move
from .redraw import redraw_scene
from .rig.compensation import compensated
from .rig.pose import KeptPose, show
from .rig.retarget import Retarget
from .worker import Pose


def show_pose(armature: bpy.types.Object, retarget: Retarget, pose: Pose) -> None:
    """Pose the rig, without keys."""
    channels, switches = retarget.channels(np.array([pose.root]), np.array([pose.rotations])), retarget.bone_map.switches
    if may_move(armature):
        channels = compensated(channels, retarget, np.array(armature.matrix_world)[None])
    bones, bake = armature.pose.bones, armature.footfall.bake
    if not bake.before_preview:
        kept = [(bone, key, bones[bone][key]) for bone, key, _ in switches]
        bake.before_preview = json.dumps([KeptPose(armature, channels.rotations).fields, kept])
        for bone, key, value in switches:
            bones[bone][key] = value
    show(armature, channels.rotations, channels.locations, channels.scales)
    redraw_scene()


def put_back(armature: bpy.types.Object) -> None:
    """As it was before the first pose was shown, if any was."""
    bake = armature.footfall.bake
    if not bake.before_preview:
        return
    fields, switches = json.loads(bake.before_preview)
    for bone, key, value in switches:
        if bone in armature.pose.bones:
            armature.pose.bones[bone][key] = value
    KeptPose(armature, fields=fields).put_back()
    bake.property_unset("before_preview")
    armature.update_tag()
