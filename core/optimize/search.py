"""CMA-ES over a gait's parameters: parallel, resumable, keeps the best it has seen."""

from __future__ import annotations

import json
import os
import pickle
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

import cma
import numpy as np

from .objectives import cost
from .parameters import Parameter, moved, parameters_of, rounded

Report = Callable[[int, float, float], None]


def search(gait: dict, name: str, wish: dict, executor: Executor, *, seconds: float = float("inf"), generations: int | None = None,
           gains: tuple[str, ...] = (), tied: bool = False, sigma: float = 0.5, population: int | None = None, seed: int = 1,
           checkpoint: Path | None = None, report: Report | None = None) -> tuple[dict, float]:
    """Look for a better version of a gait preset for ``seconds`` of wall-clock time or a number of ``generations``.

    Args:
        gains, tied: see ``parameters_of``.
        wish: see ``objectives``; its "keep" pulls each parameter towards where it started, so that a gait stays itself.
        checkpoint: file that is written after every generation and resumed from where it exists.
        report: called with generation, best cost so far, and best of this generation.

    Returns: the best gait data found (floats rounded as stored) and its cost. With ``generations`` it is reproducible.
    """
    parameters = parameters_of(gait, gains, planar=gait.get("planar", False), tied=tied)
    origin = np.zeros(len(parameters))
    state = _resume(checkpoint)
    if state:
        strategy, best_cost, best, generation = state
    else:
        options = {"seed": seed, "verbose": -9, **({"popsize": population} if population else {})}
        strategy, best_cost, best = cma.CMAEvolutionStrategy(origin, sigma, options), float("inf"), rounded(gait)
        generation = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until and generation != generations and not strategy.stop():
        points = strategy.ask()
        if generation == 0:
            points[0] = origin  # the start itself competes
        costs = list(executor.map(_evaluate, [(gait, name, wish, parameters, list(point)) for point in points]))
        strategy.tell(points, costs)
        generation += 1
        leader = int(np.argmin(costs))
        if costs[leader] < best_cost:
            best_cost, best = costs[leader], rounded(moved(gait, parameters, points[leader]))
        if checkpoint:
            _store(checkpoint, (strategy, best_cost, best, generation))
        if report:
            report(generation, best_cost, costs[leader])
    return best, best_cost


def _evaluate(task: tuple[dict, str, dict, list[Parameter], list[float]]) -> float:
    gait, name, wish, parameters, steps = task
    pull = wish.get("keep", 0.02) * float(np.square(steps).sum())
    return cost(rounded(moved(gait, parameters, steps)), name, wish) + pull


def _resume(checkpoint: Path | None) -> tuple | None:
    if checkpoint and checkpoint.is_file():
        with checkpoint.open("rb") as file:
            return pickle.load(file)
    return None


def _store(checkpoint: Path, state: tuple) -> None:
    part = checkpoint.with_suffix(".part")
    with part.open("wb") as file:
        pickle.dump(state, file)
    os.replace(part, checkpoint)


def write_preset(path: Path, data: dict, made_by: str) -> None:
    """Store a preset with the command that found it."""
    path.write_text(json.dumps({**data, "made_by": made_by}, indent=1) + "\n", encoding="utf-8")
