"""Search for one more way to keep a standing balance:

    python presets/find_balance.py [--minutes 30] [--seed 1] [--start 1] [--degrees 90,270] [--sidestep] [--turn 1.5] [--workers 2] [--dask ADDRESS]

First it finds out which pushes the styles in presets/balance.json lose, with pybullet. Then a search by CMA-ES over the logarithms of a style's
numbers looks for one that takes the weakest of these pushes; it begins with the preset's style number ``--start``. When the time is over, the style
that takes most is added to the preset.
``--bodies`` take the pushes in turn, with as many newtons per kilogram as the average man.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from itertools import cycle, product
from math import radians
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core import presets
from core.balance_styles import VARIED, BalanceStyle, known_styles
from core.commands.shared import add_workers, context_of
from core.errors import FootfallError
from core.hit.reflex import best, kept
from core.optimize.balance_map import pushed
from core.search.minimise import Generation, minimise

MAN = "average_man"
PRESET = presets.FOLDER / "balance.json"
FORCES, DIRECTIONS = range(150, 651, 50), range(0, 360, 45)  # N, degrees
WEAKEST = 3  # of the lost pushes of each direction are looked at
SECONDS = 3.2
SPREAD = 0.25  # of the logarithms that the search begins with


def on(body: str, force: float) -> float:
    """N on a body that are as much for it as ``force`` is for the average man."""
    return force * presets.body(body).mass / presets.body(MAN).mass


def holds(body: str, degrees: float, force: float, before: float) -> bool:
    """Whether the styles of the preset, as they are, take a push."""
    try:
        return kept(*best(lambda one: pushed(body, "pybullet", radians(degrees), on(body, force), one.style, one.most_steps, before=before), more=0))
    except FootfallError:
        return False


def score(style: BalanceStyle, pushes: list[tuple[str, float, float]], before: float) -> float:
    """1 for each push that is taken, less for steps; a little for a late fall, or for one that does not come to rest."""
    total = 0.0
    for body, degrees, force in pushes:
        try:
            result, driver = pushed(body, "pybullet", radians(degrees), on(body, force), style, seconds=SECONDS, before=before)
        except FootfallError:
            continue
        if result.outcome["fell"]:
            total += 0.3 * min(1.0, (result.outcome["fell_at"] - before) / SECONDS)
        else:
            total += (1.0 if driver.stands else 0.6) - 0.01 * driver.steps
    return total


def style_at(point: np.ndarray, usual: BalanceStyle) -> BalanceStyle:
    """The style at a point of the search: the usual one with each number times e to the power of its logarithm."""
    return usual.varied(dict(zip(VARIED, point, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--degrees", default=",".join(map(str, DIRECTIONS)), help="of the pushes that are looked at: 0 forward, 90 to the left")
    parser.add_argument("--forces", default=",".join(map(str, FORCES)), help="N, of the same")
    parser.add_argument("--bodies", default=MAN, help="body presets, which take the pushes in turn")
    parser.add_argument("--all", action="store_true", help="look at all of these pushes, for styles that take many of them by themselves")
    add_workers(parser)
    parser.add_argument("--sidestep", action="store_true", help="look for styles that begin with a step out to the side")
    parser.add_argument("--turn", type=float, help="rad to begin with, for styles that turn into the push; by default that of --start")
    parser.add_argument("--before", type=float, default=0.4, help="s that it stands before the push; 0: as in a hit on a clip")
    options = parser.parse_args()
    usual = known_styles()[options.start]
    usual = replace(usual, sidestep=options.sidestep, turn=usual.turn if options.turn is None else options.turn)
    pairs = product(map(float, options.degrees.split(",")), map(float, options.forces.split(",")))
    pushes = [(body, *pair) for body, pair in zip(cycle(options.bodies.split(",")), pairs, strict=False)]
    with context_of(options).executor() as (executor, _):
        held = [False] * len(pushes) if options.all else list(executor.map(partial(holds, before=options.before), *zip(*pushes, strict=True)))
        lost: list[tuple[str, float, float]] = []
        for (body, degrees, force), taken in zip(pushes, held, strict=True):
            if taken:
                print(f"held: {body} {degrees:g}° {force:g} N", flush=True)
            elif options.all or sum(other[1] == degrees for other in lost) < WEAKEST:
                lost.append((body, degrees, force))
        print(f"looked at: {lost}", flush=True)

        def costs_of(points: list[np.ndarray], _number: int) -> Iterator[float]:
            scores = executor.map(partial(score, pushes=lost, before=options.before), [style_at(point, usual) for point in points])
            return (-value for value in scores)

        def better(point: np.ndarray, _cost: float) -> bool:
            print(json.dumps(asdict(style_at(point, usual))), flush=True)
            return False

        def report(generation: Generation) -> None:
            print(f"{-min(generation.costs):.2f} of {len(lost)} at best, {-np.mean(generation.costs):.2f} on average", flush=True)

        found = minimise(costs_of, np.zeros(len(VARIED)), SPREAD, seed=options.seed, population=8, start_cost=math.inf,
                         seconds=60.0 * options.minutes, better=better, report=report)
    if -found.cost >= 1.0:
        data, style = presets.read_json(PRESET), asdict(style_at(found.point, usual))
        data["styles"].append({name: value if isinstance(value, bool) else np.round(value, 4).tolist() for name, value in style.items()})
        PRESET.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
