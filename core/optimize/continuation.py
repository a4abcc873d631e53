"""Continuation: a gait for what is far from where it begins, found by way of what lies between (Yin et al. 2008; Wang 2009, section 5).

A walk for the flat falls on a slope of 12°, and nothing near it walks there: a search has nothing to begin with. But it nearly walks on 3°, what is
found there nearly walks on 6°, and so on.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..arrays import Array
from ..errors import FormatError
from ..physics.settings import WorldSettings
from ..search.least_squares import Round
from ..whole_file import whole_file
from .parameters import FEEDBACK, STYLE
from .search import Cost, Misses, refine, search
from .walking import WEIGHTS, all_misses, cost

# The most that two wishes, one after the other, are apart: degrees, m/s, and a factor.
SLOPE, SPEED, FRICTION = 3.0, 0.2, 1.6
LAST = 0.5  # share of the time that the last wish has, where there are several
FALLING = 0.4  # share of its time that CMA has of a wish whose start falls; the rest is least squares'
FIXED = ("neck", "elbow")  # joints whose gains stay

Gait = dict[str, Any]
Wish = dict[str, Any]


@dataclass(frozen=True)
class Effort:
    """How long is searched. Attributes: seconds, in all; else, for each wish, ``generations`` of CMA and ``rounds`` of least squares, which find the
    same every time. population, trials: of a generation, of a round. sigma, reach: how far each looks at first. few: CMA moves the few numbers of
    ``parameters.halves``, over a longer way. gains: whether the joints' gains are moved, too. seed."""

    seconds: float = math.inf
    generations: int | None = None
    rounds: int | None = None
    population: int | None = None
    trials: int = 128
    sigma: float = 0.2
    reach: float = 0.06
    few: bool = False
    gains: bool = True
    seed: int = 1

    @property
    def counted(self) -> bool:
        return self.generations is not None or self.rounds is not None


def way_to(wish: Wish, speed: float) -> list[Wish]:
    """The wishes that lead from a walk at ``speed`` m/s on a flat floor that grips to a wish, which is the last of them."""
    slope, grip = _slope(wish), WorldSettings().friction
    friction = float(wish.get("job", {}).get("friction", grip))
    wanted = float(wish.get("speed", speed))
    count = max(1, *(math.ceil(far - 1e-9) for far in (abs(slope) / SLOPE, abs(wanted - speed) / SPEED,
                                                       max(0.0, math.log(grip / friction)) / math.log(FRICTION))))
    wishes = []
    for number in range(1, count + 1):
        share, one = number / count, copy.deepcopy(wish)
        if slope:
            one["job"]["ground"]["degrees"] = share * slope
        if friction < grip:
            one["job"]["friction"] = grip * (friction / grip) ** share
        if "speed" in wish:
            one["speed"] = speed + share * (wanted - speed)
        wishes.append(one)
    return [*wishes[:-1], wish]


def leaned(gait: Gait, rise: float) -> Gait:
    """A gait that is set for ground that goes up by ``rise`` rad more, as slope adaptation sets it: feet along the ground, leaning into the slope."""
    tilted, style = copy.deepcopy(gait), gait.get("style", {})
    for state in tilted["states"]:
        state["torso"][0] -= style.get("slope_torso", 0.5) * rise
        state["swing_hip"][0] += style.get("slope_hip", 0.7) * rise
        state["swing_ankle"][0] += rise
        state["stance_ankle"][0] += rise
        state["swing_knee"] -= style.get("slope_knee", 0.0) * rise
    return tilted


