"""A stream that moves a character: frames of a device in, poses out, each when it is due by the clock.

What was heard is kept as a recording. Acting on that gives the same poses again, to the last bit.
"""

from __future__ import annotations

import time as clock
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..signals import runs
from .acting import Actor, Pose
from .packets import Device
from .recording import Layout, Recording
from .stream import Counts, Frame, Listener, full, recorded

REMEMBERED_S = 10.0  # s of packets among which the one that was quickest tells when the feet were as it says: clocks drift
EARLY_S = 0.04  # s that poses are given before they are due, where they are known: who shows them may be busy for a moment
RATE = 60.0  # frames a second of a device that has sent only one
RESTS_S = 0.5  # s on both feet after which the character is taken to stand
SETS_OFF_S = 1.0  # s before a foot lifts, at most, in which the weight leaves it
LONGEST_GAP_S = 2.0  # s without a frame from which on the stream goes on where it was: nobody knows what the feet did
HELD_S, LONGEST_HELD_S = 1.0, 6.0  # s for which feet are taken to stand still when a device has stopped, at least and at most


@dataclass(frozen=True)
class Shown:
    """A pose. felt: s, of ``time.monotonic``, at which the feet were as it shows; it is due the latency after that."""

    pose: Pose
    felt: float


class Live:
    """Listens for one device, and lets an actor hear it."""

    def __init__(self, listener: Listener, make: Callable[[Layout, bool], Actor]):
        """``make``: an actor for sensors, and for whether they tell Pa."""
        self.listener, self._make = listener, make
        self.actor: Actor | None = None
        self._layout: Layout | None = None
        self._device: Device | None = None
        self.poses: list[Pose] = []
        self._times: list[float] = []
        self._frames: list[Frame] = []
        # s of arrival, and s from a frame's time to its arrival: of the last ones that may still be the quickest, which is the first.
        self._delays: deque[tuple[float, float]] = deque()
        self._first, self._shift = 0.0, 0.0
        self._standing: Frame | None = None  # as the feet are when they are taken to stand still
        self._stopped: float | None = None  # s at which the device was found to have stopped
        self._held_from = 0.0  # s of the stream from which on the feet are taken to stand still

    @property
    def counts(self) -> Counts:
        return self.listener.counts

    @property
    def stopped(self) -> bool:
        """Whether a device that did send does no longer, and the character stands."""
        return self._stopped is not None and self._stands_still()

    @property
    def full(self) -> bool:
        """Whether no more can be heard."""
        return full(self._frames)

    def go_on(self, now: float | None = None) -> list[Shown]:
        """Hear what has come, and give what is due, or will be in a moment. Never waits."""
        now = clock.monotonic() if now is None else now
        shown: list[Pose] = []
        for frame in self.listener.poll(now):
            shown += self._hear(frame, now)
        if self.actor is None:
            return []
        if self._stopped is None and self.listener.stopped(now):
            self._stopped = now
            self._restart(now)
        if self._stopped is not None:
            shown += self._hold(now)
        shown += self.actor.due(now - self._delay + EARLY_S)
        self.poses += shown
        return [Shown(pose, pose.time + self._delay) for pose in shown]

    def finish(self) -> None:
        """No more is heard: the last poses are made."""
        if self.actor is not None:
            self.poses += self.actor.finish()

    def recording(self) -> Recording | None:
        """All that was heard; None where nothing was."""
        layout, device = self._layout, self._device
        if layout is None or device is None or not self._times:
            return None
        return recorded(device, layout, np.array(self._times), self._frames, self.counts)

    @property
    def _delay(self) -> float:
        """s from a frame's time to its arrival, of the packet that was the quickest."""
        return self._delays[0][1]

    def _hear(self, frame: Frame, now: float) -> list[Pose]:
        layout, device = self.listener.frames.layout, self.listener.frames.device
        assert layout is not None and device is not None
        if self.actor is None:
            self.actor, self._first = self._make(layout, device.calibrated), frame.time
            self._layout, self._device = layout, device
        if layout is not self._layout and not _alike(layout, self._layout):
            return []  # of another device
        time = frame.time - self._first + self._shift
        # It goes on after a stop, in which the feet were taken to stand still, or its clock has jumped.
        if self._times and not 0.0 < time - self._times[-1] <= LONGEST_GAP_S:
            self._shift += self._times[-1] + self._step() - time
            time = self._times[-1] + self._step()
            self._delays.clear()
        self._stopped = None
        while self._delays and self._delays[-1][1] >= now - time:
            self._delays.pop()  # later ones are forgotten later
        self._delays.append((now, now - time))
        while self._delays[0][0] < now - REMEMBERED_S:
            self._delays.popleft()
        return self._act(time, frame)

    def _act(self, time: float, frame: Frame) -> list[Pose]:
        assert self.actor is not None
        self._times.append(time)
        self._frames.append(frame)
        return self.actor.hear(time, frame.pressures)

    def _step(self) -> float:
        """s from frame to frame."""
        return (self._times[-1] - self._times[0]) / (len(self._times) - 1) if len(self._times) > 1 else 1.0 / RATE

    def _restart(self, now: float) -> None:
        """The stream goes on from its last frame now, so that nothing jumps, with feet as they were when the character last stood on both."""
        self._delays.clear()
        self._delays.append((now, now - self._times[-1]))
        self._held_from = self._times[-1]
        self._standing = self._frames[min(int(np.searchsorted(self._times, self._last_stood() - 1e-9)), len(self._frames) - 1)]

    def _last_stood(self) -> float:
        """s at which the character last stood well on both feet: some time before it set off."""
        standing = np.array([not pose.action and bool(pose.stands.all()) for pose in self.poses], dtype=bool)
        found = runs(standing)
        if not found:
            return self._held_from
        start, end = found[-1]
        return self.poses[end - 1 - min((end - start) // 2, round(SETS_OFF_S * RATE))].time

    def _stands_still(self) -> bool:
        held = self._times[-1] - self._held_from
        done = all(not pose.action and bool(pose.stands.all()) for pose in self.poses[-round(RESTS_S * RATE):])
        return (done and held > HELD_S + (self.actor.latency if self.actor else 0.0)) or held > LONGEST_HELD_S

    def _hold(self, now: float) -> list[Pose]:
        """The feet stand as they last did, until the character does."""
        assert self._standing is not None
        step, poses = self._step(), []
        while not self._stands_still() and self._times[-1] + step <= now - self._delay:
            poses += self._act(self._times[-1] + step, self._standing)
        return poses


def _alike(one: Layout, other: Layout | None) -> bool:
    """Whether two devices have the same sensors."""
    return other is not None and one.grid == other.grid and np.array_equal(one.centres, other.centres) and np.array_equal(one.feet, other.feet)
