"""Search for better numbers of plans:

    python presets/find_plan.py CLIP … [--engine mujoco] [--minutes 60] [--seed 1] [--checkpoint FILE] [--workers 2] [--dask ADDRESS]

CMA-ES over the logarithms of ``NAMES``, from those in presets/plan.json. Each trial follows all clips at quality normal. It may try as many samples
as now, so that the search finds how to spend them and not how to have more of them. The trials of a generation share their chance numbers, and each
generation has others: what is only lucky does not last. The middle of the last generation is written into the preset when the time is over; a
checkpoint lets a stopped search go on.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import sys
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from math import exp
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core.commands.shared import add_workers, context_of
from core.context import Context
from core.errors import FootfallError
from core.jobs import make_job
from core.measure.following import following
from core.methods.plan import task_of
from core.optimize.search import write_preset
from core.plan.follow import follow
from core.plan.settings import PATH, Preset
from core.search.checkpoint import Checkpoint, key_of
from core.search.minimise import Generation, minimise

NAMES = ("damping_s usual", "spread", "costs turn", "costs place", "costs speed", "costs capture", "costs feet", "costs spin", "costs bent",
         "costs uneven", "search elite", "search finer", "search carried", "search memory")
MOST = 0.95  # of what is a fraction of something
ERROR_CM, DRIFT_CM, LOST = 4.0, 20.0, 3.0  # what counts 1, and what a lost clip counts


def varied(data: dict, logs: np.ndarray) -> dict:
    """A preset's data with each of ``NAMES`` times e to the power of its logarithm; "spread" is all of it."""
    data = copy.deepcopy(data)
    for name, log in zip(NAMES, logs, strict=True):
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
        job = make_job({"method": "plan", "clips": [clip], "repair": True, "fps": 60.0, "engine": engine, "seed": seed})
        try:
            result = follow(task_of(job), Context(workers=1), Preset(data))
        except FootfallError:
            total += 2.0 * LOST
            continue
        drift = np.linalg.norm(result.root_positions[:, :2] - result.reference_positions[:, 0, :2], axis=1).max()
        total += 100.0 * (following(result)["joint_error_m"] / ERROR_CM + float(drift) / DRIFT_CM) + (LOST if result.outcome["fell"] else 0.0)
    return total / len(clips)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkpoint", type=Path)
    add_workers(parser)
    options = parser.parse_args()
    trials = {"clips": {clip: sha256(Path(clip).read_bytes()).hexdigest() for clip in options.clips}, "engine": options.engine}
    data, key = json.loads(PATH.read_text(encoding="utf-8")), key_of(options.checkpoint) if options.checkpoint else {}
    if all(key.get(name) == value for name, value in trials.items()):
        data = key["preset"]  # that it began from: the numbers in the file may be what it found before
    with context_of(options).executor() as (executor, _):

        def costs_of(points: list[np.ndarray], generation: int) -> Iterator[float]:
            trial = partial(cost, clips=options.clips, engine=options.engine, seed=generation)
            costs = executor.map(trial, [varied(data, point) for point in [np.zeros(len(NAMES)), *points]])
            print(f"{generation}: {next(costs):.3f} as it is", flush=True)
            yield from costs

        found = minimise(costs_of, np.zeros(len(NAMES)), 0.2, seed=options.seed, population=8, start_cost=math.inf, seconds=60.0 * options.minutes,
                         checkpoint=Checkpoint(options.checkpoint, {"preset": data, **trials}, print) if options.checkpoint else None, report=_report)
    write_preset(PATH, varied(data, found.middle), "python presets/find_plan.py " + " ".join(sys.argv[1:]))


def _report(generation: Generation) -> None:
    print(f"{generation.number}: {np.mean(generation.costs):.3f} on average, {min(generation.costs):.3f} at best; "
          + ", ".join(f"{name} x{exp(log):.2f}" for name, log in zip(NAMES, generation.middle, strict=True)), flush=True)


if __name__ == "__main__":
    main()
