"""Walker: decides from step to step what the SIMBICON law shall do — which gait, how fast, which way."""

from __future__ import annotations

from math import hypot

from .. import presets
from ..body import Body
from ..job import Job
from ..physics.state import State
from .gait import Gait
from .simbicon import Command, Simbicon
from .steering import PathFollower, curve_value


class Walker:
    """Drives a body through a Job. The controller that acts now is ``law``."""

    def __init__(self, body: Body, job: Job, gaits: dict[str, Gait]):
        self.body, self.job = body, job
        self._own = gaits
        self._path = PathFollower(job.path) if job.path else None
        gait = self._gait(job.gait)
        self.reference_leg = (gaits.get(job.gait) or presets.gait(job.gait)).reference["leg_length"]
        if job.start == "rest" or (job.start is None and gait.start is None):
            self.start = None
        else:
            self.start = gait.start
        self.law = Simbicon(body, gait, job.time_step)
        self.commanded_heading = self.heading(0.0, (0.0, 0.0))
        self.commanded_speed: float | None = None
        self._began = False

    def _gait(self, name: str) -> Gait:
        gait = self._own.get(name) or presets.gait(name)
        return gait.scaled(self.body.mass, self.body.leg_length)

    @property
    def gait_name(self) -> str:
        return self.law.gait.name

    @property
    def stance(self) -> int:
        return self.law.stance

    @property
    def state_index(self) -> int:
        return self.law.state_index

    @property
    def steps(self) -> int:
        return self.law.steps

    def heading(self, time: float, position: tuple) -> float:
        if self._path:
            return self._path.heading(position[0], position[1])
        return curve_value(self.job.heading, time)

    def torques(self, state: State) -> list:
        if not self._began:
            self.law.reset(state, stance=(self.start or {}).get("stance", 0))
            self._began = True
        self.commanded_heading = self.heading(state.time, state.position)
        self.law.command.heading = self.commanded_heading
        return self.law.torques(state)
