"""Ranges of joints: how far rotations go beyond them, and rotations that are brought back."""

from __future__ import annotations

import numpy as np

from . import rotation
from .arrays import Array, Bools
from .body import Body
from .kinematics import euler_twin

GIVES = np.radians(4.0)  # rad by which a joint may be beyond its range; the nearer it is to that, the harder it gets


def own_excess(rotations: Array, body: Body) -> Array:
    """(L, 3) rad by which a motion, (F, L, 4) rotations, goes beyond the ranges of the joints at most; 0 where it never does."""
    return np.maximum(beyond(nearest(rotations, body.limits), body.limits), 0.0).max(axis=0)


def strained(rotations: Array, body: Body, own: Array) -> tuple[Array, Array]:
    """(F, L, 3) angles as ``nearest`` has them, and by how much they are beyond the ranges and beyond the excess ``own`` (L, 3) of the clip."""
    angles = nearest(rotations, body.limits)
    excess = beyond(angles, body.limits) - own
    excess[:, 0] = 0.0
    return angles, excess


def held(rotations: Array, body: Body, own: Array, where: Bools | None = None) -> Array:
    """The rotations (F, L, 4), on frames ``where`` (F,) or on all, within the ranges, or no further beyond them than ``own`` (L, 3)."""
    angles, excess = strained(rotations, body, own)
    if where is not None:
        excess[~where] = 0.0
    return _brought_back(rotations, angles, excess, body.limits)


def joints_held(rotations: Array, limits: Array, own: Array) -> Array:
    """The same of some joints: rotations (F, J, 4), limits (J, 3, 2) and own (J, 3)."""
    angles = nearest(rotations, limits)
    return _brought_back(rotations, angles, beyond(angles, limits) - own, limits)


def _brought_back(rotations: Array, angles: Array, excess: Array, limits: Array) -> Array:
    """Rotations (F, J, 4) with ``angles`` (F, J, 3) that are beyond ``limits`` (J, 3, 2) and what is allowed by ``excess`` (F, J, 3)."""
    over = excess > 0.0
    if not over.any():
        return rotations
    back = np.where(over, GIVES * (1.0 - np.exp(-np.maximum(excess, 0.0) / GIVES)) - excess, 0.0)
    angles = angles + np.where(angles > limits[..., 1], back, -back)
    return np.where(over.any(axis=-1, keepdims=True), rotation.from_euler(angles), rotations)


def nearest(rotations: Array, limits: Array) -> Array:
    """(F, L, 3) rad: of the two triples of intrinsic Euler angles x, y, z, in the parent, that mean rotations (F, L, 4), the one that is less beyond
    limits (L, 3, 2): an arm raised past 90° is not a broken shoulder."""
    angles = rotation.to_euler(rotations)
    twin = euler_twin(angles)
    better = beyond(angles, limits).max(axis=-1, keepdims=True) <= beyond(twin, limits).max(axis=-1, keepdims=True)
    return np.where(better, angles, twin)


def beyond(angles: Array, limits: Array) -> Array:
    """(F, L, 3) rad by which angles are beyond limits (L, 3, 2); negative within them, minus infinity where there is none."""
    return np.maximum(limits[..., 0] - angles, angles - limits[..., 1])
