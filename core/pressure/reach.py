"""Feet first, then the legs: soles on the floor, the pelvis as high as both legs want it, knees that bend as they did (thesis, appendix C).

The thesis keeps the angle of the knee, moves the ankle where it has to be, and lets the hip come down or up for it: the hip is as far from the ankle
as it was. Both legs hang on one pelvis, so they share the way. Here the pelvis takes the mean of what the legs want, by how much each bears, and
comes down further where a leg would not reach; then each knee takes what is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import link, middles, sole_of
from ..feet.legs import STRAIGHT_KNEE, Legs
from ..motion import Motion
from ..rotation import hinge_angle
from .recording import LEFT, RIGHT

FEET = (LEFT, RIGHT)
SOFT = 0.01  # m over which the pelvis begins to come down before a leg is too short
SOFT_LEG = 0.01  # m, the same of a leg that swings
STRAIGHT = STRAIGHT_KNEE + np.radians(3.0)  # rad that a knee is bent by at least where the foot stands
RISES = 0.7  # m/s
ON_FLOOR = 0.006  # m higher than the lowest point of a sole, that is on the floor with it
FREE = 1.0  # m that a leg which bears nothing may be too short or too long


@dataclass(frozen=True, eq=False)
class Feet:
    """Where feet are, N frames: the joints of their toes (N, 2, 3) m, orientations (N, 2, 4), world, and rad of the toes (N, 2)."""

    balls: Array
    turns: Array
    toes: Array


class Reach:
    """Legs and feet of a body."""

    def __init__(self, body: Body, fps: float) -> None:
        """``fps``: poses a second."""
        self._fps, self._risen = fps, np.inf
        self._legs = Legs(body)
        self.skeleton = body.skeleton
        self._longest, self._shortest = self._legs.distance(STRAIGHT), self._legs.distance(self._legs.limits[1])  # (2,) m from hip to ankle
        self._shins = [link(body, "shin", foot) for foot in FEET]
        self._hips = body.offsets[[link(body, "thigh", foot) for foot in FEET]]
        self._balls = body.offsets[[link(body, "toes", foot) for foot in FEET]]
        soles = [sole_of(body, foot) for foot in FEET]
        self._on_toes = np.stack([links == link(body, "toes", foot) for foot, (links, _) in zip(FEET, soles, strict=True)])
        self._soles = np.stack([points for _, points in soles])
        self._on_heel = self._soles[..., 0] < 0.0
        heel = float(self._soles[LEFT][~self._on_toes[LEFT], 0].min())
        self.heel_to_ball = float(self._balls[LEFT][0]) - heel  # m

    def on_the_floor(self, feet: Feet, down: Bools, above: Array) -> Feet:
        """The feet, those that are ``down`` (N, 2) ``above`` (N, 2) m over the floor, and none in it."""
        lowest = self.soles(feet)[..., 2].min(axis=2)
        balls = feet.balls.copy()
        balls[..., 2] += np.where(down, np.maximum(above, 0.0) - lowest, np.maximum(-lowest, 0.0))
        return Feet(balls, feet.turns, feet.toes)

    def soles(self, feet: Feet) -> Array:
        """(N, 2, P, 3) m, world, of the points of the soles."""
        toes = rotation.multiply(feet.turns, rotation.hinge(feet.toes))
        of_foot = rotation.rotate(feet.turns[:, :, None], self._soles - self._balls[:, None])
        of_toes = rotation.rotate(toes[:, :, None], self._soles)
        return np.asarray(feet.balls[:, :, None] + np.where(self._on_toes[..., None], of_toes, of_foot))

    def slips(self, soles: Array) -> Array:
        """(N - 1, 2, 2) m by which feet with soles (N, 2, P, 3) slide from each frame to the next: the point on the floor that moves least. A foot
        that pivots turns on a point between two corners of its heel, or of its ball and toes."""
        found = np.zeros((len(soles) - 1, 2, 2))
        for foot in FEET:
            points = np.concatenate([middles(soles[:, foot][:, part]) for part in (self._on_heel[foot], ~self._on_heel[foot])], axis=1)
            over = points[..., 2] - points[..., 2].min(axis=1, keepdims=True)
            moves = np.diff(points[..., :2], axis=0)
            paces = np.where(over[1:] + over[:-1] < 2.0 * ON_FLOOR, np.linalg.norm(moves, axis=-1), np.inf)
            found[:, foot] = moves[np.arange(len(moves)), paces.argmin(axis=1)]
        return found

    def standing(self, roots: Array, rotations: Array, feet: Feet, bearing: Array) -> tuple[Array, Array]:
        """Roots (N, 3) m and rotations (N, J, 4) of such poses, with legs that bring the feet where they are to be. ``bearing``: (N, 2) from 0 to 1,
        how much each foot bears."""
        ankles = feet.balls - rotation.rotate(feet.turns, self._balls)
        hips = roots[:, None] + rotation.rotate(rotations[:, :1], self._hips)
        aside = ((ankles - hips)[..., :2] ** 2).sum(axis=2)
        knees = np.clip(hinge_angle(rotations[:, self._shins]), STRAIGHT, self._legs.limits[1])
        wanted, most, least = (ankles[..., 2] + np.sqrt(np.maximum(length**2 - aside, 0.0)) - hips[..., 2]
                               for length in (self._legs.distance(knees), self._longest, self._shortest))
        total = bearing.sum(axis=1)
        rise = (bearing * wanted).sum(axis=1) / np.maximum(total, 1e-6) * np.minimum(total, 1.0)
        free = FREE * (1.0 - bearing) ** 2
        floor, limit = (least - free).max(axis=1), (most + free).min(axis=1)
        rise = floor + SOFT * np.logaddexp(0.0, (rise - floor) / SOFT)
        rise = self._eased(limit - SOFT * np.logaddexp(0.0, (limit - rise) / SOFT))
        upright = np.outer(rise, (0.0, 0.0, 1.0))
        ankles = self._within(ankles, hips + upright[:, None], bearing)
        motion = self._legs.reaching(Motion(self.skeleton, 1.0, roots + upright, rotation.normalize(rotations)), ankles, feet.turns, feet.toes)
        return motion.root_positions, motion.rotations

    def _eased(self, rise: Array) -> Array:
        """(N,) m by which the pelvis is lifted, or lowered, from pose to pose: it comes up again no faster than people do."""
        found = rise.copy()
        for number, wanted in enumerate(rise):
            found[number] = self._risen = min(float(wanted), self._risen + RISES / self._fps)
        return found

    def _within(self, ankles: Array, hips: Array, bearing: Array) -> Array:
        """(N, 2, 3) m, the ankles; of feet that bear nothing no further away from the hips than the legs are long: they near that softly, so that no
        knee snaps straight."""
        away = ankles - hips
        length = np.linalg.norm(away, axis=2)
        over = length - self._longest
        beyond = np.maximum(over + SOFT_LEG * np.logaddexp(0.0, -over / SOFT_LEG), 0.0) * (1.0 - bearing)
        return np.asarray(ankles - away * (beyond / length)[..., None])
