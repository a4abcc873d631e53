"""Where the soles are and how fast they move: what everything about feet looks at.

Foot 0 is the left, 1 the right. A sole has P points: the corners of heel, ball and toe tips, in the order of ``Body.sole_points``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .. import rotation
from ..arrays import Array, Ints
from ..body import Body
from ..motion import Motion
from ..signals import local_fit

SIDES = ("L", "R")
# Seconds over which a speed is measured: long enough for the noise of a recording, shorter than a heel strike.
SPEED_WINDOW_S = 0.06


def link(body: Body, part: str, foot: int) -> int:
    """Index of a link such as "shin" on the side of ``foot``."""
    return body.names.index(f"{part}.{SIDES[foot]}")


def sole_of(body: Body, foot: int) -> tuple[Ints, Array]:
    """Links (P,) and points (P, 3) metres, in their link's frame, of the sole of one foot."""
    own = np.isin(body.sole_links, [link(body, "foot", foot), link(body, "toes", foot)])
    return body.sole_links[own], body.sole_points[own]


def sole_positions(body: Body, positions: Array, orientations: Array) -> Array:
    """(F, 2, P, 3) metres, world, of all sole points, from positions (F, L, 3) and orientations (F, L, 4) of the links."""
    feet = []
    for foot in (0, 1):
        links, points = sole_of(body, foot)
        feet.append(positions[:, links] + rotation.rotate(orientations[:, links], points))
    return np.stack(feet, axis=1)


def soles(body: Body, motion: Motion) -> Array:
    """(F, 2, P, 3) metres, world, of all sole points."""
    return sole_positions(body, *motion.world())


def velocities(points: Array, fps: float, window: float = SPEED_WINDOW_S) -> Array:
    """(F, ..., 3) m/s of points (F, ..., 3), measured over ``window`` seconds."""
    return local_fit(points, fps, window, degree=2, derivative=1)


def speeds(points: Array, fps: float, window: float = SPEED_WINDOW_S) -> Array:
    """(F, ...) m/s of points (F, ..., 3), measured over ``window`` seconds."""
    return np.linalg.norm(velocities(points, fps, window), axis=-1)


def depths(body: Body, motion: Motion) -> Array:
    """(F, 2) metres by which each sole is below the floor at 0, at its lowest point."""
    return np.maximum(0.0, -soles(body, motion)[..., 2].min(axis=2))


def middles(corners: Array) -> Array:
    """(F, N, ...) the P corners of a sole, (F, P, ...), and the middles between any two of them."""
    one, other = _pairs(corners.shape[1])
    return np.asarray(0.5 * (corners[:, one] + corners[:, other]))


@cache
def _pairs(count: int) -> tuple[Ints, Ints]:
    """The first and the second of any two of so many, each with itself, too."""
    one, other = np.triu_indices(count)
    return one, other
