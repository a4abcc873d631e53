"""Least squares: a search for a point at which many numbers are small, from trials that tell each of them.

A trial that tells what it misses, and not only what that costs together, is worth far more: as many trials as there are directions tell how every
miss changes with every direction (Gauss-Newton), and the step that follows from them is tried in many lengths at once (Levenberg-Marquardt).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array

DAMPING = tuple(10.0**n for n in np.arange(-2.0, 3.01, 0.5))  # of a step, over the mean square of what the misses change with a direction
FURTHEST = 1.5  # of a step, in each direction, as a multiple of the reach in which its slope was taken … times REACHES
REACHES = 6.0


@dataclass(frozen=True)
class Round:
    """A round of the search: trials in every direction, and steps. Attributes: number, from 1; cost: of the best point so far; point: that one."""

    number: int
    cost: float
    point: Array


def least_squares(misses_of: Callable[[list[Array]], Iterable[Array]], start: Array, reach: float, *, rounds: int | None = None,
                  seconds: float = np.inf, seed: int = 1, report: Callable[[Round], None] | None = None) -> Round:
    """Look for the point whose misses have the least sum of squares.

    Args:
        misses_of: (M,) for each of some (N,) points; another number of them for a trial that failed, whose squares are still its cost.
        reach: how far a trial goes in a direction, to learn how the misses change with it.
        rounds, seconds: after which it ends; a round is ended.
    """
    began, generator = time.monotonic(), np.random.default_rng(seed)
    point = np.array(start, float)
    missed, = misses_of([point])
    best, number = Round(0, float(missed @ missed), point), 0
    while (rounds is None or number < rounds) and time.monotonic() - began < seconds:
        number += 1
        signs = generator.choice((-1.0, 1.0), len(point)) * reach
        tried = [point + sign * np.eye(len(point))[n] for n, sign in enumerate(signs)]
        slopes = np.zeros((len(missed), len(point)))
        near = list(misses_of(tried))
        for n, (sign, there) in enumerate(zip(signs, near, strict=True)):
            if len(there) == len(missed):
                slopes[:, n] = (there - missed) / sign
        steps = [point + step for step in _steps(slopes, missed, reach)]
        tried, told = [*tried, *steps], [*near, *misses_of(steps)]
        costs = [float(one @ one) for one in told]
        least = int(np.argmin(costs))
        if costs[least] < best.cost:
            point, missed = tried[least], told[least]
        else:
            reach *= 0.7
        best = Round(number, min(best.cost, costs[least]), point)
        if report:
            report(best)
    return best


def _steps(slopes: Array, missed: Array, reach: float) -> list[Array]:
    """Steps of several lengths towards the point where the misses would vanish if they went on changing as they do here."""
    square, slope = slopes.T @ slopes, slopes.T @ missed
    scale = float(np.trace(square)) / len(square)
    most = REACHES * reach * FURTHEST
    steps = [-np.linalg.solve(square + damping * scale * np.eye(len(square)), slope) for damping in DAMPING]
    steps = [np.clip(step, -most, most) for step in steps]
    return [share * step for step in steps for share in (1.0, 0.5)]
