"""Onward: where a walker that is pushed puts its next feet, between what the walkers of the database did.

A step differs from that of the undisturbed walk by what the push gives the body, and by how much of the step is left for it. That is smooth, so it is
interpolated, by a line through the pushes that are most alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Ints
from .leading import Led, walked
from .response import LATE, RATE, STEPS, Response

LED = 2  # steps that are interpolated
ALIKE = (0.15, 0.3, 0.05)  # m/s that the push gives, leg lengths of its height, and s left of the step, in which responses are alike
ROUNDS, ODD_M = 3, 0.05  # in which a line is looked for that passes by the odd ones; m that these are off it
STIFF = 0.05  # of a slope in these: how much it takes to believe in it


@dataclass(frozen=True, eq=False)
class Walked:
    """The first steps of W responses of walkers, mirror images among them.

    Attributes:
        feet: (W,) that steps first, 0 left, 1 right. given: (W, 4) m/s forward and left that the push gives, its height in leg lengths, and s until
            the undisturbed foot would have come down. found: (W, 3 LED) of each step m forward and left that it is off, and s that it is late.
    """

    feet: Ints
    given: Array
    found: Array

    @classmethod
    def of(cls, responses: list[Response], walks: list[bool]) -> Walked:
        """``walks``: of each of the starts of the responses."""
        rows = [row for one in responses if one.strategy == STEPS and walks[one.start] and (row := _row(one))]
        # Who is pushed at the same moment has the same time left: what differs comes from how that is read from a response.
        for start in {start for _, start, _, _ in rows}:
            own = [given for _, at, given, _ in rows if at == start]
            left = float(np.median([given[3] for given in own]))
            for given in own:
                given[3] = left
        feet = np.array([foot for foot, _, _, _ in rows], dtype=int)
        gifts, found = (np.array([row[column] for row in rows]).reshape(-1, size) for column, size in ((2, 4), (3, 3 * LED)))
        flip = np.tile((1.0, -1.0, 1.0), LED)
        return cls(np.concatenate([feet, 1 - feet]), np.concatenate([gifts, gifts * (1.0, -1.0, 1.0, 1.0)]),
                   np.concatenate([found, found * flip]))

    def led(self, foot: int, given: Array, nominal: list[float]) -> list[Led]:
        """The next steps of a walker after a push: ``foot`` comes down first. given: (4,) as above; nominal: s until they would come down."""
        own = self.feet == foot
        away = self.given[own] - given
        weights = np.exp(-((away[:, 0] ** 2 + away[:, 1] ** 2) / ALIKE[0] ** 2 + (away[:, 2] / ALIKE[1]) ** 2 + (away[:, 3] / ALIKE[2]) ** 2))
        if not weights.sum() > 1e-3:
            return []
        line, found = np.column_stack([np.ones(len(away)), away]), self.found[own]
        slopes = np.diag([1e-9, STIFF, STIFF, STIFF, STIFF])
        for _ in range(ROUNDS):
            weighed = line.T * weights
            through = np.linalg.solve(weighed @ line + slopes, weighed @ found)
            # Who caught itself in quite another way than others who were pushed like it is no example.
            weights = weights / (1.0 + ((found[:, :2] - line @ through[:, :2]) ** 2).sum(axis=1) / ODD_M**2)
        values = through[0]
        return [Led((foot + number) % 2, 0.0, max(seconds + values[3 * number + 2], 1.0 / RATE), values[3 * number:3 * number + 2], seconds)
                for number, seconds in enumerate(nominal[:LED])]


def _row(one: Response) -> tuple[int, int, Array, Array] | None:
    """The first foot, the start, and what ``Walked`` has of a response."""
    steps = walked(one.frames, one.contacts, one.steps[:LED])
    if len(steps) < LED or [step.foot for step in steps[:LED]] != [steps[0].foot, 1 - steps[0].foot]:
        return None
    given = np.array([one.speed * np.cos(one.direction), one.speed * np.sin(one.direction), one.height, 0.0])
    found = []
    for number, step in enumerate(steps[:LED]):
        late = float(one.frames[step.land, LATE.start])
        if not number:
            given[3] = one.steps[0, 1] - late
        found += [*step.place, late]
    return steps[0].foot, one.start, given, np.array(found)
