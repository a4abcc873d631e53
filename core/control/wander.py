"""Wander: a slow, smooth unsteadiness that is left to chance, as of one who has drunk too much. The same seed wanders in the same way."""

from __future__ import annotations

import random
from math import pi, sin

from .gait import Unsteady

SLOW, FAST = 0.08, 0.4  # Hz: between which it wanders
WAVES = 3  # that are laid over one another


class Wander:
    """What it is now; at rest until it is asked for.

    Attributes:
        course: rad added to the heading. sway: rad (sagittal, coronal) added to the torso's lean.
        place: rad (sagittal, outward) added to the swing hip. pace: share by which states last longer.
    """

    def __init__(self, seed: int):
        chance = random.Random(seed)
        self._waves = [[(2.0 * pi * chance.uniform(SLOW, FAST), chance.uniform(0.0, 2.0 * pi)) for _ in range(WAVES)] for _ in range(6)]
        self.course, self.sway, self.place, self.pace = 0.0, (0.0, 0.0), (0.0, 0.0), 0.0

    def at(self, time: float, size: Unsteady) -> None:
        """Go on to a time (s)."""
        course, fore, aside, ahead, across, pace = (sum(sin(rate * time + phase) for rate, phase in waves) / WAVES**0.5 for waves in self._waves)
        self.course, self.pace = size.course * course, max(-0.5, size.pace * pace)
        self.sway, self.place = (size.sway * fore, size.sway * aside), (size.place * ahead, size.place * across)
