"""Senses: what a learned controller goes by, as one row of numbers (Sok, Kim and Lee 2007, section 5.1).

Of the features of the paper none is left out. Added are the rates at which the trunk turns, because a body whose trunk topples is in another state
than one whose trunk is still; and in 3D what lies across the way: the body is seen from its heading, so that it may walk in any direction.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import atan2

import numpy as np

from ..arrays import Array
from ..body import Body
from ..dynamics import Pose, cross
from ..physics.state import State

TOUCHES = 0.03  # body weights on a foot, from which on it touches the ground
HEEL, TOE = 0.75, 0.25  # fractions of the foot's length from its heel: pressed before the first the heel touches, beyond the second the toes do
SPIN_S = 0.1  # s: a trunk that turns by 1 rad/s counts as one that leans by a tenth of a radian
LEGS = ("thigh", "shin", "foot")


@dataclass(frozen=True)
class Weights:
    """How much features count in the distance between two states (Table 2 of the paper); the weights of all others are 1.

    Attributes:
        feet: where the feet are. torso: the direction of the trunk. angles: of the joints, and their rates. root: height of the pelvis, and how fast
            it rises.
    """

    feet: float = 15.0
    torso: float = 2.0
    angles: float = 0.1
    root: float = 1.0


class Senses:
    """Of one body. ``size``: how many features there are."""

    def __init__(self, body: Body, weights: Weights):
        names = body.names
        self._planar = body.planar
        self._trunk = names.index("torso") if "torso" in names else 0
        self._joints = [names.index(f"{link}.{side}") for side in "LR" for link in LEGS] + ([self._trunk] if self._trunk else [])
        self._feet = [names.index(f"foot.{side}") for side in "LR"]
        self._touches = TOUCHES * 9.81 * body.mass
        foot = np.isin(body.sole_links, [self._feet[0], *([names.index("toes.L")] if "toes.L" in names else [])])
        along = body.sole_points[foot, 0] + np.where(body.sole_links[foot] == self._feet[0], 0.0, body.offsets[body.sole_links[foot], 0])
        heel, length = float(along.min()), float(np.ptp(along))
        self._heel, self._toe = heel + HEEL * length, heel + TOE * length  # m ahead of the ankle
        feet, torso, angles, root = astuple(weights)
        axes, count = (1, 3)[not body.planar], len(self._joints)
        here, up = ([1.0, 0.0], [root]) if body.planar else ([1.0, 1.0], [root])
        across = 2 if body.planar else 3
        self.weights = np.array(
            [angles] * (2 * axes * count) + [root] + (here[:1] if body.planar else here) + up + [torso] * (2 if body.planar else 5)
            + [feet] * (2 * across) + [1.0] * (2 * across) + [1.0] * 4)
        self.size = len(self.weights)

    def row(self, state: State, pose: Pose, ground: float) -> Array:
        """(F,) features, weighted: their distance is that of states. ``pose``: of the same state; ``ground``: m, its height under the body."""
        trunk = pose.frames[self._trunk]
        forward = pose.frames[0][:, 0]
        yaw = 0.0 if self._planar else atan2(forward[1], forward[0])
        c, s = np.cos(yaw), np.sin(yaw)
        level = np.array(((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)))  # from the world into the heading frame
        turns = pose.rotations[self._joints]
        turns = 2.0 * turns[:, 1:] * np.copysign(1.0, turns[:, :1])
        rates, velocity = pose.rates[self._joints], level @ pose.velocities[0]
        up, spin = level @ trunk[:, 2], trunk.T @ pose.turning[self._trunk]
        arms = pose.origins[self._feet] - pose.origins[0]
        moving = pose.velocities[self._feet] - pose.velocities[0] - cross(pose.turning[self._trunk], arms)
        arms, moving = arms @ trunk, moving @ trunk
        height = state.position[2] - ground
        if self._planar:
            found = [turns[:, 1], rates[:, 1], (height, velocity[0], velocity[2], up[0], SPIN_S * spin[1]), arms[:, ::2].ravel(),
                     moving[:, ::2].ravel(), self._contacts(state, forward)]
        else:
            found = [turns.ravel(), rates.ravel(), (height, *velocity), up[:2], SPIN_S * spin, arms.ravel(), moving.ravel(),
                     self._contacts(state, forward)]
        return np.concatenate(found) * self.weights

    def _contacts(self, state: State, forward: Array) -> list[float]:
        """Whether heel and toes touch the ground, left and right: by where the foot is pressed."""
        touched = []
        for foot in state.feet:
            load = foot.force[2]
            if load < self._touches:
                touched += [0.0, 0.0]
                continue
            x, y = foot.load_moment[0] / load - foot.position[0], foot.load_moment[1] / load - foot.position[1]
            ahead = forward[0] * x + forward[1] * y
            touched += [float(ahead < self._heel), float(ahead > self._toe)]
        return touched
