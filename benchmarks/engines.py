"""Both engines side by side: every gait and some recordings, whether they hold, how fast they go, and what push they take.

    python benchmarks/engines.py [CLIP …] [--seconds 20] [--workers 2]
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402

from core import presets  # noqa: E402
from core.errors import FootfallError  # noqa: E402
from core.job import make_job  # noqa: E402
from core.physics import engines  # noqa: E402
from core.simulate import simulate  # noqa: E402

PUSHES = (60.0, 120.0, 180.0)  # N for 0.4 s on the chest at 4 s …
WAYS = ((1.0, 0.0), (0.0, -1.0))  # … from behind, and from the left, which a planar body cannot feel


def run(task: tuple[str, dict]) -> tuple[bool, float]:
    """Whether a job holds to its end, and its speed in m/s over the last two thirds."""
    engine, source = task
    try:
        result = simulate(make_job({**source, "engine": engine}))
    except FootfallError:
        return False, float("nan")
    later = result.root_positions[len(result.root_positions) // 3:]
    way = float(np.linalg.norm(later[-1, :2] - later[0, :2]))
    return not result.outcome["fell"], way / max((len(later) - 1) / result.fps, 1e-9)


def tasks(source: dict, seconds: float) -> list[dict]:
    """The undisturbed job, and those with pushes, from weak to strong."""
    push = {"type": "push", "time": 4.0, "duration": 0.4, "part": "torso"}
    pushed = [{**source, "duration": 8.0, "events": [{**push, "force": [x * force, y * force, 0.0]}]} for force in PUSHES for x, y in WAYS]
    return [{**source, "duration": seconds}, *pushed]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    sources = {name: {"gait": name} for name in presets.names("gaits")}
    for name, source in sources.items():
        if name.startswith("planar"):
            source["body"] = "planar_biped"
    sources |= {Path(clip).stem: {"reference": {"clips": [clip], "loop": True}} for clip in options.clips}
    held = {engine: [] for engine in engines()}
    with ProcessPoolExecutor(options.workers) as executor:
        for name, source in sources.items():
            line = f"{name:28s}"
            for engine in engines():
                (stands, speed), *pushed = executor.map(run, [(engine, task) for task in tasks(source, options.seconds)])
                taken = [sum(ok for ok, _ in pushed[way::2]) for way in (0, 1)]
                line += f" | {engine:8s} {'held' if stands else 'FELL'} {speed:5.2f} m/s, {taken[0]} and {taken[1]} of {len(PUSHES)} pushes"
                if stands:
                    held[engine].append(name)
            print(line, flush=True)
    first, *others = engines()
    for other in others:
        both = set(held[first]) & set(held[other])
        print(f"of {len(held[first])} that hold on {first}, {len(both)} hold on {other}; lost: {', '.join(sorted(set(held[first]) - both)) or 'none'}")


if __name__ == "__main__":
    main()
