"""Feet: how a clip's foot bones lie in a foot that stands flat, measured where the person does stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from .faults import fast, led_through, without_jumps
from .limbs import dot, unit
from .tracks import LEFT, UP, Tracks

# m/s below which a foot stands still.
STILL = 0.25
# Metres that its ankle may be over its own lowest places, and over the other ankle, with the heel still down.
HEEL_DOWN = 0.03
# Share of the leg's length that the hips of someone who stands are over the ankle, at least.
UPRIGHT = 0.7
# Frames of standing from which a sole can be measured.
LEAST_FRAMES = 5
# Cosine between the sole so measured and that of the rest pose below which it is not believed: a dancer may stand on tiptoe all along.
SOLE_TRUST = np.cos(np.radians(35.0))
# Share of its length that a foot bone reaches ahead, at least: one that points down does not tell where the toes are.
POINTS_AHEAD = 0.3
# Radians that no ankle turns: its axis away from the knee's, and up and down. A foot that does is a fault of the recording.
MOST_ASKEW, MOST_UP, MOST_DOWN = 1.15, 1.2, 1.6


# Compared by identity: arrays have no single answer to ==.
@dataclass(frozen=True, eq=False)
class ClipFoot:
    """A foot of a clip over F frames.

    Attributes:
        turns: (F, 4) orientation, world: X ahead along the sole, Z up from it.
        ahead: (3,) metres in that frame, from the ankle to the toe joint, or to the tip of a foot in one piece; None where nothing tells.
        toe_angles: (F,) radians of the toes about the foot's Y axis, 0 where they are in line with the sole; None without toes.
        standing: (F,) whether the foot stands still on the floor.
    """

    turns: Array
    ahead: Array | None
    toe_angles: Array | None
    standing: Bools


def measure_feet(
    moving: Tracks, resting: Tracks, heading: Array, standing: dict[str, Bools], shins: dict[str, Array], fps: float
) -> dict[str, ClipFoot]:
    """Both feet, "L" and "R".

    Args:
        heading: (4,) from +X to where the person looks in the resting pose.
        standing: (F,) whether the foot of a side stands; see :func:`stands`.
        shins: (F, 4) orientation of the shins, world, by side.
    """
    frames = {side: _rest_frame(resting, side, heading) for side in "LR"}
    soles = {side: _sole(rotation.multiply(moving.turns[f"foot.{side}"], frames[side])[standing[side]]) for side in "LR"}
    feet = {}
    for side, other in (("L", "R"), ("R", "L")):
        up = _up(soles[side], soles[other])
        ahead = _ahead(resting, side, frames[side])
        x = unit(ahead - (ahead @ up) * up)
        frame = rotation.multiply(frames[side], rotation.from_matrix(np.column_stack([x, np.cross(up, x), up])))
        feet[side] = _foot(moving, resting, side, frame, shins[side], standing[side], fps)
    return feet


def _up(sole: Array | None, other: Array | None) -> Array:
    """(3,) what is up from a sole: as measured, or else the mirror image of the other foot's, or else as in the resting pose."""
    if sole is not None:
        return sole
    return UP if other is None else other * (1.0, -1.0, 1.0)


def _foot(moving: Tracks, resting: Tracks, side: str, frame: Array, shin: Array, standing: Bools, fps: float) -> ClipFoot:
    """One foot; ``frame`` (4,): how it lies in the frame of the clip's foot joint."""
    foot, toes = f"foot.{side}", f"toes.{side}"
    turns = rotation.multiply(moving.turns[foot], frame)
    at_rest = rotation.multiply(resting.turns[foot][0], frame)
    end = _end(resting, side)
    ahead = None if end is None else rotation.rotate(rotation.conjugate(at_rest), end[0] - resting.places[foot][0])
    angles = None
    if toes in moving.turns:
        in_foot = rotation.multiply(rotation.conjugate(turns), moving.turns[toes])
        level = rotation.multiply(rotation.conjugate(at_rest), resting.turns[toes][0])
        if standing.sum() >= LEAST_FRAMES:
            level = _mean(in_foot[standing], level)
        angles = rotation.hinge_angle(rotation.multiply(in_foot, rotation.conjugate(level)))
    return ClipFoot(_mended(turns, shin, fps), ahead, angles, standing)


