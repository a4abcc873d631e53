"""Walking, as it is heard: frames of pressure come in, poses of a walking body come out a fixed latency behind them."""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..motion import Motion
from .footwork import begins_walking
from .hearing import Hearing
from .recording import Layout, Recording
from .strides import RATE, Figure, Strider, Walked

AT_ONCE_S = 1.0 / 12.0  # s of poses that are made at once; so much less than the latency is known of what comes


class Walking:
    """Hears foot pressure and walks."""

    def __init__(self, body: Body, layout: Layout, latency: float, *, fps: float = RATE, calibrated: bool = True, step_width: float = 0.0,
                 arm_spread: float = 0.0) -> None:
        """
        Args:
            layout: of the sensors. calibrated: whether they tell Pa, or counts. latency: s from a moment of the stream until its pose.
            step_width, arm_spread: as ``Strider`` and ``Figure`` take them.
        """
        self.latency, self.fps = latency, fps
        self.hearing = Hearing(layout, calibrated)
        self.strider = Strider(body, manner=self.hearing.manner, step_width=step_width)
        self._figure = Figure(body, self.strider.cycle, arm_spread)
        self._start: float | None = None
        self._count = 0
        self._made: list[Walked] = []

    def hear(self, time: float, frame: Array) -> Walked | None:
        """The poses that are due when a frame, pressures (S,), has come that was felt at a time (s)."""
        if self._start is None:
            self._start = time
        self.hearing.hear(time - self._start, frame)
        due = time - self._start - self.latency
        if due >= self._count / self.fps - 1e-9:
            self._make(due + AT_ONCE_S)
        return self._due(time - self.latency)

    def finish(self) -> Walked | None:
        """The poses up to the last frame."""
        if self._start is None:
            return None
        self._make(self.hearing.heard)
        return self._due(self._start + self.hearing.heard)

    def _due(self, time: float) -> Walked | None:
        """What was made up to a time (s)."""
        if not self._made:
            return None
        made, self._made = joined(self._made), []
        count = int((made.times <= time + 1e-9).sum())
        if count < len(made.times):
            self._made = [made.part(count, len(made.times))]
        return made.part(0, count) if count else None

    def _make(self, time: float) -> None:
        """Some poses at once are quicker made than one by one."""
        last = int(np.floor(time * self.fps + 1e-6))
        if last < self._count:
            return
        assert self._start is not None
        footwork = self.hearing.footwork()
        if self._count == 0 and begins_walking(footwork):
            self.strider.warm_up(footwork, self.fps)
        rows = [self.strider.go_on(footwork, number / self.fps) for number in range(self._count, last + 1)]
        self._made.append(self._figure.walked(rows, self._start + self._count / self.fps, self.fps))
        self._count = last + 1


def joined(pieces: list[Walked]) -> Walked:
    """One after the other."""
    first = pieces[0].motion
    motion = Motion(first.skeleton, first.fps, np.concatenate([piece.motion.root_positions for piece in pieces]),
                    rotation.make_continuous(np.concatenate([piece.motion.rotations for piece in pieces])))
    times, stands, speeds = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("times", "stands", "speeds"))
    return Walked(times, motion, stands, speeds)


def walked(recording: Recording, walking: Walking) -> Walked:
    """A recording as a stream: nothing is known of what comes later than the latency. The same as a loop over ``hear``."""
    pieces = [walking.hear(float(time), frame) for time, frame in zip(recording.times, recording.pressures, strict=True)] + [walking.finish()]
    return joined([piece for piece in pieces if piece is not None])
