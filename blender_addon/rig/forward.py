"""Where bones are, from the curves of an action alone: forward kinematics for many frames at once, without stepping the scene.

This holds for bones that nothing else moves; ``is_plain`` says whether that is so. It does as Blender does (``armature.c``: a bone's own transform
in the place where its parent carries it), which ``tests/blender/test_playback.py`` compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from ...core import rotation
from .action import rotation_field
from .pose import FIELDS, bone_of

Curves = dict[tuple[str, int], bpy.types.FCurve]  # by data path and index
UNSCALED = 1e-6  # by which a scale may differ from 1 and be none
NO_DELTAS = {"delta_location": (0, 0, 0), "delta_rotation_euler": (0, 0, 0), "delta_rotation_quaternion": (1, 0, 0, 0), "delta_scale": (1, 1, 1)}


def by_place(curves: Iterable[bpy.types.FCurve]) -> Curves:
    """Those that are not muted."""
    return {(curve.data_path, curve.array_index): curve for curve in curves if not curve.mute and not (curve.group and curve.group.mute)}


def is_plain(armature: bpy.types.Object, curves: Curves, names: Iterable[str]) -> bool:
    """Whether these curves alone move these bones and the object: no constraint, no driver, nothing that hangs on what is animated elsewhere."""
    chain = _with_parents(armature, names)
    return _bones_are_plain(armature, curves, chain) and _object_is_plain(armature, curves)


def matrices(armature: bpy.types.Object, curves: Curves, names: Iterable[str], frames: Sequence[float]) -> dict[str, np.ndarray]:
    """{bone: (F, 4, 4)} in the armature's axes, of bones for which ``is_plain`` holds. What has no curve is as it is now."""
    found: dict[str, np.ndarray] = {}
    for name in _with_parents(armature, names):
        bone, own = armature.data.bones[name], own_transform(armature.pose.bones[name], curves, frames)
        if bone.parent is None:
            rest = np.array(bone.matrix_local)
            found[name] = _carried(np.broadcast_to(rest, own.shape), own, None if bone.use_local_location else np.eye(3))
            continue
        above = found[bone.parent.name]
        carried = above @ _in_parent(bone)
        at_home = carried.copy()
        if not bone.use_inherit_rotation:
            at_home[:, :3, :3] = np.array(bone.matrix_local)[:3, :3]
        # The parent carries the head along, whether its turns are taken over or not.
        found[name] = _carried(at_home, own, above[:, :3, :3] if not bone.use_local_location else carried[:, :3, :3])
    return found


def _in_parent(bone: bpy.types.Bone) -> np.ndarray:
    """(4, 4) of a bone at rest, in its parent's axes. Not from where both are in the armature: that is rounded, and it adds up along a chain."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = np.array(bone.matrix), np.array(bone.head)
    found[1, 3] += bone.parent.length
    return found


def worlds(armature: bpy.types.Object, curves: Curves, frames: Sequence[float]) -> np.ndarray:
    """(F, 4, 4) of the object itself."""
    own = own_transform(armature, curves, frames)
    if armature.parent is None:
        return own
    return np.array(armature.parent.matrix_world) @ np.array(armature.matrix_parent_inverse) @ own


def _carried(base: np.ndarray, own: np.ndarray, axes: np.ndarray | None) -> np.ndarray:
    """(F, 4, 4): a bone's own transform where its parent has it, moved along ``axes`` (F, 3, 3); None: its own."""
    found = base @ own
    if axes is not None:
        found[:, :3, 3] = base[:, :3, 3] + np.einsum("...ij,...j->...i", axes, own[:, :3, 3])
    return found


def own_transform(owner: bpy.types.Object | bpy.types.PoseBone, curves: Curves, frames: Sequence[float]) -> np.ndarray:
    """(F, 4, 4) location, rotation and scale of an object, or of a bone as far as it may move."""
    place, scale, turn = (values(owner, curves, field, frames) for field in ("location", "scale", rotation_field(owner.rotation_mode)))
    found = np.zeros((len(frames), 4, 4))
    found[:, :3, :3] = rotation.to_matrix(_quaternions(owner.rotation_mode, turn)) * scale[:, None, :]
    found[:, :3, 3], found[:, 3, 3] = place, 1.0
    if isinstance(owner, bpy.types.PoseBone) and owner.parent and owner.bone.use_connect:
        found[:, :3, 3] = 0.0
    return found


def values(owner: bpy.types.Object | bpy.types.PoseBone, curves: Curves, field: str, frames: Sequence[float]) -> np.ndarray:
    """(F, N) of a property of an object or a bone."""
    path, now = owner.path_from_id(field), getattr(owner, field)
    return np.stack([_column(curves.get((path, index)), value, frames) for index, value in enumerate(now)], axis=-1)


def property_values(bone: bpy.types.PoseBone, curves: Curves, key: str, frames: Sequence[float]) -> np.ndarray:
    """(F,) of a custom property."""
    return _column(curves.get((f'{bone.path_from_id()}["{bpy.utils.escape_identifier(key)}"]', 0)), float(bone[key]), frames)


