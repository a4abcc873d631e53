"""Fit the simulated body to a character: measure its joints at rest, and remember how its rest pose differs from the body's zero pose.

The simulation's zero pose has arms and legs straight down, feet ahead, facing +X (see ``core.body``). A rig rests in a T- or an
A-pose, facing any way, in any unit. ``Fit`` holds what takes one to the other; it knows nothing of Blender.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...core import rotation
from ...core.anatomy.bones import CHAINS, Bone, BoneMap, Tree
from ...core.anatomy.ends import with_ends
from ...core.body import Body, make_body
from ...core.errors import RigError
from ...core.skeleton import PARENTS
from .flesh import Flesh, Skin, Sole, balls, fleshed, radii, sole

UP = np.array([0.0, 0.0, 1.0])
LEFT = np.array([0.0, 1.0, 0.0])
SHORTEST, TALLEST = 1.0, 2.3  # m: a character outside of this is taken for a person in a scene of another scale …
USUAL = 1.75  # … and simulated at this stature
THIGH_AND_SHIN = 0.49  # of the stature (de Leva 1996, both sexes)
BENT = np.radians(8.0)  # an elbow or a knee that rests more bent than this shows its hinge axis; less is chance
SOLE = 0.012  # of the leg's length, from the lowest foot bone to the ground, where nothing else tells
OUTWARD = 0.8  # rad that a foot is turned at rest, at most
STUB = 0.08  # of a foot without toes, that the body's toes still take
LOWEST_WAIST = 0.17  # of the leg's length, over the hips
HIP_FLESH = 0.2  # of the leg's length, from the hip joint out to beyond the hand that passes it, where there is no skin to measure
HAND = 0.05  # of the leg's length: half a hand's thickness, at least
OF_HIPS = (0.75, 1.1)  # of the distance between the hips: how wide steps are at least, and how wide thick legs make them
ARM_ROOM = 0.02  # of the leg's length, between the skin of trunk and arm
NEAR_FLOOR = 0.05  # of the leg's length: soles that are as near to the object's origin or to the grid stand there
DEEPEST = 0.15  # of the leg's length below the ankle, that the end of a foot's bone is believed
SPREAD_ANYWAY = 0.1  # rad that a gait holds the arms off by itself
BODY_MASS_INDEX = 23.5  # kg/m², when no mass is given
LIMBS = (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot"))
FEET = ("foot.L", "foot.R", "toes.L", "toes.R")


@dataclass(frozen=True)
class Placement:
    """Where the simulation's world lies in Blender's: ``origin`` (3,) is the floor under the hips at the start, ``yaw`` (rad) where the
    character looks, ``scale`` Blender units for a simulated metre; ``direction`` (rad): by how much of the yaw it was asked to turn first."""

    origin: np.ndarray
    yaw: float
    scale: float
    direction: float = 0.0

    @property
    def turn(self) -> np.ndarray:
        """(4,) from the simulation's axes to Blender's."""
        return rotation.from_axis_angle(UP, self.yaw)

    def turned(self, direction: float) -> Placement:
        """The same place, with another ``direction``."""
        return replace(self, yaw=self.yaw + direction - self.direction, direction=direction)

    def matrix(self) -> np.ndarray:
        """(4, 4) from simulated metres to Blender's world."""
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = self.scale * rotation.to_matrix(self.turn), self.origin
        return whole

    def to_world(self, points: np.ndarray) -> np.ndarray:
        """(..., 3) simulated metres → Blender units, world."""
        return rotation.rotate(self.turn, np.asarray(points, dtype=float) * self.scale) + self.origin

    def to_job(self, points: np.ndarray) -> np.ndarray:
        """(..., 3) Blender units, world → simulated metres."""
        return self.direction_to_job(np.asarray(points, dtype=float) - self.origin) / self.scale

    def direction_to_job(self, vectors: np.ndarray) -> np.ndarray:
        return rotation.rotate(rotation.conjugate(self.turn), vectors)


