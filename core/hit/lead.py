"""Lead: a clip at every step of a simulation, with its velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..motion import Motion
from ..physics.base import moment
from ..signals import local_fit

SMOOTH_S = 0.05  # s of the clip to which each moment is fitted; twice, so that accelerations are smooth, too


@dataclass
class Lead:
    """F steps of L links.

    Attributes:
        roots, velocities, accelerations: (F, 3) m, m/s, m/s² of the pelvis joint, world.
        rotations: (F, L, 4), continuous. rates, changes: (F, L, 3) rad/s and rad/s² of the joints in the links' own frames.
        spins, spin_changes: (F, 3) rad/s and rad/s² of the pelvis, world.
    """

    roots: Array
    velocities: Array
    accelerations: Array
    rotations: Array
    rates: Array
    changes: Array
    spins: Array
    spin_changes: Array

    @classmethod
    def of(cls, motion: Motion, rate: float) -> Lead:
        """``rate``: steps a second."""
        fine = motion.resample(rate)
        roots = _smooth(fine.root_positions, rate)
        turns = rotation.normalize(_smooth(rotation.make_continuous(fine.rotations), rate))
        # As engines step: a velocity changes by its acceleration, and then a place by its velocity.
        rates = _steps(rotation.log(rotation.multiply(rotation.conjugate(turns[:-1]), turns[1:])), rate)
        spins = _steps(rotation.log(rotation.multiply(turns[1:, 0], rotation.conjugate(turns[:-1, 0]))), rate)
        rates[:, 0] = 0.0
        velocities = _steps(np.diff(roots, axis=0), rate)
        return cls(roots, velocities, _changes(velocities, rate), turns, rates, _changes(rates, rate), spins, _changes(spins, rate))

    def start(self, body: Body, step: int) -> dict[str, Any]:
        """The moment of a step as ``World.place`` takes it."""
        return moment(body, self.roots[step], self.rotations[step], self.velocities[step], self.spins[step], self.rates[step])


def _smooth(values: Array, rate: float) -> Array:
    return local_fit(local_fit(values, rate, SMOOTH_S, 3), rate, SMOOTH_S, 3)


def _steps(moves: Array, rate: float) -> Array:
    """(F, ...) velocities that have led to each step, from the moves (F − 1, ...) between them."""
    return np.concatenate([moves[:1], moves]) * rate


def _changes(velocities: Array, rate: float) -> Array:
    """(F, ...) accelerations from each step to the next."""
    return np.diff(velocities, axis=0, append=velocities[-1:]) * rate
