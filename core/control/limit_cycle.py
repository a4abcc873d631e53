"""Limit cycle control (Laszlo, van de Panne and Fiume 1996; survey, section 3.1): what is regulated of a walk, and how its poses change for that.

Each cycle has a linear model of its own: how regulation variables at its end answer to small changes of its poses. Whoever has a world simulates the
cycle once for each row of ``tries``; ``factors`` says from the answers how much of each change the cycle is to be walked with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from .pose_graph import Aim

# An answer to a change (m, rad, or part of the up vector) that is too faint to be relied on: else what hardly does anything would be changed most.
FAINT = 0.02


class Regulation:
    """The regulation variables of a body: each a horizontal component of a vector, forward or to the left of where the body is to face.

    "up": the unit vector along the torso. "foot": m, the centre of mass, seen from the foot that swings in the first half cycle.
    "turn": rad, where the pelvis faces. To the left is written for a first half cycle on the left leg, and mirrored on the right one.
    """

    def __init__(self, body: Body):
        self._skeleton, self._shares, self._centers = body.skeleton, body.masses / body.mass, body.com_offsets
        self._torso, self._feet = body.names.index("torso"), [body.names.index(f"foot.{side}") for side in "LR"]

    def values(self, aims: Sequence[Aim], positions: Array, rotations: Array, stance: int, facing: float, turn: float = 0.0) -> Array:
        """(N, A) of the aims' variables.

        Args:
            positions: (N, H, 3) m, of the pelvis, and rotations: (N, H, L, 4), as in ``Rollouts``, at the ends of H half cycles.
            stance: the leg that stands in the first of them: 0 left, 1 right.
            facing: rad, world, where the body is to face at the end of the first of them. turn: rad, by which it is to turn in each.
        """
        places, turns = self._skeleton.forward_kinematics(positions, rotations)
        centers = np.einsum("l,nhld->nhd", self._shares, places + rotation.rotate(turns, self._centers))
        from_foot = centers - places[:, :, self._feet[1 - stance]]
        up = rotation.rotate(turns[:, :, self._torso], np.array([0.0, 0.0, 1.0]))
        side = -1.0 if stance else 1.0
        found = []
        for aim in aims:
            at, what = aim.after - 1, aim.variable
            faces = facing + at * turn
            if what == "turn":
                found.append(side * rotation.wrap(rotation.heading(turns[:, at, 0]) - faces))
                continue
            x, y = (up if what.startswith("up") else from_foot)[:, at, :2].T
            if what.startswith("foot"):
                # A foot is seen from where the body faces in the middle of the half cycle in which it stands: the one that ends, or the next.
                faces += turn * (-0.5 if at % 2 else 0.5)
            c, s = np.cos(faces), np.sin(faces)
            found.append(c * x + s * y if what.endswith("forward") else side * (c * y - s * x))
        return np.stack(found, axis=1)


def tries(changes: int) -> Array:
    """(C + 1, C) factors of the changes with which a cycle is simulated: none, and each of them alone."""
    return np.concatenate([np.zeros((1, changes)), np.eye(changes)])


def factors(answers: Array, wanted: Array, most: Array) -> Array:
    """(C,) K of eq. 8: how much of each change brings the variables to what is wanted, by this cycle's linear model.

    Args:
        answers: (C + 1, A) the variables after each of ``tries``. wanted: (A,). most: (C,) the largest factors.
    """
    jacobian = (answers[1:] - answers[0]).T  # J of eq. 7
    damped = jacobian.T @ jacobian + FAINT**2 * np.eye(len(most))
    return np.asarray(np.clip(np.linalg.solve(damped, jacobian.T @ (wanted - answers[0])), -most, most))
