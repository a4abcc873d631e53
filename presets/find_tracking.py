"""Find the usual gains of tracking, presets/tracking.json, again:

    python presets/find_tracking.py --pushed WALK.bvh --held CLIP.bvh … --minutes 60

A candidate walks the loop of the first clip while it is pushed, and follows the others to their ends. The search is a CMA-ES over factors of all gains; it goes on
from its checkpoint, and the best gains are written after every generation.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pickle
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cma
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.control.tracker import gains_of  # noqa: E402
from core.errors import SimulationError  # noqa: E402
from core.job import make_job  # noqa: E402
from core.optimize.pushes import CLIP_PUBLISHED  # noqa: E402
from core.optimize.tracking import NUMBERS, STIFFNESSES, cost, moved  # noqa: E402
from core.simulate import simulate  # noqa: E402

OUTPUT = Path(__file__).parent / "tracking.json"
WALKED, RECOVERED = 1.5, 2.5  # s before and after a push
PHASES = (0.0, 0.18, 0.36)  # s: a push meets the walk at these moments of its cycle
LEVEL = 1.25  # of the published forces
KEEP = 0.01  # cost of moving a gain e-fold: those that do not matter stay


def trials(pushed: str, held: list[str]) -> list[tuple[dict, float]]:
    """(job, weight) of all that a candidate has to do."""
    jobs = []
    for direction, force in CLIP_PUBLISHED.items():
        for phase in PHASES:
            push = {"type": "push", "time": WALKED + phase, "duration": 0.4, "force": [LEVEL * force * direction[0], LEVEL * force * direction[1], 0.0]}
            jobs.append(({"reference": {"clips": [pushed], "loop": True}, "duration": WALKED + phase + 0.4 + RECOVERED, "events": [push]}, 2.0 / (4 * len(PHASES))))
    return jobs + [({"reference": {"clips": [clip]}}, 1.0 / len(held)) for clip in held]


def trial(task: tuple[dict, dict]) -> float:
    source, gains = task
    job = make_job(source)
    try:
        result = simulate(job, gains=gains_of(gains))
    except SimulationError:
        return 2.0
    if "events" in source and not result.outcome["fell"]:
        return 0.0
    return min(2.0, cost(result, job.duration))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pushed", required=True)
    parser.add_argument("--held", nargs="+", required=True)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--checkpoint", type=Path, default=Path("tracking.search"))
    options = parser.parse_args()
    jobs = trials(options.pushed, options.held)
    base = gains_of({})
    if options.checkpoint.is_file():
        strategy, best, best_cost = pickle.loads(options.checkpoint.read_bytes())
    else:
        strategy = cma.CMAEvolutionStrategy(np.zeros(len(STIFFNESSES) + len(NUMBERS)), 0.25, {"seed": 1, "verbose": -9, "popsize": 8})
        best, best_cost = base, float("inf")
    until = time.monotonic() + 60 * options.minutes
    with ProcessPoolExecutor(os.cpu_count()) as executor:
        while time.monotonic() < until:
            points = strategy.ask()
            if best_cost == float("inf"):
                points[0] = np.zeros(len(points[0]))
            candidates = [moved(base, point) for point in points]
            tasks = [(job, dataclasses.asdict(candidate)) for candidate in candidates for job, _ in jobs]
            costs = np.array(list(executor.map(trial, tasks, chunksize=4))).reshape(len(points), len(jobs)) @ [weight for _, weight in jobs]
            costs = costs + KEEP * np.square(points).sum(axis=1)
            strategy.tell(points, costs.tolist())
            leader = int(np.argmin(costs))
            if costs[leader] < best_cost:
                best, best_cost = candidates[leader], float(costs[leader])
                written = {"description": "Gains with which bodies follow recordings.", "made_by": "python presets/find_tracking.py", "cost": round(best_cost, 4),
                           "gains": dataclasses.asdict(best)}
                options.checkpoint.with_suffix(".json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
            options.checkpoint.write_bytes(pickle.dumps((strategy, best, best_cost)))
            print(f"{costs.min():.4f} of {np.round(np.sort(costs), 3)}, best {best_cost:.4f}", flush=True)


if __name__ == "__main__":
    main()
