"""What a body feels of being pushed: how its speed changes beyond what the ground under its feet explains.

It knows no push from another: a hand, a ball and a wall are felt alike, and neither slopes nor steps are.
"""

from __future__ import annotations

from math import exp

from ..body import Body
from ..dynamics import Dynamics
from ..physics.state import State

MOMENT = 0.02  # s between the moments at which the speed is looked at: it takes far longer to work out than to add up forces


class Felt:
    """Feels pushes, level with the ground.

    Attributes:
        change: m/s of world x and y by which pushes have changed the speed of the body's centre of mass in the last moments.
    """

    def __init__(self, body: Body, fades: float):
        """``fades``: s in which it forgets all but 1/e of what it has felt."""
        self._dynamics, self._fades = Dynamics(body, body.inertias), fades
        self.change = (0.0, 0.0)
        self._before: tuple[float, float, float] | None = None  # s; m/s of x and y
        self._ground = [0.0, 0.0]  # N, sum of the feet's forces since then
        self._seen = 0  # how many of them

    def look(self, state: State) -> None:
        """Take in a moment of control."""
        (left_x, left_y, _), (right_x, right_y, _) = state.feet[0].force, state.feet[1].force
        self._ground[0] += left_x + right_x
        self._ground[1] += left_y + right_y
        self._seen += 1
        if self._before and state.time < self._before[0] + MOMENT - 1e-9:
            return
        x, y, _ = self._dynamics.pose(state).com_velocity.tolist()
        if self._before:
            time, before_x, before_y = self._before
            seconds = state.time - time
            kept, per_mass = exp(-seconds / self._fades), seconds / (self._seen * self._dynamics.mass)
            self.change = (kept * self.change[0] + x - before_x - self._ground[0] * per_mass,
                           kept * self.change[1] + y - before_y - self._ground[1] * per_mass)
        self._before, self._ground, self._seen = (state.time, x, y), [0.0, 0.0], 0
