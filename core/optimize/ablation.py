"""What each kind of tracking feedback is worth: loops of clips with one kind left out at a time (Lee 2010, section 5)."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from ..errors import SimulationError
from ..jobs import make_job, run
from ..measure.following import nearness
from ..methods.track import FEEDBACK


def ablation(clips: list[str], seconds: float, executor: Executor) -> list[dict[str, Any]]:
    """A row for each clip and each kind of feedback left out (None: nothing): seconds and steps until a fall, and how near the joints stayed (m)."""
    tasks = [(clip, kind, seconds) for clip in clips for kind in (None, *FEEDBACK)]
    return list(executor.map(_row, tasks))


def _row(task: tuple[str, str | None, float]) -> dict[str, Any]:
    clip, kind, seconds = task
    row = {"clip": Path(clip).stem, "without": kind}
    try:
        result = run(make_job({"method": "track", "clips": [clip], "loop": True, "without": [kind] if kind else [], "duration": seconds}))
    except SimulationError:
        return {**row, "fell": True, "seconds": 0.0, "steps": 0, "joint_error_m": None}
    return {**row, "fell": result.outcome["fell"], "seconds": round(result.outcome["fell_at"] or seconds, 2), "steps": result.outcome["steps"],
            "joint_error_m": round(nearness(result)["joint_error_m"], 4)}
