"""What variations of a hit cost: 8 of them side by side against 4 one after the other, as a ratio in one run.

    python benchmarks/variations.py [--response auto] [--rounds 3] [--workers 2]

The hit is a shove on the chest at 0.5 s of a 3 s loop of pybullet_data's walk. What 4 need is half of what all 8 need one after the other, for some
hits take longer than others. Each round measures both, so that what else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pybullet_data

from core.batch import run_all
from core.context import Context
from core.job import Job
from core.jobs import make_job
from core.variations import varied

CLIP = Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_walk.txt"


def seconds(jobs: list[Job], workers: int) -> float:
    began = time.perf_counter()
    failed = [found for found in run_all(jobs, Context(workers=workers)) if isinstance(found, Exception)]
    if failed:
        raise failed[0]
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--response", default="auto")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    data = {"method": "hit", "clips": [str(CLIP)], "loop": True, "response": options.response, "duration": 3.0, "fps": 30.0,
            "events": [{"type": "push", "time": 0.5, "duration": 0.15, "force": [0.0, -200.0, 0.0], "part": "torso"}]}
    jobs = [make_job(job) for job in varied(data, 8)]
    rows = [(seconds(jobs, options.workers), seconds(jobs, 1) / 2) for _ in range(options.rounds)]
    print(json.dumps({"response": options.response, "eight_side_by_side_s": [round(a, 2) for a, _ in rows],
                      "four_one_after_another_s": [round(b, 2) for _, b in rows], "ratio": round(float(np.median([a / b for a, b in rows])), 3)}))


if __name__ == "__main__":
    main()
