"""Refuge: when a walker is thrown off its stride harder than its gait takes, so that it goes on in a sturdier one for some steps. It also sets off
in that one, because from a stand a natural gait leads to one side.

It flees from a push that it feels. It also flees where the ground throws it off, which is judged by how fast the hips go: they speed up and sway in a
step much as they did in the last one on the same leg. What a trip adds is sudden; what steering adds, or a start, comes from step to step.
"""

from __future__ import annotations

from math import cos, hypot, sin, sqrt

from ..body import Body
from ..physics.state import State
from .felt import Felt
from .machine import Machine
from .steering import REFUGE

GRAVITY = 9.81  # m/s²
MOMENT = 0.02  # s of a step between the moments at which the hips are looked at
Hips = tuple[float, float]  # over √(g·leg length): forward, and to the left


class Stride:
    """Knows how the hips went in a walker's last steps.

    Attributes:
        fled: steps since it was thrown off its stride, as if it had been where it sets off; None while it is in its stride.
    """

    def __init__(self, body: Body):
        self._pace = sqrt(GRAVITY * body.leg_length)
        self._felt = Felt(body, REFUGE.felt_s)
        self._usual: list[list[Hips]] = [[], []]  # at each moment of the last step on the left leg, and on the right one
        self._step: list[Hips] = []  # the same of this step
        self._thrown = 0.0  # how far it was thrown off in this step, 1 where it would flee
        self._sway = REFUGE.most_sway  # the same of the last steps: who sets off sways, and so do odd bodies
        self.fled: int | None = None
        self._back = REFUGE.returning_steps  # steps since it came back into its stride
        self._aside = 0  # steps in the refuge in which it went aside

    @property
    def toes_up(self) -> float:
        """rad by which the swing foot is to be lifted, where it just came back into its stride."""
        return REFUGE.toes_up * max(0.0, 1.0 - self._back / REFUGE.returning_steps) if self.fled is None else 0.0

    def set_off(self) -> None:
        """It stands, and begins to walk."""
        self.fled = REFUGE.most_steps - REFUGE.first_steps

    def thrown(self, state: State, facing: float, machine: Machine) -> bool:
        """Look at the body; True where it is just thrown off its stride. ``facing``: rad."""
        self._felt.look(state)
        if hypot(*self._felt.change) > REFUGE.push * self._pace:
            fresh, self.fled = self.fled is None, 0
            return fresh
        if machine.step_time < MOMENT * len(self._step):
            return False
        (x, y, _), step, usual = state.velocity, self._step, self._usual[machine.stance]
        step.append(((x * cos(facing) + y * sin(facing)) / self._pace, (y * cos(facing) - x * sin(facing)) / self._pace))
        if self.fled is not None or not usual:
            return False
        before = usual[min(len(step), len(usual)) - 1]
        forward, aside = ((step[-1][way] - before[way]) - (step[0][way] - usual[0][way]) for way in (0, 1))
        self._thrown = max(self._thrown, hypot(forward / REFUGE.forward, aside / REFUGE.aside))
        if self._thrown < max(1.0, min(REFUGE.most_sway, REFUGE.over_sway * self._sway)):
            return False
        self.fled = 0
        return True

    def landed(self, leg: int, slip: float) -> None:
        """A step on a leg (0 left, 1 right) has ended, in which it went ``slip`` m/s to the left of where it is to face."""
        (step, thrown), (self._step, self._thrown) = (self._step, self._thrown), ([], 0.0)
        if self.fled is None:
            self._back += 1
            self._sway = max(thrown, REFUGE.forgets * self._sway)
            self._usual[leg] = step
            return
        self.fled += 1
        usual = self._usual[leg]
        # The refuge is slower: only who is still too fast is not calm yet.
        calm = bool(step and usual) and abs(step[-1][1] - usual[-1][1]) < REFUGE.calm and step[-1][0] - usual[-1][0] < REFUGE.calm
        if abs(slip) > REFUGE.slip * self._pace and self._aside < REFUGE.most_aside:
            # Who sets off and turns still goes the old way for a while, and would fall over that in a natural gait.
            self.fled, self._aside = min(self.fled, REFUGE.most_steps - REFUGE.straight_steps), self._aside + 1
        if self.fled >= REFUGE.most_steps or (calm and self.fled >= REFUGE.least_steps):
            self.fled, self._back, self._aside = None, 0, 0
