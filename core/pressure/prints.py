"""Where a foot stands on a pad, told by its print: the end of its heel, and where it points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array

WHOLE = 0.19  # m: a print as long as this shows the foot from the heel to the ball at least
SLENDER = 2.0  # times as much scatter along a print as across it shows where it points
HEEL, BALL = (0.0, 0.3), (0.6, 0.85)  # of a print's length: where heel and ball are


@dataclass(frozen=True)
class Place:
    """x, y: m, of the heel's end on the foot's middle line. yaw: rad, where the foot points; 0 is ahead, and to the left is positive."""

    x: float
    y: float
    yaw: float

    def seen(self, point: Array) -> Array:
        """(2,) m, a point (2,) as the foot has it: ahead of its heel and to its left."""
        away, cosine, sine = point - (self.x, self.y), np.cos(self.yaw), np.sin(self.yaw)
        return np.array([cosine * away[0] + sine * away[1], cosine * away[1] - sine * away[0]])


def place_of(places: Array, weights: Array) -> Place | None:
    """Of a print, places (N, 2) m pressed with weights (N,), of a foot that points about ahead; None where it does not show the whole foot."""
    if len(places) < 4 or np.ptp(places, axis=0).max() < WHOLE:
        return None
    sizes, vectors = np.linalg.eigh(scatter(places))
    if sizes[1] < SLENDER * sizes[0]:
        return None
    along = vectors[:, 1] * np.copysign(1.0, vectors[0, 1])
    share = places @ along
    share = (share - share.min()) / np.ptp(share)
    heel, ball = (_middle(places, weights, share, part) for part in (HEEL, BALL))
    if heel is None or ball is None:
        return None
    along = (ball - heel) / np.linalg.norm(ball - heel)
    end = heel + along * float((places @ along).min() - heel @ along)
    return Place(float(end[0]), float(end[1]), float(np.arctan2(along[1], along[0])))


def scatter(places: Array) -> Array:
    """(2, 2) m², the covariance of places (N, 2); numpy's own looks at what else it could do for longer than this takes."""
    x_and_y = np.array(places.T)
    x_and_y -= x_and_y.mean(axis=1)[:, None]
    return np.asarray(x_and_y @ x_and_y.T * (1.0 / (len(places) - 1)))


def _middle(places: Array, weights: Array, share: Array, part: tuple[float, float]) -> Array | None:
    """(2,) m, the middle of what presses in a part of the print."""
    own = (share >= part[0]) & (share <= part[1])
    total = float(weights[own].sum())
    return weights[own] @ places[own] / total if total > 0.0 else None
