"""Which objects a button means."""

from __future__ import annotations

import json

import bpy
from mathutils import Vector

from ..core.anatomy.names import knows_ik
from ..core.errors import RigError
from .rig.read import bone_ends

# The part at whose joint each part ends.
NEXT = {"pelvis": "torso", "torso": "head", "upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot", "foot": "toes"}


def find_character(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active armature, or the one that moves the active mesh, or the one that the active arrow pushes."""
    active = context.active_object
    if active is None or active.type == "ARMATURE":
        return active
    if active.type == "MESH":
        return active.find_armature()
    armatures = (thing for thing in context.scene.objects if thing.type == "ARMATURE")
    return next((armature for armature in armatures if any(push.arrow == active for push in armature.footfall.pushes)), None)


def characters_of(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The armatures that can be clicked on, by name."""
    return sorted((thing for thing in context.scene.objects if thing.type == "ARMATURE" and thing.visible_get()), key=lambda thing: thing.name)


def has_ik_controls(character: bpy.types.Object) -> bool:
    """Whether it is a control rig whose IK controls are known by name."""
    return bool(character.footfall.bone_map) and knows_ik(json.loads(character.footfall.bone_map)["family"])


def the_character(context: bpy.types.Context) -> bpy.types.Object:
    """The character to work on, or a RigError that says why there is none."""
    character = find_character(context)
    if character is None:
        active = context.active_object
        what = f"'{active.name}' is no armature" if active else "Nothing is selected"
        raise RigError(f"{what}: click on a character's armature, or add a mannequin.")
    if not character.data.bones:
        raise RigError(f"'{character.name}' has no bones: choose another armature, or add a mannequin.")
    if character.mode == "EDIT":
        raise RigError(f"'{character.name}' is in Edit Mode: leave it first (Tab).")
    if character.animation_data and character.animation_data.use_tweak_mode:
        raise RigError(f"'{character.name}' is in Tweak Mode: leave it first (Tab in the NLA editor).")
    if character.library:
        raise RigError(f"'{character.name}' is linked from '{character.library.name}' and cannot be keyed: make a library override of it first "
                       "(Object > Library Override > Make).")
    return character


def part_ends(character: bpy.types.Object, part: str) -> tuple[Vector, Vector] | None:
    """Where a part begins and ends now, world: at its joint and at that of the next part. None where no bone is that part."""
    def bone_of(slot: str) -> bpy.types.PoseBone | None:
        entry = character.footfall.parts.get(slot)
        return character.pose.bones.get(entry.bone) if entry else None

    bone = bone_of(part)
    if bone is None:
        return None
    name, _, side = part.partition(".")
    after = bone_of(f"{NEXT[name]}.{side}" if side else NEXT[name]) if name in NEXT else None
    end = after.head if after else bone.matrix @ bone.bone.matrix_local.inverted_safe() @ bone_ends(character)[bone.name]
    return character.matrix_world @ bone.head, character.matrix_world @ end


def part_position(character: bpy.types.Object, part: str) -> Vector:
    """Where a part of the body is now: the middle of its bone. World."""
    ends = part_ends(character, part)
    return (ends[0] + ends[1]) / 2 if ends else character.matrix_world.translation.copy()


def colliders_of(scene: bpy.types.Scene, character: bpy.types.Object) -> list[bpy.types.Object]:
    """The meshes to walk on and bump into; never those of the character itself, nor what it carries."""
    collection = scene.footfall.ground.collection
    own = {character, *character.children_recursive}
    return [thing for thing in collection.all_objects if thing.type == "MESH" and thing.find_armature() != character and thing not in own] \
        if collection else []
