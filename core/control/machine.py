"""The finite state machine of a gait (thesis, section 7.3.1): which leg stands, which pose is aimed at, and since when."""

from __future__ import annotations

from math import cos, exp, sin

from ..physics.state import State
from .gait import Gait, GaitPose

LOAD_FILTER = 0.015  # s, low-pass on the feet's forces before they decide which leg carries the trunk
STRIKE = 0.06  # body weights on the swing foot from which on it has landed


class Machine:
    """Walks through the states of half a cycle, then changes legs.

    Attributes:
        stance: 0 left, 1 right. state_index, state_time: the state and the seconds in it.
        steps: half cycles done. step_time, last_step_time: seconds in this half cycle, and of the one before.
        loads: N on the left and the right foot, low-passed. pace: factor of the states' durations.
    """

    def __init__(self, weight: float, time_step: float):
        self.weight, self.time_step, self.pace = weight, time_step, 1.0
        self._smoothing = 1.0 - exp(-time_step / LOAD_FILTER)
        self.begin(0, [0.0, 0.0])

    def begin(self, stance: int, loads: list[float]) -> None:
        """Enter the first state. ``loads``: N on each foot; feet that do not touch the ground yet are taken to share the weight."""
        self.stance, self.state_index, self.state_time, self.steps = stance, 0, 0.0, 0
        self.step_time, self.last_step_time = 0.0, 0.0
        self.loads = list(loads) if sum(loads) >= 0.05 * self.weight else [0.5 * self.weight] * 2

    @property
    def swing(self) -> int:
        return 1 - self.stance

    def pose(self, gait: Gait) -> GaitPose:
        return gait.poses(self.stance)[self.state_index]

    def advance(self, gait: Gait, state: State, facing: float) -> bool:
        """Take in one time step; True where it led into another state. ``facing``: rad."""
        for side in (0, 1):
            self.loads[side] += self._smoothing * (state.feet[side].force[2] - self.loads[side])
        self.state_time += self.time_step
        self.step_time += self.time_step
        pose = gait.poses(self.stance)[self.state_index]
        if pose.duration is not None:
            done = self.state_time >= pose.duration * self.pace - 1e-9
        elif gait.legs == "together":
            done = sum(foot.force[2] for foot in state.feet) > STRIKE * self.weight
        else:
            done = state.feet[1 - self.stance].force[2] > STRIKE * self.weight
        if pose.ahead is not None and not done:
            (px, py, _), (ax, ay, _) = state.position, state.feet[self.stance].position
            done = (px - ax) * cos(facing) + (py - ay) * sin(facing) > pose.ahead
        if done:
            self._next_state(gait)
        return done

    def find_state(self, gait: Gait) -> None:
        """Be in the state in which a gait is after as much of a step as has passed."""
        self.state_index, self.state_time = 0, self.step_time
        while self.state_index < len(gait.states) - 1:
            lasts = gait.states[self.state_index].duration
            if lasts is None or self.state_time < lasts:
                break
            self.state_time -= lasts
            self.state_index += 1

    def land(self, stance: int, after: float) -> None:
        """Be in the stance of a leg, ``after`` s from its beginning: the foot has just landed."""
        if stance != self.stance:
            self.stance, self.last_step_time = stance, self.step_time
            self.steps += 1
        self.state_index, self.state_time, self.step_time = 0, after, after

    def _next_state(self, gait: Gait) -> None:
        self.state_time = 0.0
        self.state_index += 1
        if self.state_index == len(gait.states):
            self.state_index = 0
            self.steps += 1
            self.last_step_time, self.step_time = self.step_time, 0.0
            if gait.legs == "alternate":
                self.stance = 1 - self.stance
