"""Search for attempts at tracking a walk that was hit:

    python presets/find_stumble.py WALK.bvh … [--tries 60] [--seed 1] [--workers 2] [--dask ADDRESS]

Walks are looped and pushed sideways at eight phases of their cycle, both ways, as hard as people take on average and at most. Attempts are drawn at
random; of those, the one that saves most of what is still lost is added, until none saves more. The list is printed: it belongs into
presets/hits.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core import presets
from core.commands.shared import add_workers, context_of
from core.errors import FootfallError
from core.hit.recover import recovered
from core.hit.settings import ATTEMPTS, Attempt
from core.hit.take import hits_of
from core.job import Job
from core.jobs import make_job
from core.methods.hit import task_of
from core.reference import find_cycle
from core.reference.recordings import Recording, lasting, reference_of

IMPULSES, PHASES, PUSH_S = (34.0, 59.0), 8, 0.2  # N·s, of a cycle, s
RANGES = {"beside": (0.08, 0.3), "ahead": (0.75, 1.4), "aside": (0.75, 1.2), "clearance": (0.5, 4.0), "earliest": (0.5, 0.9), "firm": (0.3, 1.0)}


Case = tuple[str, float, int, int]  # a walk, an impulse, a phase and a side: 1 left, −1 right


def job_of(walk: str, impulse: float, phase: int, side: int) -> Job:
    """A looped walk that is pushed in its second cycle."""
    push = {"type": "push", "time": 1.0, "duration": PUSH_S, "force": [0.0, side * impulse / PUSH_S, 0.0], "part": "torso", "frame": "heading"}
    data = {"method": "hit", "clips": [walk], "loop": True, "response": "stumble", "fps": 60.0, "events": [push]}
    reference = reference_of(Recording(walk), presets.body(make_job(data).body))
    cycle = find_cycle(reference)
    seconds = (cycle.end - cycle.start) / reference.motion.fps
    push["time"] = (1.0 + phase / PHASES) * seconds
    return make_job({**data, "duration": 2.0 * seconds + 4.0})


def saves(attempt: Attempt, job: Job) -> bool:
    task = task_of(job)
    reference = lasting(task.recording, presets.body(job.body), job.duration)
    clip = reference.motion.resample(job.fps).facing(job.facing)
    try:
        return recovered(job, task, reference, clip, hits_of(job, clip), attempts=[attempt]) is not None
    except FootfallError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("walks", nargs="+")
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    add_workers(parser)
    options = parser.parse_args()
    cases: list[Case] = list(product(options.walks, IMPULSES, range(PHASES), (1, -1)))
    jobs, lost = {case: job_of(*case) for case in cases}, cases
    random, chosen, count = np.random.default_rng(options.seed), [ATTEMPTS[0]], len(lost)
    with context_of(options).executor() as (executor, _):
        def left_by(attempt: Attempt) -> list[Case]:
            saved = executor.map(partial(saves, attempt), [jobs[case] for case in lost])
            return [case for case, was_saved in zip(lost, saved, strict=True) if not was_saved]

        lost = left_by(chosen[0])
        print(f"{count - len(lost)} of {count} with {asdict(chosen[0])}", flush=True)
        tried = {}
        for _ in range(options.tries):
            attempt = Attempt(**{name: round(float(random.uniform(*ends)), 2) for name, ends in RANGES.items()})
            tried[attempt] = set(left_by(attempt))
            print(f"{len(lost) - len(tried[attempt])} of the {len(lost)} others with {asdict(attempt)}", flush=True)
    while tried:
        best = min(tried, key=lambda attempt: len(tried[attempt].intersection(lost)))
        if len(tried[best].intersection(lost)) == len(lost):
            break
        chosen.append(best)
        lost = [case for case in lost if case in tried[best]]
    print(json.dumps([asdict(attempt) for attempt in chosen]))
    print(f"{count - len(lost)} of {count}; lost: {[(Path(case[0]).stem, *case[1:]) for case in lost]}")


if __name__ == "__main__":
    main()
