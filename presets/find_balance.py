"""Search for the manners of standing balance again: python presets/find_balance.py [--minutes 30] [--seed 1]

CMA over the logarithms of all manners, from the preset, on pushes in five directions on the average man, with pybullet. What is better is written to
presets/balance.json as it is found; scales of other bodies follow from that one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from math import exp, radians
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402

from core.control.balance import Manners  # noqa: E402
from core.control.stander import manners_of  # noqa: E402
from core.errors import FootfallError  # noqa: E402
from core.optimize.balance_map import BEFORE_S, pushed  # noqa: E402

PRESET = Path(__file__).resolve().parent / "balance.json"
PUSHES = [(0, 350), (0, 450), (0, 550), (50, 400), (90, 250), (90, 350), (90, 450), (135, 300), (135, 400), (180, 200), (180, 300)]  # degrees, N
SECONDS = 3.2
FIXED = ("w_joint", "still", "apart", "bow", "across", "lift")  # the last four are room for feet


def varied(usual: Manners, logs: dict[str, float]) -> Manners:
    """Each number times e to the power of its logarithm; damping goes with the root of stiffness, but for the height's."""
    changes: dict = {}
    for name, value in asdict(usual).items():
        factor = exp(logs.get(name, 0.0))
        if isinstance(value, tuple):
            damping = logs["height damping"] if name == "height" else 0.5 * logs[name]
            changes[name] = (factor * value[0], exp(damping) * value[1])
        else:
            changes[name] = factor * value
    changes["reach"] = min(changes["reach"], 0.95)
    return Manners(**changes)


def score(manners: Manners) -> float:
    """1 for each push that is taken, less for steps and for unrest at the end; a little for a late fall."""
    total = 0.0
    for direction, force in PUSHES:
        try:
            result, driver = pushed("average_man", "pybullet", radians(direction), force, manners, SECONDS)
        except FootfallError:
            continue
        if result.outcome["fell"]:
            total += 0.3 * min(1.0, (result.outcome["fell_at"] - BEFORE_S) / SECONDS)
        else:
            speed = float(np.linalg.norm(result.root_positions[-1, :2] - result.root_positions[-7, :2])) * result.fps / 6.0
            total += 1.0 - 0.2 * min(1.0, speed / 0.5) - 0.02 * driver.steps
    return total


def main() -> None:
    import cma

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    usual = manners_of()
    names = [name for name in asdict(usual) if name not in FIXED] + ["height damping"]
    search = cma.CMAEvolutionStrategy([0.0] * len(names), 0.2, {"seed": options.seed, "verbose": -9, "popsize": 8})
    best, end = score(usual), time.monotonic() + 60.0 * options.minutes
    print(f"the preset: {best:.2f} of {len(PUSHES)}", flush=True)
    with ProcessPoolExecutor() as processes:
        while time.monotonic() < end:
            points = search.ask()
            tried = [varied(usual, dict(zip(names, point))) for point in points]
            scores = list(processes.map(score, tried))
            search.tell(points, [-value for value in scores])
            print(f"{max(scores):.2f} at best, {np.mean(scores):.2f} on average", flush=True)
            if max(scores) > best:
                best = max(scores)
                data = json.loads(PRESET.read_text(encoding="utf-8"))
                data["manners"] = asdict(tried[int(np.argmax(scores))])
                PRESET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
