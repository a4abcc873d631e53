"""How like a person it walks: the figures of a steady walk that people's are known for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..arrays import Array
from ..feet.loads import footfalls, strike_frames
from ..feet.slide import step_slides
from ..kinematics import body_weight
from ..result import Result
from . import gait
from .norms import POINTS, Norm, curves

PUSH_OFF = slice(50, 71)  # % of the cycle in which the ankle pushes off
FIRST_HUMP, DIP, SECOND_HUMP = slice(3, 26), slice(18, 46), slice(36, 60)  # % of the cycle: of the force on a foot
LEAST_SD = 3.0  # degrees: people who walk alike by chance are no reason to want more than that


def figures(result: Result, norms: dict[str, Norm] | None) -> dict[str, float]:
    """Of a walk without its start; angles in degrees, forces in body weights, m, s. What cannot be measured is left out: without two strides all."""
    steps, angles = gait.steps(result), curves(result)
    if len(steps) < 4 or not all(np.isfinite(curve).all() for curve in angles.values()):
        return {}
    force = force_cycle(result)
    found = {
        "speed": gait.forward_speed(result) or 0.0,
        "cadence": 60.0 / float(np.mean([step.time for step in steps])),
        "step_length": float(np.mean([step.length for step in steps])),
        "step_width": float(np.mean([step.width for step in steps])),
        "double_support": float(gait.support(result)["double_support_ratio"]),
        "knee_at_strike": float(angles["knee"][:, 0].mean()),
        "push_off": float(angles["ankle"][:, PUSH_OFF].min(axis=1).mean()),
        "first_hump": float(force[FIRST_HUMP].max()),
        "dip": float(force[DIP].min()),
        "second_hump": float(force[SECOND_HUMP].max()),
        "peak_force": float(np.quantile(result.foot_forces[:, :, 2] / body_weight(result), 0.998)),
        "rise": rise(result),
        "slide": float(np.mean(step_slides(result) or [0.0])),
    }
    for joint, share in zip(("hip", "knee", "ankle"), torque_ratio(result), strict=True):
        found[f"{joint}_torque"] = float(share)
    for joint, norm in (norms or {}).items():
        off = deviations(angles[joint], norm, joint == "hip")
        found[f"{joint}_within_1sd"], found[f"{joint}_within_2sd"] = float((np.abs(off) <= 1.0).mean()), float((np.abs(off) <= 2.0).mean())
    return found


def deviations(curve: Array, norm: Norm, level: bool, least: float = 0.0) -> Array:
    """(2, 101) of the curves of both legs from people's, in standard deviations of at least ``least`` degrees. ``level``: less the mean difference,
    which a pelvis frame that is drawn otherwise gives a hip."""
    off = curve - norm.mean
    if level:
        off = off - off.mean()
    return off / np.maximum(norm.sd, least)


def force_cycle(result: Result) -> Array:
    """(101,) body weights, upward, on a foot from a landing to its next; the mean of both feet."""
    falls, frames = footfalls(result), np.arange(result.frames)
    cycles = [np.interp(np.linspace(start, end, POINTS), frames, result.foot_forces[:, foot, 2])
              for foot in (0, 1) for start, end in pairwise(strike_frames(falls, foot))]
    return np.mean(cycles, axis=0) / body_weight(result)


def rise(result: Result) -> float:
    """m that the pelvis rises and falls in a step, on average, beside what a slope raises it."""
    heights, strikes, frames = result.root_positions[:, 2], [fall.frame for fall in footfalls(result)], np.arange(result.frames)
    heights = heights - np.polyval(np.polyfit(frames, heights, 1), frames)
    return float(np.mean([np.ptp(heights[start:end]) for start, end in pairwise(strikes) if end > start + 1]))


def torque_ratio(result: Result) -> Array:
    """(3,) shares of hips, knees and ankles in their squared torques (Wang 2009, eq. 13, 14)."""
    squares = (result.torques**2).sum(axis=2).mean(axis=0)
    parts = np.array([sum(squares[result.link_names.index(f"{link}.{side}")] for side in "LR") for link in ("thigh", "shin", "foot")])
    return parts / max(parts.sum(), 1e-9)
