"""How hard a motion leans on the limits of its joints."""

from __future__ import annotations

import numpy as np

from .. import ranges
from ..arrays import Array
from ..result import Result

NEAR_RAD = np.radians(2.0)
ROUNDING_RAD = 1e-6


def limit_excess(result: Result) -> Array:
    """(F, L, 3) radians beyond the nearest limit of each axis, negative inside, minus infinity where there is no limit."""
    return excess(result.rotations, result.limits)


def excess(rotations: Array, limits: Array) -> Array:
    """The same of rotations (F, L, 4) and limits (L, 3, 2)."""
    return ranges.beyond(ranges.nearest(rotations, limits), limits)


def summary(result: Result) -> dict[str, dict[str, float]]:
    """For each joint with a limit: how often it is near or beyond one on any axis, and by how much it was exceeded at most.

    A locked axis is always at its limit, so it counts only when it is beyond.
    """
    over = limit_excess(result)
    movable = result.limits[..., 0] < result.limits[..., 1]
    beyond = over > ROUNDING_RAD
    near = beyond | ((over > -NEAR_RAD) & movable)
    return {
        name: {
            "near_ratio": near[:, link].any(axis=1).mean(),
            "beyond_ratio": beyond[:, link].any(axis=1).mean(),
            "overshoot_max_deg": np.degrees(max(0.0, over[:, link].max())),
        }
        for link, name in enumerate(result.link_names)
        if result.parents[link] >= 0 and np.isfinite(result.limits[link]).any()
    }
