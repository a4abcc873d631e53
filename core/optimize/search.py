"""CMA-ES over a gait's parameters: parallel, resumable, keeps the best it has seen."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from .. import presets
from ..arrays import Array
from ..physics import choose_engine
from ..search.checkpoint import Checkpoint
from ..search.least_squares import Round, least_squares
from ..search.minimise import Generation, minimise
from .objectives import cost as gait_cost
from .objectives import job_of
from .parameters import Parameter, halves, moved, parameters_of, rounded

Cost = Callable[[dict[str, Any], str, dict[str, Any]], float]
Misses = Callable[[dict[str, Any], str, dict[str, Any]], Array]


def search(gait: dict[str, Any], name: str, wish: dict[str, Any], executor: Executor, *, seconds: float = math.inf, generations: int | None = None,
           gains: tuple[str, ...] = (), tied: tuple[str, ...] = (), style: tuple[str, ...] = (), few: bool = False, cost: Cost = gait_cost,
           diagonal: int = 0, sigma: float = 0.5, population: int | None = None, seed: int = 1,
           checkpoint: Path | None = None, report: Callable[[Generation], None] | None = None,
           say: Callable[[str], None] | None = None) -> tuple[dict[str, Any], float]:
    """Look for a better version of a gait preset for ``seconds`` of wall-clock time or a number of ``generations``.

    Args:
        gains, tied, style: see ``parameters_of``. few: move those of ``halves`` alone instead.
        diagonal: see ``minimise``.
        cost: of a gait preset's data, its name and a wish; a function of a module, which other processes know.
        wish: see ``objectives``; its "keep" pulls each parameter towards where it started, so that a gait stays itself.
        checkpoint: file that is written after every generation; a search of the same gait with the same arguments goes on from it.
        report: called after each generation.
        say: called with a sentence where the checkpoint is of another search, so that this one begins anew.

    Returns: the best gait data found (floats rounded as stored) and its cost. With ``generations`` it is reproducible.
    """
    parameters = halves(gait) if few else parameters_of(gait, gains, planar=gait.get("planar", False), tied=tied, style=style)

    def costs_of(points: list[Array], _: int) -> Iterable[float]:
        return executor.map(_evaluate, [(cost, gait, name, wish, parameters, point.tolist()) for point in points])

    moved_by = {"gains": gains, "tied": tied, "style": style, "few": few, "cost": cost.__module__}
    kept = Checkpoint(checkpoint, {**_depends_on(gait, name, wish), **moved_by}, say) if checkpoint else None
    found = minimise(costs_of, np.zeros(len(parameters)), sigma, seed=seed, population=population, diagonal=diagonal, seconds=seconds,
                     generations=generations, checkpoint=kept, report=report)
    return _stored(gait, parameters, found.point.tolist()), found.cost


def refine(gait: dict[str, Any], name: str, wish: dict[str, Any], executor: Executor, misses: Misses, *, seconds: float = math.inf,
           rounds: int | None = None, gains: tuple[str, ...] = (), tied: tuple[str, ...] = (), style: tuple[str, ...] = (), reach: float = 0.06,
           trials: int = 128, seed: int = 1, report: Callable[[Round, dict[str, Any]], None] | None = None,
           parameters: list[Parameter] | None = None) -> tuple[dict[str, Any], float]:
    """Make a gait that holds already better by least squares, see ``least_squares``: far fewer trials than ``search`` needs.

    Args:
        misses: of a gait preset's data, its name and a wish: numbers that are to be small; a function of a module, which other processes know.
        report: called after each round, with the best gait so far.
        parameters: the directions of the search; by default ``gains``, ``tied`` and ``style`` say which, see ``parameters_of``.

    Returns: the best gait data found (floats rounded as stored) and its cost.
    """
    parameters = parameters or parameters_of(gait, gains, planar=gait.get("planar", False), tied=tied, style=style)

    def misses_of(points: list[Array]) -> Iterable[Array]:
        return executor.map(_missed, [(misses, gait, name, wish, parameters, point.tolist()) for point in points])

    def told(one: Round) -> None:
        if report:
            report(one, _stored(gait, parameters, one.point.tolist()))

    found = least_squares(misses_of, np.zeros(len(parameters)), reach, trials, rounds=rounds, seconds=seconds, seed=seed, report=told)
    return _stored(gait, parameters, found.point.tolist()), found.cost


def _missed(task: tuple[Misses, dict[str, Any], str, dict[str, Any], list[Parameter], list[float]]) -> Array:
    misses, gait, name, wish, parameters, steps = task
    return misses(_stored(gait, parameters, steps), name, wish)


def _depends_on(gait: dict[str, Any], name: str, wish: dict[str, Any]) -> dict[str, Any]:
    """What the cost of a gait depends on, by name."""
    job = job_of(name, wish)
    variants = [presets.load("gaits", variant) if isinstance(variant, str) else variant for variant in gait.get("variants", [])]
    body = presets.load("bodies", job["body"]) if isinstance(job["body"], str) else job["body"]
    engine = choose_engine(job.get("engine", "auto"))
    return {"gait": gait, "name of the gait": name, "variants": variants, "wish": wish, "body": body, "engine": engine}


def _evaluate(task: tuple[Cost, dict[str, Any], str, dict[str, Any], list[Parameter], list[float]]) -> float:
    cost, gait, name, wish, parameters, steps = task
    pull = float(wish.get("keep", 0.02)) * float(np.square(steps).sum())
    return cost(_stored(gait, parameters, steps), name, wish) + pull


def _stored(gait: dict[str, Any], parameters: list[Parameter], steps: list[float]) -> dict[str, Any]:
    """The gait at a point of the search, with its floats rounded as a preset has them."""
    found: dict[str, Any] = rounded(moved(gait, parameters, steps))
    return found


def write_preset(path: Path, data: dict[str, Any], made_by: str) -> None:
    """Store a preset with the command that found it."""
    path.write_text(json.dumps({**data, "made_by": made_by}, indent=1) + "\n", encoding="utf-8")
