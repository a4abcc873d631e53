"""A foot that rolls over the floor, from its heel to its toes: where its ankle is while what is down stays where it is."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body import Body
from ..feet import link, sole_of

TOE_BEND = np.radians(28.0)  # rad by which toes bend before they roll off, too


class Rolling:
    """The feet of a body, seen from the side: x ahead of the ankle, z up. A print is where the ankle of a foot that stands flat is."""

    def __init__(self, body: Body) -> None:
        links, points = sole_of(body, 0)
        toes = link(body, "toes", 0)
        foot = points[links != toes][:, [0, 2]]
        self.joint = body.offsets[toes][[0, 2]]
        self.tip = points[links == toes][:, [0, 2]].max(axis=0) * (1.0, 0.0) + (0.0, points[links == toes][:, 2].min())
        bottom = float(foot[:, 1].min())
        self.heel, self.ball = np.array([foot[:, 0].min(), bottom]), np.array([foot[:, 0].max(), bottom])
        self.height = float(max(-bottom, -(self.joint + self.tip)[1]))  # m of the ankle over the floor

    def bend(self, pitch: Array) -> Array:
        """(...) rad of the toes of a foot that stands with its heel up by pitch (...): first they lie on the floor, then they roll off."""
        return -TOE_BEND * np.tanh(np.maximum(pitch, 0.0) / TOE_BEND)

    def ankle(self, pitch: Array) -> Array:
        """(..., 2) m of the ankle, from its print, of a foot that stands on its heel (pitch (...) below 0, rad) or on its toes (above 0)."""
        on_heel = self.heel * (1.0, 0.0) - _turned(self.heel, np.minimum(pitch, 0.0))
        up = np.maximum(pitch, 0.0)
        joint = (self.joint + self.tip) * (1.0, 0.0) - _turned(self.tip, up + self.bend(up))
        on_toes = joint - _turned(self.joint, up)
        return np.where(pitch[..., None] < 0.0, on_heel, on_toes)

    def above(self, pitch: Array, toes: Array, soft: Array) -> Array:
        """(...) m of the ankle over the lowest point of its sole; toes (...) rad. Where another point becomes the lowest, it goes over to that
        smoothly, within about soft (...) m, and is never lower."""
        tip = _turned(self.joint, pitch) + _turned(self.tip, pitch + toes)
        highest = -_turned(self.heel, pitch)[..., 1]
        for other in (-_turned(self.ball, pitch)[..., 1], -tip[..., 1]):
            highest = 0.5 * (highest + other + np.sqrt((highest - other) ** 2 + soft**2))
        return highest


def _turned(point: Array, pitch: Array) -> Array:
    """(..., 2) a point (2,) turned by pitch (...) rad, with which what is ahead goes down."""
    c, s = np.cos(pitch), np.sin(pitch)
    return np.stack([point[0] * c + point[1] * s, point[1] * c - point[0] * s], axis=-1)
