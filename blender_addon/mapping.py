"""The bone map of a character, as its properties keep it: recognise, correct, save and load."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from ..core.anatomy.bones import CHAINS, SLOTS, Bone, BoneMap, Tree
from ..core.anatomy.recognise import MISSING, Recognition, check, recognise
from ..core.errors import FormatError, RigError
from .rig.read import read_bones


def recognise_rig(armature: bpy.types.Object) -> Recognition:
    """Find the parts of the body among the bones and remember them."""
    found = recognise(read_bones(armature))
    _remember(armature, found)
    return found


def bone_map(armature: bpy.types.Object) -> BoneMap:
    """The map to bake with, without parts that are missing; a rig that was not looked at yet is recognised now. A rig that cannot walk, also
    because its bones were renamed or removed since it was recognised, is a RigError."""
    character = armature.footfall
    if not character.bone_map:
        recognise_rig(armature)
    if not character.usable:
        raise RigError(character.summary)
    found = check(read_bones(armature), stored(armature))
    if not found.usable:
        raise RigError(found.summary)
    bones, controls = ({slot: chain for slot, chain in chains.items() if found.notes[slot].status != MISSING}
                       for chains in (found.map.bones, found.map.controls))
    switches = [(bone, key, value) for bone, key, value in found.map.switches if bone in armature.pose.bones and key in armature.pose.bones[bone]]
    return BoneMap(bones, controls, switches, found.map.family)


def stored(armature: bpy.types.Object) -> BoneMap:
    return BoneMap.from_dict(json.loads(armature.footfall.bone_map))


def assign(armature: bpy.types.Object, slot: str, bone: str) -> None:
    """The user picked another bone (or, with '', none) for a part of the body."""
    found = stored(armature)
    if bone == _first(found, slot):
        return
    bones = read_bones(armature)
    controlled = found.controls.get(slot) != found.bones.get(slot)
    found.bones[slot] = _chain(bones, found, slot, bone) if bone else ()
    if not (controlled and bone):  # on a control rig the keys stay where they were: this is the bone that is measured
        found.controls[slot] = found.bones[slot]
    _remember(armature, check(bones, found))


def save_map(armature: bpy.types.Object, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(stored(armature).to_dict(), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise FormatError(f"'{path}' cannot be written: {error.strerror}.") from error


def load_map(armature: bpy.types.Object, path: Path) -> Recognition:
    try:
        loaded = BoneMap.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise FormatError(f"'{path}' cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"'{path}' is not a saved bone map.") from error
    found = check(read_bones(armature), loaded)
    _remember(armature, found)
    return found


def _remember(armature: bpy.types.Object, found: Recognition) -> None:
    character = armature.footfall
    character.bone_map = json.dumps(found.map.to_dict())
    character.summary, character.usable = found.summary, found.usable
    if [part.name for part in character.parts] != list(SLOTS):
        character.parts.clear()
        for slot in SLOTS:
            character.parts.add().name = slot
    for part in character.parts:
        note = found.notes[part.name]
        part.status, part.note = note.status, note.text
        # The map is already the new one, so this does not assign again.
        part.bone = _first(found.map, part.name)


def _first(found: BoneMap, slot: str) -> str:
    return (*found.bones.get(slot, ()), "")[0]


def _chain(bones: list[Bone], found: BoneMap, slot: str, bone: str) -> tuple[str, ...]:
    """The bones of a slot that begins with ``bone``: of a spine or neck all up to its present top, where that lies above."""
    present = found.bones.get(slot, ())
    return tuple((slot in CHAINS and present and Tree(bones).path(bone, present[-1])) or (bone,))
