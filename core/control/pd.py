"""Torques of joints: proportional-derivative ones, and the limit of what a person's joints can give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Vector
from ..physics.state import PerJoint

STRONGEST = 6.0  # N·m per kg of body mass, of one joint about one axis
Gain = tuple[float, float, float]  # kp N·m/rad, kd N·m·s/rad, limit N·m


def ball_torque(error: Vector, rate: Vector, gain: Gain) -> Vector:
    """Torque towards an orientation: ``error`` rad and ``rate`` rad/s in the same frame; its size is limited."""
    kp, kd, limit = gain
    x, y, z = kp * error[0] - kd * rate[0], kp * error[1] - kd * rate[1], kp * error[2] - kd * rate[2]
    size = x * x + y * y + z * z
    if size > limit * limit:
        cut = limit / size**0.5
        return (x * cut, y * cut, z * cut)
    return (x, y, z)


def hinge_torque(error: float, rate: float, gain: Gain) -> float:
    """The same about one axis."""
    kp, kd, limit = gain
    torque = kp * error - kd * rate
    return -limit if torque < -limit else limit if torque > limit else torque


def times(gain: Gain, factor: float) -> Gain:
    """A gain that is stronger or weaker by a factor."""
    return gain if factor == 1.0 else (gain[0] * factor, gain[1] * factor, gain[2] * factor)


def within_strength(torques: Array, hinges: Sequence[bool], mass: float) -> PerJoint:
    """Torques (L, 3) N·m in the links' own frames, none stronger than those of a person of ``mass`` kg, as ``World.apply`` takes them."""
    most = STRONGEST * mass
    rows = np.minimum(np.maximum(torques, -most), most).tolist()  # np.clip takes five times as long
    return [row[1] if hinge else tuple(row) for hinge, row in zip(hinges, rows, strict=True)]
