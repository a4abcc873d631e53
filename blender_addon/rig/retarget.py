"""Turn simulated poses into the local channels of an armature's bones, whatever its bones hang on (see ``trying``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import bpy
import numpy as np

from ...core import rotation
from ...core.anatomy.bones import CHAINS, BoneMap
from ...core.errors import RigError
from ...core.skeleton import PARENTS
from .fit import Fit, Placement, turning
from .hanging import find_left_behind, free_of, link_it_hangs_on
from .others import what_else_moves
from .trying import STRETCHED, as_keyed, carried_by, find_bystanders, off_rest, shift, turn_of, watch
from .turns import bone_turns, link_paths, link_turns, pose_rotations

ALIKE = 0.005  # m on a person


@dataclass
class Channels:
    """Local rotations {bone: (F, 4)}, locations and scales {bone: (F, 3)} to be keyed; of what keeps still, one frame."""

    rotations: dict[str, np.ndarray]
    locations: dict[str, np.ndarray]
    scales: dict[str, np.ndarray] = field(default_factory=dict)

    def cut(self, start: int, end: int) -> Channels:
        """The frames ``start`` up to, not including, ``end``."""
        return Channels(*({name: values if len(values) == 1 else values[start:end] for name, values in kind.items()}
                          for kind in (self.rotations, self.locations, self.scales)))


@dataclass(frozen=True)
class Clavicle:
    """``name`` of the bone, ``arm`` and ``forearm``: the keyed bones of its arm; ``above``: the keyed bone that it hangs on, if any."""

    name: str
    arm: str
    forearm: str
    above: str | None


class Retarget:
    """Simulated poses onto one armature. Trying the bones moves them; all is put back before the constructor returns. Holds no references
    into Blender's data.

    Attributes:
        names: of all bones that are keyed. shown: {name: bone}, the bone that shows how each is turned, on most rigs itself.
        parents: {name: the keyed bone whose turn it follows, or None}.
        clavicles: that are not simulated, but carry arms. carriers: as ``parents``, where clavicles are keyed too.
        travellers: {name: link}, the bones that are carried over the ground by keys of their own. shifts: {traveller: (3, 3)}, see ``shift``.
        legs: {foot's link: (thigh, shin, foot)}, the keyed bones of legs that can reach for a place. left: (3,) to its left at rest, world.
        rest, free: {name: (4, 4)} in the armature's axes, at rest, and as a bone is with no transform of its own.
        hanging: {name: link}, bones that are no part of the body and follow it. left_behind: names of those that cannot.
        bystanders: names of other bones that are animated now and do not move those that are keyed: fingers, face, props.
        held: what is animated beside the keyed bones, as it is where a bake begins.
        world: (4, 4) of the armature object where a bake begins.
    """

    def __init__(self, armature: bpy.types.Object, bone_map: BoneMap, fit: Fit, placement: Placement, first: float | None = None,
                 world: np.ndarray | None = None):
        """``first``: the frame on which a bake begins, and whose pose the bones have that are not simulated; None: the one that is shown. ``world``:
        (4, 4) of the armature object then; None: as it is shown."""
        self.bone_map, self.fit, self.placement = bone_map, fit, placement
        bones = armature.data.bones
        self.controls, body = ({slot: turning(slot, names, lambda name: bones[name].parent and bones[name].parent.name)
                                for slot, names in listed.items() if names and slot in fit.rest} for listed in (bone_map.controls, bone_map.bones))
        names = [name for chain in self.controls.values() for name in chain]
        self.names = frozenset(names)
        # Limbs may listen to other controls than these; the bones of a trunk give and stretch, and its controls say better how it is.
        limbs = {slot for slot in self.controls if slot not in ("pelvis", *CHAINS)}
        moved = {slot: body[slot] if slot in limbs and len(body.get(slot, ())) == len(chain) else chain for slot, chain in self.controls.items()}
        self.shown = {name: bone for slot, chain in self.controls.items() for name, bone in zip(chain, moved[slot], strict=True)}
        self.world = np.array(armature.matrix_world) if world is None else world
        size = np.cbrt(np.linalg.det(self.world[:3, :3]))
        if not size > 0.0:
            raise RigError(f"'{armature.name}' is mirrored or flattened by its scale: apply the scale first (Ctrl A).")
        axes = self.world[:3, :3] / size
        if np.abs(axes.T @ axes - np.eye(3)).max() > 2 * STRETCHED:
            raise RigError(f"'{armature.name}' is stretched, its scale is not the same along all axes: apply the scale first (Ctrl A).")
        self.left = rotation.rotate(fit.placement.turn, (0.0, 1.0, 0.0))
        self._to_pose = rotation.conjugate(rotation.from_matrix(axes))
        self._into_pose = np.linalg.inv(self.world)
        self.rest = {name: np.array(armature.data.bones[name].matrix_local) for name in {*names, *self.shown.values()}}
        spoilt = off_rest(armature, names)
        self.held = what_else_moves(armature, self.names, bpy.context.scene.frame_current_final if first is None else first)
        animated = sorted({one.bone for one in self.held if one.bone} - self.names)
        shoulders = {slot: chain[0] for slot, chain in bone_map.controls.items() if slot.startswith("shoulder") and chain}
        posed = {bone.name: np.array(bone.matrix) for bone in armature.pose.bones}
        with as_keyed(armature, bone_map, names, self.held):
            self.free, self.parents = watch(armature, names, shoulders.values())
            self.clavicles, self.carriers = self._find_clavicles(armature, shoulders)
            self.travellers = self._find_travellers(bones)
            self.shifts = {name: shift(armature, name) for name in self.travellers}
            self.legs = self._find_legs()
            self.hanging, self.left_behind = self._find_hanging(armature, posed)
            self.bystanders = frozenset(find_bystanders(armature, animated, {name: self.free[name] for name in names}))
        self._at_rest = [{name: np.full((1, 3), value) for name in found} for found, value in zip(spoilt, (0.0, 1.0), strict=True)]

    def _find_clavicles(self, armature: bpy.types.Object, shoulders: dict[str, str]) -> tuple[list[Clavicle], dict[str, str | None]]:
        """``shoulders``: {slot: bone}. Those that can be turned and carry nothing else than their arm, and what then follows what."""
        found, carriers = [], dict(self.parents)
        for slot, name in shoulders.items():
            limb = [self.controls.get(f"{part}.{slot[-1]}", ("",))[0] for part in ("upper_arm", "forearm")]
            turned = carried_by(armature, name, self.free)
            if all(limb) and name in turned and all(bone in (name, limb[0]) or self.parents[bone] in turned for bone in turned):
                found.append(Clavicle(name, *limb, self.parents[name]))
                carriers |= {limb[0]: name} if limb[0] in turned else {}
        return found, carriers

    def _find_travellers(self, bones: bpy.types.ArmatureBones) -> dict[str, str]:
        """The bones that hang on no keyed bone and so must be carried over the ground by keys of their own, and the link that each goes
        with: of most rigs the pelvis alone, but feet may hang on the root, or the spine beside the hips."""
        found = {}
        for slot, chain in self.controls.items():
            for name in chain:
                if self.parents[name] is None and not any(above.name in self.names for above in bones[name].parent_recursive):
                    found[name] = slot if len(chain) == 1 or slot not in CHAINS else PARENTS[slot]
        return found

    def _find_legs(self) -> dict[str, tuple[str, str, str]]:
        """Those of three bones of which each hangs on the one before, and the first on something that travels."""
        found = {}
        for side in "LR":
            leg = tuple(name for part in ("thigh", "shin", "foot") for name in self.controls.get(f"{part}.{side}", ()))
            above = self.carriers.get(leg[0]) if leg else None
            while above and above not in self.travellers:
                above = self.carriers[above]
            if len(leg) == 3 and above and (self.carriers[leg[1]], self.carriers[leg[2]]) == leg[:2]:
                found[f"foot.{side}"] = leg
        return found

    def _find_hanging(self, armature: bpy.types.Object, posed: dict[str, np.ndarray]) -> tuple[dict[str, str], list[str]]:
        """See ``hanging``. A bone that rests is glued to the body as that rests, else as both are posed now: {bone: (4, 4)} in armature's axes."""
        found, behind = {}, []
        for name in find_left_behind(armature, self.bone_map, self.names, self.shifts):
            listens = free_of(armature, name)
            if listens is None:
                behind.append(name)
                continue
            self.free[name], self.shifts[name] = listens
            found[name] = link = link_it_hangs_on(armature, self.bone_map, self.fit, name)
            self.rest[name] = np.array(armature.data.bones[name].matrix_local)
            if not np.allclose(self.free[name], posed[name], atol=1e-5):
                part = self.bone_map.bones[link][-1 if link in CHAINS else 0]
                self.rest[name] = np.array(armature.data.bones[part].matrix_local) @ np.linalg.inv(posed[part]) @ posed[name]
                self.rest[name][:3, :3] /= np.linalg.norm(self.rest[name][:3, :3], axis=0)
            self.parents[name] = self.carriers[name] = None
        return found, behind

    def channels(self, root_positions: np.ndarray, rotations: np.ndarray) -> Channels:
        """Args: root_positions (F, 3) and rotations (F, 15, 4) as in a Result."""
        turns = link_turns(self.fit, self.placement, rotations)
        wanted = bone_turns(self.controls, turns) | {name: turns[link] for name, link in self.hanging.items()}
        # All bones at once, bones first: a preview does this for every pose, and it is the calls that take their time.
        resting = np.stack([self._resting[name] for name in wanted])[:, None]
        turned = rotation.multiply(self._to_pose, rotation.multiply(np.stack(list(wanted.values())), resting))
        posed = dict(zip(wanted, turned, strict=True))
        above = np.stack([rotation.identity((len(rotations),)) if self.parents[name] is None else posed[self.parents[name]] for name in wanted])
        base = rotation.multiply(above, np.stack([self._relations[name] for name in wanted])[:, None])
        local = rotation.make_continuous(rotation.multiply(rotation.conjugate(base), turned).transpose(1, 0, 2))
        found = {name: local[:, number] for number, name in enumerate(wanted)}
        paths = link_paths(self.fit, self.placement, root_positions, rotations)
        travel = {name: self._travel(name, link, turns[link], paths[link]) for name, link in (self.travellers | self.hanging).items()}
        still, unscaled = self._at_rest
        return Channels(found, still | travel, unscaled)

    def _place(self, name: str, heads: np.ndarray) -> np.ndarray:
        """(F, 3) local location of a bone whose head is at (F, 3), armature's axes."""
        return (heads - self.free[name][:3, 3]) @ self._unshifted[name].T

    def _travel(self, name: str, link: str, turn: np.ndarray, path: np.ndarray) -> np.ndarray:
        """(F, 3) local location of a bone whose head moves with a link: (F, 4) turn of it from rest, (F, 3) path of its joint, world."""
        head, joint = (self.world @ self.rest[name][:, 3])[:3], self.fit.placement.to_world(self.fit.joints[link])
        head_path = path + rotation.rotate(turn, head - joint)
        return self._place(name, head_path @ self._into_pose[:3, :3].T + self._into_pose[:3, 3])

    # Worked out once: a preview asks for them pose by pose.
    @cached_property
    def _resting(self) -> dict[str, np.ndarray]:
        """(4,) of each keyed or hanging bone at rest, world axes."""
        to_world = rotation.conjugate(self._to_pose)
        return {name: rotation.multiply(to_world, rotation.from_matrix(matrix[:3, :3])) for name, matrix in self.rest.items()}

    @cached_property
    def _relations(self) -> dict[str, np.ndarray]:
        """(4,) of each bone with no rotation of its own: to the bone whose turn it follows, or where it follows none, armature's axes."""
        found = {}
        for name, parent in self.parents.items():
            if name in self.free and (parent is None or parent in self.free):
                free = turn_of(self.free[name])
                found[name] = free if parent is None else rotation.multiply(rotation.conjugate(turn_of(self.free[parent])), free)
        return found

    @cached_property
    def _unshifted(self) -> dict[str, np.ndarray]:
        """(3, 3) from the armature's axes to the location of each bone that travels."""
        return {name: np.linalg.inv(shifted) for name, shifted in self.shifts.items()}


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
            turns[slot] = rotation.multiply(turn_of(now), rotation.conjugate(turn_of(before)))
    return pose_rotations(fit, placement, turns)


def _at_rest_and_now(armature: bpy.types.Object, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(4, 4) world matrices of a bone at rest and as it is posed."""
    world = np.array(armature.matrix_world)
    return world @ np.array(armature.data.bones[name].matrix_local), world @ np.array(armature.pose.bones[name].matrix)
