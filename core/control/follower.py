"""Follower: leads the tracking law through the steps of references, which wait for the feet to land (eq. 6)."""

from __future__ import annotations

from math import cos, inf, sin
from typing import Protocol

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..physics.state import PerJoint, State
from ..reference import Reference
from .course import Course
from .data_driven import BOTH, DataDriven, Gains, Shift, TrackingAim
from .steering import TRACKING_STEERING

STRIKE = 0.085  # body weights on the swing foot, low-passed, from which on it has landed
EARLIEST = 0.5  # fraction of a fragment before which no landing counts, as a rule
TOUCH = 0.015  # body weights on a foot, low-passed, from which on it touches the ground
FILTER_S = 0.006  # s, time constant of that low-pass
DEEPEST = 0.25  # m that a foot goes down at most to look for the ground
SWING_IN = 0.3  # fraction of the swing over which its feedback grows
RELEASE_S = 0.06  # s over which a foot that is to swing gives up its load, at least: the clip may say that it is in the air already
BEND_EVERY = 2  # the reference is bent at every second moment of control, and torques are computed at each of them


class Step:
    """A fragment as it is walked.

    Attributes:
        number: of the fragment in its reference. start, end: frames of the course.
        standing: whether it is a stand on both feet, which ends when its time is over. flying: whether it is a jump, which ends when one lands.
        stance: the foot that carries; swing: the foot whose landing ends the step; 0 left, 1 right.
        swing_off, stance_off: frames on which these leave the ground. last: whether it is the last one of its clip.
        gains: for this clip.
    """

    def __init__(self, reference: Reference, course: Course, gains: Gains, number: int):
        fragment = reference.fragments[number]
        following = reference.fragments[number + 1] if number + 1 < len(reference.fragments) else None
        self.reference, self.course, self.gains, self.number = reference, course, gains, number
        self.start, self.end = fragment.start, fragment.end
        self.last = following is None
        self.standing, self.flying = fragment.kind == "both", fragment.kind == "flight"
        self.stance = fragment.stance
        contacts = reference.contacts[self.start:self.end]
        self.swing = 1 - self.stance
        if following is not None and following.kind != "both":
            self.swing = following.stance
            if self.swing == self.stance and not contacts[:, self.stance].any():
                self.stance = 1 - self.stance
        self.swing_off = min(self._off(contacts, self.swing), self.end)
        self.stance_off = self._off(contacts, self.stance)

    def __deepcopy__(self, memo: object) -> Step:
        return self  # it never changes, and its clip is large

    def _off(self, contacts: Bools, foot: int) -> float:
        """The first frame on which a foot has left the ground for the rest of the fragment; infinite if it stays."""
        down = np.flatnonzero(contacts[:, foot])
        last = int(down[-1]) + 1 if len(down) else 0
        return self.start + last if last < len(contacts) else inf

    def leads_to(self, other: Step) -> bool:
        """Whether ``other`` comes next in the same clip."""
        return other.reference is self.reference and other.start == self.end


def steps_of(reference: Reference, course: Course, gains: Gains) -> list[Step]:
    """The whole clip, step by step."""
    return [Step(reference, course, gains, number) for number in range(len(reference.fragments))]


class Route(Protocol):
    """Which step comes next.

    Attributes:
        first: the step to begin with.
        turn: rad to turn on top of the clip during the step that was given last. stretch, tempo: factors of its length and pace.
        over: whether no step is left.
    """

    first: Step
    turn: float
    stretch: float
    tempo: float
    over: bool

    def next(self, follower: Follower, state: State) -> Step | None:
        """The step after ``follower.step``; None to stay at the end of a stand, or when all is over."""


