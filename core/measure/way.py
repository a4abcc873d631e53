"""Whether a character got where it was going: stopped, stuck, turned back or held up, when, and by what; and what it fell by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array
from ..kinematics import center_of_mass
from ..result import Result
from ..signals import local_fit
from . import gait
from .span import fall_frame, upright

STARTS_S = 1.0  # s that a character may take to get going
WINDOW_S = 1.5  # s in which it must have come on …
LITTLE = 0.25  # … by more than this, of the way that it should have come
NEARLY_M = 0.1  # m before the farthest place, at which it was stopped already
TRAVELS_M_S = 0.3  # m/s: who is to go more slowly than this stays in place
BACK_M, BACK_RAD = 0.5, 1.75  # m behind the farthest place, or rad off its heading, at the end: it was turned back
ON_M = 0.7  # m beyond the place where it was stopped, at the end: it went on
STEPS = 2  # that a character makes after it was stopped, from which on it is stuck: it walks on and does not come on
REACH_M = 0.45  # m from the pelvis to the side of a thing that can be what stops it
RAN_INTO_S = 1.0  # s before a fall, in which a box that the character was at is taken for its cause
ARRIVED_M = 1.0  # m from the end of a path, at which nobody needs to go on


@dataclass(frozen=True)
class Hindrance:
    """How a character was kept from going on.

    Attributes:
        how: "stopped", "stuck", "turned back" or "held up", who went on later. frame: of the result, from which on. meters: gone until then.
        by: the name of the box in its way, if it is one.
    """

    how: str
    frame: int
    meters: float
    by: str | None


def hindrance(result: Result) -> Hindrance | None:
    """What kept a character that did not fall, or until it fell, from going on; None where nothing did, and of one that is played, which goes and
    stops as it is told."""
    standing = upright(result)
    if result.job.get("played") or "steps" not in result.outcome or standing.frames < (STARTS_S + WINDOW_S) * result.fps:
        return None
    wanted = _wanted(standing)
    window, going = round(WINDOW_S * result.fps), np.linalg.norm(wanted, axis=1)
    moves = np.diff(center_of_mass(standing)[:, :2], axis=0, append=np.nan)
    moves[-1] = moves[-2]
    ways = np.divide((moves * wanted).sum(axis=1) * result.fps, going, out=np.zeros(len(going)), where=going > TRAVELS_M_S) / result.fps
    came, due = (np.concatenate([[0.0], np.cumsum(values)]) for values in (ways, np.where(going > TRAVELS_M_S, going, 0.0) / result.fps))
    slow = came[window:] - came[:-window] < LITTLE * (due[window:] - due[:-window])
    slow &= due[window:] - due[:-window] > TRAVELS_M_S * WINDOW_S
    slow[:round(STARTS_S * result.fps)] = False
    if not slow.any():
        return None
    first = int(np.flatnonzero(slow)[0])
    reached = came[first:first + window + 1]
    frame = first + int(np.argmax(reached > reached.max() - NEARLY_M))
    turned = np.abs(rotation.wrap(gait.pelvis_heading(standing)[-1] - standing.headings[-1])) > BACK_RAD
    if came.max() - came[-1] > BACK_M or turned:
        how = "turned back"
    elif not slow[-1] and came[-1] - came[frame] > ON_M:
        how = "held up"
    else:
        how = "stuck" if sum(step.frame > frame for step in gait.steps(standing)) >= STEPS else "stopped"
    return Hindrance(how, frame, float(np.linalg.norm(np.diff(_smooth(standing)[:frame + 1], axis=0), axis=1).sum()), thing_near(standing, frame))


def thing_near(result: Result, frame: int) -> str | None:
    """The name of the box of the scene whose side is nearest to the pelvis on a frame, if it is near enough to touch."""
    found: list[tuple[float, str]] = []
    for number, box in enumerate(result.job.get("obstacles", [])):
        name = box.get("name", f"box {number + 1}")
        if name in result.object_names:
            column = result.object_names.index(name)
            here = rotation.rotate(rotation.conjugate(result.object_rotations[frame, column]),
                                   result.root_positions[frame] - result.object_positions[frame, column])
            outside = np.maximum(np.abs(here) - np.array(box["size"]) / 2, 0.0)
            found.append((float(np.linalg.norm(outside[:2])), name))
    nearest = min(found, default=None)
    return None if nearest is None or nearest[0] > REACH_M else nearest[1]


def ran_into(result: Result) -> str | None:
    """The box that a character was at shortly before it fell."""
    fall = fall_frame(result)
    if fall is None:
        return None
    before = range(fall, max(-1, fall - round(RAN_INTO_S * result.fps)), -1)
    return next((thing for thing in (thing_near(result, frame) for frame in before) if thing), None)


def fell_by_itself(result: Result) -> bool:
    """Whether a character fell though nothing had been pushed or thrown at it, nobody had bumped into it, and there was no box at which it fell."""
    if not result.outcome.get("fell"):
        return False
    struck = any(event["type"] in ("push", "ball") and event["time"] <= result.outcome["fell_at"] for event in result.job.get("events", []))
    return not struck and not result.outcome.get("bumped_s") and ran_into(result) is None


def _smooth(result: Result) -> Array:
    """(F, 2) m, the way of the centre of mass without the sway of its strides."""
    return local_fit(center_of_mass(result)[:, :2], result.fps, 2 * gait.stride_time(result), degree=1)


def _wanted(result: Result) -> Array:
    """(F, 2) m/s over the ground at which the character is to go: the commanded speed, the recording's, or else what it did at first."""
    facing = gait.direction(result.headings)
    if len(result.reference_positions):
        return _of_recording(result)
    path = _smooth(result)
    pace = np.gradient(path, 1.0 / result.fps, axis=0)
    along, aside = (pace * facing).sum(axis=1), pace[:, 1] * facing[:, 0] - pace[:, 0] * facing[:, 1]
    speed = np.hypot(along, aside)
    # At its best after it has got going: later something may have turned it back.
    begin = int(np.argmax(speed > TRAVELS_M_S)) if speed.max() > TRAVELS_M_S else 0
    early = np.arange(len(speed)) < begin + WINDOW_S * result.fps
    best = early & (speed >= np.quantile(speed[early], 2 / 3))
    usual = np.array([along[best].mean(), aside[best].mean()])
    wanted = usual[0] * facing + usual[1] * np.stack([-facing[:, 1], facing[:, 0]], axis=1)
    told = np.isfinite(result.speeds)
    wanted[told] = result.speeds[told, None] * facing[told]
    if result.job.get("path"):
        wanted[np.linalg.norm(path - np.array(result.job["path"][-1]), axis=1) < ARRIVED_M] = 0.0
    return wanted


def _of_recording(result: Result) -> Array:
    """(F, 2) m/s. The clip stands on the body's stance foot, which changes at a step: there it goes on as just before."""
    moves = np.diff(result.reference_positions[:, 0, :2], axis=0, prepend=result.reference_positions[:1, 0, :2]) * result.fps
    same = np.concatenate([[True], result.stance[1:] == result.stance[:-1]])
    for frame in np.flatnonzero(~same):
        moves[frame] = moves[frame - 1]
    return moves
