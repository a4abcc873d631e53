"""How a foot comes down and leaves the floor: on its heel and over its toes, flat, or the other way round. The centre of pressure tells it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array, Ints
from .loads import centre
from .recording import LEFT, RIGHT, Layout, Recording
from .stances import Stance

Manner = Callable[[int, float], tuple[float, float]]
"""Of a foot and the s of its strike: how much of a heel strike it has (1: all of it, 0: flat, below 0: on the toes), and how much of a push-off."""

FIRST, LAST = 0.12, 0.15  # of a stance: its beginning and its end
# Where the centre of pressure is then, from the heel (0) to the toes (1), of a foot that is flat; and how far from there of one that rolls.
FLAT_STRIKE, ROLLS_IN, FLAT_LIFT, ROLLS_OFF = 0.5, 0.25, 0.4, 0.2
LEAST = (-0.5, 0.2)
USUAL = (1.0, 1.0)


def usual(foot: int, strike: float) -> tuple[float, float]:
    """Of a device that does not tell."""
    return USUAL


def manner_of(times: Array, along: Array, strike: float, lift: float | None) -> tuple[float, float]:
    """Of a stance, with the centre of pressure (T,) along the foot at times (T,) s; ``lift``: None where it is not known yet."""
    early = along[(times >= strike) & (times <= strike + FIRST * (lift - strike if lift else 0.6))]
    late = along[(times >= lift - LAST * (lift - strike)) & (times <= lift)] if lift else along[:0]
    heel = (FLAT_STRIKE - float(np.nanmean(early))) / ROLLS_IN if np.isfinite(early).any() else USUAL[0]
    push = (float(np.nanmean(late)) - FLAT_LIFT) / ROLLS_OFF if np.isfinite(late).any() else USUAL[1]
    return min(max(heel, LEAST[0]), 1.0), min(max(push, LEAST[1]), 1.0)


def span(layout: Layout, foot: int) -> tuple[float, float] | None:
    """m where the sensors of an insole begin and end; None where it cannot tell heel from toes."""
    under: Ints = np.flatnonzero(layout.feet == foot)
    if layout.grid is not None or len(under) < 2:
        return None
    first, last = float(layout.centres[under, 0].min()), float(layout.centres[under, 0].max())
    return (first, last) if last > first else None


def manner_in(recording: Recording, stances: list[Stance]) -> Manner:
    """Of a whole recording. What is not calibrated does not tell where its pressure is."""
    known: dict[tuple[int, float], tuple[float, float]] = {}
    for foot in (LEFT, RIGHT):
        ends = span(recording.layout, foot) if recording.calibrated else None
        if ends is None:
            continue
        along = (centre(recording, recording.layout.feet == foot)[:, 0] - ends[0]) / (ends[1] - ends[0])
        for stance in stances:
            if stance.foot == foot and stance.strike is not None:
                known[foot, stance.strike] = manner_of(recording.times, along, stance.strike, stance.lift)
    return lambda foot, strike: known.get((foot, strike), USUAL)
