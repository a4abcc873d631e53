"""When feet in insoles stand, told as frames of pressure come: strikes and lifts of a stream, as ``stances`` finds those of a whole recording."""

from __future__ import annotations

from collections import deque
from math import inf, isnan, nan

import numpy as np

from ..arrays import Array
from .footwork import STRIDE_S, Footwork, completed
from .loads import LIGHT
from .manner import USUAL, manner_of, span
from .recording import LEFT, RIGHT, Layout
from .stances import IN_THE_AIR, LOAD_OFF, LOAD_ON, STANCE_S, STANDS, SWING_S, USUAL_PEAK

REMEMBERED_S, LOOKS_S = 10.0, 0.25  # s of a foot's force that say what is usual, and how often they are looked at
LEAST, OF_OTHER = 60.0, 0.5  # N, of a calibrated device, and of what is usual on the other foot: what is usual on a foot is no less
TELLS_S = 0.1  # s after a strike, when it is known how the foot came down
KEPT = 6  # stances of a foot that are remembered


class _Foot:
    """Hears the force on one foot."""

    def __init__(self, calibrated: bool) -> None:
        self.calibrated = calibrated
        self.spans: deque[tuple[float, float]] = deque(maxlen=KEPT)
        self.peak = self.floor = 0.0
        self._past: tuple[deque[float], deque[float]] = deque(), deque()  # s, and forces
        self._looked, self._before = -inf, (nan, nan)

    @property
    def down(self) -> bool:
        return bool(self.spans) and self.spans[-1][1] == inf

    @property
    def silent(self) -> bool:
        """Whether it has not said anything yet."""
        return isnan(self._before[0])

    def feel(self, time: float, force: float) -> None:
        """A force, N or counts."""
        times, forces = self._past
        times.append(time)
        forces.append(force)
        while times[0] < time - REMEMBERED_S:
            times.popleft()
            forces.popleft()
        if time - self._looked >= LOOKS_S or force > self.peak + self.floor:
            self._look(time)

    def tell(self, time: float, force: float, other: float) -> None:
        """Whether a foot with this force stands. ``other``: what is usual on the other foot."""
        level, (then, before), usual = force - self.floor, self._before, max(self.peak, OF_OTHER * other)
        if self.silent:
            if level > LOAD_ON * usual:
                self.spans.append((-inf, inf))
        elif self.down and level < LOAD_OFF * usual:
            self._lift(_crossing(then, before - self.floor, time, level, LOAD_OFF * usual))
        elif not self.down and level > LOAD_ON * usual:
            self._strike(_crossing(then, before - self.floor, time, level, LOAD_ON * usual))
        self._before = time, force

    def _look(self, time: float) -> None:
        forces = np.array(self._past[1])
        self.peak, self.floor, self._looked = float(np.percentile(forces, USUAL_PEAK)), 0.0, time
        if not self.calibrated:
            floor = float(np.percentile(forces, IN_THE_AIR))
            if floor < STANDS * self.peak:
                self.peak, self.floor = self.peak - floor, floor
        self.peak = max(self.peak, LEAST if self.calibrated else 0.0)

    def _strike(self, time: float) -> None:
        if self.spans and time - self.spans[-1][1] < SWING_S:
            self.spans[-1] = (self.spans[-1][0], inf)  # it has not swung
        else:
            self.spans.append((time, inf))

    def _lift(self, time: float) -> None:
        strike, _ = self.spans.pop()
        if time - strike >= STANCE_S:
            self.spans.append((strike, time))


class Hearing:
    """Hears a stream of pressure. What it says of the last ``SWING_S`` may be taken back."""

    def __init__(self, layout: Layout, calibrated: bool = True) -> None:
        self.layout, self.calibrated, self.heard = layout, calibrated, -inf
        self._feet = (_Foot(calibrated), _Foot(calibrated))
        self._ends = [span(layout, foot) if calibrated else None for foot in (LEFT, RIGHT)]
        self._along: tuple[deque[tuple[float, float]], deque[tuple[float, float]]] = deque(), deque()
        self._manners, self._told = [USUAL, USUAL], dict[int, tuple[float, float]]()
        self._under = [np.flatnonzero(layout.feet == foot) for foot in (LEFT, RIGHT)]
        weights = layout.areas if calibrated else np.ones(len(layout.areas))
        self._weights, self._ahead = [weights[under] for under in self._under], [layout.centres[under, 0] for under in self._under]
        self._measured = [len(under) > 0 for under in self._under]

    def hear(self, time: float, frame: Array) -> None:
        """A frame, pressures (S,), that was felt at a time (s)."""
        felt = []
        for foot in (LEFT, RIGHT):
            forces = frame[self._under[foot]] * self._weights[foot]
            total = float(forces.sum())
            if isnan(total):  # rarely: so it is looked at only then which sensors say nothing
                known = ~np.isnan(forces)
                if not known.any():
                    continue
                forces = np.where(known, forces, 0.0)
                total = float(forces.sum())
            if self._measured[foot]:
                felt.append((foot, forces, total))
        for foot, forces, total in felt:
            self._feet[foot].feel(time, total)
            self._press(foot, time, forces, total)
        for foot, _, total in felt:
            self._feet[foot].tell(time, total, self._feet[1 - foot].peak)
        self.heard = time

    def _press(self, foot: int, time: float, forces: Array, total: float) -> None:
        """Where along the foot its pressure is: forces (N,) of its sensors, and in all."""
        ends, along = self._ends[foot], self._along[foot]
        if ends is None or total <= LIGHT * self._feet[foot].peak:
            return
        at = float((forces * self._ahead[foot]).sum()) / total
        along.append((time, (at - ends[0]) / (ends[1] - ends[0])))
        while along[0][0] < time - STRIDE_S:
            along.popleft()

    def manner(self, foot: int, strike: float) -> tuple[float, float]:
        """As far as it is known now; what is not yet is as it was last."""
        lift = next((end for start, end in self._feet[foot].spans if start == strike), None)
        last = self._manners[foot]
        if lift is None or strike == -inf or self.heard - strike < TELLS_S:
            return last
        if self._told.get(foot) != (strike, lift) and self._along[foot]:
            self._told[foot] = strike, lift
            times, along = np.array(self._along[foot]).T
            heel, push = manner_of(times, along, strike, lift if lift < inf else None)
            self._manners[foot] = heel, push if lift < inf else last[1]
        return self._manners[foot]

    def footwork(self) -> Footwork:
        """What is known now."""
        spans = [list(foot.spans) for foot in self._feet]
        for foot in (LEFT, RIGHT):
            if self._measured[foot] and self._feet[foot].silent:
                spans[foot] = [(-inf, inf)]
        return completed(spans, self._measured, self.heard)


def _crossing(then: float, before: float, time: float, level: float, threshold: float) -> float:
    """s when a level went through a threshold between two moments."""
    share = (threshold - before) / (level - before) if level != before else 1.0
    return then + min(max(share, 0.0), 1.0) * (time - then)
