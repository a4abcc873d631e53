"""Gains that hold a clip: the usual ones first, and where they fall a search with CMA-ES, on all cores, within a time budget."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from concurrent.futures import Executor

import cma
import numpy as np

from ..control.data_driven import Gains
from ..errors import SimulationError
from ..job import Job, make_job
from ..measure.following import following
from ..result import Result
from ..simulate import simulate

# What a search moves, by a factor: a stiffness with its damping (which grows with the root), or one number of a pair.
STIFFNESSES = ("joint", "swing", "pelvis", "height", "knee", "ankle")
NUMBERS = (("com", 0), ("com", 1), ("swing_velocity", 0), ("swing_velocity", 1), ("swing_distance", 0), ("swing_distance", 1), ("swing_height", 0),
           ("clearance", None), ("warp", None), ("lowering", None))
SPREAD = 0.35  # of the logarithm of the factors, at the start of a search
POPULATION = 12
# A clip is held well when joints are this near on average (m) and the speed this near (of the clip's).
CLOSE_M, CLOSE_SPEED = 0.06, 0.1
FALL = 10.0  # cost of a fall at the very start

Report = Callable[[float, float], None]


def moved(gains: Gains, steps: np.ndarray) -> Gains:
    """Gains times the exponentials of ``steps``, in the order STIFFNESSES, NUMBERS."""
    values = dataclasses.asdict(gains)
    factors = np.exp(np.clip(steps, -2.5, 2.5)).tolist()
    for name, factor in zip(STIFFNESSES, factors):
        stiffness, damping = values[name]
        values[name] = (stiffness * factor, damping * factor**0.5)
    for (name, place), factor in zip(NUMBERS, factors[len(STIFFNESSES):]):
        if place is None:
            values[name] *= factor
        else:
            values[name] = tuple(value * factor if n == place else value for n, value in enumerate(values[name]))
    return Gains(**{name: tuple(map(_rounded, value)) if isinstance(value, tuple) else _rounded(value) for name, value in values.items()})


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def cost(result: Result, expected_s: float) -> float:
    """0 for a clip that is followed exactly; above 1 for one that is not held."""
    if result.outcome["fell"]:
        return 1.0 + FALL * max(0.0, 1.0 - result.outcome["fell_at"] / expected_s)
    figures = following(result)
    return min(1.0, figures["joint_error_m"] + 0.3 * abs(figures["speed_ratio"] - 1.0))


def held(result: Result) -> bool:
    """Whether a clip was followed to its end as it should be."""
    if result.outcome["fell"]:
        return False
    figures = following(result)
    return figures["joint_error_m"] < CLOSE_M and abs(figures["speed_ratio"] - 1.0) < CLOSE_SPEED


def tune(job: Job, gains: Gains, seconds: float, executor: Executor, report: Report | None = None, seed: int = 1) -> tuple[Gains, Result]:
    """The first gains found that hold the job's clip, or the best within ``seconds``; and what they do.

    Args:
        report: called with the part of the time that is over and the best cost so far.
    """
    best, result = gains, simulate(job, gains=gains)
    best_cost = cost(result, job.duration)
    began = time.monotonic()
    strategy = cma.CMAEvolutionStrategy(np.zeros(len(STIFFNESSES) + len(NUMBERS)), SPREAD, {"seed": seed, "verbose": -9, "popsize": POPULATION})
    while not held(result) and time.monotonic() - began < seconds:
        points = strategy.ask()
        candidates = [moved(gains, point) for point in points]
        costs = []
        for found in executor.map(_trial, [(job.source, candidate) for candidate in candidates]):
            costs.append(found)
            if time.monotonic() - began > seconds:
                break
        if len(costs) == len(points):
            strategy.tell(points, costs)
        leader = int(np.argmin(costs))
        if costs[leader] < best_cost:
            best, best_cost = candidates[leader], costs[leader]
            result = simulate(job, gains=best)
        if report:
            report(min(1.0, (time.monotonic() - began) / seconds), best_cost)
    return best, result


def _trial(task: tuple[dict, Gains]) -> float:
    source, gains = task
    job = make_job(source)
    try:
        return cost(simulate(job, gains=gains), job.duration)
    except SimulationError:
        return 1.0 + FALL
