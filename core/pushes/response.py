"""Response: how one push was taken, as differences from the motion that was pushed.

All is seen in the heading frame of the push: forward, left and up of the pelvis as the motion has it at that moment. So a response can be laid on any
motion that stands or walks in a similar way: without differences there is only that motion, and what comes back to it ends in none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..body import Body
from ..motion import Motion
from ..signals import local_fit

RATE = 20.0  # frames a second of a response
STRATEGIES = ("in place", "steps", "fall")
IN_PLACE, STEPS, FALL = range(3)
NOTHING = -1
BALLS = ("torso", "head", "upper_arm.L", "upper_arm.R", "thigh.L", "thigh.R")  # joints whose differences are kept; legs follow from the feet
UPPER = 4  # of these, that are above the legs
ELBOWS, TOES, ANKLES = ("forearm.L", "forearm.R"), ("toes.L", "toes.R"), ("foot.L", "foot.R")

# The columns of a response's frames. Places are m, turns are rotation vectors in rad, angles rad, all differences from the motion.
ROOT, TURN = slice(0, 3), slice(3, 6)  # of the pelvis, heading frame
BALL = slice(6, 24)  # of BALLS, each in its own frame
ELBOW = slice(24, 26)
ANKLE, FOOT = slice(26, 32), slice(32, 38)  # places and turns of the feet, left and right, heading frame
TOE = slice(38, 40)
SPEED = slice(40, 42)  # m/s of the centre of mass, forward and left: the momentum that a push has given, for each kg
LATE = slice(42, 43)  # s by which the motion is behind its time, as its steps wait for the feet
COLUMNS = 43
PACE_S = 0.08  # s around a moment over which its velocity is measured


@dataclass(frozen=True, eq=False)
class Response:
    """How one push was taken; K frames at ``RATE``, the first at the moment of the push.

    Attributes:
        start: index of the pose and velocity that was pushed, in ``Database.starts``.
        direction: rad, 0 forward, positive to the left. height: of what was pushed over the ground, in leg lengths.
        speed: m/s that the push gives the whole body. strategy: index in ``STRATEGIES``.
        held_by: number of what has held the body: of the known styles of balance, or of the attempts to track the walk; ``NOTHING`` where it fell, or
            needed none.
        momentum: (2, 6) N·s and N·m·s, heading frame: linear and angular momentum before the push, and soon after it,
            when it has gained most in the push's direction.
        frames: (K, COLUMNS), see above. contacts: (K, 2) whether the left and right foot stand.
        steps: (N, 5) of each step that caught the body: foot (0 left, 1 right), s, m forward and left of the pelvis at the push, rad that the foot
            points to the left.
    """

    start: int
    direction: float
    height: float
    speed: float
    strategy: int
    held_by: int
    momentum: Array
    frames: Array
    contacts: Bools
    steps: Array

    @property
    def seconds(self) -> float:
        return (len(self.frames) - 1) / RATE


def _mirror_columns() -> tuple[Ints, Array]:
    """Which column each column of a mirrored response comes from, and its sign."""
    source, sign = np.arange(COLUMNS), np.ones(COLUMNS)
    for places in (ROOT.start, ANKLE.start, ANKLE.start + 3):
        sign[places + 1] = -1.0
    # A turn's axis is the normal of a turning: a mirror keeps what is across it and flips the rest.
    for turns in (TURN.start, *range(BALL.start, BALL.stop, 3), *range(FOOT.start, FOOT.stop, 3)):
        sign[[turns, turns + 2]] = -1.0
    sign[SPEED.start + 1] = -1.0
    for left, size in ((BALL.start + 6, 3), (BALL.start + 12, 3), (ANKLE.start, 3), (FOOT.start, 3), (ELBOW.start, 1), (TOE.start, 1)):
        for column in range(left, left + size):
            source[column], source[column + size] = column + size, column
    return source, sign


MIRROR_FROM, MIRROR_SIGN = _mirror_columns()


def mirrored(frames: Array) -> Array:
    """(K, COLUMNS) frames with left and right exchanged."""
    return frames[..., MIRROR_FROM] * MIRROR_SIGN


def differences(body: Body, motion: Motion, clip: Motion, heading: float, speeds: Array, late: Array) -> Array:
    """(K, COLUMNS) how ``motion`` differs from ``clip``, frame by frame, both (K frames) on ``body``.

    Args:
        heading: rad, of the heading frame. speeds: (K, 2) m/s, heading frame. late: (K,) s.
    """
    back = rotation.from_axis_angle((0.0, 0.0, 1.0), -heading)
    balls, elbows, toes, ankles = ([body.names.index(name) for name in kind] for kind in (BALLS, ELBOWS, TOES, ANKLES))
    (places, turns), (own_places, own_turns) = motion.world(), clip.world()
    frames = np.empty((motion.frames, COLUMNS))
    frames[:, ROOT] = rotation.rotate(back, motion.root_positions - clip.root_positions)
    frames[:, TURN] = rotation.rotate(back, _turn(clip.rotations[:, 0], motion.rotations[:, 0]))
    local = rotation.log(rotation.multiply(rotation.conjugate(clip.rotations[:, balls]), motion.rotations[:, balls]))
    frames[:, BALL] = local.reshape(motion.frames, -1)
    for column, joints in ((ELBOW, elbows), (TOE, toes)):
        frames[:, column] = rotation.hinge_angle(motion.rotations[:, joints]) - rotation.hinge_angle(clip.rotations[:, joints])
    frames[:, ANKLE] = rotation.rotate(back, (places - own_places)[:, ankles]).reshape(motion.frames, -1)
    frames[:, FOOT] = rotation.rotate(back, _turn(own_turns[:, ankles], turns[:, ankles])).reshape(motion.frames, -1)
    frames[:, SPEED], frames[:, LATE] = speeds, late[:, None]
    return frames


def _turn(start: Array, end: Array) -> Array:
    """(..., 3) rad, the turn in the world from ``start`` to ``end`` (..., 4)."""
    return rotation.log(rotation.multiply(end, rotation.conjugate(start)))


def features(body: Body, places: Array, headings: Array, fps: float) -> Array:
    """(F, D) poses and velocities of a motion of F frames, in leg lengths, heading frame: joints seen from the pelvis, and how far they, and the
    pelvis, go in the time in which a leg swings by its own weight.

    Args:
        places: (F, L, 3) m, world, of the joints. headings: (F,) rad, of the pelvis.
    """
    back = rotation.from_axis_angle((0.0, 0.0, 1.0), -headings)[:, None]
    velocity = local_fit(places, fps, PACE_S, degree=1, derivative=1)
    swing = (body.leg_length / 9.81) ** 0.5
    both = np.concatenate([rotation.rotate(back, places - places[:, :1]), swing * rotation.rotate(back, velocity)], axis=1)
    return both.reshape(len(places), -1) / body.leg_length
