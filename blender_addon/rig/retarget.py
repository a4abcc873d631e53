"""Turn simulated poses into the local channels of an armature's bones, whatever its bones hang on.

How the bones depend on each other is found by trying: each keyed bone is turned a little and the others are watched. So parents,
bones in between that are not keyed, and the constraints of a control rig all count, without knowing any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Quaternion

from ...core import rotation
from ...core.errors import RigError
from ...core.skeleton import PARENTS
from ..compat import curves_of
from .bones import CHAINS, BoneMap
from .fit import Fit, Placement, turning
from .pose import KeptPose, bone_of, clear, set_rotation
from .turns import bone_turns, link_paths, link_turns, pose_rotations

PROBE = Quaternion((0.3, 0.5, 0.8), 0.4)  # a turn that no axis or limit of a rig is likely to hide
FOLLOWS = 1e-3  # rad: a bone that turns at least this much with a probe depends on the bone that was turned
HELD = 0.1  # of the probe: a bone that turns less than this by itself does not listen to its keys
ALIKE = 0.005  # m on a person
STRETCHED = 0.01  # of its size: a scale that differs more than this between axes, or from 1, cannot be walked with


@dataclass
class Channels:
    """Local rotations {bone: (F, 4)}, locations and scales {bone: (F, 3)} to be keyed; of what keeps still, one frame."""

    rotations: dict[str, np.ndarray]
    locations: dict[str, np.ndarray]
    scales: dict[str, np.ndarray]


class Retarget:
    """Simulated poses onto one armature. Trying the bones moves them; all is put back before the constructor returns. Holds no references
    into Blender's data.

    Attributes:
        names: of all bones that are keyed.
        bystanders: names of other bones that are animated now and do not move those that are keyed: fingers, face, props.
        world: (4, 4) of the armature object.
    """

    def __init__(self, armature: bpy.types.Object, bone_map: BoneMap, fit: Fit, placement: Placement):
        self.bone_map, self.fit, self.placement = bone_map, fit, placement
        bones = armature.data.bones
        self.controls = {slot: turning(slot, names, lambda name: bones[name].parent and bones[name].parent.name)
                         for slot, names in bone_map.controls.items() if names and slot in fit.rest}
        names = [name for chain in self.controls.values() for name in chain]
        self.names = frozenset(names)
        self.world = np.array(armature.matrix_world)
        size = np.cbrt(np.linalg.det(self.world[:3, :3]))
        if not size > 0.0:
            raise RigError(f"'{armature.name}' is mirrored or flattened by its scale: apply the scale first (Ctrl A).")
        axes = self.world[:3, :3] / size
        if np.abs(axes.T @ axes - np.eye(3)).max() > 2 * STRETCHED:
            raise RigError(f"'{armature.name}' is stretched, its scale is not the same along all axes: apply the scale first (Ctrl A).")
        self._to_pose = rotation.conjugate(rotation.from_matrix(axes))
        self._into_pose = np.linalg.inv(self.world)
        self._rest = {name: np.array(armature.data.bones[name].matrix_local) for name in names}
        off_rest = _off_rest(armature, names)
        animated = {bone_of(curve.data_path) for curve in curves_of(armature)}.intersection(armature.pose.bones.keys()) - self.names
        with _as_keyed(armature, bone_map, names):
            self._free, self._parents = _watch(armature, names)
            self._travellers = self._find_travellers(bones)
            self._shifts = {name: _shift(armature, name) for name in self._travellers}
            self.bystanders = frozenset(_bystanders(armature, sorted(animated), self._free))
        self._at_rest = [{name: np.full((1, 3), value) for name in found} for found, value in zip(off_rest, (0.0, 1.0))]

    def _find_travellers(self, bones: bpy.types.ArmatureBones) -> dict[str, str]:
        """The bones that hang on no keyed bone and so must be carried over the ground by keys of their own, and the link that each goes
        with: of most rigs the pelvis alone, but feet may hang on the root, or the spine beside the hips."""
        found = {}
        for slot, chain in self.controls.items():
            for name in chain:
                if self._parents[name] is None and not any(above.name in self.names for above in bones[name].parent_recursive):
                    found[name] = slot if len(chain) == 1 or slot not in CHAINS else PARENTS[slot]
        return found

    def channels(self, root_positions: np.ndarray, rotations: np.ndarray) -> Channels:
        """Args: root_positions (F, 3) and rotations (F, 15, 4) as in a Result."""
        turns = link_turns(self.fit, self.placement, rotations)
        wanted = bone_turns(self.controls, turns)
        found: dict[str, np.ndarray] = {}
        posed: dict[str, np.ndarray] = {}
        for name, turn in wanted.items():
            rest_world = rotation.multiply(rotation.conjugate(self._to_pose), rotation.from_matrix(self._rest[name][:3, :3]))
            posed[name] = rotation.multiply(self._to_pose, rotation.multiply(turn, rest_world))
        for name in wanted:
            base = self._base(name, posed)
            found[name] = rotation.make_continuous(rotation.multiply(rotation.conjugate(base), posed[name]))
        paths = link_paths(self.fit, self.placement, root_positions, rotations)
        travel = {name: self._travel(name, link, turns[link], paths[link]) for name, link in self._travellers.items()}
        still, unscaled = self._at_rest
        return Channels(found, still | travel, unscaled)

    def _travel(self, name: str, link: str, turn: np.ndarray, path: np.ndarray) -> np.ndarray:
        """(F, 3) local location of a bone whose head moves with a link: (F, 4) turn of it from rest, (F, 3) path of its joint, world."""
        head, joint = (self.world @ self._rest[name][:, 3])[:3], self.fit.placement.to_world(self.fit.joints[link])
        head_path = path + rotation.rotate(turn, head - joint)
        shift = head_path @ self._into_pose[:3, :3].T + self._into_pose[:3, 3] - self._free[name][:3, 3]
        return shift @ np.linalg.inv(self._shifts[name]).T

    def _base(self, name: str, posed: dict[str, np.ndarray]) -> np.ndarray:
        """(F, 4) or (4,) where the bone would be with no rotation of its own."""
        parent = self._parents[name]
        if parent is None:
            return _turn(self._free[name])
        relation = rotation.multiply(rotation.conjugate(_turn(self._free[parent])), _turn(self._free[name]))
        return rotation.multiply(posed[parent], relation)


def where_it_stands(armature: bpy.types.Object, bone_map: BoneMap, fit: Fit) -> Placement:
    """The placement of the character as it is posed now. Where hips and feet are lifted alike, it was put onto another floor by its root."""
    poses = [_at_rest_and_now(armature, bone_map.bones[slot][0]) for slot in ("pelvis", "foot.L", "foot.R")]
    lifts = [float(now[2, 3] - before[2, 3]) for before, now in poses]
    return fit.placed(*poses[0], lifts[0] if max(lifts) - min(lifts) < ALIKE * fit.placement.scale else 0.0)


def current_pose(armature: bpy.types.Object, bone_map: BoneMap, fit: Fit, placement: Placement) -> dict[str, list[float]]:
    """The pose of the character now, as a job's start takes it."""
    turns = {}
    for slot, names in bone_map.bones.items():
        if names and slot in fit.rest:
            before, now = _at_rest_and_now(armature, names[-1] if slot in CHAINS else names[0])
            turns[slot] = rotation.multiply(_turn(now), rotation.conjugate(_turn(before)))
    return pose_rotations(fit, placement, turns)