@dataclass(frozen=True)
class Fit:
    """A character measured at rest.

    Attributes:
        body: what a job's "body" takes.
        joints: (3,) position of each link's joint at rest, simulated metres, from the floor under the hips, facing +X.
        rest: (4,) rotation of each link at rest from its zero pose, same axes.
        placement: where the character stands at rest.
    """

    body: dict
    joints: dict[str, np.ndarray]
    rest: dict[str, np.ndarray]
    placement: Placement

    @cached_property
    def simulated(self) -> Body:
        """The body itself."""
        return make_body(self.body)

    @property
    def bare_body(self) -> dict:
        """The body as thick as a person of these measures: to follow a recording, in which clothes may well be in one another."""
        return {**self.body, "skeleton": {key: value for key, value in self.body["skeleton"].items() if key != "radii"}}

    @property
    def step_width(self) -> float:
        """m from ankle to ankle, across, by the hips; more for thick legs, but not so much that it waddles."""
        hips = float(np.linalg.norm(self.joints["thigh.L"] - self.joints["thigh.R"]))
        least, most = (part * hips for part in OF_HIPS)
        return float(np.clip(self.simulated.legs_thick, least, most))

    @property
    def arm_spread(self) -> float:
        """How far the arms must be held off, rad, so that the hands pass the hips: as wide as the skin has them, or as a person's are."""
        if "forearm.L" not in self.joints or "upper_arm.R" not in self.joints:
            return 0.0
        leg = self.joints["pelvis"][2] - self.joints["foot.L"][2]
        shoulder = 0.5 * np.linalg.norm(self.joints["upper_arm.L"] - self.joints["upper_arm.R"])
        upper = -self.body["skeleton"]["offsets"]["forearm.L"][2]
        arm = upper + self.body["skeleton"]["lengths"]["forearm"]
        hip = 0.5 * np.linalg.norm(self.joints["thigh.L"] - self.joints["thigh.R"]) + HIP_FLESH * leg
        reaches = [(hip, arm)]  # m out from the middle, and down from the shoulder, that an arm must pass
        radii = self.body["skeleton"].get("radii", {})
        if "pelvis" in radii and "forearm" in radii:
            reaches = [(radii["pelvis"][1] + max(radii["forearm"], HAND * leg) + ARM_ROOM * leg, arm)]
            if "torso" in radii:
                reaches.append((radii["torso"][1] + radii["forearm"] + ARM_ROOM * leg, upper))
        return float(max(0.0, *(np.arcsin(np.clip((out - shoulder) / down, 0.0, 0.5)) - SPREAD_ANYWAY for out, down in reaches)))

    def placed(self, before: np.ndarray, now: np.ndarray, lift: float = 0.0) -> Placement:
        """The placement of the character where its hips are now. ``before`` and ``now``: (4, 4) world matrices of the pelvis bone at rest
        and as posed; ``lift``: how far the floor is now over where it is at rest."""
        moved = now @ np.linalg.inv(before)
        hips = self.placement.to_world(self.joints["pelvis"])
        facing = moved[:3, :3] @ rotation.rotate(self.placement.turn, np.array([1.0, 0.0, 0.0]))
        origin = (moved @ [*hips, 1.0])[:3]
        origin[2] = self.placement.origin[2] + lift
        return Placement(origin, float(np.arctan2(facing[1], facing[0])), self.placement.scale)


def fit(bones: Sequence[Bone], bone_map: BoneMap, mass: float | None = None, sex: str = "male", base: float = 0.0,
        skin: Skin | None = None) -> Fit:
    """Measure a character.

    Args:
        bones: at rest, world axes, Blender units; their tails may be anywhere.
        base: height of the armature object's origin.
        skin: in the same axes; None: there is no mesh.
    """
    tree = Tree(with_ends(bones))
    heads = {slot: np.mean([tree.head(name) for name in turning(slot, names, lambda name: tree.bones[name].parent)], axis=0)
             for slot, names in bone_map.bones.items() if names}
    tails = {slot: np.array(tree.tail(names[-1])) for slot, names in bone_map.bones.items() if names}
    for slot in ("thigh.L", "thigh.R", "shin.L", "shin.R", "foot.L", "foot.R"):
        if slot not in heads:
            raise RigError(f"No bone is set for '{slot}': pick one in the Character panel.")
    hips = 0.5 * (heads["thigh.L"] + heads["thigh.R"])
    left = heads["thigh.L"] - heads["thigh.R"]
    if np.hypot(left[0], left[1]) < 1e-6:
        raise RigError(f"Bones '{bone_map.bones['thigh.L'][0]}' and '{bone_map.bones['thigh.R'][0]}' start in one place: check the rig's rest pose.")
    forward = np.cross(left, UP)
    leg = np.mean([np.linalg.norm(heads[f"shin.{s}"] - heads[f"thigh.{s}"]) + np.linalg.norm(heads[f"foot.{s}"] - heads[f"shin.{s}"]) for s in "LR"])
    stature = leg / THIGH_AND_SHIN
    scale = 1.0 if SHORTEST <= stature <= TALLEST else float(stature / USUAL)
    flesh = fleshed(skin, tree, bone_map)
    ground = _ground(heads, tails, leg, base, flesh.of(*FEET)[:, 2])
    placement = Placement(np.array([hips[0], hips[1], ground]), float(np.arctan2(forward[1], forward[0])), scale)
    joints = {slot: placement.to_job(point) for slot, point in heads.items()}
    joints["pelvis"] = placement.to_job(hips)
    if "torso" in joints:  # a spine of one bone may start right between the hips, but a pelvis needs some height of its own
        joints["torso"][2] = max(joints["torso"][2], joints["pelvis"][2] + LOWEST_WAIST * leg / scale)
    ends = {slot: placement.to_job(point) for slot, point in tails.items()}
    rest = _rest_rotations(joints, ends)
    flesh = replace(flesh, points=placement.to_job(flesh.points))
    mass = mass or BODY_MASS_INDEX * (stature / scale) ** 2
    return Fit({"skeleton": _skeleton(joints, ends, rest, flesh), "mass": round(float(mass), 3), "sex": sex}, joints, rest, placement)


