"""How fast a body follows a clip, against the bare engine.

    python benchmarks/tracking.py CLIP [--seconds 10]

Both figures come from one call: the whole controlled simulation at 1/500 s with recording, and the time that it spends inside the engine's step
alone, in pybullet, each from the fastest of several runs: other work on the machine only makes them slower. Reading and preparing the clip, which is
done once however long the simulation is, is left out.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pybullet

from core.jobs import make_job, run

RUNS = 5


def timed(clip: str, seconds: float) -> float:
    """s that a looped clip takes."""
    job = make_job({"method": "track", "clips": [clip], "loop": True, "duration": seconds, "time_step": 0.002, "engine": "pybullet"})
    began = time.perf_counter()
    result = run(job)
    if result.outcome["fell"]:
        raise SystemExit(f"The clip fell: {result.outcome['reason']}")
    return time.perf_counter() - began


def bare_time(clip: str, seconds: float) -> float:
    """s of that in the engine's own step."""
    spent, step = 0.0, pybullet.stepSimulation

    def clocked(client: int) -> None:
        nonlocal spent
        began = time.perf_counter()
        step(client)
        spent += time.perf_counter() - began

    pybullet.stepSimulation = clocked
    try:
        timed(clip, seconds)
    finally:
        pybullet.stepSimulation = step
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clip")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    timed(options.clip, 1.0)  # reads the clip; the difference of the next two leaves preparing it out
    runs = [timed(options.clip, 1.0 + options.seconds) - timed(options.clip, 1.0) for _ in range(RUNS)]
    whole, slowest = min(runs), max(runs)
    bare = min(bare_time(options.clip, options.seconds) for _ in range(RUNS))
    print(f"bare engine {options.seconds / bare:.1f}x real time, controlled {options.seconds / whole:.1f}x ({options.seconds / slowest:.1f}x in the "
          f"slowest of {RUNS} runs): control and recording cost {whole / bare - 1.0:.2f} times the engine's own steps")


if __name__ == "__main__":
    main()
