"""How the bones of an armature depend on each other, found by trying: each bone to be keyed is turned a little and the others are watched.

So parents, bones in between that are not keyed, and the constraints of a control rig all count, without knowing any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Quaternion

from ...core import rotation
from ...core.anatomy.bones import BoneMap
from ...core.errors import RigError
from .others import Held
from .pose import KeptPose, clear, set_rotation

PROBE = Quaternion((0.3, 0.5, 0.8), 0.4)  # a turn that no axis or limit of a rig is likely to hide
FOLLOWS = 1e-3  # rad: a bone that turns at least this much with a probe depends on the bone that was turned
HELD = 0.1  # of the probe: a bone that turns less than this by itself does not listen to its keys
STRETCHED = 0.01  # of its size: a scale that differs more than this between axes, or from 1, cannot be walked with


@contextmanager
def as_keyed(armature: bpy.types.Object, bone_map: BoneMap, names: list[str], held: Iterable[Held] = ()) -> Iterator[None]:
    """For a while: no animation, switches as they will be keyed, the bones to be keyed at rest, and others as they are held."""
    data, position = armature.animation_data, armature.data.pose_position
    before = (data.action, data.use_nla, getattr(data, "action_slot", None)) if data else None
    pose = KeptPose(armature, names)
    switches = [(armature.pose.bones[bone], key, armature.pose.bones[bone][key]) for bone, key, _ in bone_map.switches]
    before_held: list[Held] = []
    if data:
        data.action, data.use_nla = None, False
    if position == "REST":
        armature.data.pose_position = "POSE"
    try:
        for bone, key, value in bone_map.switches:
            armature.pose.bones[bone][key] = value
        for name in names:
            clear(armature.pose.bones[name])
        before_held = [one.put(armature) for one in held]
        yield
    finally:
        for one in before_held:
            one.put(armature)
        for bone, key, value in switches:
            bone[key] = value
        pose.put_back()
        if position == "REST":
            armature.data.pose_position = position
        if before:
            data.action, data.use_nla = before[:2]
            if before[2] is not None:
                data.action_slot = before[2]
        armature.update_tag()
        bpy.context.view_layer.update()


def watch(armature: bpy.types.Object, names: list[str], also: Iterable[str] = ()) -> tuple[dict[str, np.ndarray], dict[str, str | None]]:
    """The (4, 4) matrix of each bone in armature space with no rotation of its own, and the bone among ``names`` whose turn it follows; of other
    bones, ``also``, as they are posed."""
    free = matrices_of(armature, [*names, *also])
    _check_scale(armature, {name: free[name] for name in names})
    _check_reach(armature, names)
    above: dict[str, list[str]] = {name: [] for name in free}
    for turned in names:
        turns = _try(armature, turned, PROBE, free)
        if turns[turned] < HELD * PROBE.angle:
            turns = _try(armature, turned, PROBE.inverted(), free)  # a knee may be limited to bending one way
        if turns[turned] < HELD * PROBE.angle:
            constraints = armature.pose.bones[turned].constraints
            raise RigError(_held(turned, constraints[-1].name if constraints else None))
        for name, turn in turns.items():
            if name != turned and turn > FOLLOWS:
                above[name].append(turned)
    # The nearest of those that a bone follows is the one that follows most itself.
    return free, {name: max(found, key=lambda other: len(above[other])) if found else None for name, found in above.items()}


def _try(armature: bpy.types.Object, turned: str, probe: Quaternion, free: dict[str, np.ndarray]) -> dict[str, float]:
    """How far (rad) each bone turns with one of them."""
    kept = KeptPose(armature, [turned])
    set_rotation(armature.pose.bones[turned], probe)
    now = matrices_of(armature, free)
    kept.put_back()
    turns = {name: rotation.multiply(turn_of(now[name]), rotation.conjugate(turn_of(free[name]))) for name in free}
    return {name: float(np.linalg.norm(rotation.log(turn))) for name, turn in turns.items()}


def carried_by(armature: bpy.types.Object, name: str, free: dict[str, np.ndarray]) -> set[str]:
    """Which bones turn with one that is turned, itself among them; none where it does not listen."""
    turns = _try(armature, name, PROBE, free | matrices_of(armature, [name]))
    return {other for other, turn in turns.items() if turn > FOLLOWS} if turns[name] > HELD * PROBE.angle else set()


def shift(armature: bpy.types.Object, name: str) -> np.ndarray:
    """(3, 3) how far the bone goes in armature space for each unit of its location: its columns."""
    bone, columns = armature.pose.bones[name], []
    start = matrices_of(armature, [name])[name][:3, 3]
    for axis in np.eye(3):
        bone.location = axis
        columns.append(matrices_of(armature, [name])[name][:3, 3] - start)
    clear(bone)
    if abs(np.linalg.det(columns)) < 1e-6:
        reason = "is connected to its parent and cannot travel: disconnect it in Edit Mode (Alt P)"
        held = "is held in its place and cannot travel: mute its constraints"
        raise RigError(f"Bone '{name}' {reason if armature.data.bones[name].use_connect else held}.")
    return np.column_stack(columns)


def find_bystanders(armature: bpy.types.Object, animated: list[str], free: dict[str, np.ndarray]) -> list[str]:
    """Those of the animated bones that move none of the bones in ``free``; tried all at once, and in halves where something moves."""
    if not animated:
        return []
    kept = KeptPose(armature, animated)
    for name in animated:
        bone = armature.pose.bones[name]
        set_rotation(bone, PROBE)
        bone.location = [value + bone.length for value in bone.location]
    now = matrices_of(armature, free)
    kept.put_back()
    if all(np.abs(now[name] - free[name]).max() < FOLLOWS for name in free):
        return animated
    half = len(animated) // 2
    return [name for some in (animated[:half], animated[half:]) for name in find_bystanders(armature, some, free)] if half else []


def off_rest(armature: bpy.types.Object, names: list[str]) -> tuple[list[str], list[str]]:
    """The bones whose locations, and those whose scales, would spoil the pose if they were not keyed at rest: they are not there now, or NLA
    tracks play along. What is scaled alone, with nothing keyed on it, such as a large head, may stay so."""
    bones, data = armature.pose.bones, armature.animation_data
    mixed = bool(data and data.use_nla and any(not track.mute for track in data.nla_tracks))
    loose = [name for name in names if not bones[name].bone.use_connect and (mixed or bones[name].location.length > 1e-6)]
    carriers = {above.name for name in names for above in bones[name].parent_recursive}.intersection(names)
    return loose, [name for name in names if name in carriers and (mixed or _is_scaled(bones[name].scale))]


def _is_scaled(scale: Iterable[float]) -> bool:
    return any(abs(value - 1.0) > STRETCHED for value in scale)


def _check_scale(armature: bpy.types.Object, free: dict[str, np.ndarray]) -> None:
    for name, matrix in free.items():
        if _is_scaled(np.linalg.norm(matrix[:3, :3], axis=0)):
            cause = next((bone.name for bone in armature.pose.bones if bone.name not in free and _is_scaled(bone.scale)), name)
            raise RigError(f"Bone '{cause}' is scaled in its pose: clear that (Alt S), or scale the object instead.")


def _check_reach(armature: bpy.types.Object, names: list[str]) -> None:
    """Inverse kinematics on a bone to be keyed would drag it back."""
    for bone in armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones:
        for constraint in bone.constraints:
            if constraint.type == "IK" and not constraint.mute and constraint.influence > 0.0 and constraint.target:
                chain = [*([bone] if constraint.use_tail else []), *bone.parent_recursive][:constraint.chain_count or None]
                held = next((link.name for link in chain if link.name in names), None)
                if held:
                    raise RigError(_held(held, constraint.name))


def _held(name: str, constraint: str | None) -> str:
    why = f", because of the constraint '{constraint}': mute that, or pick" if constraint else ": pick"
    return f"Bone '{name}' would not turn with its keys{why} the bone that moves it in the Character panel."


def matrices_of(armature: bpy.types.Object, names: Iterable[str]) -> dict[str, np.ndarray]:
    armature.update_tag()
    bpy.context.view_layer.update()
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return {name: np.array(posed[name].matrix) for name in names}


def turn_of(matrix: np.ndarray) -> np.ndarray:
    """(4,) rotation of a (4, 4) matrix, whatever its scale."""
    axes = matrix[:3, :3]
    return rotation.from_matrix(axes / np.linalg.norm(axes, axis=0))
