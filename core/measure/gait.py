"""How a character walks: speed, steps, timing, symmetry, and how well it follows the commanded heading and speed.

Forward and sideways are those of the pelvis heading, averaged over one stride so that the sway of the hips does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..feet.loads import Footfall, footfalls, loaded, strike_frames
from ..kinematics import center_of_mass, com_velocity
from ..result import Result
from ..signals import local_fit, window_frames

FEET = ("left", "right")
DEFAULT_STRIDE_S = 1.0
"""Averaging time where there are too few footfalls to know the stride."""
IN_PLACE_M = 0.02
"""Steps shorter than this on both sides are steps in place, whose lengths have no ratio."""


@dataclass(frozen=True)
class Step:
    """A landing of ``foot`` (0 left, 1 right) on ``frame``, measured from the landing of the other foot before it.

    length: metres forward. width: metres the left foot lies to the left of the right one (negative: crossed). time: seconds.
    """

    foot: int
    frame: int
    length: float
    width: float
    time: float


def stride_time(result: Result, falls: list[Footfall] | None = None) -> float:
    """Seconds between two landings of the same foot (median), or ``DEFAULT_STRIDE_S`` where none are seen."""
    falls = footfalls(result) if falls is None else falls
    gaps = np.concatenate([np.diff(strike_frames(falls, foot)) for foot in (0, 1)])
    return float(np.median(gaps)) / result.fps if len(gaps) else DEFAULT_STRIDE_S


def pelvis_heading(result: Result) -> Array:
    """(F,) radians, unwrapped: the direction the pelvis faces, 0 along +X, positive to the left."""
    return np.unwrap(rotation.heading(result.rotations[:, 0]))


def mean_heading(result: Result) -> Array:
    """(F,) radians, unwrapped: the pelvis heading averaged over one stride."""
    return local_fit(pelvis_heading(result), result.fps, stride_time(result), degree=1)


def path_length(result: Result) -> float:
    """Metres travelled over the ground by the centre of mass, without the sway of each stride."""
    # A mean over one stride would cut the corners of a turn; a parabola over two keeps them and still flattens the sway.
    path = local_fit(center_of_mass(result)[:, :2], result.fps, 2 * stride_time(result), degree=2)
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def distance(result: Result) -> float:
    """Metres over the ground, in a straight line, from where the centre of mass begins to where it ends."""
    com = center_of_mass(result)[:, :2]
    return float(np.linalg.norm(com[-1] - com[0]))


def forward_speed(result: Result) -> float | None:
    """m/s, net displacement of the centre of mass along the mean facing direction; negative when walking backwards."""
    heading = pelvis_heading(result)
    facing = np.arctan2(np.sin(heading).mean(), np.cos(heading).mean())
    com = center_of_mass(result)
    return _per(float((com[-1, :2] - com[0, :2]) @ direction(facing)), duration(result))


def duration(result: Result) -> float:
    """Seconds from the first frame to the last."""
    return (result.frames - 1) / result.fps


def direction(heading: Array | float) -> Array:
    """(..., 2) unit vector over the ground of headings (...) in radians."""
    return np.stack([np.cos(heading), np.sin(heading)], axis=-1)


def steps(result: Result) -> list[Step]:
    """Every landing that follows one of the other foot."""
    falls, heading = footfalls(result), mean_heading(result)
    found = []
    for before, fall in pairwise(falls):
        if before.foot == fall.foot:
            continue
        forward = direction(heading[fall.frame])
        move = fall.position[:2] - before.position[:2]
        sideways = forward[0] * move[1] - forward[1] * move[0]
        found.append(Step(fall.foot, fall.frame, float(move @ forward), float(sideways if fall.foot == 0 else -sideways),
                          (fall.frame - before.frame) / result.fps))
    return found


def support(result: Result) -> dict[str, float]:
    """Shares of the time, over whole strides where there are any: stance of each foot, double support, flight."""
    load, falls = loaded(result), footfalls(result)
    # A stride runs from a landing to the next of the same foot; other spans would count some phases once more than others.
    stance = [load[_whole_strides(strike_frames(falls, foot)), foot].mean() for foot in (0, 1)]
    strides = load[_whole_strides(max((strike_frames(falls, foot) for foot in (0, 1)), key=len))]
    return {
        "stance_ratio_left": stance[0],
        "stance_ratio_right": stance[1],
        "double_support_ratio": strides.all(axis=1).mean(),
        "flight_ratio": (~strides.any(axis=1)).mean(),
    }


def symmetry(left: float | None, right: float | None) -> float | None:
    """1 where left and right are alike, the smaller over the larger otherwise, 0 where they point opposite ways."""
    if left is None or right is None:
        return None
    larger = max(left, right, key=abs)
    return max(0.0, (left + right - larger) / larger) if larger else 1.0


def heading_error(result: Result) -> tuple[float | None, float | None]:
    """Largest and RMS difference in radians between the commanded heading and the pelvis heading averaged over one stride.

    Only frames with half a stride on either side count: nearer the ends the average would keep the sway of the hips.
    """
    margin = window_frames(result.fps, stride_time(result)) // 2
    errors = np.abs(rotation.wrap(mean_heading(result) - result.headings))[margin:result.frames - margin]
    errors = errors[np.isfinite(errors)]
    return (float(errors.max()), float(np.sqrt(np.mean(errors**2)))) if len(errors) else (None, None)


def speed_errors(result: Result, start_s: float = 0.0) -> list[dict[str, float]]:
    """Forward speed against each commanded speed held for at least a stride; ``start_s``: time of the first frame."""
    forward = np.einsum("fd,fd->f", com_velocity(result)[:, :2], direction(mean_heading(result)))
    edges = np.flatnonzero(np.diff(result.speeds) != 0) + 1
    shortest = stride_time(result) * result.fps
    segments = []
    for start, end in pairwise([0, *edges.tolist(), result.frames]):
        commanded = result.speeds[start]
        if np.isfinite(commanded) and end - start >= shortest:
            segments.append({
                "from_s": start_s + start / result.fps,
                "to_s": start_s + end / result.fps,
                "commanded_m_s": commanded,
                "measured_m_s": forward[start:end].mean(),
                "error_m_s": forward[start:end].mean() - commanded,
            })
    return segments


def summary(result: Result, start_s: float = 0.0) -> dict[str, Any]:
    """All of the above; ``start_s`` is the time of the first frame, added to the times of steps and segments."""
    taken, falls = steps(result), footfalls(result)
    lengths, times = ([_mean([getattr(step, name) for step in taken if step.foot == foot]) for foot in (0, 1)]
                      for name in ("length", "time"))
    in_place = all(length is not None and abs(length) < IN_PLACE_M for length in lengths)
    error_max, error_rms = heading_error(result)
    return {
        "speed_m_s": forward_speed(result),
        "path_speed_m_s": _per(path_length(result), duration(result)),
        "cadence_steps_min": _per(60 * result.fps * (len(falls) - 1), falls[-1].frame - falls[0].frame) if falls else None,
        "stride_time_s": stride_time(result, falls) if len(falls) > 2 else None,
        "step_count": len(taken),
        "step_length_left_m": lengths[0],
        "step_length_right_m": lengths[1],
        "step_time_left_s": times[0],
        "step_time_right_s": times[1],
        "step_width_m": _mean([step.width for step in taken]),
        "step_length_symmetry": 1.0 if in_place else symmetry(*lengths),
        "step_time_symmetry": symmetry(*times),
        **support(result),
        "heading_range_rad": np.ptp(mean_heading(result)),
        "heading_error_max_rad": error_max,
        "heading_error_rms_rad": error_rms,
        "speed_segments": speed_errors(result, start_s),
        "each_step": [{"foot": FEET[step.foot], "time_s": start_s + step.frame / result.fps, "length_m": step.length,
                       "width_m": step.width} for step in taken],
    }


def _whole_strides(strikes: list[int]) -> slice:
    """The frames from the first to the last landing; all frames where there are no two."""
    return slice(strikes[0], strikes[-1]) if len(strikes) > 1 else slice(None)


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _per(amount: float, time: float) -> float | None:
    return amount / time if time > 0 else None
