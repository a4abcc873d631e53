"""Gains that hold a recording: where the usual ones fall, a search on all cores within a time budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from ..arrays import Array
from ..context import Context
from ..errors import SimulationError
from ..job import Job
from ..measure.following import nearness
from ..result import Result
from .minimise import minimise

SPREAD = 0.35  # of the logarithm of the factors that a search moves, at its start
CLOSE_SPEED = 0.1  # of the recording's speed, that who holds it is off at most
FALL = 10.0  # cost of a fall at the very start

G = TypeVar("G")


class Searched(Protocol[G]):
    """What a search for gains of one kind moves: ``tracking_gains`` and ``imitation_gains`` are such.

    Attributes:
        SIZE: dimensions of the search. POPULATION: points that are tried at a time.
    """

    SIZE: int
    POPULATION: int

    def moved(self, gains: G, steps: Array) -> G:
        """The gains at ``steps`` (SIZE,) from ``gains``."""

    def held(self, result: Result) -> bool:
        """Whether the recording was followed well enough to stop."""


def cost(result: Result, expected_s: float) -> float:
    """0 for a recording that is followed exactly; above 1 for one that is not held."""
    if result.outcome["fell"]:
        return 1.0 + FALL * max(0.0, 1.0 - result.outcome["fell_at"] / expected_s)
    figures = nearness(result)
    return min(1.0, figures["joint_error_m"] + 0.3 * abs(figures["speed_ratio"] - 1.0))


def trial(simulated: Callable[[Job], Result], job: Job) -> float:
    """What a job costs a search, in another process."""
    try:
        return cost(simulated(job), job.duration)
    except SimulationError:
        return 1.0 + FALL


def tuned(job: Job, gains: G, result: Result, searched: Searched[G], with_gains: Callable[[G], Job], simulated: Callable[[Job], Result],
          context: Context) -> tuple[G, Result]:
    """The first gains found that hold a job's recording, or the best within as many seconds as the job says; and what they do.

    Args:
        gains, result: the usual gains, and what they do.
        with_gains: the job with other gains, to run once. simulated: runs it; a function of a module, for other processes.
    """
    if searched.held(result):
        return gains, result
    best = gains, result

    def better(point: Array, _cost: float) -> bool:
        nonlocal best
        found = searched.moved(gains, point)
        best = found, simulated(with_gains(found))
        return searched.held(best[1])

    began, tried = time.monotonic(), 0

    def costs(points: list[Array], _generation: int) -> Iterator[float]:
        nonlocal tried
        for found in executor.map(partial(trial, simulated), [with_gains(searched.moved(gains, point)) for point in points]):
            tried += 1
            context.tell(min(1.0, (time.monotonic() - began) / job.settings.tune), doing=f"Looking for gains that hold: {tried} were tried")
            yield found

    with context.executor() as (executor, _):
        minimise(costs, np.zeros(searched.SIZE), SPREAD, population=searched.POPULATION, start_cost=cost(result, job.duration),
                 seconds=job.settings.tune, better=better)
    return best
