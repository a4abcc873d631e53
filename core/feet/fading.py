"""Corrections of feet that fade in and out between stances."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..arrays import Array
from .stances import Stance

# Seconds in which a correction fades out after a stance and in before one, and in which its rate of change does.
FADE_S, BRAKE_S = 0.15, 0.05


def faded(change: Array, stances: Sequence[Stance], fps: float) -> Array:
    """(F, K) corrections as they are inside the stances of one foot, fading out after each and in before the next without a kink.

    Cubics take the value at the edge of a stance to zero within ``FADE_S``, its rate within ``BRAKE_S``, sooner where stances are close.
    """
    result = np.zeros_like(change)
    for stance in stances:
        result[stance.start:stance.end] = change[stance.start:stance.end]
    for before, after in pairwise([None, *stances, None]):
        first = before.end if before else 0
        last = after.start if after else len(change)
        at = np.arange(first, last, dtype=float)[:, None]
        if not len(at):
            continue
        reach = FADE_S * fps
        if before and after:
            reach = min(reach, 0.5 * (last - first + 1))
        brake = min(BRAKE_S * fps, reach)
        if before:
            result[first:last] += _fade_out(at - (first - 1), change[first - 1], _rate(change, before, at_end=True), reach, brake)
        if after:
            result[first:last] += _fade_out(last - at, change[last], -_rate(change, after, at_end=False), reach, brake)
    return result


def _rate(change: Array, stance: Stance, at_end: bool) -> Array:
    """(K,) change a frame at the edge of a stance; of a single frame none is known."""
    if stance.end - stance.start < 2:
        return np.zeros(change.shape[1])
    return change[stance.end - 1] - change[stance.end - 2] if at_end else change[stance.start + 1] - change[stance.start]


def _fade_out(away: Array, value: Array, rate: Array, reach: float, brake: float) -> Array:
    """(N, K) cubics of away (N, 1) frames from a stance: ``value`` goes to 0 within ``reach`` frames, ``rate`` a frame within ``brake``."""
    faded_out, braked = np.minimum(away / reach, 1.0), np.minimum(away / brake, 1.0)
    return value * (1.0 + 2.0 * faded_out) * (1.0 - faded_out) ** 2 + rate * brake * braked * (1.0 - braked) ** 2
