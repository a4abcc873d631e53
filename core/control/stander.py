"""Stander: drives a body that stands as a recording does and keeps its balance."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..balance_styles import BalanceStyle, scaled
from ..body import Body
from ..dynamics import Dynamics
from ..job import Job
from ..motion import Motion
from ..physics.state import PerJoint, State
from ..result import STRATEGIES
from .balance import StandingBalance
from .driver import Beside

FOLLOWS_S = 1.2  # s after any moment while it moves, in which it falls or has stood quietly, on average
TIME_STEP, EVERY = 0.002, 2  # s of a step of the engine, and how many it makes from one moment of control to the next
REST_S = 0.4  # s that it goes on standing once it is quiet
HIP_LEAN = np.radians(12.0)  # rad that the trunk leans, from which on it is the hips that keep the balance, and not the ankles
LOST_LEAN = np.radians(75.0)  # rad that the trunk leans, from which on nobody comes up again without hands on the ground


class Stander(Beside):
    """Keeps the balance of a body that is to stand in the pose of ``motion``, from its first frame on."""

    every = EVERY

    def __init__(self, body: Body, job: Job, inertias: Array, motion: Motion, name: str, awake: float, style: BalanceStyle,
                 most_steps: int | None = None, rest: float = REST_S, firm: Array | None = None):
        """
        Args:
            awake: s, from when on it may step. name: of the recording. style: as in the preset, before it is scaled to the body.
            most_steps: it gives up when it needs more. rest: s that it goes on standing once it is quiet.
            firm: (L,) times as firm as by itself that each joint holds its pose; by default 1.
        """
        super().__init__(body, job, motion, name)
        self._most_steps, self._rest = most_steps, rest
        self._rate = 1.0 / (job.time_step * self.every)
        self._targets = motion.resample(self._rate).rotations
        self.law = StandingBalance(body, Dynamics(body, inertias), scaled(style, body), job.friction, motion.rotations[0], awake, firm)

    @property
    def stance(self) -> int:
        return 1 - self.law.swing.foot if self.law.swing else 0

    @property
    def steps(self) -> int:
        return self.law.steps

    @property
    def finished(self) -> bool:
        if self._most_steps is not None and self.law.steps + (self.law.swing is not None) > self._most_steps:
            return True
        return self.law.quiet_since is not None and self._time > self.law.quiet_since + self._rest

    @property
    def done(self) -> float:
        quiet = self.law.quiet_since
        return self._time / (self._time + FOLLOWS_S if quiet is None else max(quiet + self._rest, self._time))

    @property
    def stands(self) -> bool:
        """Whether it stands quietly at last."""
        return self.law.quiet_since is not None

    @property
    def strategy(self) -> str:
        """How the balance was kept: one of ``STRATEGIES``."""
        steps = self.law.steps
        return STRATEGIES[1 + min(steps, 3)] if steps else STRATEGIES[int(self.law.lean > HIP_LEAN)]

    def torques(self, state: State) -> PerJoint:
        self._time = state.time
        self.law.target = self._targets[min(round(state.time * self._rate), len(self._targets) - 1)]
        return self.law.torques(state)

    def down(self, state: State, ground: float) -> bool:
        return super().down(state, ground) or self.law.lean > LOST_LEAN

    def fell_because(self, time: float) -> str:
        return f"Fell at {time:.2f} s: the hit was more than steps could catch; try a weaker one, or the response 'fall'."
