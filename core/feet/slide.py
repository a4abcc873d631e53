"""Feet that move while they should stand: skating frames, slide a step, penetration."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Bools
from ..kinematics import sole_feet, sole_heights, sole_positions
from ..result import Result
from .loads import NEAR_GROUND_M, bearing, planted, stances
from .sole import middles

# A foot skates while all of its sole is lower and faster than this.
LOW_M = 0.05
FAST_M_S = 0.5


def skating(result: Result) -> Bools:
    """(F, 2) whether each foot skated into this frame.

    From the frame before, the whole sole stayed below ``LOW_M`` and even its slowest point moved faster than ``FAST_M_S``.
    All of the sole, because heel strike and toe-off roll over a point that is still, and a swinging foot has its heel or
    its toes higher than that.
    """
    feet = sole_feet(result)
    low, fast = sole_heights(result) < LOW_M, _moves(sole_positions(result)) * result.fps > FAST_M_S
    skates = np.zeros((result.frames, 2), dtype=bool)
    for foot in np.unique(feet):
        whole_low = np.all(low[:, feet == foot], axis=1)
        skates[1:, foot] = whole_low[1:] & whole_low[:-1] & np.all(fast[:, feet == foot], axis=1)
    return skates


def slides(result: Result, whole: bool = False) -> list[float]:
    """Metres that a foot slid during each stance, the left foot's first; ``whole``: only stances seen from start to end.

    The slide of one frame is the horizontal move of the slowest point of the sole among those that stayed near the ground: as the
    foot rolls from heel to toe, the point that stands is measured and those that lift are not; a foot that pivots turns on a point between
    two corners. Within the last frame of a stance the foot leaves the ground (forces are means over a frame), so that frame's move is not a slide.
    """
    return _by_stance(result, frame_slides(result), whole)


def step_slides(result: Result) -> list[float]:
    """The same, of steps: a stance cut off by the first or last frame would pass for one with less slide, and counts only where there is no other."""
    return slides(result, whole=True) or slides(result)


def bearing_slides(result: Result, first: int = 0, where: Bools | None = None) -> list[float]:
    """The same, of feet while they bear the body, in stances in which they do, from frame ``first`` on, and only on frames ``where`` (F,)."""
    bear = bearing(result)
    if where is not None:
        bear[~where] = False
    bear[:first + 1] = False
    slid = np.where(bear, frame_slides(result), 0.0)
    return [length for length, frames in zip(_by_stance(result, slid), _by_stance(result, bear), strict=True) if frames]


def _by_stance(result: Result, slid: Array | Bools, whole: bool = False) -> list[float]:
    """The sum of ``slid`` (F, 2) over each stance but for its first and last frame, the left foot's first."""
    return [float(slid[start + 1:end - 1, foot].sum())
            for foot, intervals in enumerate(stances(result))
            for start, end in intervals
            if not whole or (start > 0 and end < result.frames)]


def frame_slides(result: Result) -> Array:
    """(F, 2) metres that each planted foot slid since the frame before; 0 where it was not planted on both."""
    feet, points, heights, plant = sole_feet(result), sole_positions(result), sole_heights(result), planted(result)
    heels, slowest = result.sole_points[:, 0] < 0.0, np.full((result.frames - 1, 2), np.inf)
    # A pivot is on the heel or on ball and toes: a foot that turns about its arch scrapes the floor with both.
    for foot, heel in sorted(set(zip(feet.tolist(), heels.tolist(), strict=True))):
        own = (feet == foot) & (heels == heel)
        near = middles(heights[:, own]) < NEAR_GROUND_M
        stayed = near[1:] & near[:-1] & (plant[1:, foot] & plant[:-1, foot])[:, None]
        slowest[:, foot] = np.minimum(slowest[:, foot], np.where(stayed, _moves(middles(points[:, own])), np.inf).min(axis=1))
    return np.concatenate([np.zeros((1, 2)), np.where(np.isfinite(slowest), slowest, 0.0)])


def summary(result: Result) -> dict[str, float | None]:
    """Frames skated by either foot, slide a step and penetration; see ``report.measure``."""
    skates = np.any(skating(result), axis=1)
    every, steps = slides(result), step_slides(result)
    return {
        "skating_frames": int(skates.sum()),
        "skating_ratio": float(skates.mean()),
        "slide_mean_mm": 1000 * float(np.mean(steps)) if steps else None,
        "slide_max_mm": 1000 * max(every) if every else None,
        "penetration_max_mm": 1000 * float(result.penetrations.max()),
    }


def _moves(points: Array) -> Array:
    """(F - 1, P) metres that each of (F, P, 3) points moves horizontally from each frame to the next."""
    return np.linalg.norm(np.diff(points[:, :, :2], axis=0), axis=2)
