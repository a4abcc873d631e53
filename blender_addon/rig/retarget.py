"""Turn simulated poses into the local channels of an armature's bones, whatever its bones hang on.

How the bones depend on each other is found by trying: each keyed bone is turned a little and the others are watched. So parents,
bones in between that are not keyed, and the constraints of a control rig all count, without knowing any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Quaternion

from ...core import rotation
from ...core.errors import RigError
from ...core.skeleton import PARENTS
from .bones import BoneMap
from .fit import CHAINS, Fit, Placement, turning
from .pose import KeptPose, clear, set_rotation
from .turns import bone_turns, link_paths, link_turns, pose_rotations

PROBE = Quaternion((0.3, 0.5, 0.8), 0.4)  # a turn that no axis or limit of a rig is likely to hide
FOLLOWS = 1e-3  # rad: a bone that turns at least this much with a probe depends on the bone that was turned


@dataclass
class Channels:
    """Local rotations {bone: (F, 4)} and locations {bone: (F, 3)} to be keyed."""

    rotations: dict[str, np.ndarray]
    locations: dict[str, np.ndarray]


class Retarget:
    """Simulated poses onto one armature. Trying the bones moves them; all is put back before the constructor returns."""

    def __init__(self, armature: bpy.types.Object, bone_map: BoneMap, fit: Fit, placement: Placement):
        self.fit, self.placement = fit, placement
        missing = [name for chain in bone_map.controls.values() for name in chain if name not in armature.pose.bones]
        if missing:
            raise RigError(f"Bone '{missing[0]}' is not in '{armature.name}' any more: recognise the rig again.")
        bones = armature.data.bones
        self.controls = {slot: turning(slot, names, lambda name: bones[name].parent and bones[name].parent.name)
                         for slot, names in bone_map.controls.items() if names and slot in fit.rest}
        names = [name for chain in self.controls.values() for name in chain]
        world = np.array(armature.matrix_world)
        size = np.cbrt(np.linalg.det(world[:3, :3]))
        if not size > 0.0:
            raise RigError(f"'{armature.name}' is mirrored or flattened by its scale: apply the scale first.")
        self._to_pose = rotation.conjugate(rotation.from_matrix(world[:3, :3] / size))
        self._into_pose = np.linalg.inv(world)
        self._rest = {name: np.array(armature.data.bones[name].matrix_local) for name in names}
        self._world = world
        with _as_keyed(armature, bone_map, names):
            self._free, self._parents = _watch(armature, names)
        self._travellers = self._find_travellers(bones)

    def _find_travellers(self, bones: bpy.types.ArmatureBones) -> dict[str, str]:
        """The bones that hang on no keyed bone and so must be carried over the ground by keys of their own, and the link that each goes
        with: of most rigs the pelvis alone, but feet may hang on the root, or the spine beside the hips."""
        keyed = {name for chain in self.controls.values() for name in chain}
        found = {}
        for slot, chain in self.controls.items():
            for name in chain:
                if self._parents[name] is None and not any(above.name in keyed for above in bones[name].parent_recursive):
                    if bones[name].use_connect:
                        raise RigError(f"Bone '{name}' is connected to its parent and cannot travel: disconnect it in Edit Mode (Alt P).")
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
        return Channels(found, {name: self._travel(name, link, turns[link], paths[link]) for name, link in self._travellers.items()})

    def _travel(self, name: str, link: str, turn: np.ndarray, path: np.ndarray) -> np.ndarray:
        """(F, 3) local location of a bone whose head moves with a link: (F, 4) turn of it from rest, (F, 3) path of its joint, world."""
        head, joint = (self._world @ self._rest[name][:, 3])[:3], self.fit.placement.to_world(self.fit.joints[link])
        head_path = path + rotation.rotate(turn, head - joint)
        free = self._free[name]
        local = head_path @ self._into_pose[:3, :3].T + self._into_pose[:3, 3] - free[:3, 3]
        return rotation.rotate(rotation.conjugate(_turn(free)), local)

    def _base(self, name: str, posed: dict[str, np.ndarray]) -> np.ndarray:
        """(F, 4) or (4,) where the bone would be with no rotation of its own."""
        parent = self._parents[name]
        if parent is None:
            return _turn(self._free[name])
        relation = rotation.multiply(rotation.conjugate(_turn(self._free[parent])), _turn(self._free[name]))
        return rotation.multiply(posed[parent], relation)


def where_it_stands(armature: bpy.types.Object, bone_map: BoneMap, fit: Fit) -> Placement:
    """The placement of the character as it is posed now."""
    return fit.placed(*_at_rest_and_now(armature, bone_map.bones["pelvis"][0]))


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
    data = armature.animation_data
    before = (data.action, data.use_nla, getattr(data, "action_slot", None)) if data else None
    pose = KeptPose(armature, names)
    switches = [(armature.pose.bones[bone], key, armature.pose.bones[bone][key]) for bone, key, _ in bone_map.switches]
    if data:
        data.action, data.use_nla = None, False
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
        if before:
            data.action, data.use_nla = before[:2]
            if before[2] is not None:
                data.action_slot = before[2]
        armature.update_tag()
        bpy.context.view_layer.update()


def _watch(armature: bpy.types.Object, names: list[str]) -> tuple[dict[str, np.ndarray], dict[str, str | None]]:
    """The (4, 4) matrix of each bone in armature space with no rotation of its own, and the bone among ``names`` whose turn it follows."""
    free = _matrices(armature, names)
    above: dict[str, list[str]] = {name: [] for name in names}
    for turned in names:
        bone = armature.pose.bones[turned]
        set_rotation(bone, PROBE)
        now = _matrices(armature, names)
        clear(bone)
        for name in names:
            if name != turned and np.linalg.norm(rotation.log(rotation.multiply(_turn(now[name]), rotation.conjugate(_turn(free[name]))))) > FOLLOWS:
                above[name].append(turned)
    # The nearest of those that a bone follows is the one that follows most itself.
    return free, {name: max(found, key=lambda other: len(above[other])) if found else None for name, found in above.items()}


def _matrices(armature: bpy.types.Object, names: list[str]) -> dict[str, np.ndarray]:
    armature.update_tag()
    bpy.context.view_layer.update()
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    return {name: np.array(posed[name].matrix) for name in names}
