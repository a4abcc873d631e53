"""Learned: drives a body through a Job by the controllers of a repertoire."""

from __future__ import annotations

from contextlib import suppress
from math import atan2, cos, hypot
from typing import Any

import numpy as np

from ..arrays import Array, Vector
from ..body import Body
from ..control.driver import Driver
from ..errors import JobError
from ..job import Job
from ..physics import World
from ..physics.state import PerJoint, State
from ..quaternion import heading
from ..signals import smooth_step
from .controller import Controller
from .following import Following, following_of
from .repertoire import Repertoire
from .senses import Senses

ARRIVED_S = 0.3  # s that a transition lasts at least, before the controller that it leads to may take over
STILL = 0.15  # m/s of the pelvis, below which a body stands
NEAR_ENOUGH = 0.7  # of the distance of an abnormal state, up to which a state is near enough for another controller to take over


class Learned(Driver):
    """The controller that acts is ``controller``, which another one may still fade into; ``choices`` counts what was chosen, ``choice`` is what was
    chosen last, in a state of features ``row``, and ``distance`` is how far that was from the nearest of its samples."""

    def __init__(self, body: Body, job: Job, repertoire: Repertoire, inertias: Array, first: str = ""):
        """``first``: the name of the controller to begin with; "": the repertoire's own. ``inertias``: (L, 3) kg·m² as they are simulated."""
        super().__init__(body, job)
        self._repertoire, self._at = repertoire, first or repertoire.first
        self.acts = {name: act.at for name, act in repertoire.acts.items()}
        self.controller: Controller = repertoire.controllers[self._at]
        self._followings: list[tuple[dict[str, Any], Following]] = []  # by what controllers say of it
        for one in repertoire.whole:
            if all(one.following != about for about, _ in self._followings):
                self._followings.append((one.following, following_of(body, inertias, one.following, job.friction)))
        self._following = self._following_of(self.controller)
        self._senses = Senses(body, self.controller.weights)
        self.every = self._following.hold
        self._goal = self._at
        self._to = ""  # the controller that the transition which is on leads to …
        self._ends: float | None = None  # … and s over which it fades into that, at its own end; None: it gives way as soon as it is near
        self._since, self._entry = 0.0, 0.0  # s at which the controller that acts began, and how far into a change that was
        self._busy = 0.0  # s until which it does what it does to save itself
        self._next, self._ground, self._stance, self.choices = 0.0, 0.0, 0, 0
        # The controller that fades into the one that acts, the s for which that had been a change, and over which it fades.
        self._fading: tuple[Controller, float, float] | None = None
        self.distance = 0.0
        self.row = self.choice = np.zeros(0)
        self._turned = 0.0  # rad, by controllers that turn
        self._commanded_heading = job.facing
        self._switches = sorted((event["time"], event["gait"]) for event in job.events if event["type"] == "gait")
        here = self._at
        for _, name in self._switches:
            repertoire.way(here, name)
            here = repertoire.acts[name].at if name in repertoire.acts else name

    def start(self) -> dict[str, Any]:
        """Where and how the body begins, as ``start.place_in`` takes it."""
        return self.controller.start

    @property
    def gait_name(self) -> str:
        return self.controller.name

    @property
    def leads_to(self) -> str:
        """The name of the controller that acts, or to which the transition which is on leads."""
        return self._to or self._at

    @property
    def following(self) -> Following:
        """Who follows what the controller that acts chooses."""
        return self._following

    @property
    def arrived(self) -> bool:
        """Whether it does what it was last told to, and nothing else any more."""
        return self._at == self._goal and not self._to and not self._fading

    @property
    def stance(self) -> int:
        return self._stance

    def look_around(self, world: World, state: State) -> None:
        self._ground = world.ground_height(*state.position[:2])

    def change(self, gait: str) -> None:
        """Go over into another controller, where there is a way to it."""
        with suppress(JobError):
            self._repertoire.way(self.leads_to, gait)
            self._switches, self._goal = [], gait

    def torques(self, state: State) -> PerJoint:
        if state.time >= self._next - 1e-9:
            self._choose(state)
            self._next = state.time + self.controller.every
        return self._following.torques(state)

    def _choose(self, state: State) -> None:
        before, row = self._following, self._senses.row(state, self._following.see(state), self._ground)
        self._stance = int(state.feet[1].force[2] > state.feet[0].force[2])
        while self._switches and self._switches[0][0] <= state.time:
            self._goal = self._switches.pop(0)[1]
        self._change(row, state.velocity, state.time)
        self._rescue(row, state)
        choice, self.distance = self.controller.choose(row, self.into(state.time))
        if self._fading:
            other, into, over = self._fading
            since = state.time - self._since
            choice = self._following.between(other.choose(row, into + since)[0], choice, float(smooth_step(since / over)))
        if self._following is not before:
            self._following.see(state)
        self.choices += 1
        self._commanded_heading = self.heading(state.time, state.position) + self._turned
        self._following.take(choice, self.commanded_heading)
        self.row, self.choice = row, choice
        self._turned += self._following.turning * self.controller.every

    def into(self, time: float) -> float:
        """s since a change began."""
        return self._entry + time - self._since

    def _change(self, row: Array, velocity: Vector, time: float) -> None:
        """Let the next controller on the way to the goal take over, as soon as the state is near to its samples (section 5.3)."""
        controllers = self._repertoire.controllers
        if self._fading and time - self._since >= self._fading[2]:
            self._fading = None
        if self._to:
            distance = controllers[self._to].entry(row)[0]
            over = self.into(time) > self.controller.lasts
            # What leads back to where it began is also near to that at its beginning.
            may = over if self._ends is not None else time - self._since >= ARRIVED_S
            arrived = may and distance < self._near(self._at, self._to)[1]
            if arrived or over:
                self._at, self._to = self._to, ""
            # Who has come to a stand with the feet elsewhere than where that controller knows them stays as he has come to it.
            if arrived and self._ends is not None:
                self._fade(self._at, self._ends, row, time)
            elif arrived or (over and self._ends is None and hypot(*velocity) > STILL):
                self._begin(controllers[self._at], row, time)
        elif self._at != self._goal and not self._fading and time >= self._busy:
            following = self._repertoire.way(self._at, self._goal)[0]
            if following in self._repertoire.acts:
                act = self._repertoire.acts[following]
                self._goal = act.at
                self._fade_into(act.by, act.over, row, time)
                # It ends as it begins: the nearest sample may be one of the end.
                self._entry, self._to, self._ends = 0.0, act.at, act.over
                return
            if (self._at, following) in self._repertoire.fades:
                self._fade(following, self._repertoire.fades[self._at, following], row, time)
                return
            by = self._repertoire.transitions[self._at, following]
            nearest = by or controllers[following]
            if nearest.entry(row)[0] < self._near(self._at, following)[0]:
                if by:
                    self._to, self._ends = following, None
                else:
                    self._at = following
                self._begin(nearest, row, time)
                if (self._at, following) in self._repertoire.near:  # a stand may be like a moment in the middle of a change
                    self._entry = nearest.entry(row, early=True)[1]

    def _near(self, one: str, other: str) -> tuple[float, float]:
        """How near a state must be to the samples of what leads from one controller to another, and to those of the other one."""
        near, goal = self._repertoire.near.get((one, other)), self._repertoire.controllers[other]
        return near or (NEAR_ENOUGH * (self._repertoire.transitions.get((one, other)) or goal).far, NEAR_ENOUGH * goal.far)

    def _rescue(self, row: Array, state: State) -> None:
        """Unasked, let another controller take over from one that is pushed away, the one for that direction; it leads back to what was asked for."""
        if self._to or self._fading:
            return
        speed, turned = hypot(*state.velocity[:2]), self.faces(state)
        rescues = [rescue for rescue in self._repertoire.rescues.get(self._at, ()) if speed > rescue.beyond]
        if rescues:
            way = atan2(state.velocity[1], state.velocity[0]) - turned
            nearest = max(rescues, key=lambda rescue: cos(way - rescue.towards))
            self._fade(nearest.to, nearest.over, row, state.time)
            self._busy = state.time + nearest.lasts

    def _fade(self, name: str, over: float, row: Array, time: float) -> None:
        """Let another controller of the repertoire take over little by little, in ``over`` s."""
        self._at = name
        self._fade_into(self._repertoire.controllers[name], over, row, time)

    def _fade_into(self, controller: Controller, over: float, row: Array, time: float) -> None:
        self._fading = (self.controller, self.into(time), over)
        self._begin(controller, row, time)

    def _begin(self, controller: Controller, row: Array, time: float) -> None:
        self.controller, self._since = controller, time
        self._entry = controller.entry(row)[1]
        self._following = self._following_of(controller)

    def _following_of(self, controller: Controller) -> Following:
        return next(following for about, following in self._followings if about == controller.following)

    def shown(self) -> Array | None:
        return self._following.shown()

    def faces(self, state: State) -> float:
        return 0.0 if self.body.planar else heading(state.rotation)

    def fell_because(self, time: float) -> str:
        return (f"Fell at {time:.2f} s while in '{self.controller.name}', which has learned {self.controller.refinements} ways out; let it learn "
                "more, or push it less.")
