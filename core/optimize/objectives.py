"""What a search wants of a gait, as a cost: lower is better, below 1 is good.

A wish is plain data: {"speed": m/s, "seconds": s, "pushes": level of the published pushes to take, "keep": weight, "terms": {…},
"like": {figure of ``measure``: [value, tolerance]}}.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..control.gait import make_gait
from ..errors import SimulationError
from ..jobs import make_job
from ..measure.report import measure
from ..methods.gait import walk
from ..result import Result
from .pushes import fallen_share

PUSHES = 40.0  # cost of falling under each of the pushes
FALL = 100.0  # cost of falling at once; a later fall costs proportionally less


def job_of(name: str, wish: dict[str, Any]) -> dict[str, Any]:
    """The data of the job that shows what a gait is worth under a wish."""
    return {"gait": name, "duration": wish.get("seconds", 12.0), "body": wish.get("body", "average_man"), **wish.get("job", {})}


def cost(data: dict[str, Any], name: str, wish: dict[str, Any]) -> float:
    """Cost of a gait preset's data under a wish."""
    job = make_job(job_of(name, wish))
    try:
        result = walk(job, gaits={job.settings.gait: make_gait(data, name)})
    except SimulationError:
        return 2 * FALL
    if result.outcome["fell"]:
        return FALL * (2.0 - result.outcome["fell_at"] / job.duration)
    total = manner(result, wish)
    if "pushes" in wish and total < 20.0:
        total += PUSHES * fallen_share(data, name, wish["pushes"], job.body)
    return total


def manner(result: Result, wish: dict[str, Any]) -> float:
    """How far the motion is from a straight, even, quiet gait at the wished speed."""
    report = measure(result)
    gait, weights = report["gait"], wish.get("terms", {})
    tail = result.root_positions[min(int(2 * result.fps), result.frames // 2):]  # without the start
    seconds = len(tail) / result.fps
    forward, sideways = (tail[-1] - tail[0])[:2] / seconds
    total = 0.0
    if "speed" in wish:
        total += ((forward - wish["speed"]) / 0.1) ** 2
    total += ((sideways - wish.get("side_speed", 0.0)) / 0.1) ** 2
    for left, right in (("step_length_left_m", "step_length_right_m"), ("step_time_left_s", "step_time_right_s")):
        if gait.get(left) is not None and gait.get(right) is not None:
            total += weights.get("symmetry", 1.0) * ((gait[left] - gait[right]) / 0.08) ** 2
    body_weight = 9.81 * result.masses.sum()
    effort = float((result.torques**2).sum(axis=(1, 2)).mean()) / body_weight**2
    total += weights.get("effort", 3.0) * effort
    sway = np.abs(np.diff(result.rotations[:, 1 if len(result.masses) > 7 else 0], axis=0)).sum() / seconds
    total += weights.get("sway", 0.3) * float(sway)
    skate = report["skate"]
    total += weights.get("slide", 1.0) * (skate["slide_mean_mm"] or 0.0) / 20.0
    total += weights.get("skating", 0.5) * skate["skating_frames"] / seconds
    total += weights.get("penetration", 1.0) * max(0.0, (skate["penetration_max_mm"] - 3.0) / 2.0)
    for key, (target, tolerance) in wish.get("like", {}).items():
        value = gait.get(key)
        total += 4.0 if value is None else ((value - target) / tolerance) ** 2
    return total
