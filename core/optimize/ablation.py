"""What each part of the tracking feedback is worth: loops of clips with one part left out at a time (Lee 2010, section 5)."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

from ..errors import SimulationError
from ..jobs import make_job, run
from ..measure.following import following
from ..methods.track import FEEDBACK_PARTS


def ablation(clips: list[str], seconds: float, executor: Executor) -> list[dict]:
    """A row for each clip and each part left out (None: nothing): seconds and steps until a fall, and how near the joints stayed (m)."""
    tasks = [(clip, part, seconds) for clip in clips for part in (None, *FEEDBACK_PARTS)]
    return list(executor.map(_row, tasks))


def _row(task: tuple[str, str | None, float]) -> dict:
    clip, part, seconds = task
    row = {"clip": Path(clip).stem, "without": part}
    try:
        result = run(make_job({"method": "track", "clips": [clip], "loop": True, "without": [part] if part else [], "duration": seconds}))
    except SimulationError:
        return {**row, "fell": True, "seconds": 0.0, "steps": 0, "joint_error_m": None}
    return {**row, "fell": result.outcome["fell"], "seconds": round(result.outcome["fell_at"] or seconds, 2), "steps": result.outcome["steps"],
            "joint_error_m": round(following(result)["joint_error_m"], 4)}
