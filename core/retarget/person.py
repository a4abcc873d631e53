"""Person: who moves in a clip. Measures of the body, and how each link of the canonical humanoid is turned in every frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..errors import RigError
from ..formats.clip import Clip
from ..signals import runs
from ..skeleton import PARENTS
from .faults import fast, led_through, without_jumps
from .feet import LEAST_FRAMES, ClipFoot, measure_feet, stands, stretched
from .joints import recognise_clip
from .limbs import Limb, bend, bend_about, frames, hinge_hint, unit
from .tracks import LEFT, UP, Tracks, tracks_of

FORWARD = np.array([1.0, 0.0, 0.0])
# Rounds of fitting the torso to what it carries, and measuring where it carries that.
TORSO_ROUNDS = 2
# Sine of the bend from which the elbow or knee of a standing person shows its hinge; less is chance.
REST_BEND = np.sin(np.radians(8.0))
# Share of the leg's length that the back joint lies over the hips at least: a pelvis needs some height of its own.
LOWEST_WAIST = 0.17
# Radians that the pelvis of someone who stands upright tilts at most; the rest is how the clip's bone lies in it.
MOST_TILT = np.radians(10.0)
# Someone stands upright if the hips are this share of a straight leg above the ankle, and if the cosine of the trunk's lean is this or more.
STRETCHED, ERECT = 0.93, np.cos(np.radians(15.0))
# Radians of twist about its own length from which a thigh that leaps there is a fault of the recording.
MOST_TWIST = 1.4
# Weight of what the chest's own joint says about its orientation, against what neck and shoulders say by where they are.
CHEST_TURN = 1.0


# Compared by identity: arrays have no single answer to ==.
@dataclass(frozen=True, eq=False)
class Person:
    """F frames of a person on the canonical humanoid's links, with the lengths that the clip has.

    Attributes:
        turns: link → (F, 4) orientation, world; links that the clip does not have are left out.
        places: link → (F, 3) metres, world, its joint in the clip; the pelvis is between the hips.
        offsets: link → (3,) metres, its joint in the frame of its parent, both sides alike; as in ``core.body``.
        forearm: metres, elbow to wrist, or None.
        feet: by side, "L" and "R".
    """

    turns: dict[str, Array]
    places: dict[str, Array]
    offsets: dict[str, Array]
    forearm: float | None
    feet: dict[str, ClipFoot]

    @property
    def leg_length(self) -> float:
        """Hip joint to ankle joint, metres."""
        return float(-self.offsets["shin.L"][2] - self.offsets["foot.L"][2])


@lru_cache(maxsize=4)  # for a body like the person's, and for the motion on it
def measure_person(clip: Clip) -> Person:
    """Recognise and measure the person in a clip."""
    found = recognise_clip(clip)
    moving, resting = tracks_of(clip, found)
    heading = _heading(resting, clip)
    up = UP if found.made or "head" not in resting.places else unit(resting.places["head"][0] - resting.places["pelvis"][0])
    standing = {side: stands(moving, side, clip.motion.fps) for side in "LR"}
    turns = {"pelvis": _levelled(_carried(moving, resting, "pelvis", up), moving, standing)}
    offsets = _limb_lengths(moving)
    _add_trunk(turns, offsets, moving, resting, up)
    for side in "LR":
        _add_leg(turns, moving, resting, heading, side, clip.motion.fps)
        _add_arm(turns, moving, resting, heading, side)
    feet = measure_feet(moving, resting, heading, standing, {side: turns[f"shin.{side}"] for side in "LR"}, clip.motion.fps)
    for side in "LR":
        turns[f"foot.{side}"] = feet[side].turns
        angles = feet[side].toe_angles
        if angles is not None:
            turns[f"toes.{side}"] = rotation.multiply(feet[side].turns, rotation.from_axis_angle(LEFT, angles))
    for link in ("thigh.L", "thigh.R"):
        offsets[link] = _seen_from(turns["pelvis"], moving.places["pelvis"], moving.places[link])
    _make_even(offsets)
    ends = {side: _wrist(moving, side) for side in "LR"}
    wrists = [np.linalg.norm(end - moving.places[f"forearm.{side}"], axis=-1).mean() for side, end in ends.items() if end is not None]
    places = {link: moving.places[link] for link in ("pelvis", *PARENTS) if link in moving.places}
    return Person(turns, places, offsets, float(np.mean(wrists)) if wrists else None, feet)


def _heading(resting: Tracks, clip: Clip) -> Array:
    """(4,) from +X to where the person looks in the resting pose, about Z."""
    left = resting.places["thigh.L"][0] - resting.places["thigh.R"][0]
    if np.hypot(left[0], left[1]) < rotation.NOISE:
        raise RigError(f"The legs of '{clip.name}' lie in one place: check the skeleton's offsets.")
    return rotation.from_axis_angle(UP, np.arctan2(-left[0], left[1]))


def _carried(moving: Tracks, resting: Tracks, slot: str, up: Array) -> Array:
    """(F, 4) orientation of a part of the trunk that turns as its joint does, and points to ``up`` (3,) in the resting pose."""
    in_joint = rotation.multiply(rotation.conjugate(resting.turns[slot][0]), _trunk_frame(resting, slot, up))
    return rotation.multiply(moving.turns[slot], in_joint)


def _trunk_frame(resting: Tracks, slot: str, up: Array) -> Array:
    """(4,) orientation of a part of the trunk in the resting pose: its left is from hip to hip, or from shoulder to shoulder."""
    pair = "thigh" if slot == "pelvis" or "upper_arm.L" not in resting.places or "upper_arm.R" not in resting.places else "upper_arm"
    return frames(-up, resting.places[f"{pair}.L"][0] - resting.places[f"{pair}.R"][0])


def _levelled(turns: Array, moving: Tracks, standing: dict[str, Bools]) -> Array:
    """(F, 4) orientations of the pelvis, tilted back where it would tip over too far while the person stands upright."""
    trunk = unit(moving.places.get("head", moving.places["pelvis"]) - moving.places["pelvis"])
    upright = (trunk[:, 2] > ERECT) & np.any([standing[side] & (stretched(moving, side) > STRETCHED) for side in "LR"], axis=0)
    if upright.sum() < LEAST_FRAMES:
        return turns
    tilt = float(np.median(np.arcsin(np.clip(-rotation.rotate(turns[upright], FORWARD)[:, 2], -1.0, 1.0))))  # forward and down
    return rotation.multiply(turns, rotation.from_axis_angle(LEFT, np.clip(tilt, -MOST_TILT, MOST_TILT) - tilt))


def _seen_from(turns: Array, origin: Array, places: Array) -> Array:
    """(3,) where places (F, 3) are on average, in a frame with orientations (F, 4) at origin (F, 3)."""
    return rotation.rotate(rotation.conjugate(turns), places - origin).mean(axis=0)


def _limb_lengths(moving: Tracks) -> dict[str, Array]:
    """Offsets of the links that hang straight down from the limb above them."""
    offsets = {}
    for side in "LR":
        for link in (f"forearm.{side}", f"shin.{side}", f"foot.{side}"):
            if link in moving.places and PARENTS[link] in moving.places:
                offsets[link] = -UP * np.linalg.norm(moving.places[link] - moving.places[PARENTS[link]], axis=-1).mean()
    return offsets


def _add_trunk(turns: dict[str, Array], offsets: dict[str, Array], moving: Tracks, resting: Tracks, up: Array) -> None:
    """Torso and head: the one link between hips and neck that fits all joints of the spine, and the head as it is carried."""
    if "torso" in moving.places:
        waist = _seen_from(turns["pelvis"], moving.places["pelvis"], moving.places["torso"])
        leg = -offsets["shin.L"][2] - offsets["foot.L"][2]
        offsets["torso"] = np.array([waist[0], 0.0, max(waist[2], LOWEST_WAIST * leg)])
        back = moving.places["pelvis"] + rotation.rotate(turns["pelvis"], offsets["torso"])
        chest = turns["torso"] = _carried(moving, resting, "torso", up)
        carried: list[str] = [link for link in ("head", "upper_arm.L", "upper_arm.R") if link in moving.places]
        for _ in range(TORSO_ROUNDS if carried else 0):
            arms = {link: _seen_from(turns["torso"], back, moving.places[link]) for link in carried}
            turns["torso"] = _fitted(chest, arms, {link: moving.places[link] - back for link in carried})
        offsets |= {link: _seen_from(turns["torso"], back, moving.places[link]) for link in carried}
    if "head" in moving.places:
        turns["head"] = _carried(moving, resting, "head", up)


def _fitted(turns: Array, arms: dict[str, Array], reached: dict[str, Array]) -> Array:
    """(F, 4) orientations close to ``turns`` (F, 4) that carry points at ``arms`` (3,) closest to where they are, ``reached`` (F, 3)."""
    matrix = CHEST_TURN * sum(arm @ arm for arm in arms.values()) * rotation.to_matrix(turns) / 3.0
    for link, arm in arms.items():
        matrix = matrix + reached[link][:, :, None] * arm
    left, _, right = np.linalg.svd(matrix)
    left[..., -1] *= np.linalg.det(left @ right)[:, None]
    return rotation.from_matrix(left @ right)


def _wrist(tracks: Tracks, side: str) -> Array | None:
    """(F, 3) where the forearm ends, if the clip says so."""
    return tracks.places.get(f"hand.{side}", tracks.ends.get(f"forearm.{side}"))


def _add_leg(turns: dict[str, Array], moving: Tracks, resting: Tracks, heading: Array, side: str, fps: float) -> None:
    """Thigh and shin. Where the bones do not tell about which axis the knee bends, the foot does: it points ahead."""
    leg = Limb(*(moving.places[f"{part}.{side}"] for part in ("thigh", "shin", "foot")))
    ahead = moving.places.get(f"toes.{side}", moving.ends.get(f"foot.{side}"))
    left = rotation.rotate(turns["pelvis"], LEFT) if ahead is None else np.cross(leg.start - leg.end, ahead - leg.end)
    at_rest = Limb(*(resting.places[f"{part}.{side}"][0] for part in ("thigh", "shin", "foot")))
    _add_limb(turns, f"thigh.{side}", f"shin.{side}", leg, left, at_rest, moving, resting, heading, 1.0)
    _mend_leg(turns, leg, side, fps)


def _mend_leg(turns: dict[str, Array], leg: Limb, side: str, fps: float) -> None:
    """Turn back a leg that the recording turns over: the knee's axis is led from one sound frame to the next, and the ankle stays where it is."""
    pelvis, thigh, shin = turns["pelvis"], turns[f"thigh.{side}"], turns[f"shin.{side}"]
    in_pelvis = rotation.multiply(rotation.conjugate(pelvis), thigh)
    sound = _sound_hip(in_pelvis, fps)
    if sound.all() or not sound.any():
        return
    axes = rotation.rotate(rotation.multiply(pelvis, led_through(in_pelvis, sound)), LEFT)
    mended, angles = bend_about(leg, axes, 1.0)
    turns[f"thigh.{side}"] = np.where(sound[:, None], thigh, mended)
    turns[f"shin.{side}"] = np.where(sound[:, None], shin, rotation.multiply(mended, rotation.from_axis_angle(LEFT, angles)))


