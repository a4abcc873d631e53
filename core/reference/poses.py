"""How alike two moments of a motion are: where the joints are around the pelvis, and where they are going."""

from __future__ import annotations

import numpy as np

from .. import feet, rotation
from ..arrays import Array
from ..body import Body
from ..motion import Motion

# Two poses with different velocities are as unlike as the places that they would lead to in so many seconds.
FORESIGHT_S = 0.15


def heading(motion: Motion) -> Array:
    """(F,) radians, unwrapped: where the pelvis faces, 0 along +X, positive to the left."""
    return np.unwrap(rotation.heading(motion.rotations[:, 0]))


def centre_of_mass(body: Body, motion: Motion) -> Array:
    """(F, 3) metres, world."""
    positions, orientations = motion.world()
    return np.einsum("l,fld->fd", body.masses / body.mass, positions + rotation.rotate(orientations, body.com_offsets))


def features(body: Body, motion: Motion) -> Array:
    """(F, K) of each frame; the length of the difference of two rows is their distance in metres, as a mean over the joints.

    Joints and centre of mass are seen from the floor below the pelvis, turned to where it faces; place and heading do not count.
    """
    points = _points(body, motion)
    onward = FORESIGHT_S * rotation.rotate(_away(motion), feet.velocities(points, motion.fps))
    return np.concatenate([_around(motion, points), onward], axis=-1).reshape(motion.frames, -1) / np.sqrt(points.shape[1])


def places(body: Body, motion: Motion) -> Array:
    """(F, K) the same without velocities."""
    points = _points(body, motion)
    return _around(motion, points).reshape(motion.frames, -1) / np.sqrt(points.shape[1])


def _points(body: Body, motion: Motion) -> Array:
    """(F, N, 3) metres, world: joints and centre of mass."""
    return np.concatenate([motion.world()[0], centre_of_mass(body, motion)[:, None]], axis=1)


def _away(motion: Motion) -> Array:
    """(F, 1, 4) turns that take away where the pelvis faces."""
    return rotation.from_axis_angle((0.0, 0.0, -1.0), heading(motion))[:, None]


def _around(motion: Motion, points: Array) -> Array:
    """Points (F, N, 3) as they are seen from the floor below the pelvis."""
    return rotation.rotate(_away(motion), points - motion.root_positions[:, None] * (1.0, 1.0, 0.0))


def distances(one: Array, others: Array) -> Array:
    """(..., N) metres between rows of one (..., K) and others (N, K)."""
    return np.linalg.norm(one[..., None, :] - others, axis=-1)


def travel(motion: Motion, start: int, end: int) -> tuple[Array, float]:
    """Displacement (3,) metres of the pelvis between two frames, forward, left and up as it faces at ``start``, and its turn in radians."""
    facing = heading(motion)
    away = motion.root_positions[end] - motion.root_positions[start]
    return rotation.rotate(rotation.from_axis_angle((0.0, 0.0, -1.0), facing[start]), away), float(facing[end] - facing[start])
