"""Gains that hold a recording: where the usual ones fall, a search on all cores within a time budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..arrays import Array
from ..context import Context
from ..measure.following import nearness
from ..result import Result
from .minimise import Generation, minimise

SPREAD = 0.35  # of the logarithm of the factors that a search moves, at its start
CLOSE_SPEED = 0.1  # of the recording's speed, that who holds it is off at most
FALL = 10.0  # cost of a fall at the very start

G = TypeVar("G")


def cost(result: Result, expected_s: float) -> float:
    """0 for a recording that is followed exactly; above 1 for one that is not held."""
    if result.outcome["fell"]:
        return 1.0 + FALL * max(0.0, 1.0 - result.outcome["fell_at"] / expected_s)
    figures = nearness(result)
    return min(1.0, figures["joint_error_m"] + 0.3 * abs(figures["speed_ratio"] - 1.0))


def tuned(gains: G, result: Result, *, moved: Callable[[Array], G], size: int, population: int, seconds: float, expected_s: float,
          task: Callable[[G], Any], trial: Callable[[Any], float], again: Callable[[G], Result], holds: Callable[[Result], bool],
          context: Context) -> tuple[G, Result]:
    """The first gains found that hold, or the best within ``seconds``; and what they do.

    Args:
        gains, result: the usual gains, and what they do.
        moved: gains for a point (``size``,) of the search, of which 0 is the usual one. population: points that are tried at a time.
        expected_s: s that the whole takes. task: of gains, what ``trial`` takes in another process to give their cost. again: simulates with gains.
        holds: whether a result is good enough to stop.
    """
    if holds(result):
        return gains, result
    best = gains, result

    def better(point: Array, _cost: float) -> bool:
        nonlocal best
        found = moved(point)
        best = found, again(found)
        return holds(best[1])

    def report(generation: Generation) -> None:
        context.tell(generation.fraction)

    with context.executor() as (executor, _):
        minimise(lambda points, _: executor.map(trial, [task(moved(point)) for point in points]), np.zeros(size), SPREAD, population=population,
                 start_cost=cost(result, expected_s), seconds=seconds, better=better, report=report)
    return best
