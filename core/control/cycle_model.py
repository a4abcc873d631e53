"""The linear model of a walk on its cycle: what regulation variables become over half a cycle (survey, section 3.1, eq. 6 and 7), and what it costs
from there on to bring them back.

A half cycle takes the variables x at its beginning to those at its end, x' = c + A (x − c) + B before + C factors + d turn, where c is the cycle,
``before`` and ``factors`` say how far the changes of the last half cycle's poses and of this one's were made, and ``turn`` (rad) is how far the body
is to turn in it. Variables are those of ``limit_cycle.Regulation``, mirrored on the right leg, so that all half cycles are alike.

The survey asks of each cycle that its end be right. In 3D a body may be upright and over its foot at one moment and fall all the same. So an end is
weighed by what is to come: the least sum, over all half cycles to come, of what the variables are off and of how far poses are changed
(a discrete linear-quadratic regulator).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..settings import a_list, number, record

# What is regulated, and how much it matters how far it is off. Only what matters to a walk counts; the others say what is to come of it.
WORTH = {"up_forward": 10.0, "up_left": 10.0, "foot_forward": 17.0, "foot_left": 21.0, "height": 0.0, "last_forward": 0.0, "last_left": 0.0,
         "speed_forward": 19.0, "speed_left": 29.0, "speed_up": 0.0, "roll": 0.0, "pitch": 0.0, "spin": 0.0, "turn": 10.0}
VARIABLES = tuple(WORTH)
EFFORT = 1.0 / 3.0  # how much it matters by how many times its usual size a change is made
MODEST = 1e-3  # of the samples' spread, below which a dependence is not believed
STAYS = 0.2  # of its change in half a cycle, by which a variable must come back for the cycle to be known by that
AHEAD = 300  # half cycles that are thought of


@dataclass(frozen=True)
class CycleModel:
    """V variables, C changes. cycle: (V,) at the ends of half cycles. state: (V, V), before, changes: (V, C), turn: (V,): A, B, C and d as above."""

    cycle: Array
    state: Array
    before: Array
    changes: Array
    turn: Array

    def blended(self, other: CycleModel, fraction: float) -> CycleModel:
        """What lies between it and another one."""
        return CycleModel(*(mine + fraction * (its - mine) for mine, its in zip(self.arrays, other.arrays, strict=True)))

    @property
    def arrays(self) -> tuple[Array, ...]:
        return self.cycle, self.state, self.before, self.changes, self.turn

    def to_come(self) -> Array:
        """(V + C, V + C) P: a half cycle that ends with the variables x, made with factors k, costs zᵀ P z in all that is to come; z is x and k, less
        what they are to be."""
        variables, changes = self.changes.shape
        step, reach = np.zeros((variables + changes,) * 2), np.concatenate([self.changes, np.eye(changes)])
        step[:variables] = np.concatenate([self.state, self.before], axis=1)
        worth = np.diag(np.concatenate([np.array([*WORTH.values()]) ** 2, np.zeros(changes)]))
        cost = worth
        for _ in range(AHEAD):
            answer = reach.T @ cost
            gain = np.linalg.solve(EFFORT**2 * np.eye(changes) + answer @ reach, answer @ step)
            new = worth + step.T @ cost @ (step - reach @ gain)
            if np.abs(new - cost).max() < 1e-6 * np.abs(new).max():
                break
            cost = new
        return np.asarray(0.5 * (new + new.T))

    def wanted(self, turn: float) -> tuple[Array, Array]:
        """(V,) the variables at the end of a half cycle on a steady curve, and (C,) the factors that it takes.

        Args: turn: rad in this half cycle, to the left on the left leg.
        """
        # On a curve the body leans to one side: what is added to the cycle changes its sign from one leg to the other.
        over = np.linalg.inv(np.eye(len(self.cycle)) + self.state)
        by_changes, by_turn = over @ (self.changes - self.before), over @ self.turn * turn
        worth, effort = np.diag([*WORTH.values()]), EFFORT * np.eye(by_changes.shape[1])
        matter, off = np.concatenate([worth @ by_changes, effort]), np.concatenate([worth @ by_turn, np.zeros(len(effort))])
        factors = -np.linalg.lstsq(matter, off, rcond=None)[0]
        return self.cycle + by_changes @ factors + by_turn, factors


def fitted(samples: Array, changes: int) -> CycleModel:
    """The model of samples (N, V + 2 C + 1 + V): variables, changes before, changes, turn; and the variables at the half cycle's end."""
    variables = len(VARIABLES)
    known, ends = samples[:, :-variables], samples[:, -variables:]
    # Who is about to fall says little of a walk.
    off = (((known[:, :variables] - np.median(known[:, :variables], axis=0)) * np.array([*WORTH.values()])) ** 2).sum(axis=1)
    weights = 1.0 / (1.0 + off / np.median(off))
    weights /= weights.sum()
    middle, mean = weights @ known, weights @ ends
    spread = np.sqrt(weights @ (known - middle) ** 2) + 1e-9
    scaled = (known - middle) / spread
    slopes = np.linalg.solve((scaled.T * weights) @ scaled + MODEST * np.eye(len(middle)), (scaled.T * weights) @ (ends - mean)).T / spread
    state, before, moved, turn = np.split(slopes, [variables, variables + changes, variables + 2 * changes], axis=1)
    # The cycle comes back to itself. Where it could as well be elsewhere, as at other speeds, it is where the body was.
    units = spread[:variables]
    back = (np.eye(variables) - state) * units / units[:, None]
    left = (mean - slopes @ middle - (np.eye(variables) - state) @ middle[:variables]) / units
    cycle = middle[:variables] + units * np.linalg.solve(back.T @ back + STAYS**2 * np.eye(variables), back.T @ left)
    return CycleModel(cycle, state, before, moved, turn[:, 0])


def to_data(model: CycleModel) -> dict[str, Any]:
    """As presets have it: the cycle, and a row of what each variable depends on."""
    rows = np.concatenate([model.state, model.before, model.changes, model.turn[:, None]], axis=1)
    return {"cycle": dict(zip(VARIABLES, model.cycle.round(4).tolist(), strict=True)),
            "answers": dict(zip(VARIABLES, rows.round(4).tolist(), strict=True))}


def from_data(where: str, data: Any, changes: int) -> CycleModel:
    """The reverse; what is wrong is a JobError."""
    whole = record(where, data, {"cycle": {}, "answers": {}})
    cycle = record(f"{where}.cycle", whole["cycle"], dict.fromkeys(VARIABLES, 0.0))
    answers = record(f"{where}.answers", whole["answers"], dict.fromkeys(VARIABLES, ()))
    width, variables = len(VARIABLES) + 2 * changes + 1, len(VARIABLES)
    rows = np.zeros((variables, width))
    for n, (name, row) in enumerate(answers.items()):
        for at, value in enumerate(a_list(f"{where}.answers.{name}", row)[:width]):
            rows[n, at] = number(f"{where}.answers.{name}", value, -1e4, 1e4)
    state, before, moved, turn = np.split(rows, [variables, variables + changes, variables + 2 * changes], axis=1)
    middle = [number(f"{where}.cycle.{name}", value, -10.0, 10.0) for name, value in cycle.items()]
    return CycleModel(np.array(middle), state, before, moved, turn[:, 0])
