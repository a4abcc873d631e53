"""Limit cycle control (Laszlo, van de Panne and Fiume 1996; survey, section 3.1): what is regulated of a walk, and how its poses change for that.

Each half cycle has a linear model of its own: how regulation variables at its end answer to small changes of its poses. Whoever has a world simulates
the half cycle once for each row of ``tries``; ``factors`` says from the answers how much of each change it is to be walked with.
"""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from .cycle_model import EFFORT
from .pose_graph import RATE

GRAVITY = 9.81


class Regulation:
    """The regulation variables of a body at the end of a half cycle, seen from where it is to face, forward and to the left.

    "up": the unit vector along the torso. "foot": the centre of mass, seen from the foot that swung and will stand, and "height" above it; "last":
    seen from the other one. "speed": of the centre of mass. "roll", "pitch", "spin": rates of the pelvis, about forward, left and up. "turn": rad,
    where the pelvis faces. Lengths are leg lengths ℓ, speeds √(gℓ), and rates √(g/ℓ), so that bodies are alike.
    To the left is written for a next half cycle on the left leg, and mirrored before one on the right leg.
    """

    def __init__(self, body: Body):
        self._skeleton, self._shares, self._centers = body.skeleton, body.masses / body.mass, body.com_offsets
        self._torso, self._feet = body.names.index("torso"), [body.names.index(f"foot.{side}") for side in "LR"]
        self._length, self._pace = body.leg_length, (GRAVITY * body.leg_length) ** 0.5

    def values(self, positions: Array, rotations: Array, spins: Array, stance: int, facing: Array) -> Array:
        """(N, V) of ``cycle_model.VARIABLES``.

        Args:
            positions: (N, 2, 3) m, of the pelvis, and rotations: (N, 2, L, 4), as in ``Rollouts``, at the last two targets of a half cycle.
            spins: (N, 3) rad/s, world, of the pelvis, at its end. stance: the leg that stood in it: 0 left, 1 right.
            facing: (N,) rad, world, where the bodies are to face at its end.
        """
        places, turns = self._skeleton.forward_kinematics(positions, rotations)
        centers = np.einsum("l,nhld->nhd", self._shares, places + rotation.rotate(turns, self._centers))
        speeds = (centers[:, 1] - centers[:, 0]) * RATE / self._pace
        ahead, last = ((centers[:, 1] - places[:, 1, self._feet[foot]]) / self._length for foot in (1 - stance, stance))
        up = rotation.rotate(turns[:, 1, self._torso], np.array([0.0, 0.0, 1.0]))
        rates = spins * self._length / self._pace
        side, c, s = 1.0 if stance else -1.0, np.cos(facing), np.sin(facing)

        def forward(vectors: Array) -> Array:
            return np.asarray(c * vectors[:, 0] + s * vectors[:, 1])

        def left(vectors: Array) -> Array:
            return np.asarray(side * (c * vectors[:, 1] - s * vectors[:, 0]))

        turn = side * rotation.wrap(rotation.heading(turns[:, 1, 0]) - facing)
        return np.stack([forward(up), left(up), forward(ahead), left(ahead), ahead[:, 2], forward(last), left(last), forward(speeds), left(speeds),
                         speeds[:, 2], side * forward(rates), side * left(rates), side * rates[:, 2], turn], axis=1)


def tries(around: Array) -> Array:
    """(C + 1, C) factors of the changes with which a half cycle is simulated: some (C,), and these with one more of each change."""
    return np.concatenate([around[None], around + np.eye(len(around))])


def factors(answers: Array, around: Array, wanted: Array, usual: Array, to_come: Array, most: Array) -> Array:
    """(C,) K of eq. 8: how much of each change brings the variables to what is wanted, as far as it is worth it, by this half cycle's linear model.

    Args:
        answers: (C + 1, V) the variables after each of ``tries(around)``. wanted: (V,). usual: (C,) the factors that keep them there.
        to_come: (V + C, V + C), as ``CycleModel.to_come`` has it. most: (C,) the largest factors.
    """
    jacobian = np.concatenate([(answers[1:] - answers[0]).T, np.eye(len(around))])  # J of eq. 7, and the factors themselves
    off = np.concatenate([answers[0] - wanted, around - usual])
    effort = EFFORT**2 * np.eye(len(around))
    step = np.linalg.solve(jacobian.T @ to_come @ jacobian + effort, jacobian.T @ to_come @ off + effort @ (around - usual))
    return np.asarray(np.clip(around - step, -most, most))
