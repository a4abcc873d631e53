"""The IK controls of a control rig, keyed so that the rig shows the same with its switches at IK as it does at FK.

A control that lies on a part of the body follows that part rigidly. A pole stands where knee or elbow point. What only adds to these rests.
What the controls themselves hang on is watched, frame by frame, so that every parent and constraint above them counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix

from ...core import rotation
from ...core.anatomy.bones import BoneMap
from ...core.anatomy.names import ik_controls
from ..aside import aside
from ..compat import Curves, places_of_curves, remove_curves
from .action import in_rotation_mode
from .hit_action import lead_on
from .pose import clear

POLES = {"arm_pole": ("upper_arm", "forearm", "hand"), "leg_pole": ("thigh", "shin", "foot")}
ENDS = ("hand", "foot")  # the other controls hang on these or look at them
STRAIGHT = 0.02  # of the limb's length: a knee nearer than this to the line from hip to ankle hardly shows where it points
Matrices = dict[str, np.ndarray]  # {bone: (F, 4, 4)} in the armature's axes


def controls_of(armature: bpy.types.Object, bone_map: BoneMap) -> dict[str, list[str]]:
    """The IK controls that the rig has, by what they do (see ``core.anatomy.names``); {} on a rig whose IK controls are not known."""
    return ik_controls(bone_map.family, armature.pose.bones.keys())


@dataclass(frozen=True)
class When:
    """The frames of the scene on which IK controls are keyed.

    Attributes:
        frames: (N,). early: the frames before, on which an animation that was hit stays as it is; empty: nothing that was there stays.
        changed: how many of the N frames differ from that animation; on the others it goes on.
        repeat: whether they are one cycle that repeats.
    """

    frames: np.ndarray
    early: np.ndarray = field(default_factory=lambda: np.empty(0))
    changed: int | None = None
    repeat: bool = False


def key_ik_controls(armature: bpy.types.Object, bone_map: BoneMap, action: bpy.types.Action, when: When, only: frozenset[str] | None = None) -> None:
    """Add the keys of the IK controls to an action of ours that the rig plays; ``only``: names of the bones that may be keyed."""
    bones, curves = armature.data.bones, places_of_curves(action)[0]
    controls = {role: [name for name in names if only is None or name in only] for role, names in controls_of(armature, bone_map).items()}
    roots, still = (controls.pop(role, []) for role in ("root", "still"))
    role_of = {name: role for role, names in controls.items() for name in names}
    ends = [name for name, role in role_of.items() if role.partition(".")[0] in ENDS]
    others = [name for name in role_of if name not in ends]
    for name in still:
        clear(armature.pose.bones[name])
    for name in (*(() if len(when.early) else roots), *still):
        _key(armature.pose.bones[name], curves, np.array(armature.pose.bones[name].matrix_basis)[None], when)
    body = {slot: names[0] for slot, names in bone_map.bones.items() if names}
    shown = _watch(armature, when.frames, {*body.values(), *_above(bones, ends)})
    rest = {name: np.array(bones[name].matrix_local) for name in (*body.values(), *role_of)}
    wanted = {name: _wanted(body, rest, shown, role, name) for name, role in role_of.items()}
    for names in (ends, others):
        above = shown if names is ends else _watch(armature, when.frames, _above(bones, others))
        for name in names:
            _key(armature.pose.bones[name], curves, _own(bones[name], above, wanted[name]), when)


def _watch(armature: bpy.types.Object, frames: Sequence[float], names: Iterable[str]) -> Matrices:
    """Bones as they are on these frames."""
    found: dict[str, list] = {name: [] for name in names}
    armature.update_tag()
    with aside(armature) as at:
        for frame in frames:
            bones = at(frame).pose.bones
            for name, rows in found.items():
                rows.append(np.array(bones[name].matrix))
    return {name: np.array(rows) for name, rows in found.items()}


def _above(bones: bpy.types.ArmatureBones, names: Iterable[str]) -> set[str]:
    """The bones that these hang on."""
    return {bones[name].parent.name for name in names if bones[name].parent}


def _own(bone: bpy.types.Bone, above: Matrices, wanted: np.ndarray) -> np.ndarray:
    """(F, 4, 4) what a bone has to add to the one above it to be where it is wanted."""
    def local(matrix: np.ndarray, **parent: Matrix) -> Matrix:
        return bone.convert_local_to_pose(Matrix(matrix), bone.matrix_local, **parent, invert=True)

    if bone.parent is None:
        return np.array([local(matrix) for matrix in wanted])
    return np.array([local(matrix, parent_matrix=Matrix(upper), parent_matrix_local=bone.parent.matrix_local)
                     for matrix, upper in zip(wanted, above[bone.parent.name], strict=True)])


def _wanted(body: dict[str, str], rest: Matrices, shown: Matrices, role: str, name: str) -> np.ndarray:
    """(F, 4, 4) where a control has to be. A pole stays as far from knee or elbow as it is at rest."""
    if role in body:
        return shown[body[role]] @ np.linalg.inv(rest[body[role]]) @ rest[name]
    part, _, side = role.partition(".")
    limb = [body[f"{bone}.{side}"] for bone in POLES[part]]
    joints, resting = ([matrices[bone][..., :3, 3] for bone in limb] for matrices in (shown, rest))
    away = rest[name][:3, 3] - resting[1]
    carried = (shown[limb[0]] @ np.linalg.inv(rest[limb[0]]))[:, :3, :3] @ away  # as if the pole hung on the upper bone
    line, line_at_rest = _unit(joints[2] - joints[0]), _unit(resting[2] - resting[0])
    points, points_at_rest = _pointing(*joints, carried), _pointing(*resting, away)
    # Somebody may have put the pole aside of where the knee points.
    beside = np.arctan2(np.cross(points_at_rest, away) @ line_at_rest, points_at_rest @ away)
    found = np.tile(rest[name], (len(carried), 1, 1))
    found[:, :3, 3] = joints[1] + np.linalg.norm(away) * rotation.rotate(rotation.exp(beside * line), points)
    return found


def _pointing(upper: np.ndarray, middle: np.ndarray, lower: np.ndarray, carried: np.ndarray) -> np.ndarray:
    """(…, 3) unit vectors: where a knee or an elbow points, from the joints (…, 3) of the limb; nearly straight, as ``carried`` (…, 3) says."""
    line, length = _unit(lower - upper), np.linalg.norm(lower - upper, axis=-1, keepdims=True)

    def off_line(vectors: np.ndarray) -> np.ndarray:
        return vectors - (vectors * line).sum(axis=-1, keepdims=True) * line

    return _unit(off_line(middle - upper) + STRAIGHT * length * _unit(off_line(carried)))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def _key(bone: bpy.types.PoseBone, curves: Curves, matrices: np.ndarray, when: When) -> None:
    """Key a bone's own place and turn, (N, 4, 4); of what keeps still, one frame."""
    axes = matrices[:, :3, :3]
    turns = rotation.make_continuous(rotation.from_matrix(axes / np.cbrt(np.linalg.det(axes))[:, None, None]))
    turned, angles = in_rotation_mode(bone.rotation_mode, turns)
    for channel, found in (("location", matrices[:, :3, 3]), (turned, angles)):
        path, values = f"{bone.path_from_id()}.{channel}", found
        if len(when.early):
            values = np.broadcast_to(found, (len(when.frames), found.shape[1])).copy()
            for index in range(values.shape[1]):
                curve = curves.fcurves.find(path, index=index)
                if curve and when.changed is not None:
                    values[when.changed:, index] = [curve.evaluate(frame) for frame in when.frames[when.changed:]]
        else:
            remove_curves(curves, path)
        lead_on(curves, path, when.early, when.frames[:len(values)], values, bone.name)
        if when.repeat and len(values) > 1:
            for index in range(values.shape[1]):
                curves.fcurves.find(path, index=index).modifiers.new("CYCLES")
