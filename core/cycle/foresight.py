"""Foresight: half cycles of a walk, simulated from snapshots before they are walked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array
from ..control.driver import FALLEN
from ..control.limit_cycle import Regulation
from ..control.pose_graph import PoseGraph, exchanged, rotations
from ..physics import World

UPRIGHT = np.cos(0.9)  # of the pelvis, as long as a body walks


@dataclass(frozen=True)
class HalfCycle:
    """What half a cycle led to in N samples. values: (N, V) as ``Regulation`` has them. upright: (N,) whether they still walk. snapshots: (N, S).
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

    def half(self, graph: PoseGraph, snapshots: Array, before: Array, factors: Array, turns: Array, stance: int, facing: Array) -> HalfCycle:
        """What comes of N samples.

        Args:
            snapshots: (N, S) where they begin. before: (N, J, 3) rad, their last targets. factors: (N, C) of the changes.
            turns: (N,) rad, in this half cycle, to the left. stance: 0 left, 1 right. facing: (N,) rad, world, where they are to face at the end.
        """
        angles = [half_angles(graph, *row, stance) for row in zip(before, factors, turns, strict=True)]
        targets = np.array([rotations(self._world.body, row, stance) for row in angles])
        rolled = self._world.rollouts(snapshots, targets, self._every, every=graph.frames, threads=self._threads)
        values = self._regulation.values(rolled.positions[:, -2:], rolled.rotations[:, -2:], rolled.angular_velocities[:, -1], stance, facing)
        ups = rotation.rotate(rolled.rotations[:, -1, 0], np.array([0.0, 0.0, 1.0]))[:, 2]
        upright = np.isfinite(values).all(axis=1) & (rolled.positions[:, -1, 2] > self._lowest) & (ups > UPRIGHT)
        return HalfCycle(values, upright, rolled.snapshots[:, -1], exchanged(np.array([row[-1] for row in angles])), rolled.positions[:, -1])


def half_angles(graph: PoseGraph, before: Array, factors: Array, turn: float, stance: int) -> Array:
    """(F, J, 3) rad: the targets of a half cycle in which the body turns to the left by ``turn`` (rad)."""
    return graph.twisted(mirrored(turn, stance)).angles(before, factors)


def mirrored(turn: float, stance: int) -> float:
    """A turn as the half cycle on the left leg has it."""
    return -turn if stance else turn
