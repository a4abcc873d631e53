"""How much faster a clip is planned with several workers than with one, as a ratio in one run.

    python benchmarks/workers.py [CLIP] [--engine mujoco] [--workers 2] [--windows 20]

Every window of the plan (0.1 s of the clip) is searched by one worker and by all of them in turn, so that what else the machine does falls on both.
What they find must be the same, bit for bit. ``at_most``: how much more of the same plans as many processes try that have nothing to do with each
other, which is what the machine gives.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pybullet_data

from core.context import Context
from core.jobs import make_job
from core.methods.plan import task_of
from core.plan.follow import planner_of
from core.plan.planner import Planner
from core.plan.stage import Scores, Stage, try_plans
from core.plan.team import Processes, Team, Threads

CLIP = Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_kick.txt"


class Apart(Processes):
    """Every process tries all the plans."""

    def tried(self, *plans: object) -> Scores:
        futures = [self._executor.submit(try_plans, *self._stage, *plans) for _ in range(self._count)]
        return [future.result() for future in futures][-1]


def advanced(planner: Planner, team: Team) -> tuple[Planner, float]:
    """A planner that is one window farther, and the s it took."""
    ahead = copy.copy(planner)
    ahead.levels = list(planner.levels)
    began = time.perf_counter()
    ahead.advance(team)
    return ahead, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clip", nargs="?", default=str(CLIP))
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--windows", type=int, default=20)
    options = parser.parse_args()
    stage = Stage(task_of(make_job({"method": "plan", "clips": [options.clip], "engine": options.engine})))
    planner, rows = planner_of(stage), []
    with stage.world, Context(workers=options.workers).executor() as (executor, count):
        teams = Threads(stage), Processes(stage, executor, count), Apart(stage, executor, count)
        advanced(planner, teams[-1])  # every process has to build its stage once
        while not planner.done and len(rows) < options.windows:
            found, times = zip(*(advanced(planner, team) for team in teams), strict=True)
            if any(not np.array_equal(found[0].levels[-1].plans, other.levels[-1].plans) for other in found[1:]):
                sys.exit("One worker and several do not find the same plan.")
            planner = found[0]
            rows.append(times)
    alone, together, apart = np.transpose(rows)
    faster = alone / together
    print(json.dumps({"engine": stage.world.engine, "workers": options.workers, "windows": len(rows), "faster": round(float(np.median(faster)), 2),
                      "middle_half": np.percentile(faster, (25, 75)).round(2).tolist(),
                      "at_most": round(options.workers * float(np.median(alone / apart)), 2)}))


if __name__ == "__main__":
    main()