def turning(slot: str, names: Sequence[str], parent_of: Callable[[str], str | None]) -> tuple[str, ...]:
    """The bones of a slot that turn: all of a spine or neck, which share the turn (to first order it is then about their middle); else those
    that hang on no other of the slot: the first of a limb with twist bones, or all of five toes."""
    return tuple(names) if slot in CHAINS else tuple(name for name in names if parent_of(name) not in names)


def _ground(heads: dict, tails: dict, leg: float, base: float, soles: np.ndarray) -> float:
    """Height of the floor that the character stands on at rest. ``soles``: (N,) heights of the points of its feet's skin."""
    joints = [heads[slot] for slot in FEET if slot in heads]
    ankle = max(float(point[2]) for point in joints)
    lowest = float(min(point[2] for point in joints + [tails[slot] for slot in FEET if slot in tails and _lies(tails[slot] - heads[slot], leg)]))
    if len(soles) and abs(float(soles.min()) - ankle) < 2 * DEEPEST * leg:
        lowest = float(soles.min())
        return next((height for height in (base, 0.0) if abs(lowest - height) < NEAR_FLOOR * leg), lowest)
    # Most rigs are built with their feet at the height of the origin, or stand on the grid; bones then end a little above it.
    return next((height for height in (base, 0.0) if 0.0 <= lowest - height < NEAR_FLOOR * leg), lowest - SOLE * float(leg))


def _lies(bone: np.ndarray, leg: float) -> bool:
    """Whether a last bone of a foot, (3,) from its head, lies as such a bone does: not down, and no longer than a foot."""
    return abs(bone[2]) <= min(np.hypot(bone[0], bone[1]), DEEPEST * leg) and np.hypot(bone[0], bone[1]) < 0.5 * leg


def _rest_rotations(joints: dict, ends: dict) -> dict[str, np.ndarray]:
    rest = {link: rotation.identity() for link in ("pelvis", *PARENTS)}
    for side in "LR":
        for limb in LIMBS:
            upper, lower, end = (f"{bone}.{side}" for bone in limb)
            if upper not in joints or lower not in joints:
                continue
            along = _unit(joints[lower] - joints[upper])
            below = _unit(joints.get(end, ends[lower]) - joints[lower])
            knee = upper.startswith("thigh")
            # A bent joint shows its hinge axis; elbows flex about −Y, knees about +Y.
            hinge = np.cross(along, below) * (1.0 if knee else -1.0)
            straight = LEFT if knee else rotation.rotate(_arc(-UP, along), LEFT)
            if np.linalg.norm(hinge) < np.sin(BENT) or hinge @ straight < 0.0:
                hinge = straight
            rest[upper] = _frame(along, hinge)
            rest[lower] = _frame(below, rotation.rotate(rest[upper], LEFT))
        foot, toes = f"foot.{side}", f"toes.{side}"
        ahead = joints.get(toes, ends[foot]) - joints[foot]
        turn = float(np.arctan2(ahead[1], ahead[0]))
        if np.hypot(ahead[0], ahead[1]) > 0.02 and (toes in joints or abs(turn) < 2 * OUTWARD):
            rest[foot] = rest[toes] = rotation.from_axis_angle(UP, np.clip(turn, -OUTWARD, OUTWARD))
    return rest


