"""Foresight: half cycles of a walk, simulated from snapshots before they are walked, and how they are to be walked by what came of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array
from ..control.driver import FALLEN
from ..control.limit_cycle import Regulation, factors, tries
from ..control.pose_graph import PoseGraph, exchanged, rotations
from ..physics import World

UPRIGHT = np.cos(0.9)  # of the pelvis, as long as a body walks


@dataclass(frozen=True)
class Begun:
    """N half cycles at their beginning. snapshots: (N, S). before: (N, J, 3) rad, the last targets. turns: (N,) rad that they are to turn, to the
    left. stance: the leg that stands, 0 left, 1 right. facing: (N,) rad, world, where they are to face at their end."""

    snapshots: Array
    before: Array
    turns: Array
    stance: int
    facing: Array

    def repeated(self, times: int) -> Begun:
        """Each of them so many times, one after the other."""
        snapshots, before, turns, facing = (np.repeat(row, times, axis=0) for row in (self.snapshots, self.before, self.turns, self.facing))
        return Begun(snapshots, before, turns, self.stance, facing)


@dataclass(frozen=True)
class Ended:
    """What N half cycles led to. values: (N, V) as ``Regulation`` has them. upright: (N,) whether they still walk. snapshots: (N, S).
    last: (N, J, 3) rad, the last targets, as the next half cycle calls the joints. positions: (N, 3) m, of the pelvis."""

    values: Array
    upright: Array
    snapshots: Array
    last: Array
    positions: Array


class Foresight:
    """Simulates half cycles of a body. every: steps of the engine from target to target. threads: that share the samples."""

    def __init__(self, world: World, every: int, threads: int = 1):
        self._world, self._every, self._threads = world, every, threads
        self._regulation = Regulation(world.body)
        self._lowest = FALLEN * world.body.standing_height

    def end(self, graph: PoseGraph, begun: Begun, chosen: Array) -> Ended:
        """What comes of N half cycles with factors (N, C) of the changes."""
        angles = [half_angles(graph, *row, begun.stance) for row in zip(begun.before, chosen, begun.turns, strict=True)]
        targets = np.array([rotations(self._world.body, row, begun.stance) for row in angles])
        rolled = self._world.rollouts(begun.snapshots, targets, self._every, every=graph.frames, threads=self._threads)
        spins = rolled.angular_velocities[:, -1]
        values = self._regulation.values(rolled.positions[:, -2:], rolled.rotations[:, -2:], spins, begun.stance, begun.facing)
        ups = rotation.rotate(rolled.rotations[:, -1, 0], np.array([0.0, 0.0, 1.0]))[:, 2]
        upright = np.isfinite(values).all(axis=1) & (rolled.positions[:, -1, 2] > self._lowest) & (ups > UPRIGHT)
        return Ended(values, upright, rolled.snapshots[:, -1], exchanged(np.array([row[-1] for row in angles])), rolled.positions[:, -1])

    def choose(self, graph: PoseGraph, to_come: Array, begun: Begun) -> tuple[Array, Array, Ended]:
        """(N, C) factors with which N half cycles are to go, (N · (C + 1), C) those that were tried for that, and what came of these.

        Args: to_come: of the graph's model.
        """
        assert graph.model is not None
        count, most = len(graph.changes), np.array([change.most for change in graph.changes])
        wishes = [graph.model.wanted(mirrored(turn, begun.stance)) for turn in begun.turns]
        every = np.concatenate([tries(usual) for _, usual in wishes])
        ends = self.end(graph, begun.repeated(count + 1), every)
        chosen = np.array([usual for _, usual in wishes])
        for n, answers in enumerate(ends.values.reshape(len(wishes), count + 1, -1)):
            if np.isfinite(answers).all():
                wanted, usual = wishes[n]
                chosen[n] = factors(answers, usual, wanted, usual, to_come, most)
        return chosen, every, ends


def half_angles(graph: PoseGraph, before: Array, chosen: Array, turn: float, stance: int) -> Array:
    """(F, J, 3) rad: the targets of a half cycle in which the body turns to the left by ``turn`` (rad)."""
    return graph.twisted(mirrored(turn, stance)).angles(before, chosen)


def mirrored(turn: float, stance: int) -> float:
    """A turn as the half cycle on the left leg has it."""
    return -turn if stance else turn
