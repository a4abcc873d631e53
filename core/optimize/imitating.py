"""Feedback with which a recording can be imitated: the usual one first, and where it falls a search with CMA-ES within a time budget."""

from __future__ import annotations

import time
from concurrent.futures import Executor

import cma
import numpy as np

from ..control.imitator import settings
from ..errors import SimulationError
from ..job import make_job
from ..measure.following import following
from ..result import Result
from ..simulate import simulate
from .tracking import CLOSE_SPEED, FALL, Report, cost

# What a search moves, by a factor: gains of a joint, all three alike, and single numbers of the feedback.
JOINTS = ("pelvis", "swing_hip", "stance_knee", "stance_ankle")
NUMBERS = (("cd", 0), ("cd", 1), ("cv", 0), ("cv", 1), ("ankle_cd", 0), ("ankle_cd", 1), ("ankle_cv", 0), ("ankle_cv", 1),
           ("swing_knee", None))
SPREAD = 0.35  # of the logarithm of the factors, at the start of a search
POPULATION = 10


def moved(steps: np.ndarray, gains: dict) -> dict:
    """Gains for a job's reference: the preset's, or ``gains`` in their places, times the exponentials of ``steps``, ordered as JOINTS, NUMBERS."""
    data = settings(gains)
    state, result = data["states"][0], dict(gains)
    factors = np.exp(np.clip(steps, -2.0, 2.0)).tolist()
    for name, factor in zip(JOINTS, factors):
        result[name] = [_short(value * factor) for value in data["gains"][name]]
    for (name, place), factor in zip(NUMBERS, factors[len(JOINTS):]):
        if place is None:
            result[f"{name}_angle"] = _short(state[name] * factor)
        else:
            result.setdefault(name, list(state[name]))
            result[name] = [_short(value * factor) if n == place else value for n, value in enumerate(result[name])]
    return result


def tune_imitation(data: dict, seconds: float, executor: Executor, report: Report | None = None, seed: int = 1) -> tuple[dict, Result]:
    """The first gains found that hold the job whose data is given, or the best within ``seconds``; and what they do.

    Args:
        report: called with the part of the time that is over and the best cost so far.
    """
    gains = data["reference"].get("gains", {})
    best, result = gains, simulate(make_job(data))
    best_cost = cost(result, make_job(data).duration)
    began = time.monotonic()
    strategy = cma.CMAEvolutionStrategy(np.zeros(len(JOINTS) + len(NUMBERS)), SPREAD, {"seed": seed, "verbose": -9, "popsize": POPULATION})
    while not _held(result) and time.monotonic() - began < seconds:
        points = strategy.ask()
        candidates = [moved(point, gains) for point in points]
        costs = list(executor.map(_trial, [_with(data, candidate) for candidate in candidates]))
        strategy.tell(points, costs)
        leader = int(np.argmin(costs))
        if costs[leader] < best_cost:
            best, best_cost = candidates[leader], costs[leader]
            result = simulate(make_job(_with(data, best)))
        if report:
            report(min(1.0, (time.monotonic() - began) / seconds), best_cost)
    return best, result


def _held(result: Result) -> bool:
    return not result.outcome["fell"] and abs(following(result)["speed_ratio"] - 1.0) < CLOSE_SPEED


def _with(data: dict, gains: dict) -> dict:
    return {**data, "reference": {**data["reference"], "gains": gains}}


def _trial(data: dict) -> float:
    job = make_job(data)
    try:
        return cost(simulate(job), job.duration)
    except SimulationError:
        return 1.0 + FALL


def _short(value: float) -> float:
    return float(f"{value:.4g}")