class Continuation:
    """A search that goes from wish to wish. What is done is kept in a file, so that the same command goes on where it was stopped."""

    def __init__(self, name: str, executor: Executor, effort: Effort, part: Path | None = None, command: str = "",
                 say: Callable[[str], None] | None = None, cost: Cost = cost, misses: Misses = all_misses):
        """
        Args:
            name: of the gait.
            part: the file in which it keeps what is done, for ``command``. Beside it, with ".search" added, is the search for the present wish.
            say: called with a line after each generation and round.
            cost, misses: of a gait under a wish, as ``search`` and ``refine`` take them; those of a walk unless others are given.
        """
        self._cost, self._misses = cost, misses
        self._name, self._executor, self._effort, self._part, self._command = name, executor, effort, part, command
        self._say = say or (lambda _: None)

    def find(self, gait: Gait, wishes: list[Wish]) -> tuple[Gait, float]:
        """A gait for the last of the wishes, by way of each of them, and its cost."""
        done, gait = self._kept(gait)
        least = self._cost(gait, self._name, wishes[-1]) if done == len(wishes) else math.inf
        for number, wish in enumerate(wishes[done:], done):
            self._say(f"{number + 1} of {len(wishes)}: {_told(wish)}")
            share = 1.0 if len(wishes) == 1 else LAST if number == len(wishes) - 1 else (1.0 - LAST) / (len(wishes) - 1)
            gait, holds = self._start(gait, wish, _slope(wishes[number - 1]) if number else 0.0)
            gait, least = self._found(gait, holds, wish, share * self._effort.seconds, number)
            self._keep(gait, number + 1)
        return gait, least

    def forget(self) -> None:
        """Remove what is kept."""
        for path in (self._part, self._search_file):
            if path:
                path.unlink(missing_ok=True)

    def _start(self, gait: Gait, wish: Wish, slope: float) -> tuple[Gait, bool]:
        """Where a wish begins, and whether that walks: the gait of the one before, on a ``slope`` (degrees), or the same set for this one's slope."""
        if "speed" in wish:
            gait = {**gait, "speed": wish["speed"]}
        rise = math.radians(_slope(wish) - slope)
        starts = [gait, leaned(gait, rise)] if rise else [gait]
        missed = list(self._executor.map(_missed, [(self._misses, one, self._name, wish) for one in starts]))
        costs = [float(one @ one) for one in missed]
        best = min(range(len(starts)), key=costs.__getitem__)
        self._say(f"begins at {costs[best]:.3f}")
        return starts[best], len(missed[best]) >= len(WEIGHTS)  # a walk misses by every term, a fall by one

    def _found(self, gait: Gait, holds: bool, wish: Wish, seconds: float, done: int) -> tuple[Gait, float]:
        """One wish: by CMA where the start does not hold or a number of generations is asked for, then by least squares."""
        effort, style = self._effort, tuple(option for option in STYLE if option in gait.get("style", {}))
        gains = tuple(joint for joint in gait["gains"] if joint not in FIXED) if effort.gains else ()
        moves: dict[str, Any] = {"gains": gains, "tied": FEEDBACK, "style": style}
        least = math.inf
        if effort.generations or not (holds or effort.counted):
            gait, least = search(gait, self._name, wish, self._executor, cost=self._cost, generations=effort.generations, few=effort.few,
                                 diagonal=0 if effort.few else 30, **moves,
                                 seconds=math.inf if effort.counted else FALLING * seconds, sigma=effort.sigma, population=effort.population,
                                 seed=effort.seed, checkpoint=self._search_file, say=self._say,
                                 report=lambda one: self._say(f"generation {one.number}: best {one.best_cost:.3f}, this one {min(one.costs):.3f}"))
            seconds *= 1.0 - FALLING
        if effort.rounds or not effort.counted:
            gait, least = refine(gait, self._name, wish, self._executor, self._misses, seconds=seconds, rounds=effort.rounds, trials=effort.trials,
                                 reach=effort.reach, seed=effort.seed, report=lambda one, best: self._round(one, best, done), **moves)
        if self._search_file:
            self._search_file.unlink(missing_ok=True)
        return gait, least

    def _round(self, one: Round, best: Gait, done: int) -> None:
        self._say(f"round {one.number}: best {one.cost:.3f}, usual {one.usual:.3f}")
        if not self._effort.counted:  # else what is found would depend on where it was stopped
            self._keep(best, done)

    @property
    def _search_file(self) -> Path | None:
        return self._part and self._part.with_name(self._part.name + ".search")

    def _kept(self, gait: Gait) -> tuple[int, Gait]:
        """How many wishes are done, and the gait to go on with."""
        if self._part is None or not self._part.is_file():
            return 0, gait
        try:
            data = json.loads(self._part.read_text(encoding="utf-8"))
            return (int(data["done"]), dict(data["gait"])) if data["command"] == self._command else (0, gait)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise FormatError(f"'{self._part}' is no unfinished search: delete it, or choose another output.") from error

    def _keep(self, gait: Gait, done: int) -> None:
        if self._part:
            with whole_file(self._part) as file:
                file.write(json.dumps({"command": self._command, "done": done, "gait": gait}).encode("utf-8"))


def _missed(task: tuple[Misses, Gait, str, Wish]) -> Array:
    misses, gait, name, wish = task
    return misses(gait, name, wish)


def _slope(wish: Wish) -> float:
    return float(wish.get("job", {}).get("ground", {}).get("degrees", 0.0))


def _told(wish: Wish) -> str:
    """What is special about a wish, for people."""
    parts = [f"{wish['speed']:.2f} m/s"] if "speed" in wish else []
    parts += [f"{_slope(wish):+.1f}°"] if _slope(wish) else []
    parts += [f"friction {wish['job']['friction']:.2f}"] if "friction" in wish.get("job", {}) else []
    return ", ".join(parts) or "as it comes"
