"""Legs that reach for their feet: two links and a knee that bends where it bent before; a pelvis that comes down where it has to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..motion import Motion
from ..rotation import hinge, hinge_angle
from ..signals import envelope
from . import sole

# Radians: a leg is never straighter than this, for a straight knee pops.
STRAIGHT_KNEE = np.radians(3.0)
# Seconds over which the pelvis comes down.
PELVIS_S = 0.2


class Leg:
    """Hip, knee and ankle of one side: a knee that turns about Y between the offsets of thigh and shin."""

    def __init__(self, body: Body, foot: int) -> None:
        self.to_knee, self.to_ankle = body.offsets[sole.link(body, "shin", foot)], body.offsets[sole.link(body, "foot", foot)]
        self.limits = body.limits[sole.link(body, "shin", foot), 1]
        thigh, shin = self.to_knee[[0, 2]], self.to_ankle[[0, 2]]
        self.product: float | Array = float(np.linalg.norm(thigh) * np.linalg.norm(shin))
        self.square: float | Array = float(thigh @ thigh + shin @ shin + (self.to_knee[1] + self.to_ankle[1]) ** 2)
        # A turn about Y takes z to x: in that sense the angle from thigh to shin grows with the knee's, from this one at 0.
        self.straight: float | Array = float(np.arctan2(shin[0] * thigh[1] - shin[1] * thigh[0], shin @ thigh))

    def distance(self, knee: Array | float) -> Array:
        """Metres from hip to ankle with the knee bent by ``knee`` radians, one number or (F,)."""
        return np.sqrt(self.square + 2.0 * self.product * np.cos(knee + self.straight))

    def knee(self, distance: Array, straightest: Array | float = STRAIGHT_KNEE) -> Array:
        """(F,) radians that bring the ankle to distances (F,) from the hip, as near as the leg can; at least ``straightest``, a number or (F,)."""
        cosine = (distance**2 - self.square) / (2.0 * self.product)
        return np.clip(np.arccos(np.clip(cosine, -1.0, 1.0)) - self.straight, straightest, self.limits[1])

    def ankle(self, knee: Array) -> Array:
        """(F, 3) metres, of the ankle in the thigh's frame with the knee bent by (F,) radians."""
        return self.to_knee + rotation.rotate(hinge(knee), self.to_ankle)


def lowered(body: Body, motion: Motion, ankles: Array, contacts: Bools, soft: float = STRAIGHT_KNEE) -> Motion:
    """The motion with the pelvis so low, smoothly, that every leg reaches its ankle (F, 2, 3) metres, world, where it has contact (F, 2).

    Its knee is then bent as much as it was before, but by no less than ``STRAIGHT_KNEE`` and no more than ``soft`` radians.
    """
    positions, _ = motion.world()
    drop = np.zeros(motion.frames)
    for foot in (0, 1):
        away = ankles[:, foot] - positions[:, sole.link(body, "thigh", foot)]
        bent = hinge_angle(motion.rotations[:, sole.link(body, "shin", foot)])
        reach = Leg(body, foot).distance(np.clip(bent, STRAIGHT_KNEE, soft))
        room = np.sqrt(np.maximum(reach**2 - (away[:, :2] ** 2).sum(axis=1), 0.0))
        drop = np.where(contacts[:, foot], np.maximum(drop, -away[:, 2] - room), drop)
    return motion.displace(np.outer(-envelope(drop, PELVIS_S * motion.fps), (0.0, 0.0, 1.0)))


class Legs(Leg):
    """Both legs of a body, left and right: as ``Leg``, with a knee (F, 2) for each. ``chain``: links of thighs, shins and
    feet. ``hips``: (2, 3) m, in the pelvis."""

    def __init__(self, body: Body) -> None:
        both = [Leg(body, foot) for foot in (0, 1)]
        self.to_knee, self.to_ankle = np.stack([leg.to_knee for leg in both]), np.stack([leg.to_ankle for leg in both])
        self.limits = np.stack([leg.limits for leg in both], axis=1)
        self.product, self.square, self.straight = (np.array([getattr(leg, name) for leg in both]) for name in ("product", "square", "straight"))
        self._thighs, self._shins, self._feet, self._toes = ([sole.link(body, part, foot) for foot in (0, 1)]
                                                             for part in ("thigh", "shin", "foot", "toes"))
        self.chain = self._thighs, self._shins, self._feet
        self.hips = body.offsets[self._thighs]

    def reaching(self, motion: Motion, ankles: Array, turns: Array, toes: Array) -> Motion:
        """The motion with legs that bring the feet to ankles (F, 2, 3) metres with orientations (F, 2, 4), both world, and toes (F, 2) radians.

        The thigh turns by the least that does it, so that the knee goes on pointing where it pointed.
        """
        pelvis, rotations = motion.rotations[:, :1], motion.rotations.copy()
        hips, pointing = motion.root_positions[:, None] + rotation.rotate(pelvis, self.hips), rotation.multiply(pelvis, rotations[:, self._thighs])
        away = ankles - hips
        knees = self.knee(np.linalg.norm(away, axis=-1))
        bent = hinge(knees)
        turned = rotation.multiply(between(rotation.rotate(pointing, self.to_knee + rotation.rotate(bent, self.to_ankle)), away), pointing)
        rotations[:, self._thighs] = rotation.multiply(rotation.conjugate(pelvis), turned)
        rotations[:, self._shins] = bent
        rotations[:, self._feet] = rotation.multiply(rotation.conjugate(rotation.multiply(turned, bent)), turns)
        rotations[:, self._toes] = hinge(toes)
        return replace(motion, rotations=rotation.make_continuous(rotation.normalize(rotations)))


def reaching(body: Body, motion: Motion, ankles: Array, turns: Array, toes: Array) -> Motion:
    """As ``Legs.reaching``, of a body."""
    return Legs(body).reaching(motion, ankles, turns, toes)


def between(start: Array, end: Array) -> Array:
    """(F, 4) the smallest turns that take directions (F, 3) to others (F, 3), less than half a turn away."""
    start = start / np.linalg.norm(start, axis=-1, keepdims=True)
    end = end / np.linalg.norm(end, axis=-1, keepdims=True)
    return rotation.normalize(np.concatenate([1.0 + np.sum(start * end, axis=-1, keepdims=True), np.cross(start, end)], axis=-1))
