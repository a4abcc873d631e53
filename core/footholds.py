"""Footholds: with which foot a falling body steps, and where that lands (Yin 2007, chapter 6).

What the balancing law of a simulation (``control.balance``) and the reduced body of a quick answer (``pushes.catch``) decide alike. Places are m on
the ground, (x, y), world.
"""

from __future__ import annotations

from math import atan2, cos, exp, hypot, sin

from .balance_styles import BalanceStyle
from .hull import Point
from .rotation import wrap

LONG = 0.25  # leg lengths that the capture point is beyond the feet, from which on a step turns as far as it may
ASIDE = 1.9  # rad: the body does not turn to a capture point further to its side or back than this


def stepping(left: Point, right: Point, caught: Point, sidestep: bool) -> int:
    """The foot (0 left, 1 right) that steps, of feet whose soles' middles are ``left`` and ``right``: the one that the body moves away from, as its
    capture point ``caught`` says, but for a ``sidestep``."""
    (lx, ly), (rx, ry) = left, right
    toward_left = (lx - rx) * (caught[0] - (lx + rx) / 2) + (ly - ry) * (caught[1] - (ly + ry) / 2)
    return int((toward_left >= 0.0) != sidestep)


def turning(style: BalanceStyle, leg: float, middle: Point, caught: Point, over: float, yaw: float) -> float:
    """rad by which a step that begins turns a body that faces ``yaw`` to where it falls; less where its capture point is only a little (``over``, m)
    beyond the feet, whose middle is ``middle``. ``leg``: m, its length."""
    most = style.turn * min(1.0, over / (LONG * leg))
    aside = wrap(atan2(caught[1] - middle[1], caught[0] - middle[0]) - yaw)
    return min(max(aside, -most), most) if abs(aside) < ASIDE else 0.0


def foothold(style: BalanceStyle, leg: float, foot: int, caught: Point, near: Point, grow: float, other: Point, yaw: float, ahead: float,
             way: float) -> Point:
    """m, where the ankle of a foot lands: where the capture point will be then.

    Args:
        leg: m, its length. caught: the capture point. near: the point of the feet that stand from which it runs away. grow: times as far from there
            that it will be. other: the ankle of the other foot. yaw: rad, where the body faces. ahead: m from an ankle to the middle of the sole.
        way: positive or negative for a foot that goes around the other one ahead of it or behind it; 0 where it is not said.
    """
    c, s = cos(yaw), sin(yaw)
    # It is the middle of the sole that is to be there, not the ankle.
    far = grow * (1.0 + style.further)
    x, y = near[0] + (caught[0] - near[0]) * far - c * ahead, near[1] + (caught[1] - near[1]) * far - s * ahead
    forward, aside = (x - other[0]) * c + (y - other[1]) * s, (y - other[1]) * c - (x - other[0]) * s
    out, apart = aside if foot == 0 else -aside, style.apart
    if out < apart and abs(forward) < 2.0 * apart:
        # The foot would land on the other one: there is only room ahead of it, behind it or beside it.
        if out < -0.5 * apart:
            # If the body turns there with the step, a foot that crosses ahead is on its own side again afterwards.
            forward = 2.0 * apart if (way or forward + 0.5 * apart) >= 0.0 else -2.0 * apart
        else:
            out = apart
    elif -apart < out < 0.5 * apart:
        out = 0.5 * apart  # no step crosses the other foot by a little
    out = max(out, -style.across * leg)
    aside = out if foot == 0 else -out
    cut = min(1.0, style.reach * leg / max(hypot(forward, aside), 1e-9))
    forward, aside = cut * forward, cut * aside
    return other[0] + c * forward - s * aside, other[1] + s * forward + c * aside


def growth(pace: float, left: float) -> float:
    """Times as far from the feet that a capture point is after ``left`` s. ``pace``: 1/s, at which a falling body departs from it."""
    return exp(pace * max(left, 0.0))


def bowed(foot: int, start: Point, goal: Point, other: Point, yaw: float, bow: float) -> Point:
    """m along x and y by which the way of a foot from ``start`` to ``goal`` curves around the ``other`` ankle, where it leads across that: by ``bow``
    m, ahead of it or behind. ``yaw``: rad, where the body faces."""
    c, s, side = cos(yaw), sin(yaw), 1.0 if foot == 0 else -1.0
    before, after = (side * ((y - other[1]) * c - (x - other[0]) * s) for x, y in (start, goal))
    if not after < 0.0 < before:
        return 0.0, 0.0
    if (goal[0] - other[0]) * c + (goal[1] - other[1]) * s < 0.0:
        bow = -bow
    return c * bow, s * bow
