"""Planner: looks for servo targets window by window, with several plans alive, and goes back where a clip is lost.

A plan is a row of knots, offsets from the clip at some joints, one at the end of each window of the horizon. In each window many plans are tried in
the simulator from where the best ones so far have led; only their first window is kept, and the rest is where the next search begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .quality import Quality
from .stage import WINDOW, Stage
from .team import Team

FINER = 0.6  # of the spread, from one round of a window to the next
CARRIED = 0.5  # how much of a knot's deviation the next one shares
FADING = 0.7  # of the last knot, that a plan begins its new last window with
RETRIES = (6, 12, 24)  # windows to go back when a clip is lost, and then …
HARDER = 2  # … times as many samples, each time
MEMORY = 0.8  # of what a plan has cost so far, from window to window: a path that was bad before does not stay bad for ever

Report = Callable[["Level"], None]


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
        trouble: the window that was lost last. tries: how often the part before it was given up. retries: how often any part was.
    """

    def __init__(self, stage: Stage, quality: Quality, seed: int):
        self.stage, self.quality, self.seed = stage, quality, seed
        size = len(stage.spread)
        self.levels = [Level(stage.start()[None], np.zeros((1, size)), np.zeros((1, quality.horizon, size)), np.zeros(1), np.zeros(1, dtype=int))]
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
        if not level.lost:
            self.levels.append(level)
        elif self.tries < len(RETRIES):
            del self.levels[max(1, len(self.levels) - RETRIES[self.tries]):]
            self.trouble = max(self.trouble, window)
            self.tries += 1
            self.retries += 1
        else:
            self.levels.append(level)
            self.lost_at = window

    def _searched(self, team: Team, window: int) -> Level:
        level, quality, spread = self.levels[-1], self.quality, self.stage.spread
        # The same numbers for the same window and attempt, whatever was done before: work that is resumed goes on alike.
        noise = np.random.default_rng((self.seed, window, self.retries))
        each = HARDER**self.tries * quality.samples // quality.rounds
        alive = np.arange(len(level.knots))
        # Before anything else: going on as planned, and letting go of all offsets.
        fading = level.knots[:2, None] * np.linspace(0.6, 0.0, quality.horizon)[:, None]
        firsts = (np.concatenate([alive, alive[:2]]), np.concatenate([level.plans, fading]))
        parents, plans = firsts
        kept: list[np.ndarray] = []
        for number in range(quality.rounds):
            count = each - (len(firsts[0]) if number == 0 else 0)
            chosen = np.arange(max(count, 0)) % len(parents)
            tried = plans[chosen] + FINER**number * spread * _smooth_noise(noise, len(chosen), quality.horizon, len(spread))
            origins = parents[chosen]
            if number == 0:
                origins, tried = np.concatenate([firsts[0], origins]), np.concatenate([firsts[1], tried])
            scores = team.tried(window * WINDOW, level.snapshots[origins], level.knots[origins], tried)
            kept.append((origins, tried, scores, scores.costs + level.past[origins]))
            totals = np.concatenate([total for *_, total in kept])
            best = np.argsort(totals, kind="stable")[:quality.beam]
            parents = np.concatenate([origins for origins, *_ in kept])[best]
            plans = np.concatenate([tried for _, tried, *_ in kept])[best]
        ends, near, distances, drifts = (np.concatenate([getattr(scores, name) for _, _, scores, _ in kept])[best]
                                         for name in ("ends", "near", "distances", "drifts"))
        lost = np.concatenate([scores.lost() for _, _, scores, _ in kept])[best]
        return Level(ends, plans[:, 0], np.concatenate([plans[:, 1:], FADING * plans[:, -1:]], axis=1),
                     MEMORY * level.past[parents] + near / quality.horizon, parents, float(distances[0]), float(drifts[0]), bool(lost[0]))

    def found(self) -> np.ndarray:
        """(W, D) rad: the knots of the best path so far."""
        knots, at = [], 0
        for level in reversed(self.levels[1:]):
            knots.append(level.knots[at])
            at = int(level.parents[at])
        return np.array(knots[::-1]).reshape(-1, len(self.stage.spread))


def _smooth_noise(noise: np.random.Generator, samples: int, windows: int, size: int) -> np.ndarray:
    """(samples, windows, size) normal numbers that change slowly from window to window."""
    numbers = noise.standard_normal((samples, windows, size))
    for window in range(1, windows):
        numbers[:, window] = CARRIED * numbers[:, window - 1] + (1.0 - CARRIED**2) ** 0.5 * numbers[:, window]
    return numbers
