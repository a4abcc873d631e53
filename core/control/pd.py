"""Proportional-derivative torques. A gain is (kp N·m/rad, kd N·m·s/rad, limit N·m)."""

from __future__ import annotations


def ball_torque(error: tuple, rate: tuple, gain: tuple) -> tuple:
    """Torque towards an orientation: ``error`` rad and ``rate`` rad/s in the same frame; its size is limited."""
    kp, kd, limit = gain
    x, y, z = kp * error[0] - kd * rate[0], kp * error[1] - kd * rate[1], kp * error[2] - kd * rate[2]
    size = x * x + y * y + z * z
    if size > limit * limit:
        cut = limit / size**0.5
        return (x * cut, y * cut, z * cut)
    return (x, y, z)


def hinge_torque(error: float, rate: float, gain: tuple) -> float:
    """The same about one axis."""
    kp, kd, limit = gain
    torque = kp * error - kd * rate
    return -limit if torque < -limit else limit if torque > limit else torque
