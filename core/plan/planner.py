"""Planner: looks for servo targets window by window, with several plans alive, and goes back where a clip is lost.

A plan is a row of knots, offsets from the clip at some joints, one at the end of each window of the horizon. In each window many plans are tried in
the simulator from where the best ones so far have led; only their first window is kept, and the rest is where the next search begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .settings import Quality
from .stage import WINDOW, Scores, Stage
from .team import Team

RETRIES = (5, 10, 16)  # windows to go back when a clip is lost or strayed from, each time harder
PATIENCE = 3  # retries, of any kind, after which no part is given up any more because the body strays though the clip is not lost


@dataclass
class Level:
    """The plans that are alive at the end of a window, best first; B of them.

    Attributes:
        snapshots: (B, V). knots: (B, D) rad, the offsets at the end of the window. plans: (B, H, D) rad, where the next search begins.
        past: (B,) cost so far. parents: (B,) which plan of the level before each one continues. distance, drift: m, of the best one.
    """

    snapshots: np.ndarray
    knots: np.ndarray
    plans: np.ndarray
    past: np.ndarray
    parents: np.ndarray
    distance: float = 0.0
    drift: float = 0.0
    lost: bool = False


class Planner:
    """Looks for a plan on a stage.

    Attributes:
        levels: what is alive at the end of each window; levels[0] is the start.
        trouble: the last window that was given up. tries: how often the part before it was given up. retries: how often any part was.
    """

    def __init__(self, stage: Stage, quality: Quality, seed: int):
        self.stage, self.quality, self.seed = stage, quality, seed
        size = len(stage.spread)
        self.levels = [Level(stage.start[None], np.zeros((1, size)), np.zeros((1, quality.horizon, size)), np.zeros(1), np.zeros(1, dtype=int))]
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
        strays = level.drift > self.stage.cost.wary and self.tries == 0 and self.retries < PATIENCE
        if not (level.lost or strays):
            self.levels.append(level)
        elif self.tries < len(RETRIES):
            del self.levels[max(1, len(self.levels) - RETRIES[self.tries]):]
            self.trouble = max(self.trouble, window)
            self.tries += 1
            self.retries += 1
        else:
            if np.isfinite(level.snapshots[0]).all():
                self.levels.append(level)
            self.lost_at = window

    def _searched(self, team: Team, window: int) -> Level:
        level, quality, spread, search = self.levels[-1], self.quality, self.stage.spread, self.stage.preset.search
        # The same numbers for the same window and attempt, whatever was done before: work that is resumed goes on alike.
        noise = np.random.default_rng((self.seed, window, self.retries))
        each = round(search.harder**self.tries * quality.samples / quality.rounds)
        # A search for each plan that is alive goes on from where it was planned to go; letting go of all offsets is tried beside it.
        nodes = list(range(len(level.knots)))
        centers = dict(zip(nodes, level.plans))
        fading = level.knots[:, None] * np.linspace(0.6, 0.0, quality.horizon)[:, None]
        tries = _Tries()
        # Who was hit and has not noticed yet goes on as before.
        blind = window < self.stage.blind
        for number in range(1 if blind else quality.rounds):
            origins, plans = [], []
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
        scores, plans, origins = Scores.joined(tries.scores), np.concatenate(tries.plans)[best], np.concatenate(tries.origins)[best]
        return Level(scores.ends[best], plans[:, 0], np.concatenate([plans[:, 1:], search.fading * plans[:, -1:]], axis=1),
                     search.memory * level.past[origins] + scores.near[best] / quality.horizon, origins, float(scores.distances[best[0]]),
                     float(scores.drifts[best[0]]), bool(scores.lost[best[0]]))

    def _try(self, team: Team, window: int, level: Level, origins: np.ndarray, plans: np.ndarray, tries: _Tries) -> None:
        scores = team.tried(window * WINDOW, level.snapshots[origins], level.knots[origins], plans)
        tries.add(origins, plans, scores, scores.costs + level.past[origins])

    def found(self) -> np.ndarray:
        """(W, D) rad: the knots of the best path so far."""
        knots, at = [], 0
        for level in reversed(self.levels[1:]):
            knots.append(level.knots[at])
            at = int(level.parents[at])
        return np.array(knots[::-1]).reshape(-1, len(self.stage.spread))


class _Tries:
    """All plans that were tried in one window: which living plan each continues, its knots, its scores and its cost with that of its past."""

    def __init__(self):
        self.origins: list[np.ndarray] = []
        self.plans: list[np.ndarray] = []
        self.scores: list[Scores] = []
        self.totals: list[np.ndarray] = []

    def add(self, origins: np.ndarray, plans: np.ndarray, scores: Scores, totals: np.ndarray) -> None:
        self.origins.append(origins)
        self.plans.append(plans)
        self.scores.append(scores)
        self.totals.append(totals)

    def order(self) -> np.ndarray:
        """Best first."""
        return np.argsort(np.concatenate(self.totals), kind="stable")

    def best_origins(self, count: int) -> list[int]:
        """Those of the best plans."""
        return list(dict.fromkeys(np.concatenate(self.origins)[self.order()].tolist()))[:count]

    def middle(self, origin: int, elite: float) -> np.ndarray:
        """(H, D) the mean of the best part ``elite`` of the plans that continue ``origin``: what their chance deviations have in common."""
        order = self.order()
        order = order[np.concatenate(self.origins)[order] == origin]
        order = order[:max(2, round(elite * len(order)))]
        weights = np.log(len(order) + 1.0) - np.log(np.arange(len(order)) + 1.0)
        return np.tensordot(weights / weights.sum(), np.concatenate(self.plans)[order], axes=1)


def _smooth_noise(noise: np.random.Generator, samples: int, windows: int, size: int, carried: float) -> np.ndarray:
    """(samples, windows, size) normal numbers, each of which shares ``carried`` with the one before."""
    numbers = noise.standard_normal((samples, windows, size))
    for window in range(1, windows):
        numbers[:, window] = carried * numbers[:, window - 1] + (1.0 - carried**2) ** 0.5 * numbers[:, window]
    return numbers
