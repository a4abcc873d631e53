"""Balance map: which strategy handles which push, by direction and strength, for one body (Yin 2007, section 6.4)."""

from __future__ import annotations

import json
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

import numpy as np

from .. import presets
from ..arrays import Array, Ints
from ..balance_styles import BalanceStyle
from ..context import Context
from ..control.stander import TIME_STEP, Stander
from ..errors import SimulationError
from ..hit.reflex import MORE, Try, best, expected, kept, stood
from ..jobs import make_job
from ..methods.hit import MANNER
from ..motion import Motion
from ..result import STRATEGIES, Result

PUSH_S, BEFORE_S, SECONDS = 0.2, 0.4, 6.0  # s: of a push, before it, and given in all
FPS = 30.0
ENOUGH = 2  # falls in a row
WAYS = ("forward", "forward and left", "to its left", "back and left", "backward", "back and right", "to its right", "forward and right")


@dataclass
class BalanceMap:
    """What became of pushes on a standing body.

    Attributes:
        directions: (D,) rad, 0 forward, positive to the left. forces: (F,) N. strategies: (D, F) index in ``STRATEGIES``, −1 where it fell.
        moved: (D, F) m from where it stood to where it stands.
    """

    directions: Array
    forces: Array
    strategies: Ints
    moved: Array

    def limits(self) -> Array:
        """(D,) N: the largest push of each direction up to which all were taken."""
        held = np.cumprod(self.strategies >= 0, axis=1).sum(axis=1)
        return np.array([self.forces[count - 1] if count else 0.0 for count in held])

    def holes(self) -> list[tuple[float, float]]:
        """(rad, N) of pushes that were lost though stronger ones of the same direction were taken."""
        taken = self.strategies >= 0
        return [(float(self.directions[d]), float(self.forces[f])) for d, f in np.argwhere(~taken) if taken[d, f:].any()]


def pushed(body: str | dict[str, Any], engine: str, direction: float, force: float, style: BalanceStyle, most_steps: int | None = None,
           seconds: float = SECONDS, before: float = BEFORE_S) -> tuple[Result, Stander]:
    """What becomes of a standing body that is pushed on the torso after ``before`` s, and who kept its balance. It is over when the body is quiet.
    Arguments as for ``hit.reflex.stood``."""
    event = {"type": "push", "time": before, "duration": PUSH_S, "force": [force * cos(direction), force * sin(direction), 0.0], "part": "torso"}
    job = make_job({"body": body, "duration": seconds, "time_step": TIME_STEP, "fps": FPS, "engine": engine, "events": [event]})
    shape = presets.body(job.body)
    stance = Motion(shape.skeleton, FPS, np.zeros((1, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (1, len(shape.names), 1)))
    start = {"position": (0.0, 0.0, shape.standing_height), "rotation": (1.0, 0.0, 0.0, 0.0), "joints": shape.zero_joints()}
    return stood(job, shape, start, stance, "stand", before + MANNER.usual["delay"], style, most_steps, rest=0.0)


def push(body: str, engine: str, direction: float, force: float, more: int = MORE) -> tuple[int, float]:
    """The index of the strategy that keeps a body (as JSON) up, or −1 for none, and m that it has moved. ``more``: as for ``hit.reflex.best``."""
    def attempt(one: Try) -> tuple[Result, Stander]:
        # Only a way with a better strategy is of interest, which needs fewer steps; three are as many as ten.
        most_steps = None if one.most_steps is None else min(one.most_steps, len(STRATEGIES) - 2) - 1
        return pushed(json.loads(body), engine, direction, force, one.style, most_steps)

    try:
        result, driver = best(attempt, more)
    except SimulationError:  # in every manner
        return -1, 0.0
    x, y, _ = result.outcome["end_position_m"]
    return STRATEGIES.index(driver.strategy) if kept(result, driver) else -1, float(np.hypot(x, y))


def balance_map(body: str | dict[str, Any], engine: str, directions: int, forces: list[float], context: Context, more: int = MORE) -> BalanceMap:
    """Push a body in ``directions`` directions all around with each of ``forces`` (N, rising), on the context's workers.

    Where none of the known ways holds, ``more`` others are tried. The next push of that direction is tried in the known ways only; where it has
    fallen ``ENOUGH`` times in a row it falls from stronger pushes, too: those are not tried.
    """
    angles, shape = 2.0 * pi * np.arange(directions) / directions, (directions, len(forces))
    found = BalanceMap(angles, np.array(forces, dtype=float), np.full(shape, -1), np.zeros(shape))
    costs = _costs(forces, presets.body(body).mass, more)
    left, spent = np.full(directions, costs.sum()), 0.0
    with context.executor() as (executor, _):
        waiting: dict[Future[tuple[int, float]], tuple[int, int]] = {}

        def begin(way: int, level: int) -> None:
            ways = 0 if level and found.strategies[way, level - 1] < 0 else more
            waiting[executor.submit(push, json.dumps(body), engine, float(angles[way]), float(forces[level]), ways)] = (way, level)

        for way in range(directions):
            begin(way, 0)
        context.tell(0.0, doing=f"Pushing it in {directions} directions with up to {forces[-1]:g} N")
        while waiting:
            task = next(as_completed(list(waiting)))
            way, level = waiting.pop(task)
            found.strategies[way, level], found.moved[way, level] = task.result()
            spent, last = spent + costs[level], found.strategies[way, max(0, level + 1 - ENOUGH):level + 1]
            over = level + 1 == len(forces) or (len(last) == ENOUGH and bool((last < 0).all()))
            left[way] = 0.0 if over else left[way] - costs[level]
            if not over:
                begin(way, level + 1)
            context.tell(spent / (spent + float(left.sum())), doing=_doing(angles, forces, found, list(waiting.values())))
    return found


def _costs(forces: list[float], mass: float, more: int) -> Array:
    """(F,) of how long each push is expected to take, in tries that fall; one that stands takes twice as long."""
    return np.array([1.0 + expected(force * PUSH_S / mass, more) for force in forces])


def _doing(angles: Array, forces: list[float], found: BalanceMap, waiting: list[tuple[int, int]]) -> str:
    """What is tried now, in a sentence."""
    if not waiting:
        return "Drawing the map"
    way, level = waiting[0]
    side = WAYS[round(float(angles[way]) / (2.0 * pi) * len(WAYS)) % len(WAYS)]
    ended = len(angles) - len({way for way, _ in waiting})
    return f"Pushing it {side} with {forces[level]:g} N; {ended} of {len(angles)} directions are done"
