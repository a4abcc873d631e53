"""Arms: shoulder, elbow and hand; how they reach for a place, and how they keep out of the trunk."""

from __future__ import annotations

import numpy as np

from ... import rotation
from ...arrays import Array
from ...body import Body
from ...feet.legs import between
from ...motion import Motion
from ...places import struck
from ...rotation import hinge
from ...signals import envelope

SIDES = ("L", "R")
STRAIGHT = np.radians(-4.0)  # an elbow is never straighter, for a straight one pops
OUT = np.radians((0.0, 6.0, 12.0, 18.0, 26.0, 34.0, 44.0, 56.0))  # by which an arm is lifted aside, to be tried
DEEPER_M = 0.005  # m that an arm may be deeper in the trunk than it was
OUT_S = 0.12  # s in which it gets there
THIN = 0.85  # of the trunk's shape, whose corners nobody has


class Arm:
    """One arm of a body. side: +1 for the left one, −1 for the right one."""

    def __init__(self, body: Body, side: str) -> None:
        names = body.names
        self.upper, self.fore, self.trunk = names.index(f"upper_arm.{side}"), names.index(f"forearm.{side}"), names.index("torso")
        self.side = 1.0 if side == "L" else -1.0
        self._elbow, self._hand = body.offsets[self.fore], np.array(struck(body, f"hand.{side}")[1])
        self._limits = body.limits[self.fore, 1]
        upper, fore = self._elbow[[0, 2]], self._hand[[0, 2]]
        self._product = float(np.linalg.norm(upper) * np.linalg.norm(fore))
        self._square = float(upper @ upper + fore @ fore + (self._elbow[1] + self._hand[1]) ** 2)
        self._straight = float(np.arctan2(fore[0] * upper[1] - fore[1] * upper[0], fore @ upper))

    def points(self, motion: Motion) -> Array:
        """(F, 3, 3) m, world: elbow, the middle of the forearm, and hand."""
        positions, turns = motion.world()
        elbow = positions[:, self.fore]
        hand = elbow + rotation.rotate(turns[:, self.fore], self._hand)
        return np.stack([elbow, 0.5 * (elbow + hand), hand], axis=1)

    def hand(self, motion: Motion) -> Array:
        """(F, 3) m, world."""
        return np.asarray(self.points(motion)[:, 2])

    def short_of(self, motion: Motion, places: Array) -> Array:
        """(F,) m by which the arm is too short to bring the hand to places (F, 3) m, world."""
        longest = (self._square + 2.0 * self._product * np.cos(STRAIGHT + self._straight)) ** 0.5
        return np.maximum(0.0, np.linalg.norm(places - motion.world()[0][:, self.upper], axis=-1) - longest)

    def reaching(self, motion: Motion, places: Array, hangs: float = 0.0) -> Array:
        """(F, 2, 4) the rotations of upper arm and forearm that bring the hand to places (F, 3) m, world, or as near as it gets. The arm turns by the
        least that does it, so that the elbow goes on pointing where it pointed; ``hangs``: how much of the way from there down it goes, 0 to 1."""
        positions, turns = motion.world()
        away, parent = places - positions[:, self.upper], turns[:, self.trunk]
        distance = np.linalg.norm(away, axis=-1)
        cosine = np.clip((distance**2 - self._square) / (2.0 * self._product), -1.0, 1.0)
        bend = hinge(np.clip(-np.arccos(cosine) - self._straight, self._limits[0], STRAIGHT))
        pointing = turns[:, self.upper]
        turn = between(rotation.rotate(pointing, self._elbow + rotation.rotate(bend, self._hand)), away)
        turned = rotation.multiply(turn, pointing)
        if hangs:
            turned = rotation.multiply(self._hanging(away, rotation.rotate(turned, self._elbow), hangs), turned)
        upper = rotation.multiply(rotation.conjugate(parent), turned)
        return np.stack([upper, bend], axis=1)

    def _hanging(self, away: Array, elbow: Array, share: float) -> Array:
        """(F, 4) turns about the line from shoulder to hand, ``away`` (F, 3), that bring the elbow (F, 3) down, ``share`` of the way."""
        axis = away / np.linalg.norm(away, axis=-1, keepdims=True)
        now, down = (way - (way * axis).sum(axis=-1, keepdims=True) * axis for way in (elbow, np.broadcast_to((0.0, 0.0, -1.0), elbow.shape)))
        angle = np.arctan2((np.cross(now, down) * axis).sum(axis=-1), (now * down).sum(axis=-1))
        return rotation.exp(share * angle[:, None] * axis)


def out_of_the_trunk(body: Body, motion: Motion, like: Motion) -> Motion:
    """The motion with arms lifted aside where they are deeper in the trunk than in ``like``."""
    rotations = motion.rotations.copy()
    for side in SIDES:
        arm = Arm(body, side)
        usual, tried = _depth(body, arm, like), []
        if (_depth(body, arm, motion) < usual + DEEPER_M).all():
            continue
        for angle in OUT:
            lifted = motion.rotations.copy()
            lifted[:, arm.upper] = rotation.multiply(rotation.from_axis_angle((1.0, 0.0, 0.0), arm.side * angle), lifted[:, arm.upper])
            tried.append(_depth(body, arm, Motion(motion.skeleton, motion.fps, motion.root_positions, lifted)) - usual)
        free = np.array(tried) < DEEPER_M
        angles = OUT[np.where(free.any(axis=0), free.argmax(axis=0), 0)]
        angles = envelope(angles, OUT_S * motion.fps)
        rotations[:, arm.upper] = rotation.multiply(rotation.exp(np.outer(arm.side * angles, (1.0, 0.0, 0.0))), rotations[:, arm.upper])
    return Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)


def _depth(body: Body, arm: Arm, motion: Motion) -> Array:
    """(F,) m by which an arm is in torso, pelvis or head, at its deepest: in ellipsoids in the boxes around them."""
    positions, turns = motion.world()
    points, deepest = arm.points(motion), np.zeros(motion.frames)
    for name in ("torso", "pelvis", "head"):
        link = body.names.index(name)
        shape = body.shapes[link]
        seen = rotation.rotate(rotation.conjugate(turns[:, link])[:, None], points - positions[:, link, None]) - shape.center
        half = THIN * np.array(shape.half_extents)
        size = np.linalg.norm(seen / half, axis=-1)
        deepest = np.maximum(deepest, ((1.0 - size) * half.min()).max(axis=1))
    return deepest
