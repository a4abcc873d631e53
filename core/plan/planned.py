"""Planned: replays a plan in one continuous simulation."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..control.driver import Driver
from ..physics import World
from ..physics.state import PerJoint, State
from .aim import FPS
from .stage import WINDOW, Stage


class Planned(Driver):
    """Leads a body with the servo targets of a plan, while the clip is shown beside it."""

    def __init__(self, stage: Stage, knots: Array, name: str):
        """``knots``: (W, D) rad."""
        super().__init__(stage.body, stage.job)
        self._stage, self._name = stage, name
        self._targets = stage.targets(0, np.zeros((1, len(stage.spread))), knots[None])[0]
        self._frames = min(len(knots) * WINDOW, stage.aim.frames - 1)
        self._steps = 0

    @property
    def gait_name(self) -> str:
        return self._name

    @property
    def stance(self) -> int:
        """The lower foot of the clip."""
        ankles = [self.body.names.index(f"foot.{side}") for side in "LR"]
        return int(np.argmin(self._stage.aim.positions[self._frame, ankles, 2]))

    @property
    def commanded_heading(self) -> float:
        w, x, y, z = self._stage.aim.rotations[self._frame, 0]
        return float(np.arctan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z)))

    @property
    def _frame(self) -> int:
        return min(self._steps // self._stage.steps, self._stage.aim.frames - 1)

    @property
    def finished(self) -> bool:
        return self._steps >= self._frames * self._stage.steps

    def down(self, state: State, ground: float) -> bool:
        """Never: a clip may sit or lie down."""
        return False

    def torques(self, state: State) -> None:
        """None: servos drive the body."""
        self._steps = round(state.time * FPS * self._stage.steps)

    def act(self, world: World, torques: PerJoint | None, state: State) -> None:
        frame, step = divmod(self._steps, self._stage.steps)
        if step == 0:
            if frame and frame % WINDOW == 0:
                # Every rollout begins with this. (Not in the first window, which begins so already: the last bit of a number may decide whether a
                # foot touches the ground.)
                world.resume(world.snapshot())
            world.follow(self._targets[min(frame, len(self._targets) - 1)])  # who seems to be thrown is looked at for longer

    def shown(self) -> Array:
        positions, between = self._stage.aim.shown, self._steps % self._stage.steps / self._stage.steps
        before, after = self._frame, min(self._frame + 1, len(positions) - 1)
        return positions[before] + between * (positions[after] - positions[before])
