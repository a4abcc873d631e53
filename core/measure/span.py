"""Which frames of a Result count."""

from __future__ import annotations

import dataclasses
import math

from ..result import Result

STARTUP_S = 2.0
LONG_ENOUGH_S = 6.0

PER_FRAME = ("root_positions", "rotations", "torques", "foot_forces", "foot_cops", "penetrations", "ground_heights", "stance",
             "states", "gaits", "headings", "speeds", "reference_positions", "object_positions", "object_rotations", "clip_times",
             "clip_roots", "clip_rotations")


def cut(result: Result, start: int, end: int) -> Result:
    """The frames ``start`` up to, not including, ``end`` of a result; the arrays are views."""
    return dataclasses.replace(result, **{name: getattr(result, name)[start:end] for name in PER_FRAME})


def fall_frame(result: Result) -> int | None:
    """The frame on which the character counts as fallen, or None."""
    fell_at = result.outcome.get("fell_at")
    if not result.outcome.get("fell") or fell_at is None:
        return None
    # Times written as decimals must not fall short of their own frame.
    return min(result.frames - 1, math.floor(fell_at * result.fps + 1e-6))


def upright(result: Result) -> Result:
    """The frames up to and including the fall; all of them without one."""
    fall = fall_frame(result)
    return result if fall is None else cut(result, 0, fall + 1)


def startup_frames(result: Result) -> int:
    """How many frames to leave out of gait averages: getting going is not the gait. None of a short result can be spared."""
    return round(STARTUP_S * result.fps) if result.frames > LONG_ENOUGH_S * result.fps else 0


def steady(result: Result) -> Result:
    """The frames that gait averages are taken over: upright, without the start-up."""
    standing = upright(result)
    return cut(standing, startup_frames(standing), standing.frames)
