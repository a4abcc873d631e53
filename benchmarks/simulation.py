"""How much control costs on top of the bare engine, and how processes scale.

    python benchmarks/simulation.py [--gait walk] [--seconds 20] [--engine auto]

Both figures are ratios taken in one run, since absolute times depend on the machine. What the bare engine takes is the time inside its own step,
clocked in the very same motion, so that the contacts, which dominate a step, are alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import presets
from core.context import Context
from core.job import Job
from core.jobs import make_job, run
from core.methods.gait import walker_of
from core.physics import WorldSettings, world_class
from core.start import place

STEP = 0.001


def bare_seconds(job: Job) -> float:
    """Time inside the engine's step alone, over the motion of the job."""
    body = presets.body(job.body)
    with world_class(job.engine)(body, job.ground, settings=WorldSettings(time_step=job.time_step)) as world:
        walker = walker_of(job)
        place(world, walker)
        spent = 0.0
        for _ in range(round(job.duration / job.time_step)):
            state = world.read()
            world.apply(walker.torques(state), state)
            began = time.perf_counter()
            world.step()
            spent += time.perf_counter() - began
    return spent


def whole_seconds(job: Job) -> float:
    """Time of the whole controlled simulation with recording, from the first step to the finished Result."""
    began = time.perf_counter()
    run(job)
    return time.perf_counter() - began


def run_one(data: dict) -> None:
    run(make_job(data))


def scaling(data: dict, rounds: int = 4) -> float:
    """Speed of two processes over one at the same total work."""
    times = {}
    for workers in (1, 2):
        with Context(workers=workers).executor() as (executor, _):
            list(executor.map(run_one, [{**data, "duration": 0.5}] * workers))  # import and start
            began = time.perf_counter()
            list(executor.map(run_one, [data] * rounds))
            times[workers] = time.perf_counter() - began
    return times[1] / times[2]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gait", default="walk")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--engine", default="auto")
    options = parser.parse_args()
    data = {"method": "gait", "gait": options.gait, "duration": options.seconds, "time_step": STEP, "engine": options.engine}
    job = make_job(data)
    run(make_job({**data, "duration": 1.0}))  # warm up
    # In turns, and the best of three: what is left is the work itself, not the neighbours on the machine.
    bare, whole = map(min, zip(*((bare_seconds(job), whole_seconds(job)) for _ in range(3)), strict=True))
    print(json.dumps({
        "gait": options.gait, "engine": options.engine, "time_step_s": STEP, "bare_step_us": round(1e6 * bare * STEP / options.seconds, 1),
        "controlled_over_bare": round(whole / bare, 2), "times_real_time": round(options.seconds / whole, 1),
        "two_processes_over_one": round(scaling({**data, "duration": options.seconds / 2}), 2),
    }, indent=1))


if __name__ == "__main__":
    main()
