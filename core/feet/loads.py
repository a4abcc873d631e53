"""When each foot carries weight, and where it comes down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bools
from ..kinematics import body_weight, sole_feet, sole_heights, sole_positions
from ..result import Result
from ..signals import runs

# Shares of the body's weight: a foot that carries more than the first is loaded, until it carries less than the second. The gap between them keeps
# noise around one threshold from making steps.
LOAD_ON, LOAD_OFF = 0.05, 0.025
# Share of the body's weight: a foot that carries this much bears the body, and is not to slide.
BEARING = 0.3
# No swing or stance of a person is shorter: shorter ones are a bounce of the landing foot or a scuff of the swinging one.
CHATTER_S = 0.05
# Metres over the ground up to which a point of the sole is on it.
NEAR_GROUND_M = 0.01


@dataclass(frozen=True)
class Footfall:
    """A foot (0 left, 1 right) comes down on ``frame``; ``position``: (3,) metres, world, middle of the sole when flattest."""

    foot: int
    frame: int
    position: Array


def loaded(result: Result) -> Bools:
    """(F, 2) whether the left and right foot carry weight."""
    loads = result.foot_forces[:, :, 2] / body_weight(result)
    return np.stack([_without_chatter(_hysteresis(loads[:, foot]), CHATTER_S * result.fps) for foot in (0, 1)], axis=1)


def bearing(result: Result) -> Bools:
    """(F, 2) whether the left and right foot bear the body."""
    return result.foot_forces[:, :, 2] > BEARING * body_weight(result)


def near_ground(result: Result) -> Bools:
    """(F, P) whether each sole point is within ``NEAR_GROUND_M`` of the ground."""
    return sole_heights(result) < NEAR_GROUND_M


def planted(result: Result) -> Bools:
    """(F, 2) whether each foot is loaded with some sole point on the ground: the frames on which it must not slide."""
    near, feet = near_ground(result), sole_feet(result)
    touching = np.stack([near[:, feet == foot].any(axis=1) for foot in (0, 1)], axis=1)
    return loaded(result) & touching


def stances(result: Result) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Intervals (start, end) of frames, end excluded, during which the left and the right foot are loaded."""
    load = loaded(result)
    return runs(load[:, 0]), runs(load[:, 1])


def footfalls(result: Result) -> list[Footfall]:
    """Every landing of either foot in order of time; a foot already loaded on frame 0 has not landed."""
    positions, feet = sole_positions(result), sole_feet(result)
    falls = []
    for foot, intervals in enumerate(stances(result)):
        soles = positions[:, feet == foot]
        falls += [Footfall(foot, start, _footprint(soles[start:end])) for start, end in intervals if start > 0]
    return sorted(falls, key=lambda fall: (fall.frame, fall.foot))


def strike_frames(falls: list[Footfall], foot: int) -> list[int]:
    """The frames on which one foot lands."""
    return [fall.frame for fall in falls if fall.foot == foot]


def _footprint(soles: Array) -> Array:
    """(3,) middle of the (frames, points, 3) sole on the frame it lies flattest: heel strike and toe-off tilt it."""
    tilt = np.ptp(soles[:, :, 2], axis=1)
    # The first of frames that differ by rounding alone.
    return soles[np.argmax(tilt < tilt.min() + 1e-6)].mean(axis=0)


def _hysteresis(loads: Array) -> Bools:
    """(F,) whether a foot with loads (F,), shares of the body's weight, is loaded: on above LOAD_ON, off below LOAD_OFF, as before between them."""
    decided = np.where(loads > LOAD_ON, 1, np.where(loads < LOAD_OFF, 0, -1))
    last = np.maximum.accumulate(np.where(decided >= 0, np.arange(len(loads)), -1))
    return np.where(last >= 0, decided[last], loads > LOAD_OFF).astype(bool)


def _without_chatter(on: Bools, shortest: float) -> Bools:
    """Fill gaps and then drop contacts of fewer frames than ``shortest``, except at either end, where the rest is unknown."""
    on = on.copy()
    for value in (False, True):
        for start, end in runs(on == value):
            if end - start < shortest and start > 0 and end < len(on):
                on[start:end] = not value
    return on
