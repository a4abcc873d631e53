"""Least squares: a search for a point at which many numbers are small, from trials that tell each of them.

A trial that tells what it misses, and not only what that costs together, is worth far more. A round tries points that lie scattered around the
present one, fits how every miss changes with every direction (a linear model, which evens out what is chance in a trial: a walk that is steered by
its own footfalls is never twice the same), and tries the steps of several lengths that follow from it (Levenberg-Marquardt).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array

DAMPING = tuple(float(10.0**power) for power in np.arange(-3.0, 1.6, 0.5))  # of a step, over the mean square change with a direction
SHARES = (1.0, 0.5)  # of each step, that are tried
RIDGE = 0.5  # trials that say that nothing changes with a direction: with fewer of them than directions the model stays modest
REMEMBERED = 2.5  # rounds whose trials the model is fitted to
FURTHEST = 12.0  # of a step, as a multiple of the reach


@dataclass(frozen=True)
class Round:
    """A round of the search. Attributes: number, from 1; cost and point: the best so far; usual: the median cost of the round's trials."""

    number: int
    cost: float
    point: Array
    usual: float


def least_squares(misses_of: Callable[[list[Array]], Iterable[Array]], start: Array, reach: float, trials: int, *, rounds: int | None = None,
                  seconds: float = np.inf, seed: int = 1, report: Callable[[Round], None] | None = None) -> Round:
    """Look for the point whose misses have the least sum of squares.

    Args:
        misses_of: (M,) for each of some (N,) points; another number of them for a trial that failed, whose squares are still its cost.
        reach: standard deviation, in each direction, of the points that a round tries first. trials: how many these are.
        rounds, seconds: after which it ends, when a round is over.
    """
    began, generator = time.monotonic(), np.random.default_rng(seed)
    center = np.array(start, float)
    (missed,) = misses_of([center])
    best, size = Round(0, float(missed @ missed), center, float(missed @ missed)), len(missed)
    known: list[tuple[Array, Array]] = [(center, missed)]
    while (rounds is None or best.number < rounds) and time.monotonic() - began < seconds:
        around = [center + reach * generator.standard_normal(len(center)) for _ in range(trials)]
        told = list(misses_of(around))
        known += [pair for pair in zip(around, told, strict=True) if len(pair[1]) == size]
        known = known[-round(REMEMBERED * trials):]
        steps = [center + step for step in _steps(*_model(known, center, reach), FURTHEST * reach)]
        tried = list(misses_of(steps))
        known += [pair for pair in zip(steps, tried, strict=True) if len(pair[1]) == size]
        costs = [float(one @ one) for one in (*told, *tried)]
        least, usual = int(np.argmin(costs)), float(np.median(costs[:trials]))
        if costs[least] < min(usual, 1.1 * best.cost):
            center = [*around, *steps][least]
        else:
            reach *= 0.7
        if costs[least] < best.cost:
            best = Round(best.number + 1, costs[least], center, usual)
        else:
            best = Round(best.number + 1, best.cost, best.point, usual)
        if report:
            report(best)
    return best


def _model(known: list[tuple[Array, Array]], center: Array, reach: float) -> tuple[Array, Array]:
    """(M,) the misses at ``center`` and (M, N) how they change, as the trials that are known have it together."""
    offsets = np.array([point - center for point, _ in known])
    design = np.column_stack((np.ones(len(known)), offsets / reach))
    # What lies far away says less of what is here.
    weight = 1.0 / (1.0 + (offsets**2).sum(axis=1) / (4.0 * reach * reach * len(center)))
    ridge = np.diag([0.0, *np.full(len(center), RIDGE)])
    weighted = design * weight[:, None]
    fitted = np.linalg.solve(weighted.T @ design + ridge, weighted.T @ np.array([missed for _, missed in known]))
    return fitted[0], fitted[1:].T / reach


def _steps(missed: Array, slopes: Array, furthest: float) -> list[Array]:
    """Steps towards the point where the misses would be least if they went on changing as they do here."""
    square, slope = slopes.T @ slopes, slopes.T @ missed
    scale = float(np.trace(square)) / len(square) + 1e-12
    steps = [np.asarray(-np.linalg.solve(square + damping * scale * np.eye(len(square)), slope), float) for damping in DAMPING]
    return [share * min(1.0, furthest / max(1e-12, float(np.linalg.norm(step)))) * step for step in steps for share in SHARES]
