"""Balance over the ground: centre of pressure, zero moment point, support polygon, extrapolated centre of mass.

Points over the ground are (F, 2) metres, world x and y; a point that does not exist on a frame is NaN there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array
from ..feet.loads import loaded, near_ground
from ..hull import hull
from ..kinematics import GRAVITY, angular_momentum, body_weight, center_of_mass, com_acceleration, com_velocity, sole_feet, sole_positions, velocity
from ..result import Result

SUPPORTED = 0.2
"""Of body weight: with less under the feet (flight, landing) a pressure point means little, and the ZMP runs off to infinity."""


def com_projection(result: Result) -> Array:
    """(F, 2) the centre of mass, straight down."""
    return center_of_mass(result)[:, :2]


def center_of_pressure(result: Result) -> Array:
    """(F, 2) of both feet together, weighted by their vertical force; NaN where neither is loaded."""
    loads = np.where(np.isfinite(result.foot_cops[:, :, 0]), np.maximum(result.foot_forces[:, :, 2], 0.0), 0.0)
    total = loads.sum(axis=1, keepdims=True)
    moments = np.einsum("fk,fkd->fd", loads, np.nan_to_num(result.foot_cops[:, :, :2]))
    return np.divide(moments, total, out=np.full_like(moments, np.nan), where=total > 0)


def zero_moment_point(result: Result) -> Array:
    """(F, 2) the point on the ground about which gravity and inertia have no horizontal moment; NaN where hardly supported.

    Equation A.8 of the thesis turned to Z up, on the mean of the heights under the feet, with no outside force but the
    ground's: while a push acts it differs from the centre of pressure by that push.
    """
    spin = velocity(angular_momentum(result), result.fps)
    return zero_moment(center_of_mass(result), com_acceleration(result), spin, float(result.masses.sum()), result.ground_heights.mean(axis=1))


def zero_moment(com: Array, acc: Array, spin: Array, mass: float, ground: Array | float) -> Array:
    """(F, 2) the same of a centre of mass (F, 3) m with acceleration (F, 3) m/s², of a rate of angular momentum (F, 3) N·m and a mass in kg over
    ground at a height (F,) or of all frames, m."""
    height = com[:, 2] - ground
    force = mass * (acc[:, 2] + GRAVITY)
    moment = mass * height[:, None] * acc[:, :2] + np.stack([spin[:, 1], -spin[:, 0]], axis=1)
    supported = (force > SUPPORTED * mass * GRAVITY)[:, None]
    return com[:, :2] - np.divide(moment, force[:, None], out=np.full_like(moment, np.nan), where=supported)


def extrapolated_com(result: Result) -> Array:
    """(F, 2) Hof's extrapolated centre of mass: where an inverted pendulum as high as the centre of mass would come to rest."""
    com = center_of_mass(result)
    height = np.maximum(com[:, 2] - result.ground_heights.mean(axis=1), 0.0)
    return com[:, :2] + com_velocity(result)[:, :2] * np.sqrt(height / GRAVITY)[:, None]


def support_polygons(result: Result) -> list[Array]:
    """For each frame the (N, 2) convex hull of the sole points that touch the ground on loaded feet; N is 0 in flight."""
    touching = near_ground(result) & loaded(result)[:, sole_feet(result)]
    return [convex_hull(points[on]) for points, on in zip(sole_positions(result)[:, :, :2], touching, strict=True)]


def margins(points: Array, polygons: list[Array]) -> Array:
    """(F,) metres from each (F, 2) point to the edge of its polygon, negative outside; NaN without a point or a polygon."""
    return np.array([margin(point, polygon) for point, polygon in zip(points, polygons, strict=True)])


def margin(point: Array, polygon: Array) -> float:
    """Metres from a point (2,) to the edge of a counter-clockwise convex polygon (N, 2), negative outside."""
    if len(polygon) == 0 or not np.isfinite(point).all():
        return np.nan
    edges = np.roll(polygon, -1, axis=0) - polygon
    arms = point - polygon
    along = np.einsum("nd,nd->n", arms, edges) / np.maximum(np.einsum("nd,nd->n", edges, edges), 1e-12)
    distance = np.linalg.norm(arms - np.clip(along, 0.0, 1.0)[:, None] * edges, axis=1).min()
    inside = len(polygon) > 2 and (edges[:, 0] * arms[:, 1] >= edges[:, 1] * arms[:, 0]).all()
    return float(distance if inside else -distance)


def convex_hull(points: Array) -> Array:
    """(N, 2) corners, counter-clockwise, of the convex hull of (M, 2) points; fewer than 3 where the points are in line."""
    return np.array(hull(points.tolist())).reshape(-1, 2)


def cop_zmp_rms(result: Result) -> float | None:
    """Metres, RMS distance between the centre of pressure and the ZMP while the feet carry the body: how physical it is."""
    carried = result.foot_forces[:, :, 2].sum(axis=1) > SUPPORTED * body_weight(result)
    apart = np.linalg.norm(center_of_pressure(result) - zero_moment_point(result), axis=1)[carried]
    apart = apart[np.isfinite(apart)]
    return float(np.sqrt(np.mean(apart**2))) if len(apart) else None


def summary(result: Result) -> dict[str, float | None]:
    """Margins within the support polygon and the agreement of pressure and motion; see ``report.measure``."""
    polygons = support_polygons(result)
    cop, xcom = margins(center_of_pressure(result), polygons), margins(extrapolated_com(result), polygons)
    return {
        "cop_margin_mean_m": _finite(cop, np.mean),
        "cop_margin_min_m": _finite(cop, np.min),
        "xcom_margin_mean_m": _finite(xcom, np.mean),
        "xcom_margin_min_m": _finite(xcom, np.min),
        "cop_zmp_rms_m": cop_zmp_rms(result),
        "com_height_mean_m": float((center_of_mass(result)[:, 2] - result.ground_heights.mean(axis=1)).mean()),
    }


def _finite(values: Array, reduce: Callable[[Array], float]) -> float | None:
    values = values[np.isfinite(values)]
    return float(reduce(values)) if len(values) else None
