"""Bouts of walking in a stream of insoles: when the feet set off and when they stand again, and the poses in between, which ``strides`` makes."""

from __future__ import annotations

from math import inf

import numpy as np

from ..arrays import Array
from ..body import Body
from ..motion import Motion
from .examples import Example
from .features import Track
from .footwork import STANDS_S, Footwork, begins_walking
from .hearing import Hearing
from .library import Part
from .recording import LEFT, RIGHT, Layout
from .strides import Figure, Row, Strider

SWING_S = (0.15, 0.9)  # s that a foot swings in a walk
# s that the other foot lifts before or after a foot has come down, in a walk: who runs lifts it before, and who sets off slowly some time after.
TURNS_S = (0.3, 0.4)
LATELY_S = 1.2  # s since a walk has begun up to which it is joined
SETS_OFF_S = 0.5  # s before it is seen, that a walk is begun with, so that it is in its stride
NOTHING = Example(Track(np.zeros(0), 12.0, np.zeros((0, 10)), np.zeros((0, 14))), [])


class Bouts:
    """Hears insoles. Times are s from the first frame on."""

    def __init__(self, body: Body, layout: Layout, calibrated: bool, fps: float) -> None:
        self.body, self.fps = body, fps
        self._hearing = Hearing(layout, calibrated)
        self._strider: Strider | None = None
        self._figure: Figure | None = None
        self._rows: list[Row] = []  # the last two

    def hear(self, time: float, frame: Array) -> None:
        """Takes a frame, pressures (S,)."""
        self._hearing.hear(time, frame)

    def begins(self, time: float, sure: bool = False) -> bool:
        """Whether somebody walks at a time, as far as it is known: a foot swings, and when it has come down, the other one does. ``sure``: so that
        nothing else is likely, because after that the first one swings again."""
        known = self._hearing.footwork()
        if time <= 0.0:
            return begins_walking(known)
        return any(self._follow(known, foot, lift, 2 if sure else 1) for foot in (LEFT, RIGHT) for _, lift in known.spans[foot]
                   if time - (2.0 if sure else 1.0) * LATELY_S < lift <= time)

    def _follow(self, known: Footwork, foot: int, lift: float, swings: int) -> bool:
        """Whether after a foot, lifted at a time, the feet lift by turns so many times."""
        for _ in range(swings):
            strike = known.next_strike(foot, lift)
            if strike is None or not SWING_S[0] < strike - lift < SWING_S[1]:
                return False
            foot, other = 1 - foot, known.next_lift(1 - foot, strike - TURNS_S[0])
            if other is None or other > strike + TURNS_S[1]:
                return False
            lift = other
        return True

    def ends(self, time: float) -> bool:
        """Whether somebody who walked stands at a time, and goes on standing."""
        known = self._hearing.footwork()
        spans = [known.at(foot, time) for foot in (LEFT, RIGHT)]
        if any(span is None or span[1] < inf for span in spans):
            return False
        return known.until - max(span[0] for span in spans if span is not None) > STANDS_S

    def set_off(self, time: float) -> None:
        """A walk begins."""
        known = self._hearing.footwork()
        self._strider = Strider(self.body, manner=self._hearing.manner, time=time - SETS_OFF_S)
        self._figure = self._figure or Figure(self.body, self._strider.cycle)
        if time <= 0.0:
            self._strider.warm_up(known, self.fps)
            self._rows = []
        else:
            frames = round(SETS_OFF_S * self.fps)
            self._rows = [self._strider.go_on(known, time - back / self.fps) for back in range(frames - 1, 0, -1)][-2:]

    def part(self, times: Array) -> Part:
        """The poses of a walk at times (N,) that go on from the last one, after the two before them, if there are."""
        assert self._strider is not None and self._figure is not None
        known = self._hearing.footwork()
        rows = self._rows + [self._strider.go_on(known, float(time)) for time in times]
        self._rows = rows[-2:]
        motion: Motion = self._figure.poses(rows, self.fps)
        return Part(self.body, motion, np.array([row.down for row in rows]), NOTHING)
