"""The floor of a recording: a plane through the places where the feet rest, made level and put to z = 0.

Floors of real recordings slope by a centimetre or two per metre, because the capture volume was calibrated so. Stairs and boxes are no slopes: a foot
that stands higher than a floor with so small a slope allows is left where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import feet, rotation
from ..arrays import Array, Ints
from ..body import Body
from ..motion import Motion
from ..rotation import upright_turn
from ..signals import runs

# The ball of a foot rests while it is slower than this (m/s), or than this share of its usual greatest speed: in a run it hardly stops.
REST_SPEED, REST_SHARE = 0.15, 0.12
# Seconds that a rest takes at least.
REST_S = 0.04
# Metres per metre: a floor that slopes more is no error of calibration.
STEEPEST = 0.05
# How far resting places usually are from their plane (metres), and how much floors usually slope (metres per metre).
HEIGHT_ERROR, USUAL_SLOPE = 0.01, 0.02
# Metres by which resting places may lie above or below the floor.
SCATTER = 0.06
# A floor has more than this share of all resting places: fewer places at one height are not the floor.
FEW = 0.1
# Metres that places must lie apart to tell a slope from the noise of single steps.
TRAVEL = 1.5
# From how large a slope (metres per metre) and shift (metres) on there is a note.
NOTED_SLOPE, NOTED_HEIGHT = 0.003, 0.02


@dataclass(frozen=True)
class Floor:
    """The plane z = height + slope · (x, y), metres; ``places``: (N, 3) where feet rest on it."""

    height: float
    slope: Array
    places: Array


def resting_places(body: Body, motion: Motion) -> tuple[Array, Ints]:
    """(N, 3) metres, world, the place of the ball of the foot in each rest, and (N,) whose foot: it rests in every stance, on tiptoe too."""
    positions, _ = motion.world()
    places, owners = [], []
    for foot in (0, 1):
        ball = positions[:, feet.link(body, "toes", foot)]
        speed = feet.speeds(ball, motion.fps)
        slow = speed < max(REST_SPEED, REST_SHARE * np.percentile(speed, 95))
        for start, end in runs(slow):
            if end - start >= REST_S * motion.fps:
                still = start + np.argsort(speed[start:end])[: max(1, (end - start) // 2)]
                places.append(np.median(ball[still], axis=0))
                owners.append(foot)
    return np.array(places).reshape(-1, 3), np.array(owners, dtype=int)


def fit(body: Body, motion: Motion) -> Floor:
    """The plane in which the balls of the feet rest: it runs through the toe joints, above the floor by their height."""
    places, owners = resting_places(body, motion)
    if not len(places):
        lowest = motion.world()[0][:, [feet.link(body, "toes", foot) for foot in (0, 1)], 2].min()
        return Floor(float(lowest), np.zeros(2), places)
    lowest = places[_lowest(places)]
    centre, heights, slope = lowest[:2], np.full(2, lowest[2]), np.zeros(2)
    for _ in range(5):
        over = places[:, 2] - heights[owners] - (places[:, :2] - centre) @ slope
        # A first guess sits on one place: others may be higher by as much as a floor can slope.
        near = np.abs(over) < _scatter(places, centre, not slope.any())
        heights, slope = _plane(places[near], owners[near], centre)
    if np.linalg.norm(slope) > STEEPEST:
        heights, slope = _plane(places[near], owners[near], centre, level=True)
    height = float(heights[np.unique(owners[near])].mean() - centre @ slope)
    return Floor(height, slope, places[near])


def _scatter(places: Array, centre: Array, sloping: bool) -> Array:
    """(N,) metres by which places (N, 3) may be higher or lower than the floor at ``centre`` (2,), whose slope is known or not."""
    return SCATTER + (STEEPEST if sloping else 0.0) * np.linalg.norm(places[:, :2] - centre, axis=1)


def _lowest(places: Array) -> int:
    """The lowest of places (N, 3) that is not alone down there: a foot that sinks once is a fault of the recording."""
    order = np.argsort(places[:, 2])
    for place in order:
        near = np.abs(places[:, 2] - places[place, 2]) < _scatter(places, places[place, :2], True)
        if near.sum() > max(1, FEW * len(places)):
            return int(place)
    return int(order[0])


def _plane(places: Array, owners: Ints, centre: Array, level: bool = False) -> tuple[Array, Array]:
    """Heights (2,) of the plane at ``centre``, as each foot has it, and its slope (2,).

    Each foot has a height of its own, or markers set higher on one foot would make a floor that slopes sideways. A slope across the direction of
    walking, of which few places tell, stays near 0.
    """
    lone = np.unique(owners)
    flat = (places[:, :2] - centre) * (0.0 if level or np.ptp(places[:, :2], axis=0).max() < TRAVEL else 1.0)
    rows = np.concatenate([np.eye(2)[owners], flat], axis=1) / HEIGHT_ERROR
    prior = np.concatenate([np.zeros((2, 2)), np.eye(2) / USUAL_SLOPE], axis=1)
    # Two feet stand on one floor: their heights differ by no more than their markers do.
    alike = np.array([[1.0, -1.0, 0.0, 0.0]]) / HEIGHT_ERROR
    wanted = np.concatenate([places[:, 2] / HEIGHT_ERROR, np.zeros(3)])
    solution = np.linalg.lstsq(np.concatenate([rows, prior, alike]), wanted, rcond=None)[0]
    heights = solution[:2] if len(lone) == 2 else np.full(2, solution[lone[0]])
    return heights, solution[2:]


def levelled(motion: Motion, floor: Floor) -> Motion:
    """The motion turned and lowered so that the floor is level at z = 0. It turns about a place on the floor: it stays where it was."""
    below = floor.places[:, :2].mean(axis=0) if len(floor.places) else motion.root_positions[0, :2]
    pivot = np.array([*below, floor.height + floor.slope @ below])
    upright = upright_turn(np.array([*-floor.slope, 1.0]))
    roots = rotation.rotate(upright, motion.root_positions - pivot) + pivot * (1.0, 1.0, 0.0)
    rotations = motion.rotations.copy()
    rotations[:, 0] = rotation.multiply(upright, rotations[:, 0])
    return replace(motion, root_positions=roots, rotations=rotations)


def lowered_to_soles(body: Body, motion: Motion) -> tuple[Motion, float]:
    """The motion with the soles of resting feet at z = 0, and by how many metres it was lowered. Its floor is level at the toe joints."""
    positions, orientations = motion.world()
    soles = feet.sole_positions(body, positions, orientations)
    lowest = []
    for foot in (0, 1):
        ball = positions[:, feet.link(body, "toes", foot)]
        rests = (feet.speeds(ball, motion.fps) < REST_SPEED) & (np.abs(ball[:, 2]) < SCATTER)
        lowest += list(soles[rests, foot, :, 2].min(axis=1))
    height = float(np.median(lowest)) if lowest else float(soles[..., 2].min())
    return motion.displace((0.0, 0.0, -height)), height


def notes(floor: Floor, shift: float) -> list[str]:
    """Sentences on a floor that was corrected; ``shift``: metres by which the motion was lowered."""
    said = []
    slope = float(np.linalg.norm(floor.slope))
    if slope > NOTED_SLOPE:
        said.append(f"The floor of the recording slopes by {100.0 * slope:.1f} cm per metre: levelled.")
    if abs(shift) > NOTED_HEIGHT:
        where, to = ("above", "down") if shift > 0.0 else ("below", "up")
        said.append(f"The feet stood {100.0 * abs(shift):.0f} cm {where} the floor: moved {to}.")
    return said
