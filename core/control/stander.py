"""Stander: drives a body that stands as a recording does and keeps its balance."""

from __future__ import annotations

import numpy as np

from .. import presets
from ..body import Body
from ..dynamics import Dynamics
from ..job import Job
from ..motion import Motion
from ..physics.state import State
from ..result import STRATEGIES
from .balance import Balance, Manners
from .driver import Beside

TIME_STEP, EVERY = 0.002, 2  # s, and steps of simulation for one of control
LEG = 0.856  # m, of the body that the preset was found on
REST_S = 0.4  # s that it goes on standing once it is quiet
HIP_LEAN = np.radians(12.0)  # of the trunk, from which on hips and not ankles keep the balance
LOST_LEAN = np.radians(75.0)  # of the trunk, from which on nobody comes up again without hands on the ground


def variations() -> dict:
    """How manners are varied where none that is known holds: "most": how many are tried; "parents": of how many; "spread": of the logarithms of their
    numbers; "seed"."""
    return presets.read_json(presets.FOLDER / "balance.json")["variations"]


def known_manners() -> list[Manners]:
    """Those of the preset, all of which are tried."""
    listed = presets.read_json(presets.FOLDER / "balance.json")["manners"]
    return [Manners(**{name: tuple(value) if isinstance(value, list) else value for name, value in manners.items()}) for manners in listed]


class Stander(Beside):
    """Keeps the balance of a body whose pose is that of ``motion``, from its first frame on."""

    every = EVERY

    def __init__(self, body: Body, job: Job, inertias: np.ndarray, motion: Motion, name: str, awake: float, manners: Manners):
        """``awake``: s, from when on it may step. ``name``: of the recording. ``manners``: of a body with legs of ``LEG`` m."""
        super().__init__(body, job, motion, name)
        manners = manners.scaled(body.leg_length / LEG)
        self.law = Balance(body, Dynamics(body, inertias), manners, job.friction, motion.rotations[0], awake)

    @property
    def stance(self) -> int:
        return 1 - self.law.swing.foot if self.law.swing else 0

    @property
    def steps(self) -> int:
        return self.law.steps

    @property
    def finished(self) -> bool:
        return self.law.quiet_since is not None and self._time > self.law.quiet_since + REST_S

    @property
    def stands(self) -> bool:
        """Whether it stands quietly at last."""
        return self.law.quiet_since is not None

    @property
    def strategy(self) -> str:
        """How the balance was kept: one of ``STRATEGIES``."""
        steps = self.law.steps
        return STRATEGIES[1 + min(steps, 3)] if steps else STRATEGIES[int(self.law.lean > HIP_LEAN)]

    def torques(self, state: State) -> list:
        self._time = state.time
        self.law.target = self.motion.sample(state.time)[1]
        return self.law.torques(state)

    def down(self, height: float) -> bool:
        return super().down(height) or self.law.lean > LOST_LEAN

    def fell_because(self, time: float) -> str:
        return f"Fell at {time:.2f} s: the hit was more than steps could catch; try a weaker one, or the response 'fall'."