def _sound_hip(thigh: Array, fps: float) -> Bools:
    """(F,) whether the knee's axis can be believed. ``thigh``: (F, 4) its orientation in the pelvis.

    Near the end of a fast kick, solvers of recordings turn the leg over: the knee leaps to the other side of the line from hip to ankle, with the
    whole leg twisted in the hip, and after a few frames leaps back.
    """
    jumps = fast(thigh, fps)
    twist: Array = rotation.wrap(2.0 * np.arctan2(thigh[:, 3], thigh[:, 0]))  # about Z, which runs along the thigh
    sound = np.ones(len(thigh), dtype=np.bool_)
    for start, end in runs(np.abs(twist) > MOST_TWIST):
        # A leg that gets there without a leap is only turned out far, as in a deep squat.
        sound[start:end] = not (jumps[max(start - 1, 0):start].any() or jumps[end - 1:end].any())
    return without_jumps(sound, jumps)


def _add_arm(turns: dict[str, Array], moving: Tracks, resting: Tracks, heading: Array, side: str) -> None:
    """Upper arm and forearm; where the clip has no end of the forearm, it goes on straight."""
    upper, lower = f"upper_arm.{side}", f"forearm.{side}"
    if upper not in moving.places or lower not in moving.places:
        return
    arm, at_rest = (_arm(tracks, side) for tracks in (moving, resting))
    trunk = turns.get("torso", turns["pelvis"])
    along = rotation.rotate(rotation.conjugate(trunk), unit(arm.middle - arm.start))
    axes = rotation.rotate(rotation.multiply(trunk, _arc_from_down(along)), LEFT)
    _add_limb(turns, upper, lower, arm, axes, Limb(*(place[0] for place in at_rest)), moving, resting, heading, -1.0)