def _end(tracks: Tracks, side: str) -> Array | None:
    """(F, 3) the toe joint, or the tip of a foot in one piece."""
    return tracks.places.get(f"toes.{side}", tracks.ends.get(f"foot.{side}"))


def stands(moving: Tracks, side: str, fps: float) -> Bools:
    """(F,) whether ankle and toes are still, with the heel down and the leg upright."""
    other = "R" if side == "L" else "L"
    ankle = moving.places[f"foot.{side}"]
    still = (stretched(moving, side) > UPRIGHT) & (ankle[:, 2] < moving.places[f"foot.{other}"][:, 2] + HEEL_DOWN)
    end = _end(moving, side)
    for place in (ankle, ankle if end is None else end):
        if len(place) > 1:
            still &= np.linalg.norm(np.gradient(place, axis=0), axis=-1) * fps < STILL
    if still.any():
        still &= ankle[:, 2] < np.percentile(ankle[still, 2], 20) + HEEL_DOWN
    return still


def stretched(moving: Tracks, side: str) -> Array:
    """(F,) how high the hip is over the ankle, as a share of the leg's length: 1 for a straight leg that stands."""
    hip, knee, ankle = (moving.places[f"{part}.{side}"] for part in ("thigh", "shin", "foot"))
    return (hip[:, 2] - ankle[:, 2]) / (np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1))


def _rest_frame(resting: Tracks, side: str, heading: Array) -> Array:
    """(4,) a foot whose sole is level in the resting pose, in the frame of the clip's foot joint."""
    forward = rotation.rotate(heading, np.array([1.0, 0.0, 0.0]))
    end = _end(resting, side)
    along = forward if end is None else unit(end[0] - resting.places[f"foot.{side}"][0])
    level = along * (1.0, 1.0, 0.0)
    if level @ forward < POINTS_AHEAD:
        level = forward
    frame = rotation.from_axis_angle(UP, np.arctan2(level[1], level[0]))
    return rotation.multiply(rotation.conjugate(resting.turns[f"foot.{side}"][0]), frame)


def _ahead(resting: Tracks, side: str, frame: Array) -> Array:
    """(3,) from the ankle towards the toes, in the frame of :func:`_rest_frame`."""
    forward, end = np.array([1.0, 0.0, 0.0]), _end(resting, side)
    if end is None:
        return forward
    turn = rotation.multiply(resting.turns[f"foot.{side}"][0], frame)
    along = rotation.rotate(rotation.conjugate(turn), unit(end[0] - resting.places[f"foot.{side}"][0]))
    return along if along[0] > POINTS_AHEAD else forward


def _sole(turns: Array) -> Array | None:
    """(3,) what is up, in the frame of a foot with orientations (N, 4), while it stands; None where that is no sole."""
    if len(turns) < LEAST_FRAMES:
        return None
    ups = rotation.rotate(rotation.conjugate(turns), UP)
    up = unit(ups.mean(axis=0))
    for _ in range(5):  # towards the median: frames in which the heel is not quite down weigh little
        weights = 1.0 / np.maximum(np.linalg.norm(ups - up, axis=-1), 0.02)
        up = unit((weights[:, None] * ups).sum(axis=0))
    return up if up[2] > SOLE_TRUST else None


def _mended(turns: Array, shin: Array, fps: float) -> Array:
    """(F, 4) the same orientations, but led evenly from one sound frame to the next where the foot turns as no foot can."""
    in_shin = rotation.make_continuous(rotation.multiply(rotation.conjugate(shin), turns))
    askew = np.arccos(np.clip(rotation.rotate(in_shin, LEFT)[:, 1], -1.0, 1.0))
    ahead = rotation.rotate(in_shin, np.array([1.0, 0.0, 0.0]))
    down = np.arctan2(-ahead[:, 2], ahead[:, 0])
    sound = (askew < MOST_ASKEW) & (down > -MOST_UP) & (down < MOST_DOWN)
    if sound.all() or not sound.any():
        return turns
    sound = without_jumps(sound, fast(in_shin, fps))
    if not sound.any():
        return turns
    return np.where(sound[:, None], turns, rotation.multiply(shin, led_through(in_shin, sound)))


def _mean(turns: Array, near: Array) -> Array:
    """(4,) mean of rotations (N, 4) that are close together, and to ``near`` (4,)."""
    return rotation.normalize((turns * np.where(dot(turns, near) < 0.0, -1.0, 1.0)[:, None]).sum(axis=0))
