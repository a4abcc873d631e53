"""Transitions without a seam: what a new motion differs by from the old one at first fades out, with the speed that it has.

A difference that begins as ``x`` and changes by ``v`` a second is (x + (v + x / T) t) exp(−t / T) after t seconds: a spring that is just damped.
"""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array

FADES_S = 0.09  # s, T above: after four of them a tenth of a difference is left
FASTEST_TURN, FASTEST = 6.0, 1.5  # rad/s and m/s: differences of speed are taken for no more than this


class Fading:
    """Differences (K,) that fade out from a time on."""

    def __init__(self, time: float, start: Array, rate: Array) -> None:
        self.time, self._start, self._rate = time, start, rate

    def at(self, times: Array) -> Array:
        """(N, K) what is left at times (N,) s."""
        after = np.maximum(times - self.time, 0.0)[:, None]
        return np.asarray((self._start + (self._rate + self._start / FADES_S) * after) * np.exp(-after / FADES_S))


def apart(one: Array, other: Array) -> Array:
    """(..., 3) rad: turns, in the parent's frame, from rotations (..., 4) ``other`` to ``one``; the shorter way."""
    difference = rotation.multiply(one, rotation.conjugate(other))
    return rotation.log(np.where(difference[..., :1] < 0.0, -difference, difference))


def turned(offsets: Array, rotations: Array) -> Array:
    """(..., 4) rotations (..., 4) turned further by offsets (..., 3) rad."""
    return rotation.multiply(rotation.exp(offsets), rotations)