def _arm(tracks: Tracks, side: str) -> Limb:
    """Shoulder, elbow and wrist, each (F, 3)."""
    shoulder, elbow, wrist = tracks.places[f"upper_arm.{side}"], tracks.places[f"forearm.{side}"], _wrist(tracks, side)
    return Limb(shoulder, elbow, 2.0 * elbow - shoulder if wrist is None else wrist)


def _add_limb(
    turns: dict[str, Array], upper: str, lower: str, limb: Limb, stand_in: Array, at_rest: Limb, moving: Tracks, resting: Tracks,
    heading: Array, sign: float
) -> None:
    """Two links with a hinge between, from where their joints are, in motion and at rest; see ``limbs``."""
    rest_axis = rotation.rotate(rotation.conjugate(resting.turns[upper][0]), _rest_axis(at_rest, heading, sign))
    hint = hinge_hint(limb, moving.turns[upper], rest_axis, stand_in, sign)
    turns[upper], angles = bend(limb, hint, sign)
    turns[lower] = rotation.multiply(turns[upper], rotation.from_axis_angle(LEFT, angles))


def _rest_axis(limb: Limb, heading: Array, sign: float) -> Array:
    """(3,) axis of a hinge in the resting pose, world: as its bend shows it, or else as a person's limbs are held."""
    upper, lower = unit(limb.middle - limb.start), unit(limb.end - limb.middle)
    along = rotation.rotate(rotation.conjugate(heading), upper)
    # From hanging down, a leg is lifted to its side without turning; so is an arm, whose palm then looks down.
    lifted = frames(along, LEFT) if sign > 0.0 else _arc_from_down(along)
    usual = rotation.rotate(rotation.multiply(heading, lifted), LEFT)
    shown = sign * np.cross(upper, lower)
    return unit(shown) if np.linalg.norm(shown) > REST_BEND and shown @ usual > 0.0 else usual


def _arc_from_down(along: Array) -> Array:
    """(..., 4) the shortest turns from −Z to directions (..., 3) of length 1; straight up is reached sideways."""
    cross = np.cross(-UP, along)
    sine = np.linalg.norm(cross, axis=-1)
    axis = np.where(sine[..., None] > rotation.NOISE, cross, FORWARD)
    return rotation.from_axis_angle(axis, np.arctan2(sine, -along[..., 2]))


def _make_even(offsets: dict[str, Array]) -> None:
    """The same measures on both sides, and the middle in the middle."""
    mirror = np.array([1.0, -1.0, 1.0])
    for link in list(offsets):
        if link.endswith(".L") and f"{link[:-1]}R" in offsets:
            right = f"{link[:-1]}R"
            offsets[link] = 0.5 * (offsets[link] + mirror * offsets[right])
            offsets[right] = mirror * offsets[link]
        elif "." not in link:
            offsets[link] = offsets[link] * (1.0, 0.0, 1.0)
