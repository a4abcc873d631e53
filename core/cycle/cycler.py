"""Cycler: leads a body through the poses of a graph with servos. At each half cycle it simulates what is to come, and changes the poses so that the
walk stays on its cycle (survey, Figure 11)."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body import Body
from ..control.driver import Driver
from ..control.limit_cycle import Regulation, factors, tries
from ..control.pose_graph import RATE, PoseGraph, exchanged, rotations
from ..control.steering import curve_value
from ..job import Job
from ..physics import World
from ..physics.state import PerJoint, State
from ..rotation import wrap

MOST_TURN = 0.3  # rad in half a cycle
MOST_FASTER = 0.03  # m/s from one half cycle to the next


def servos_of(graph: PoseGraph, body: Body) -> Array:
    """(3, L) stiffness N·m/rad, damping N·m·s/rad and largest torque N·m, as ``World.set_servos`` takes them."""
    rows = [(0.0, 0.0, 0.0)] + [graph.servos[name.split(".")[0]] for name in body.names[1:]]
    return np.array(rows).T * body.mass


class Cycler(Driver):
    """Walks on a limit cycle."""

    def __init__(self, body: Body, job: Job, graph: PoseGraph, controlled: bool = True, threads: int = 1):
        """
        Args:
            graph: must already be scaled to the body.
            controlled: whether it keeps its cycle; else it only plays the poses, and falls.
            threads: on which it simulates what is to come.
        """
        super().__init__(body, job)
        self._graph, self._controlled, self._threads = graph, controlled, threads
        self._regulation = Regulation(body)
        self.every = round(1.0 / (RATE * job.time_step))
        self._speed = self._wanted_speed(0.0)
        self.start = graph.at_speed(self._speed).start
        self._stance, self._halves, self._frame = 0, -1, 0
        self._angles = exchanged(graph.at_speed(self._speed).poses[-1:])
        self._targets: Array = np.zeros((0, len(body.names), 4))
        self._facing = self._commanded_heading = job.facing

    @property
    def gait_name(self) -> str:
        return self._graph.name

    @property
    def stance(self) -> int:
        return self._stance

    @property
    def steps(self) -> int:
        return max(0, self._halves)

    def faces(self, state: State) -> float:
        return self._facing

    def torques(self, state: State) -> None:
        """None: servos drive the body."""

    def act(self, world: World, torques: PerJoint | None, state: State) -> None:
        if self._frame == len(self._targets):
            self._halves, self._frame = self._halves + 1, 0
            self._stance = self._halves % 2
            if self._halves:
                self._angles = exchanged(self._angles)
            # Rollouts begin with this, so that what was simulated is what happens, to the last bit.
            world.resume(world.snapshot())
            self._begin_half(world, state)
        world.follow(self._targets[self._frame])
        self._frame += 1

    def _wanted_speed(self, time: float) -> float:
        return curve_value(self.job.speed, time) if self.job.speed else self._graph.speed

    def _begin_half(self, world: World, state: State) -> None:
        """Decide how the next half cycle goes."""
        if self.job.speed:
            self.commanded_speed = self._wanted_speed(state.time)
            self._speed += max(-MOST_FASTER, min(MOST_FASTER, self.commanded_speed - self._speed))
        self._commanded_heading = self.heading(state.time, state.position)
        turn = max(-MOST_TURN, min(MOST_TURN, wrap(self._commanded_heading - self._facing)))
        self._facing += turn
        graph, before = self._graph.at_speed(self._speed), self._angles[-1]
        found = self._found(world, graph, before, turn) if self._controlled else np.zeros(len(graph.changes))
        self._angles = self._twisted(graph, turn, self._stance).angles(before, found)
        self._targets = rotations(self.body, self._angles, self._stance)

    def _twisted(self, graph: PoseGraph, turn: float, stance: int) -> PoseGraph:
        return graph.twisted(-turn if stance else turn)

    def _found(self, world: World, graph: PoseGraph, before: Array, turn: float) -> Array:
        """(C,) factors of the changes with which this half cycle is to go, from a simulation of as many as the aims look ahead.

        Args: before: (J, 3) rad, the last targets so far. turn: rad, in this half cycle; in the next ones it is taken to go on.
        """
        ahead, every = max(aim.after for aim in graph.aims), tries(len(graph.changes))
        plans = [self._ahead(graph, before, turn, row, ahead) for row in every]
        snapshot = world.snapshot()
        rolled = world.rollouts(np.repeat(snapshot[None], len(every), axis=0), np.array(plans), self.every, every=graph.frames, threads=self._threads)
        ends = graph.frames * (np.arange(ahead) + 1) - 1
        answers = self._regulation.values(graph.aims, rolled.positions[:, ends], rolled.rotations[:, ends], self._stance, self._facing, turn)
        if not np.isfinite(answers).all():
            return np.zeros(len(graph.changes))
        return factors(answers, np.array([aim.value for aim in graph.aims]), np.array([change.most for change in graph.changes]))

    def _ahead(self, graph: PoseGraph, before: Array, turn: float, changed: Array, halves: int) -> Array:
        """(F, L, 4) targets of some half cycles, the first of them changed by factors (C,)."""
        parts, stance = [], self._stance
        for half in range(halves):
            angles = self._twisted(graph, turn, stance).angles(before, changed if half == 0 else np.zeros(len(changed)))
            parts.append(rotations(self.body, angles, stance))
            before, stance = exchanged(angles[-1]), 1 - stance
        return np.concatenate(parts)