def _at_rest_and_now(armature: bpy.types.Object, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(4, 4) world matrices of a bone at rest and as it is posed."""
    world = np.array(armature.matrix_world)
    return world @ np.array(armature.data.bones[name].matrix_local), world @ np.array(armature.pose.bones[name].matrix)


def _turn(matrix: np.ndarray) -> np.ndarray:
    axes = matrix[:3, :3]
    return rotation.from_matrix(axes / np.linalg.norm(axes, axis=0))


@contextmanager
def _as_keyed(armature: bpy.types.Object, bone_map: BoneMap, names: list[str]) -> Iterator[None]:
    """For a while: no animation, switches as they will be keyed, and the bones to be keyed at rest."""
    data, position = armature.animation_data, armature.data.pose_position
    before = (data.action, data.use_nla, getattr(data, "action_slot", None)) if data else None
    pose = KeptPose(armature, names)
    switches = [(armature.pose.bones[bone], key, armature.pose.bones[bone][key]) for bone, key, _ in bone_map.switches]
    if data:
        data.action, data.use_nla = None, False
    if position == "REST":
        armature.data.pose_position = "POSE"
    try:
        for bone, key, value in bone_map.switches:
            armature.pose.bones[bone][key] = value
        for name in names:
            clear(armature.pose.bones[name])
        yield
    finally:
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


def _watch(armature: bpy.types.Object, names: list[str]) -> tuple[dict[str, np.ndarray], dict[str, str | None]]:
    """The (4, 4) matrix of each bone in armature space with no rotation of its own, and the bone among ``names`` whose turn it follows."""
    free = _matrices(armature, names)
    _check_scale(armature, free)
    _check_reach(armature, names)
    above: dict[str, list[str]] = {name: [] for name in names}
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
    bone = armature.pose.bones[turned]
    set_rotation(bone, probe)
    now = _matrices(armature, free)
    clear(bone)
    return {name: float(np.linalg.norm(rotation.log(rotation.multiply(_turn(now[name]), rotation.conjugate(_turn(free[name])))))) for name in free}


def _shift(armature: bpy.types.Object, name: str) -> np.ndarray:
    """(3, 3) how far the bone goes in armature space for each unit of its location: its columns."""
    bone, columns = armature.pose.bones[name], []
    start = _matrices(armature, [name])[name][:3, 3]
    for axis in np.eye(3):
        bone.location = axis
        columns.append(_matrices(armature, [name])[name][:3, 3] - start)
    clear(bone)
    if abs(np.linalg.det(columns)) < 1e-6:
        reason = "is connected to its parent and cannot travel: disconnect it in Edit Mode (Alt P)"
        held = "is held in its place and cannot travel: mute its constraints"
        raise RigError(f"Bone '{name}' {reason if armature.data.bones[name].use_connect else held}.")
    return np.column_stack(columns)


def _bystanders(armature: bpy.types.Object, animated: list[str], free: dict[str, np.ndarray]) -> list[str]:
    """Those of the animated bones that move none of the bones in ``free``; tried all at once, and in halves where something moves."""
    if not animated:
        return []
    kept = KeptPose(armature, animated)
    for name in animated:
        bone = armature.pose.bones[name]
        set_rotation(bone, PROBE)
        bone.location = [value + bone.length for value in bone.location]
    now = _matrices(armature, free)
    kept.put_back()
    if all(np.abs(now[name] - free[name]).max() < FOLLOWS for name in free):
        return animated
    half = len(animated) // 2
    return [name for part in (animated[:half], animated[half:]) for name in _bystanders(armature, part, free)] if half else []


def _off_rest(armature: bpy.types.Object, names: list[str]) -> tuple[list[str], list[str]]:
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


def _matrices(armature: bpy.types.Object, names: Iterable[str]) -> dict[str, np.ndarray]:
    armature.update_tag()
    bpy.context.view_layer.update()
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return {name: np.array(posed[name].matrix) for name in names}
