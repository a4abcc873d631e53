"""Cycler: leads a body through the poses of a graph with servos. At each half cycle it simulates what is to come, and changes the poses so that the
walk stays on its cycle (survey, Figure 11)."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body import Body
from ..control.driver import Driver
from ..control.pose_graph import RATE, PoseGraph, exchanged, rotations
from ..control.steering import curve_value
from ..job import Job
from ..physics import World
from ..physics.state import PerJoint, State
from ..rotation import wrap
from .foresight import Begun, Foresight, half_angles

MOST_TURN = 0.15  # rad in half a cycle
MOST_FASTER = 0.03  # m/s from one half cycle to the next


class Cycler(Driver):
    """Walks on a limit cycle."""

    def __init__(self, body: Body, job: Job, graph: PoseGraph, controlled: bool = True, threads: int = 1):
        """
        Args:
            graph: must already be scaled to the body, and where it is to be controlled, have its linear model.
            controlled: whether it keeps its cycle; else it only plays the poses, and falls.
            threads: on which it simulates what is to come.
        """
        super().__init__(body, job)
        self._family, self._controlled, self._threads = graph, controlled, threads
        self.every = round(1.0 / (RATE * job.time_step))
        self._foresight: Foresight | None = None
        self._go_at(self._wanted_speed(0.0))
        self.start = self._graph.start
        self._stance, self._halves, self._frame = 0, -1, 0
        self._before = exchanged(self._graph.poses[-1])
        self._targets: Array = np.zeros((0, len(body.names), 4))
        self._facing = self._commanded_heading = job.facing

    @property
    def gait_name(self) -> str:
        return self._family.name

    @property
    def stance(self) -> int:
        return self._stance

    @property
    def steps(self) -> int:
        return max(0, self._halves)

    def faces(self, state: State) -> float:
        return self._facing

    def fell_because(self, time: float) -> str:
        fell = f"Fell at {time:.2f} s on the limit cycle '{self.gait_name}'"
        if not self._controlled:
            return f"{fell}: its poses fall by themselves; switch Keep on Cycle on (controlled)."
        if self.job.events:
            return f"{fell}; it bears no more than a nudge: try a weaker push, or a gait."
        if self.job.heading or self.job.path:
            return f"{fell}; try wider turns, or a gait."
        if self.job.speed:
            return f"{fell}; try a speed nearer to its own, {self._family.speed:.1f} m/s, or a gait."
        return f"{fell}; try another limit cycle, or a gait: not all of them hold on every body and ground."

    def torques(self, state: State) -> None:
        """None: servos drive the body."""

    def act(self, world: World, torques: PerJoint | None, state: State) -> None:
        if self._frame == len(self._targets):
            self._halves, self._frame = self._halves + 1, 0
            self._stance = self._halves % 2
            # Rollouts begin with this, so that what was simulated is what happens, to the last bit.
            world.resume(world.snapshot())
            self._begin_half(world, state)
        world.follow(self._targets[self._frame])
        self._frame += 1

    def _wanted_speed(self, time: float) -> float:
        return curve_value(self.job.speed, time) if self.job.speed else self._family.speed

    def _go_at(self, speed: float) -> None:
        """Take the graph between those of the family, and what it costs to be off its cycle."""
        self._speed, self._graph = speed, self._family.at_speed(speed)
        self._to_come = self._graph.model.to_come() if self._graph.model else None

    def _begin_half(self, world: World, state: State) -> None:
        """Decide how the next half cycle goes."""
        wanted = self._wanted_speed(state.time)
        self.commanded_speed = wanted if self.job.speed else None
        if abs(wanted - self._speed) > 1e-6:
            self._go_at(self._speed + max(-MOST_FASTER, min(MOST_FASTER, wanted - self._speed)))
        self._commanded_heading = self.heading(state.time, state.position)
        turn = max(-MOST_TURN, min(MOST_TURN, wrap(self._commanded_heading - self._facing)))
        self._facing += turn
        chosen = np.zeros(len(self._graph.changes))
        if self._controlled:
            assert self._to_come is not None
            self._foresight = self._foresight or Foresight(world, self.every, self._threads)
            now = world.snapshot()
            begun = Begun(now[None], self._before[None], np.array([turn]), self._stance, np.array([self._facing]))
            chosen = self._foresight.choose(self._graph, self._to_come, begun)[0][0]
            world.resume(now)  # an engine may try things out in the world itself
        angles = half_angles(self._graph, self._before, chosen, turn, self._stance)
        self._before, self._targets = exchanged(angles[-1]), rotations(self.body, angles, self._stance)