class Follower:
    """Drives ``law`` along a route.

    Attributes:
        yaw: rad by which the clip is turned in the world at the beginning of the step.
        earliest: fraction of a fragment that must be over before a landing counts; before that, the foot has only scuffed the ground.
        stub: when (s) a swinging foot last caught the ground on its way, and which (0 left, 1 right), or None.
    """

    def __init__(self, body: Body, law: DataDriven, route: Route, yaw: float, synchronised: bool = True):
        self.law, self._route = law, route
        self.step = first = route.first
        self.yaw, self._synchronised, self.earliest = yaw, synchronised, EARLIEST
        self._turn = 0.0
        self.frame = float(first.start)
        self.steps, self.finished = 0, False
        self.stub: tuple[float, int] | None = None
        self._shift: Array | None = None  # (L, 3) rad by which the pose was off the clip when the step began
        self._gains_before = first.gains
        self._warp = 1.0  # frames over which that runs out
        self._load, self._up, self._late = 0.0, False, 0.0  # N on the swing foot, whether it has been up, s that it is late
        self._weight = 9.81 * body.mass
        self._ticks = 0

    @property
    def turned(self) -> float:
        """rad by which the clip is turned in the world now, with as much of this step's turn as is done."""
        return self.yaw + self._turn * self._done()

    def _way(self) -> float:
        """rad by which the way that the body goes is turned. It turns before the hips do: else the body is carried out of the bend."""
        return self.yaw + TRACKING_STEERING.lead * self._turn

    def _done(self) -> float:
        """How much of the step is over, 0–1, smooth at both ends."""
        fraction = min(max((self.frame - self.step.start) / (self.step.end - self.step.start), 0.0), 1.0)
        return fraction * fraction * (3.0 - 2.0 * fraction)

    def torques(self, state: State, dt: float) -> PerJoint:
        """Joint torques as ``World.apply`` takes them; ``dt`` s after the last ones."""
        self.law.see(state)
        changed = self._advance(state, dt)
        if changed or self._ticks % BEND_EVERY == 0:
            self.law.bend(self._aim())
        self._ticks += 1
        return self.law.torques(state)

    def _advance(self, state: State, dt: float) -> bool:
        """Go on in time; True if a new step begins."""
        step = self.step
        self.frame += dt * step.course.fps * self._route.tempo
        loads = [foot.force[2] for foot in state.feet]
        landing = loads[step.swing]
        if step.flying:  # on both feet, if it can
            landing = min(loads) if self.frame < step.end else max(loads)
        self._load += min(1.0, dt / FILTER_S) * (landing - self._load)
        if step.standing or not self._synchronised:
            return self.frame >= step.end and self._next(state)
        if self.frame > step.swing_off and self._load < TOUCH * self._weight:
            self._up = True
        # Before its time a foot must have been up, and must come down hard. From then on a touch is enough: a straight leg cannot press.
        early = self._up and self.frame > step.start + self.earliest * (step.end - step.start)
        if self._load > (TOUCH if self.frame >= step.end else STRIKE) * self._weight and (early or self.frame >= step.end):
            return self._next(state)
        if self._up and self._load > STRIKE * self._weight:
            self.stub = (state.time, step.swing)
        if self.frame >= step.end:
            if step.last:
                self.finished = True
            self._late += dt
        return False

    def _next(self, state: State) -> bool:
        """Begin the next step; False where there is none."""
        before = self.step
        step = self._route.next(self, state)
        if step is None:
            self.finished = self._route.over
            return False
        self.yaw, self._turn = self.yaw + self._turn, self._route.turn
        if not before.leads_to(step):
            self.yaw += before.course.heading(before.end) - step.course.heading(step.start)
        first = step.course.at(step.start).rotations.copy()
        first[0] = rotation.multiply((cos(0.5 * self.yaw), 0.0, 0.0, sin(0.5 * self.yaw)), first[0])
        # A body in the air turns as it must: who has landed begins from how it is.
        now = self.law.pose.rotations if before.flying else self.law.target
        self._shift = rotation.log(rotation.multiply(rotation.conjugate(first), now))
        self._gains_before = self.law.gains
        self.step, self.frame = step, float(step.start)
        self._warp = max(1.0, step.gains.warp * (step.end - step.start))
        self._load, self._up, self._late = 0.0, False, 0.0
        self.steps += 1
        return True

    def _aim(self) -> TrackingAim:
        """What to follow at this moment."""
        step = self.step
        sample = step.course.at(min(self.frame, float(step.end)))
        fraction = (self.frame - step.start) / self._warp
        self.law.gains = step.gains if fraction >= 1.0 else self._gains_before.blended(step.gains, fraction)
        shift = None
        if self._shift is not None and fraction < 1.0:
            shift = Shift((1.0 - fraction * fraction * (3.0 - 2.0 * fraction)) * self._shift,
                          (-6.0 * fraction * (1.0 - fraction) / self._warp * step.course.fps) * self._shift)
        if step.standing:
            holding = 1e-9 if self.frame > step.end else 0.0  # any lateness stops the joints
            return TrackingAim(sample, self.turned, self.turned, shift, step.stance, 1 - step.stance, 0.0, 0.0, (1.0, 1.0), late=holding)
        if step.flying:
            return TrackingAim(sample, self.turned, self.turned, shift, step.stance, BOTH, 1.0, 0.0, (0.0, 0.0), tempo=self._route.tempo)
        phase = (self.frame - step.swing_off) / max(1.0, step.end - step.swing_off)
        grown = min(max(phase / SWING_IN, 0.0), 1.0)
        shares = [1.0, 1.0]
        if self.frame > step.stance_off:
            shares[step.stance] = 0.0
        release = max(step.swing_off - step.start, RELEASE_S * step.course.fps)
        shares[step.swing] = min(max(1.0 - (self.frame - step.start) / release, 0.0), 1.0)
        grown *= grown * (3.0 - 2.0 * grown)
        return TrackingAim(sample, self.turned, self._way(), shift, step.stance, step.swing, grown, phase, (shares[0], shares[1]),
                           drop=min(DEEPEST, step.gains.lowering * self._late), late=self._late, stretch=self._route.stretch, tempo=self._route.tempo)
