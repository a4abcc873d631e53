"""What a reference holds, as plain data for a panel or a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import feet
from ..feet import middles
from ..feet.stances import Stance
from .fragments import Fragment
from .reference import Reference
from .rises import rise_of

FEET = ("left", "right")
# Metres over the floor below which a point of the sole stands on it.
DOWN = 0.01


def inspect(reference: Reference) -> dict[str, Any]:
    """Measures of a reference, ready for JSON: times in seconds from its start, lengths in metres, speeds in m/s over the floor."""
    motion = reference.motion
    way = np.linalg.norm(np.diff(motion.root_positions[:, :2], axis=0), axis=1) * motion.fps if motion.frames > 1 else np.zeros(1)
    standing = np.any(reference.contacts, axis=1)
    heights = motion.root_positions[standing if standing.any() else slice(None), 2]
    steps = [fragment for fragment in reference.fragments if fragment.whole and fragment.kind in FEET]
    return {
        "name": reference.name,
        "seconds": round(motion.duration, 3),
        "fps": round(reference.fps, 3),
        "speed_mean": round(float(way.mean()), 3),
        "speed_median": round(float(np.median(way)), 3),
        "hip_height": round(float(np.median(heights)), 3),
        "strikes": {side: [_seconds(reference, stance.start) for stance in reference.stances if stance.foot == foot and stance.start > 0]
                    for foot, side in enumerate(FEET)},
        "contacts": {side: [_span(reference, stance) for stance in reference.stances if stance.foot == foot]
                     for foot, side in enumerate(FEET)},
        "step_count": len(steps),
        "step_seconds": _mean_seconds(reference, steps),
        "fragments": [{"kind": fragment.kind, "span": _span(reference, fragment), "whole": fragment.whole}
                      for fragment in reference.fragments],
        "slide_max_mm": round(1000.0 * max(slides(reference), default=0.0), 1),
        "sink_max_mm": round(1000.0 * sink(reference), 1),
        "gets_up": rise_of(reference) is not None,
        "faults": list(reference.faults),
        "notes": list(reference.notes),
    }


def slides(reference: Reference) -> list[float]:
    """Metres that the foot slides in each stance: in every frame as much as that point of the sole which is down and moves least.

    Points are the corners of the sole and the middles between them: a foot that pivots turns on a point inside of its sole.
    """
    soles = feet.soles(reference.body, reference.motion)
    slid = []
    for stance in reference.stances:
        points = middles(soles[stance.start:stance.end, stance.foot])
        down = points[..., 2] < stance.height + DOWN
        moves = np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1)
        least = np.where(down[1:] & down[:-1], moves, np.inf).min(axis=1)
        slid.append(float(least[np.isfinite(least)].sum()))
    return slid


def sink(reference: Reference) -> float:
    """Metres by which a sole goes below the floor at most."""
    return max(0.0, -float(feet.soles(reference.body, reference.motion)[..., 2].min()))


def _seconds(reference: Reference, frame: int) -> float:
    return round(frame / reference.motion.fps, 3)


def _span(reference: Reference, of: Stance | Fragment) -> list[float]:
    """Seconds at which it starts and ends."""
    return [_seconds(reference, of.start), _seconds(reference, of.end)]


def _mean_seconds(reference: Reference, steps: list[Fragment]) -> float | None:
    return round(float(np.mean([step.frames for step in steps])) / reference.motion.fps, 3) if steps else None
