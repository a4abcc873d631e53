"""Bar: how far work is and how long the rest takes, from the fractions that it tells."""

from __future__ import annotations

import time
from collections.abc import Callable

SOONEST = 0.02  # fraction of the work, before which nobody can say how long the rest takes


class Bar:
    """How far the work is. It tells fractions of the time that it expects to take, which may turn out to be too large.

    A fraction that falls, as a try has failed and another one follows, leaves the bar where it is: it goes on from there, more slowly. The time left
    is what the work says now: so that may grow, as it should where the news is bad.

    Attributes:
        shown: 0–1, never less than before. left: s, or None while nobody knows.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._began = (0.0, 0.0)  # s and the fraction with which the work began: before that it was prepared, or stopped half way
        self._told = self.shown = 0.0
        self.left: float | None = None

    def tell(self, fraction: float) -> None:
        """The work says that this fraction of it is done."""
        fraction, now = min(max(fraction, 0.0), 1.0), self._clock()
        if not self.shown:
            self._began = now, fraction
        if fraction > self._told:
            self.shown += (1.0 - self.shown) * (fraction - self._told) / (1.0 - self._told)
        self._told = fraction
        began, first = self._began
        if fraction > first + SOONEST:
            self.left = (now - began) * (1.0 - fraction) / (fraction - first)