def _column(curve: bpy.types.FCurve | None, now: float, frames: Sequence[float]) -> np.ndarray:
    return np.array([curve.evaluate(frame) for frame in frames]) if curve else np.full(len(frames), now)


def _quaternions(mode: str, values: np.ndarray) -> np.ndarray:
    """(F, 4) of (F, 3 or 4) in a rotation mode. No axis and no length mean what they mean to Blender."""
    if mode == "QUATERNION":
        lengths = np.linalg.norm(values, axis=-1, keepdims=True)
        return np.where(lengths > 0.0, values / np.where(lengths > 0.0, lengths, 1.0), (0.0, 1.0, 0.0, 0.0))
    if mode == "AXIS_ANGLE":
        lengths = np.linalg.norm(values[:, 1:], axis=-1, keepdims=True)
        axes = values[:, 1:] / np.where(lengths > 0.0, lengths, 1.0)
        return np.concatenate([np.where(lengths > 0.0, np.cos(0.5 * values[:, :1]), 1.0), np.sin(0.5 * values[:, :1]) * axes], axis=-1)
    # Blender names the order in which the turns are applied about fixed axes: the reverse of intrinsic angles.
    return rotation.from_euler(values[:, ["XYZ".index(axis) for axis in reversed(mode)]], mode.lower()[::-1])


def _with_parents(armature: bpy.types.Object, names: Iterable[str]) -> list[str]:
    """These bones and all that they hang on, parents first."""
    chain: dict[str, None] = {}
    for name in names:
        bone = armature.data.bones[name]
        chain |= dict.fromkeys([above.name for above in reversed(bone.parent_recursive)] + [name])
    return list(chain)


def _bones_are_plain(armature: bpy.types.Object, curves: Curves, chain: Sequence[str]) -> bool:
    among = set(chain)
    if among & _led_elsewhere(armature, curves):
        return False
    scaled = {name for name in chain if _is_scaled(armature.pose.bones[name], curves)}
    for name in chain:
        bone = armature.data.bones[name]
        usual = bone.use_inherit_rotation and bone.inherit_scale == "FULL"
        if not usual and any(above.name in scaled for above in bone.parent_recursive):
            return False
    return all(_is_harmless(path) for path, _ in curves if bone_of(path) in among)


def _led_elsewhere(armature: bpy.types.Object, curves: Curves) -> set[str]:
    """The bones that a constraint or a driver moves."""
    switched = {bone_of(path) for path, _ in curves if ".constraints[" in path}
    found: set[str] = set()
    for posed in armature.pose.bones:
        for constraint in posed.constraints:
            if posed.name in switched or not (constraint.mute or constraint.influence == 0.0):
                found.add(posed.name)
                if constraint.type in ("IK", "SPLINE_IK"):
                    above = [bone.name for bone in posed.parent_recursive]
                    found.update(above[:constraint.chain_count] if constraint.chain_count else above)
    data = armature.animation_data
    found.update(filter(None, (bone_of(driver.data_path) for driver in data.drivers)) if data else ())
    return found


def _is_scaled(posed: bpy.types.PoseBone, curves: Curves) -> bool:
    path = posed.path_from_id("scale")
    if any(abs(value - 1.0) > UNSCALED for value in posed.scale):
        return True
    keyed = filter(None, (curves.get((path, index)) for index in range(3)))
    return any(curve.modifiers or any(abs(key.co.y - 1.0) > UNSCALED for key in curve.keyframe_points) for curve in keyed)


def _is_harmless(path: str) -> bool:
    """Whether a curve of a bone is of what ``own_transform`` reads, or of a property that nothing but a driver or a constraint would hear of."""
    return path.endswith("]") or path.rpartition(".")[2] in FIELDS or path.rpartition(".")[2].startswith("bbone_")


def _object_is_plain(armature: bpy.types.Object, curves: Curves) -> bool:
    data, of_bones = armature.animation_data, armature.data.animation_data
    if of_bones and (of_bones.action or of_bones.drivers or of_bones.nla_tracks):
        return False
    if armature.rigid_body or any(not constraint.mute for constraint in armature.constraints):
        return False
    driven = {driver.data_path for driver in data.drivers} if data else set()
    own = {path for path in {path for path, _ in curves} | driven if bone_of(path) is None and not path.startswith('["')}
    if own & driven or not own <= set(FIELDS) or any(tuple(getattr(armature, field)) != none for field, none in NO_DELTAS.items()):
        return False
    return armature.parent is None or (armature.parent_type == "OBJECT" and _stands_still(armature.parent))


def _stands_still(thing: bpy.types.Object) -> bool:
    data = thing.animation_data
    moved = thing.constraints or thing.rigid_body or (data and (data.action or data.drivers or data.nla_tracks))
    return not moved and (thing.parent is None or (thing.parent_type == "OBJECT" and _stands_still(thing.parent)))
