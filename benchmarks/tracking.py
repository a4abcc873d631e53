"""How fast a body follows a clip, against the bare engine.

    python benchmarks/tracking.py CLIP [--seconds 20]

Both figures come from one run: the whole controlled simulation at 1/500 s with recording, and the time that it spends inside the engine's step
alone. Reading and preparing the clip, which is done once however long the simulation is, is left out.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pybullet  # noqa: E402

from core.job import make_job  # noqa: E402
from core.simulate import simulate  # noqa: E402


class Clock:
    """Adds up the time spent in the engine's own step."""

    def __init__(self):
        self.spent, self._step = 0.0, pybullet.stepSimulation

    def step(self, client: int) -> None:
        began = time.perf_counter()
        self._step(client)
        self.spent += time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clip")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    clock = Clock()
    pybullet.stepSimulation = clock.step
    times = []
    for seconds in (1.0, 1.0, 1.0 + options.seconds):  # the first reads the clip; the difference of the others leaves preparing it out
        job = make_job({"reference": {"clips": [options.clip], "loop": True}, "duration": seconds, "time_step": 0.002})
        clock.spent, began = 0.0, time.perf_counter()
        result = simulate(job)
        times.append((time.perf_counter() - began, clock.spent))
        if result.outcome["fell"]:
            raise SystemExit(f"The clip fell: {result.outcome['reason']}")
    whole, bare = (late - early for late, early in zip(times[2], times[1]))
    print(f"bare engine {options.seconds / bare:.1f}x real time, controlled {options.seconds / whole:.1f}x real time: control and recording cost "
          f"{whole / bare - 1.0:.2f} times the engine's own steps")


if __name__ == "__main__":
    main()
