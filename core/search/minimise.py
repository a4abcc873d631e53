"""Minimise a cost by CMA-ES: many points at once, within a time or a number of generations, from a checkpoint where it was stopped."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import JobError
from .checkpoint import Checkpoint, Told


@dataclass(frozen=True)
class Generation:
    """What is known after a generation.

    Attributes:
        number: of the generation; the first is 1.
        costs: of its points; fewer than there are points if the time was over.
        best_cost: of all generations so far.
        middle: (D,) where the next points are drawn around.
        fraction: of the time or of the generations that is over, whichever is further.
    """

    number: int
    costs: Sequence[float]
    best_cost: float
    middle: Array
    fraction: float


@dataclass(frozen=True)
class Found:
    """Where a search ended: its best ``point`` (D,) and the cost of it, and the ``middle`` (D,) of the last ``generations``."""

    point: Array
    cost: float
    middle: Array
    generations: int


Costs = Callable[[list[Array], int], Iterable[float]]


def minimise(costs_of: Costs, start: ArrayLike, spread: float, *, seed: int = 1, population: int | None = None, start_cost: float | None = None,
             diagonal: int = 0, seconds: float = math.inf, generations: int | None = None, better: Callable[[Array, float], bool] | None = None,
             checkpoint: Checkpoint | None = None, report: Callable[[Generation], None] | None = None) -> Found:
    """Look for the point of least cost until a limit is reached, the search has converged or ``better`` is content.

    The same arguments give the same result, also when the search was stopped in between and has gone on from its checkpoint. Only ``seconds``
    end it at another place each time.

    Args:
        costs_of: called with the points (D,) of a generation and its number (the first is 1); gives the cost of each, in order.
            An iterator is best, such as ``executor.map``: when the time is over, the rest of it is left.
        start: (D,) where to begin.
        spread: standard deviation of the first points around the start, in every direction.
        population: points of a generation; by default as many as CMA-ES advises for D.
        start_cost: of the start where it is known (infinity: of no interest). By default the start takes the first place in the first generation.
        diagonal: generations at first in which directions are not mixed: quicker where there are a hundred of them.
        seconds: of wall-clock time. A generation that is cut off does not move the search, but its best point counts.
        generations: most that there are in all, those of the checkpoint included.
        better: called with each new best point and its cost, at most once a generation; True ends the search.
        checkpoint: written after every generation; a search that is in it goes on.
        report: called after every generation.
    """
    how = {"start": np.asarray(start, float).tolist(), "spread": float(spread), "population": population, "seed": seed, "start cost": start_cost}
    if diagonal:
        how["diagonal"] = diagonal
    search = _resumed(checkpoint, how, generations) if checkpoint else _Search(how)
    began = time.monotonic()  # only now: to load what it needs may take a second
    until = began + seconds
    content = bool(better and search.told and search.best_cost < search.first_cost and better(search.best, search.best_cost))
    while not content and time.monotonic() < until and len(search.told) != generations and not search.converged():
        points, costs = search.ask(), []
        for cost in costs_of(points, len(search.told) + 1):
            costs.append(float(cost))
            if time.monotonic() > until:
                break
        improved, whole = search.look_at(points, costs), len(costs) == len(points)
        if whole:
            search.tell(points, costs)
            if checkpoint:
                checkpoint.write(how, search.told)
        content = bool(better and improved and better(search.best, search.best_cost))
        if report:
            over = max((time.monotonic() - began) / seconds, len(search.told) / generations if generations else 0.0)
            report(Generation(len(search.told) + (not whole), costs, search.best_cost, search.middle, min(1.0, over)))
        if not whole:
            break
    return Found(search.best, search.best_cost, search.middle, len(search.told))


class _Search:
    """CMA-ES with its own chance numbers, the best point that it has seen, and all that it was told."""

    def __init__(self, how: dict[str, Any]):
        """Args: how: start, spread, population, seed and start cost, as in ``minimise``."""
        # Its own stream of chance numbers: nobody else's draw can move it. No file of the working folder may either.
        options: dict[str, Any] = {"randn": np.random.RandomState(how["seed"]).randn, "seed": math.nan, "verbose": -9, "signals_filename": ""}
        if how["population"]:
            options["popsize"] = how["population"]
        if "diagonal" in how:
            options["CMA_diagonal"] = how["diagonal"]
        self._strategy = _cma().CMAEvolutionStrategy(how["start"], how["spread"], options)
        self._start_competes = how["start cost"] is None
        self.best, self.first_cost = np.array(how["start"]), math.inf if self._start_competes else how["start cost"]
        self.best_cost = self.first_cost
        self.told: list[Told] = []

    def ask(self) -> list[Array]:
        points: list[Array] = self._strategy.ask()
        if self._start_competes and not self.told:
            points[0] = self.best.copy()
        return points

    def look_at(self, points: list[Array], costs: Sequence[float]) -> bool:
        """Remember the best of the points; whether it is the best so far."""
        leader = int(np.argmin(costs))
        if costs[leader] < self.best_cost:
            self.best, self.best_cost = points[leader].copy(), costs[leader]
            return True
        return False

    def tell(self, points: list[Array], costs: Sequence[float]) -> None:
        self._strategy.tell(points, list(costs))
        self.told.append(Told(_digest(points), tuple(costs)))

    def converged(self) -> bool:
        return bool(self._strategy.stop())

    @property
    def middle(self) -> Array:
        return np.array(self._strategy.mean)


def _resumed(checkpoint: Checkpoint, how: dict[str, Any], generations: int | None) -> _Search:
    """A search that was told again all that is in a checkpoint, up to a number of generations; a new one where the points come out otherwise."""
    search, kept = _Search(how), checkpoint.read(how)
    for told in kept[:generations]:
        search.converged()  # asked as often as it was the first time
        points = search.ask()
        if _digest(points) != told.points or len(points) != len(told.costs):
            checkpoint.refuse("of a machine, or of a version of cma, that draws other points")
            search, kept = _Search(how), []
            break
        search.look_at(points, told.costs)
        search.tell(points, told.costs)
    if not kept:
        checkpoint.write(how, [])  # now, so that a folder that cannot be written to is found before the work
    return search


def _digest(points: Sequence[Array]) -> str:
    return hashlib.sha256(np.asarray(points, dtype="<f8").tobytes()).hexdigest()[:16]


def _cma() -> Any:
    """The package, only when it is needed: it takes a while to load, and everything else works without it."""
    try:
        import cma
    except ModuleNotFoundError as error:
        raise JobError("Searching needs the package 'cma': install it with pip install cma.") from error
    return cma