def _skeleton(joints: dict, ends: dict, rest: dict, flesh: Flesh) -> dict:
    """The body's measures, as ``core.body.fitted_body`` takes them."""
    offsets = {}
    for link, parent in PARENTS.items():
        if link in joints and parent in joints and not link.startswith("toes"):
            offset = rotation.rotate(rotation.conjugate(rest[parent]), joints[link] - joints[parent])
            offsets[link] = [round(float(value), 6) for value in offset]
    skeleton: dict = {"offsets": offsets, "lengths": {}}
    wrists = [np.linalg.norm(joints.get(f"hand.{s}", ends[f"forearm.{s}"]) - joints[f"forearm.{s}"]) for s in "LR" if f"forearm.{s}" in joints]
    if wrists:
        skeleton["lengths"]["forearm"] = round(float(np.mean(wrists)), 6)
    soles = [found for s in "LR" if (found := sole(flesh, s, joints[f"foot.{s}"], rest[f"foot.{s}"]))]
    foot = _foot(joints, ends, rest, offsets)
    if soles:
        foot = _shoe(soles, foot, one_piece="toes.L" not in joints or "toes.R" not in joints)
    skeleton["foot"] = {name: round(float(value), 6) for name, value in foot.items()}
    measured = {"radii": radii(flesh, joints, ends), "flesh": balls(flesh, joints, rest)}
    return skeleton | {name: value for name, value in measured.items() if value}


def _shoe(soles: Sequence[Sole], bare: dict[str, float], one_piece: bool) -> dict[str, float]:
    """The measures of a foot with those of its skin, both feet's mean. ``bare``: as the bones have it."""
    heel, tip, bottom, width = (float(np.mean([getattr(one, name) for one in soles])) for name in ("heel", "tip", "bottom", "width"))
    height = -bottom
    measured = {"height": height, "heel": min(heel, -0.1 * height), "width": width}
    under = bare["ball_height"] + height - bare["height"]  # the bare foot's height is to the floor, which may be a little above or below the sole
    if not one_piece and tip > (1.0 + STUB) * bare["ball"]:
        return {**bare, **measured, "ball_height": max(under, 0.1 * height), "tip": tip}
    # Toes without skin of their own are none.
    return {**bare, **measured, "ball": tip - STUB * tip, "ball_height": 0.35 * height, "tip": tip}


def _foot(joints: dict, ends: dict, rest: dict, offsets: dict) -> dict[str, float]:
    """Both feet's mean, as ``core.body.Foot``. Where bones end is often chance: what is far from a foot for these legs is not believed."""
    usual = make_body({"skeleton": {"offsets": offsets}})
    corners = usual.sole_points[usual.sole_links == usual.names.index("foot.L")]
    toes = float(usual.sole_points[usual.sole_links == usual.names.index("toes.L")][:, 0].max())
    tip = float(usual.offsets[usual.names.index("toes.L"), 0]) + toes

    def ahead(slot: str, places: dict) -> np.ndarray:
        """(3,) from the ankle to a place of that slot, in the foot's frame: mean of both sides."""
        return np.mean([rotation.rotate(rotation.conjugate(rest[f"foot.{s}"]), places[f"{slot}.{s}"] - joints[f"foot.{s}"]) for s in "LR"], axis=0)

    height = float(np.mean([joints[f"foot.{s}"][2] for s in "LR"]))
    foot = {"height": height, "heel": float(corners[:, 0].min())}
    if "toes.L" in joints and "toes.R" in joints:
        ball = ahead("toes", joints)
        tip = ball[0] + np.clip(ahead("toes", ends)[0] - ball[0], 0.6 * toes, 1.5 * toes)
        return {**foot, "ball": ball[0], "ball_height": max(height + ball[2], 0.1 * height), "tip": tip}
    # A foot in one piece: the body's toes shrink to its edge, as toes that bend would take the rig's tips below the ground.
    tip = np.clip(ahead("foot", ends)[0], tip, 1.3 * tip)
    return {**foot, "ball": tip - STUB * tip, "ball_height": 0.35 * height, "tip": tip}


def _frame(along: np.ndarray, left: np.ndarray) -> np.ndarray:
    """(4,) that turns the zero pose's limb (down) to ``along`` (unit) and its hinge axis (left) as near to ``left`` as that allows."""
    y = _unit(left - (left @ along) * along)
    return rotation.from_matrix(np.column_stack([np.cross(y, -along), y, -along]))


def _arc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(4,) the shortest turn from unit vector a to unit vector b."""
    cross = np.cross(a, b)
    if np.linalg.norm(cross) < 1e-9:
        return rotation.identity() if a @ b > 0 else rotation.from_axis_angle([1.0, 0.0, 0.0], np.pi)
    return rotation.from_axis_angle(cross, np.arctan2(np.linalg.norm(cross), a @ b))


def _unit(vector: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vector)
    if length < 1e-9:
        raise RigError("Two joints of the rig lie in one place: check its rest pose.")
    return vector / length
