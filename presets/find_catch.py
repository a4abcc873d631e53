"""Search for the numbers in which a body that catches itself differs from the reduced one that foretells it (core/pushes/catch.py):

    python presets/find_catch.py [--minutes 6] [--seed 1] [--only-show]

The shipped push databases say how simulated bodies that stand took pushes, and in which style of balance. With the same style and the same push the
reduced body is to make the same first two steps. A search by CMA-ES over the man's responses looks for the numbers with which it comes nearest; how
near it comes to the woman's, which it has not seen, is printed. The numbers are written to presets/catch.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from math import cos, sin
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core import presets
from core.arrays import Array
from core.balance_styles import BalanceStyle, known_styles, scaled
from core.optimize.push_responses import PUSH_S, SECONDS
from core.optimize.push_starts import FPS, moment, reference_of
from core.pushes.catch import Losses, Stance, Step, caught, losses
from core.pushes.database import FOLDER, Database
from core.pushes.ready import Ready
from core.pushes.response import STEPS, Response
from core.search.minimise import Generation, minimise

SEEN, UNSEEN = "average_man", "average_woman"
PRESET = presets.FOLDER / "catch.json"
# Of each number, by how much it is varied at first, and its limits.
VARIED = {"inertia": (0.03, 0.02, 0.4), "damping": (0.2, 0.2, 3.0), "lever": (0.2, 0.0, 2.0), "lag": (0.015, 0.0, 0.2), "eager": (0.15, 0.0, 1.5),
          "room": (0.1, 0.2, 1.2), "heel": (0.015, -0.04, 0.1), "late": (0.015, -0.03, 0.1), "share": (0.05, 0.7, 1.3)}
LOST_M, LOST_S = 0.5, 0.3  # m and s that a step is off at most; with the other foot, or none, it is
TIME_M_S, SECOND = 0.3, 0.1  # m that a s off counts, and how much the second step counts
POPULATION = 10


@dataclass(frozen=True)
class Case:
    """A push on a standing body that a simulation has caught by steps, in a style of a size for it."""

    stance: Stance
    style: BalanceStyle
    response: Response
    root: Array
    symmetric: bool

    def off(self, given: Losses) -> Array:
        """(2, 2) m and s that the first two steps are off. A symmetric push may be taken with either foot. Not a number where nobody made a step."""
        one, stance = self.response, self.stance
        newtons = one.speed * stance.mass / PUSH_S
        found = caught(stance, self.style, (newtons * cos(one.direction), newtons * sin(one.direction)), PUSH_S, one.height * stance.leg, given)
        return min((self._apart(found.steps, mirror) for mirror in ((False, True) if self.symmetric else (False,))), key=lambda apart: apart[0, 0])

    def _apart(self, steps: tuple[Step, ...], mirror: bool) -> Array:
        off = np.full((2, 2), np.nan)
        for number, (foot, seconds, x, y, _) in enumerate(self.response.steps[:2]):
            off[number] = LOST_M, LOST_S
            if number < len(steps) and steps[number].foot == (1 - foot if mirror else foot):
                away = np.array(steps[number].place) - self.root - (x, -y if mirror else y)
                off[number] = min(float(np.hypot(*away)), LOST_M), min(abs(steps[number].land - seconds), LOST_S)
        return off


@lru_cache(maxsize=16)
def start_of(person: str, name: str) -> tuple[Stance, Array]:
    """A stance of the databases, and where its pelvis is (2,) m."""
    reference = reference_of(person, name, "pybullet", SECONDS + 3.0)
    motion = reference.motion.resample(FPS).facing(0.0)
    ready, frame = Ready.of(reference.body, motion, reference.contacts_at(FPS, motion.frames)), round(moment(reference, name, 0) * FPS)
    return Stance.of(ready, frame), motion.root_positions[frame, :2]


def cases(person: str) -> list[Case]:
    database, found = Database.load(FOLDER / f"{person}.npz"), []
    for one in database.responses:
        start = database.starts[one.start]
        if one.strategy == STEPS and not start.walks and len(one.steps):
            stance, root = start_of(person, start.name)
            symmetric = start.name != "one ahead" and abs(sin(one.direction)) < 1e-3
            found.append(Case(stance, scaled(known_styles()[one.held_by], database.body), one, root, symmetric))
    return found


def of(point: Array, start: Losses) -> Losses:
    return Losses(**{name: min(max(getattr(start, name) + scale * value, low), high)
                     for value, (name, (scale, low, high)) in zip(point.tolist(), VARIED.items(), strict=True)})


def cost(given: Losses, some: list[Case]) -> float:
    off = np.array([case.off(given) for case in some])
    return float(np.nanmean(off[:, 0] @ (1.0, TIME_M_S)) + SECOND * np.nanmean(off[:, 1] @ (1.0, TIME_M_S)))


def show(given: Losses, person: str) -> None:
    off = np.array([case.off(given) for case in cases(person)])
    for number, name in enumerate(("first", "second")):
        own = off[~np.isnan(off[:, number, 0]), number]
        far, late = np.median(own, axis=0)
        print(f"{person}: the {name} step {100.0 * far:.1f} cm and {1000.0 * late:.0f} ms off in the median, within 12 cm in "
              f"{(own[:, 0] <= 0.12).sum()} of {len(own)}, another foot or none, or further off than {LOST_M:g} m, in {(own[:, 0] == LOST_M).sum()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-show", action="store_true", help="say how near the numbers of the preset come")
    options = parser.parse_args()
    found = start = losses()
    if not options.only_show:
        seen = cases(SEEN)

        def report(generation: Generation) -> None:
            print(f"{generation.number}: {generation.best_cost:.4f}", file=sys.stderr, flush=True)

        best = minimise(lambda points, _: (cost(of(point, start), seen) for point in points), np.zeros(len(fields(Losses))), 0.7, seed=options.seed,
                        population=POPULATION, seconds=60.0 * options.minutes, report=report)
        found = of(best.point, start)
        data = presets.read_json(PRESET) | {"losses": {name: round(value, 4) for name, value in asdict(found).items()},
                                            "made_by": f"python presets/find_catch.py --minutes {options.minutes:g} --seed {options.seed}"}
        PRESET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    for person in (SEEN, UNSEEN):
        show(found, person)


if __name__ == "__main__":
    main()
