"""Search for better numbers of plans: python presets/find_plan.py CLIP … [--engine mujoco] [--minutes 60] [--seed 1] [--checkpoint FILE]

CMA over the logarithms of ``NAMES``, from those in presets/plan.json. Each trial follows all clips at quality normal, with the samples that it has now,
so that no cost is found but how to spend it. The trials of a generation share their chance numbers, and each generation has others: what is only
lucky does not last. The middle of the last generation is written into the preset when the time is over; a checkpoint lets a stopped search go on.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import pickle
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import exp
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402

from core.errors import FootfallError  # noqa: E402
from core.job import make_job  # noqa: E402
from core.measure.following import following  # noqa: E402
from core.optimize.search import write_preset  # noqa: E402
from core.plan.follow import follow  # noqa: E402
from core.plan.settings import PATH, Preset  # noqa: E402

NAMES = ("damping_s usual", "spread", "costs turn", "costs place", "costs speed", "costs capture", "costs feet", "costs spin", "costs bent", "costs uneven",
         "search elite", "search finer", "search carried", "search memory")
MOST = 0.95  # of what is a part of something
ERROR_CM, DRIFT_CM, LOST = 4.0, 20.0, 3.0  # what counts 1, and what a lost clip counts


def varied(data: dict, logs: np.ndarray) -> dict:
    """A preset's data with each of ``NAMES`` times e to the power of its logarithm; "spread" is all of it."""
    data = copy.deepcopy(data)
    for name, log in zip(NAMES, logs):
        *path, last = name.split()
        table = data[path[0]] if path else data
        if last == "spread":
            table[last] = {part: [round(exp(log) * value, 4) for value in axes] for part, axes in table[last].items()}
        else:
            table[last] = float(f"{exp(log) * table[last]:.3g}")
            if path == ["search"]:
                table[last] = min(table[last], MOST)
    return data


def cost(data: dict, clips: list[str], engine: str, seed: int) -> float:
    """Mean over the clips of how far joints and root are off them."""
    total = 0.0
    for clip in clips:
        job = make_job({"reference": {"clips": [clip], "method": "plan", "repair": True}, "fps": 60.0, "engine": engine, "seed": seed})
        try:
            result = follow(job, workers=1, preset=Preset(data))
        except FootfallError:
            total += 2.0 * LOST
            continue
        drift = np.linalg.norm(result.root_positions[:, :2] - result.reference_positions[:, 0, :2], axis=1).max()
        total += 100.0 * (following(result)["joint_error_m"] / ERROR_CM + float(drift) / DRIFT_CM) + (LOST if result.outcome["fell"] else 0.0)
    return total / len(clips)


def main() -> None:
    import cma

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkpoint", type=Path)
    options = parser.parse_args()
    end = time.monotonic() + 60.0 * options.minutes
    if options.checkpoint and options.checkpoint.is_file():
        # With the numbers that it began from: those in the preset may be what it found before.
        data, search = pickle.loads(options.checkpoint.read_bytes())
    else:
        data = json.loads(PATH.read_text(encoding="utf-8"))
        search = cma.CMAEvolutionStrategy([0.0] * len(NAMES), 0.2, {"seed": options.seed, "verbose": -9, "popsize": 8})
    with ProcessPoolExecutor() as processes:
        while time.monotonic() < end:
            points = search.ask()
            trial = partial(cost, clips=options.clips, engine=options.engine, seed=search.countiter)
            usual, *costs = processes.map(trial, [varied(data, point) for point in [np.zeros(len(NAMES)), *points]])
            search.tell(points, costs)
            print(f"{search.countiter}: {np.mean(costs):.3f} on average, {min(costs):.3f} at best, {usual:.3f} as it is; "
                  + ", ".join(f"{name} x{exp(log):.2f}" for name, log in zip(NAMES, search.mean)), flush=True)
            if options.checkpoint:
                options.checkpoint.write_bytes(pickle.dumps((data, search)))
    write_preset(PATH, varied(data, search.mean), "python presets/find_plan.py " + " ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
