"""How hard a motion leans on the limits of its joints."""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array
from ..kinematics import euler_twin
from ..result import Result

NEAR_RAD = np.radians(2.0)
ROUNDING_RAD = 1e-6


def limit_excess(result: Result) -> Array:
    """(F, L, 3) radians beyond the nearest limit of each axis, negative inside, minus infinity where there is no limit."""
    return beyond(result.rotations, result.limits)


def beyond(rotations: Array, limits: Array) -> Array:
    """(F, L, 3) radians by which rotations (F, L, 4) are beyond limits (L, 3, 2), as ``limit_excess``.

    Angles are intrinsic Euler angles x, y, z of each link in its parent. Of the two triples that mean the same rotation
    the one that breaks the limits less counts: an arm raised past 90° is not a broken shoulder.
    """
    low, high = limits[..., 0], limits[..., 1]
    angles = rotation.to_euler(rotations)
    one, other = (np.maximum(low - triple, triple - high) for triple in (angles, euler_twin(angles)))
    better = one.max(axis=-1, keepdims=True) <= other.max(axis=-1, keepdims=True)
    return np.where(better, one, other)


def summary(result: Result) -> dict[str, dict[str, float]]:
    """For each joint with a limit: how often it is near or beyond one on any axis, and by how much it was exceeded at most.

    A locked axis is always at its limit, so it counts only when it is beyond.
    """
    excess = limit_excess(result)
    movable = result.limits[..., 0] < result.limits[..., 1]
    beyond = excess > ROUNDING_RAD
    near = beyond | ((excess > -NEAR_RAD) & movable)
    return {
        name: {
            "near_ratio": near[:, link].any(axis=1).mean(),
            "beyond_ratio": beyond[:, link].any(axis=1).mean(),
            "overshoot_max_deg": np.degrees(max(0.0, excess[:, link].max())),
        }
        for link, name in enumerate(result.link_names)
        if result.parents[link] >= 0 and np.isfinite(result.limits[link]).any()
    }
