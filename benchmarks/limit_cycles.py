"""Limit cycles: for how long they hold, at which speeds and turns, on which bodies, and under which pushes.

    python benchmarks/limit_cycles.py [--only long speeds turns bodies pushes engines] [--seconds 60] [--workers N] [--table FILE]

A row is a walk: when it fell (null: it held), its speed over all of it (m/s), and how far its feet slide in a step (mm).
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import table
from core import presets
from core.context import Context
from core.jobs import make_job, run
from core.measure.report import measure

STYLES = ("proud", "sneaky", "tired")
BODIES = ("average_woman", "tall", "short", "thin", "stocky", "overweight", "long_arm")
PUSHED_S, PUSH_S, RECOVERS_S = 6.0, 0.4, 10.0


def walks(seconds: float) -> dict[str, list[dict[str, Any]]]:
    """Jobs, by what they are to show."""
    speeds = [round(0.5 + 0.1 * n, 1) for n in range(9)]
    # A circle of a radius: the heading that a speed makes of it.
    circles = [(speed, radius) for speed in (0.5, 0.8, 1.0, 1.2) for radius in (2.0, 3.0, 5.0)]
    return {
        "long": [{"cycle": name, "duration": 300.0} for name in presets.names("limit_cycles")],
        "speeds": [{"speed": speed, "duration": seconds} for speed in speeds]
        + [{"speed": [[0.0, 0.5], [0.3 * seconds, 1.3], [0.6 * seconds, 0.5], [seconds, 1.2]], "duration": seconds}],
        "turns": [{"speed": speed, "heading": [[0.0, 0.0], [seconds, side * speed / radius * seconds]], "duration": seconds}
                  for speed, radius in circles for side in (1.0, -1.0)]
        + [{"cycle": name, "heading": [[0.0, 0.0], [seconds, 0.2 * seconds]], "duration": seconds} for name in STYLES],
        "bodies": [{"body": body, "cycle": name, "duration": seconds} for body in BODIES for name in ("walk", *STYLES)]
        + [{"body": body, "speed": speed, "heading": [[0.0, 0.0], [seconds, 0.2 * seconds]], "duration": seconds}
           for body in BODIES for speed in (0.7, 1.2)],
        "pushes": [{"duration": PUSHED_S + RECOVERS_S, "events": [{"type": "push", "time": PUSHED_S + later, "duration": PUSH_S, "part": "torso",
                                                                   "force": [force * math.cos(angle), force * math.sin(angle), 0.0]}]}
                   for force in (20.0, 40.0, 60.0) for angle in np.arange(8) * math.pi / 4.0 for later in (0.0, 0.3)],
        "engines": [{"engine": "pybullet", "cycle": name, "duration": seconds} for name in ("walk", *STYLES)]}


def walked(job: dict[str, Any]) -> dict[str, Any]:
    began = time.monotonic()
    result = run(make_job({"method": "limit_cycle", **job}), Context(workers=1))
    outcome = result.outcome
    until = int((outcome["fell_at"] or job["duration"]) * result.fps)
    stride = round(result.fps)  # over a second, in which the sway of the hips hardly counts
    way = np.linalg.norm(np.diff(result.root_positions[:until:stride, :2], axis=0), axis=1)
    return {"job": job, "fell_at": outcome["fell_at"], "speed": round(float(way.mean()), 3) if len(way) else None, "steps": outcome["steps"],
            "end_m": [round(v, 2) for v in outcome["end_position_m"]], "slide_mm": round(measure(result)["skate"]["slide_mean_mm"], 1),
            "took_s": round(time.monotonic() - began, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(walks(1.0)))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--table", type=Path, help="keeps rows in this file, and goes on after those that are there")
    options = parser.parse_args()
    done = [row["job"] for row in table.rows(options.table)]
    todo = [(kind, job) for kind, job in _every(walks(options.seconds), options.only) if job not in done]
    with ProcessPoolExecutor(options.workers) as pool:
        waiting = {pool.submit(walked, job): kind for kind, job in todo}
        for future in as_completed(waiting):
            table.add(options.table, {"kind": waiting[future], **future.result()})


def _every(jobs: dict[str, list[dict[str, Any]]], only: list[str] | None) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((kind, job) for kind, group in jobs.items() if not only or kind in only for job in group)


if __name__ == "__main__":
    main()
