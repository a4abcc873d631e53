"""Planner: looks for servo targets window by window, with several plans alive, and goes back where a clip is lost.

A plan is a row of knots, one at the end of each window of the horizon. A knot says how far some joints are to be off the clip. In each window many
plans are tried in the simulator, from where the best ones so far have led. Of the best of these only the first window is kept; the next search begins
with the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Ints
from .settings import Quality
from .stage import WINDOW, Scores, Stage
from .team import Team

LET_GO = 0.6  # fraction of its offsets that a plan which lets go of them has left at the end of its first window


@dataclass
class Level:
    """The plans that are alive at the end of a window, best first; B of them.

    Attributes:
        snapshots: (B, V). knots: (B, D) rad, the offsets at the end of the window. plans: (B, H, D) rad, where the next search begins.
        past: (B,) cost so far. parents: (B,) which plan of the level before each one continues.
        distance, drift, lost: of the best one: m, m and whether the clip is lost, as in ``Scores``.
    """

    snapshots: Array
    knots: Array
    plans: Array
    past: Array
    parents: Ints
    distance: float = 0.0
    drift: float = 0.0
    lost: bool = False


class Planner:
    """Looks for a plan on a stage.

    Attributes:
        levels: what is alive at the end of each window; levels[0] is the start.
        trouble: the last window that was given up. tries: how often the planner went back from there. retries: how often it went back at all.
        lost_at: the window in which the clip was lost for good.
    """

    def __init__(self, stage: Stage, quality: Quality, seed: int):
        self.stage, self.quality, self.seed = stage, quality, seed
        size = len(stage.spread)
        self._like = np.array(stage.task.like).reshape(-1, size)
        plans = np.zeros((1, quality.horizon, size))
        known = self._like[:quality.horizon]
        plans[0, :len(known)] = known
        self.levels = [Level(stage.start[None], np.zeros((1, size)), plans, np.zeros(1), np.zeros(1, dtype=int))]
        self.windows = -(-(stage.aim.frames - 1) // WINDOW)
        self.trouble = self.tries = self.retries = 0
        self.lost_at: int | None = None

    @property
    def done(self) -> bool:
        return len(self.levels) > self.windows or self.lost_at is not None

    def advance(self, team: Team) -> None:
        """Look for one more window, or go back."""
        window = len(self.levels) - 1
        if window > self.trouble + self.quality.horizon:
            self.tries = 0
        level = self._searched(team, window)
        search = self.stage.search
        strays = level.drift > self.stage.cost.limits.wary and self.tries == 0 and self.retries < search.patience
        if not (level.lost or strays):
            self.levels.append(level)
        elif self.tries < len(search.retries):
            del self.levels[max(1, len(self.levels) - search.retries[self.tries]):]
            self.trouble = max(self.trouble, window)
            self.tries += 1
            self.retries += 1
        else:
            if np.isfinite(level.snapshots[0]).all():
                self.levels.append(level)
            self.lost_at = window

    def _searched(self, team: Team, window: int) -> Level:
        """The best plans that are found for a window."""
        level, quality, spread, search = self.levels[-1], self.quality, self.stage.spread, self.stage.search
        # The random numbers depend on the window and the retry only, not on what was done before: so resumed work goes on as it would have gone.
        noise = np.random.default_rng((self.seed, window, self.retries))
        each = round((search.harder**self.tries if self.tries else search.first) * quality.samples / quality.rounds)
        # For each plan that is alive, the search begins with what it was to do next; a plan that lets go of all offsets is tried beside that.
        nodes = list(range(len(level.knots)))
        centers = dict(zip(nodes, level.plans, strict=True))
        fading = level.knots[:, None] * np.linspace(LET_GO, 0.0, quality.horizon)[:, None]
        tries = _Tries()
        # A body that was hit and does not react yet goes on as before.
        blind = window < self.stage.blind
        for number in range(1 if blind else quality.rounds):
            origins: list[int] = []
            plans: list[Array] = []
            for node in nodes:
                firsts = [centers[node], fading[node]] if number == 0 else [centers[node]]
                count = 0 if blind else max(0, each // len(nodes) - len(firsts))
                deviations = search.finer**number * spread * _smooth_noise(noise, count, quality.horizon, len(spread), search.carried)
                plans += [*firsts, *(centers[node] + deviations)]
                origins += [node] * (len(firsts) + count)
            self._try(team, window, level, np.array(origins), np.array(plans), tries)
            nodes = tries.best_origins(search.searched)
            centers = {node: tries.middle(node, search.elite) for node in nodes}
        self._try(team, window, level, np.array(nodes), np.array([centers[node] for node in nodes]), tries)
        best = tries.order()[:quality.beam]
        scores, kept, parents = Scores.joined(tries.scores), np.concatenate(tries.plans)[best], np.concatenate(tries.origins)[best]
        ahead = search.fading * kept[:, -1:]
        if window + quality.horizon < len(self._like):
            ahead[:] = self._like[window + quality.horizon]
        return Level(scores.ends[best], kept[:, 0], np.concatenate([kept[:, 1:], ahead], axis=1),
                     search.memory * level.past[parents] + scores.near[best] / quality.horizon, parents, float(scores.distances[best[0]]),
                     float(scores.drifts[best[0]]), bool(scores.lost[best[0]]))

    def _try(self, team: Team, window: int, level: Level, origins: Ints, plans: Array, tries: _Tries) -> None:
        scores = team.tried(window * WINDOW, level.snapshots[origins], level.knots[origins], plans)
        tries.add(origins, plans, scores, scores.costs + level.past[origins])

    def found(self) -> Array:
        """(W, D) rad: the knots of the best path so far."""
        knots, at = [], 0
        for level in reversed(self.levels[1:]):
            knots.append(level.knots[at])
            at = int(level.parents[at])
        return np.array(knots[::-1]).reshape(-1, len(self.stage.spread))


class _Tries:
    """All plans that were tried in one window: which living plan each continues, its knots, its scores and its cost with that of its past."""

    def __init__(self) -> None:
        self.origins: list[Ints] = []
        self.plans: list[Array] = []
        self.scores: list[Scores] = []
        self.totals: list[Array] = []

    def add(self, origins: Ints, plans: Array, scores: Scores, totals: Array) -> None:
        self.origins.append(origins)
        self.plans.append(plans)
        self.scores.append(scores)
        self.totals.append(totals)

    def order(self) -> Ints:
        """Numbers of the plans, best first."""
        return np.argsort(np.concatenate(self.totals), kind="stable")

    def best_origins(self, count: int) -> list[int]:
        """Which living plans the best ones continue, ``count`` of them at most."""
        return list(dict.fromkeys(np.concatenate(self.origins)[self.order()].tolist()))[:count]

    def middle(self, origin: int, elite: float) -> Array:
        """(H, D) rad: the mean of the best of the plans that continue ``origin``, a fraction ``elite`` of them; the better ones count more."""
        order = self.order()
        order = order[np.concatenate(self.origins)[order] == origin]
        order = order[:max(2, round(elite * len(order)))]
        weights = np.log(len(order) + 1.0) - np.log(np.arange(len(order)) + 1.0)
        return np.tensordot(weights / weights.sum(), np.concatenate(self.plans)[order], axes=1)


def _smooth_noise(noise: np.random.Generator, samples: int, windows: int, size: int, carried: float) -> Array:
    """(samples, windows, size) normal numbers, each of which is correlated by ``carried`` with that of the window before."""
    numbers = noise.standard_normal((samples, windows, size))
    for window in range(1, windows):
        numbers[:, window] = carried * numbers[:, window - 1] + (1.0 - carried**2) ** 0.5 * numbers[:, window]
    return numbers
