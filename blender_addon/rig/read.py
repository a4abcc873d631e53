"""An armature's bones as plain data."""

from __future__ import annotations

import bpy
from mathutils import Vector

from ...core.anatomy.bones import Bone
from ...core.anatomy.ends import with_ends
from ...core.errors import RigError


def read_bones(armature: bpy.types.Object) -> list[Bone]:
    """The bones at rest, in world axes and Blender units, whatever the pose. In Edit Mode they are as they were before. Heads are joints; a tail may
    be anywhere (see ``bone_ends``)."""
    if armature is None or armature.type != "ARMATURE":
        what = f"'{armature.name}' is no armature" if armature else "No object is selected"
        raise RigError(f"{what}: select the character's armature.")
    world = armature.matrix_world
    return [
        Bone(
            name=bone.name,
            parent=bone.parent.name if bone.parent else None,
            head=tuple(world @ bone.head_local),
            tail=tuple(world @ bone.tail_local),
            deform=bone.use_deform,
            properties=tuple(armature.pose.bones[bone.name].keys()) if bone.name in armature.pose.bones else (),
        )
        for bone in armature.data.bones
    ]


def bone_ends(armature: bpy.types.Object) -> dict[str, Vector]:
    """Where each bone ends at rest, in the armature's axes: where its child begins, or its own tail only where that can be (see
    ``core.anatomy.ends``)."""
    back = armature.matrix_world.inverted_safe()
    return {bone.name: back @ Vector(bone.tail) for bone in with_ends(read_bones(armature))}
