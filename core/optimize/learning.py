"""Learn the feedforward torques of a gait by letting it walk (thesis, sections 7.6 and 7.7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..context import Context
from ..control.feedforward import BIN, Feedforward
from ..control.gait import make_gait
from ..control.imitator import Imitator
from ..control.walker import Walker
from ..errors import JobError, SimulationError
from ..job import Job
from ..jobs import make_job
from ..methods.gait import walk
from ..methods.imitate import imitated
from ..result import Result
from ..rotation import to_euler
from ..session import Supervisor

RATE = 0.1  # α of eq. 7.2
LEAD = 2  # time steps that torques are learned ahead of the feedback
LONGEST = 1.3  # step times that the table covers
SETTLE = 6.0  # s of walking before learning starts
CHECK = 6.0  # s at either end over which swing and ratio are measured
SHORTEST = 20.0  # s: half of it is left for low gains, and of the other half some seconds for learning once the walk has settled

Learned = tuple[dict[str, Any], dict[str, float]]  # the table as data, and figures


def learn(data: dict[str, Any], name: str, seconds: float, body: str | dict[str, Any] = "average_man", gain: float = 0.5,
          context: Context | None = None) -> Learned:
    """Walk for ``seconds`` while learning, the second half of it with only the fraction ``gain`` of the trunk's feedback gains.

    Returns: the table (``Feedforward.to_dict``) and figures: trunk pitch swing in degrees (peak to peak over some steps) before
    learning and at the end, and the ratio of feedback to feedforward torque, ∫‖fb‖ / ∫‖ff‖, with full and with low gains.
    """
    job = make_job({"gait": name, "body": body, "duration": seconds, "fps": 100})
    gaits = {job.settings.gait: make_gait(data, name)}
    return _taught(job, name, gain, lambda teacher: walk(job, context, gaits, teacher))


def learn_imitation(data: dict[str, Any], seconds: float, gain: float = 0.5, context: Context | None = None) -> Learned:
    """The same for a recording that is imitated, from the data of a job. The table can be the job's "feedforward"."""
    job = make_job({**data, "duration": seconds, "fps": 100})
    return _taught(job, "the recording", gain, lambda teacher: imitated(job, context, teacher))


def _taught(job: Job, name: str, gain: float, simulated: Callable[[Supervisor], Result]) -> Learned:
    """Run a job while learning, under the teacher that ``simulated`` is given; returns as ``learn`` does."""
    if job.duration < SHORTEST:
        raise JobError(f"Learning in {job.duration:g} s is not possible: give it {SHORTEST:g} s or more.")
    teacher = _Teacher(job.duration, gain)
    result = simulated(teacher)
    if result.outcome["fell"]:
        raise SimulationError(f"'{name}' fell at {result.outcome['fell_at']:.1f} s while learning; learn with a steadier gait.")
    if not teacher.softened:
        raise SimulationError(f"'{name}' takes no steps that torques could be learned from: learn with a gait that walks.")
    window = int(CHECK * result.fps)
    pitch = np.degrees(to_euler(result.rotations[:, 0], "zyx"))[..., 1]
    begin = int((SETTLE - 3.0) * result.fps)
    return teacher.table.to_dict(), {
        "trunk_swing_before_deg": float(np.ptp(pitch[begin:begin + int(3.0 * result.fps)])),
        "trunk_swing_after_deg": float(np.ptp(pitch[-window:])),
        "feedback_over_feedforward": teacher.full_gain_ratio,
        "feedback_over_feedforward_low_gain": teacher.table.ratio,
    }


class _Teacher:
    """Watches a walk: starts learning when it has settled, lowers the gains halfway, and counts torques before either end."""

    def __init__(self, seconds: float, gain: float):
        self.halfway, self.end, self.gain = seconds / 2, seconds, gain
        self.table = Feedforward(0)
        self.full_gain_ratio = float("nan")
        self._done: set[str] = set()

    @property
    def softened(self) -> bool:
        """Whether it has come to the second half, with a table."""
        return "soften" in self._done

    def __call__(self, walker: Walker | Imitator, time: float) -> None:
        machine = walker.law.machine
        if time >= SETTLE and machine.last_step_time and self._first("learn"):
            self.table = Feedforward(round(LONGEST * machine.last_step_time / BIN), rate=RATE, lead=LEAD * machine.time_step)
            walker.law.feedforward = self.table
        if "learn" not in self._done:
            return
        if time >= self.halfway - CHECK and self._first("count full"):
            self.table.clear_sums()
        if time >= self.halfway and self._first("soften"):
            self.full_gain_ratio = self.table.ratio
            walker.soften(self.gain)
        if time >= self.end - CHECK and self._first("count low"):
            self.table.clear_sums()

    def _first(self, what: str) -> bool:
        """Whether it is done for the first time now."""
        fresh = what not in self._done
        self._done.add(what)
        return fresh
