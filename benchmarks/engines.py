"""Both engines side by side: every gait and some recordings, whether they hold, how fast they go, and what push they take.

    python benchmarks/engines.py [CLIP …] [--seconds 20] [--workers 2] [--dask ADDRESS]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core import presets
from core.commands.shared import add_workers, context_of
from core.errors import FootfallError
from core.jobs import make_job, run
from core.physics import engines

PUSHES = (60.0, 120.0, 180.0)  # N for 0.4 s on the chest at 4 s …
WAYS = ((1.0, 0.0), (0.0, -1.0))  # … from behind, and from the left, which a planar body cannot feel


def tried(task: tuple[str, dict]) -> tuple[bool, float]:
    """Whether a job holds to its end, and its speed in m/s over the last two thirds."""
    engine, data = task
    try:
        result = run(make_job({**data, "engine": engine}))
    except FootfallError:
        return False, float("nan")
    later = result.root_positions[len(result.root_positions) // 3:]
    way = float(np.linalg.norm(later[-1, :2] - later[0, :2]))
    return not result.outcome["fell"], way / max((len(later) - 1) / result.fps, 1e-9)


def tasks(data: dict, seconds: float) -> list[dict]:
    """The undisturbed job, and those with pushes, from weak to strong."""
    push = {"type": "push", "time": 4.0, "duration": 0.4, "part": "torso"}
    pushed = [{**data, "duration": 8.0, "events": [{**push, "force": [x * force, y * force, 0.0]}]} for force in PUSHES for x, y in WAYS]
    return [{**data, "duration": seconds}, *pushed]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--seconds", type=float, default=20.0)
    add_workers(parser)
    options = parser.parse_args()
    jobs = {name: {"method": "gait", "gait": name} for name in presets.names("gaits")}
    for name, data in jobs.items():
        if presets.load("gaits", name).get("planar"):
            data["body"] = "planar_biped"
    jobs |= {Path(clip).stem: {"method": "track", "clips": [clip], "loop": True} for clip in options.clips}
    held = {engine: [] for engine in engines()}
    with context_of(options).executor() as (executor, _):
        for name, data in jobs.items():
            line = f"{name:28s}"
            for engine in engines():
                (stands, speed), *pushed = executor.map(tried, [(engine, task) for task in tasks(data, options.seconds)])
                taken = [sum(ok for ok, _ in pushed[way::2]) for way in (0, 1)]
                line += f" | {engine:8s} {'held' if stands else 'FELL'} {speed:5.2f} m/s, {taken[0]} and {taken[1]} of {len(PUSHES)} pushes"
                if stands:
                    held[engine].append(name)
            print(line, flush=True)
    first, *others = engines()
    for other in others:
        lost = sorted(set(held[first]) - set(held[other]))
        print(f"of {len(held[first])} that hold on {first}, {len(held[first]) - len(lost)} hold on {other}; lost: {', '.join(lost) or 'none'}")


if __name__ == "__main__":
    main()
