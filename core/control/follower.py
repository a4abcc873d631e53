"""Follower: leads the tracking law through the steps of references, and keeps them in step with the feet (eq. 6)."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, inf, sin

import numpy as np

from .. import rotation
from ..body import Body
from ..physics.state import State
from ..reference import Reference
from ..reference.fragments import Fragment
from .course import Course
from .data_driven import Aim, DataDriven

STRIKE = 0.085  # of body weight on the swing foot, filtered: it has landed …
EARLIEST = 0.5  # … if this part of the fragment is over; before, it has only scuffed
TOUCH = 0.015  # of body weight: it touches the ground
FILTER_S = 0.006
DEEPEST = 0.25  # m that a foot goes down at most to look for the ground
SWING_IN = 0.3  # of the swing, over which its feedback grows
RELEASE_S = 0.06  # s, over which a foot that is to swing gives up its load, at least: the clip may say that it is in the air already
BEND_EVERY = 2  # steps of control: the reference is bent less often than torques are computed


class Step:
    """A fragment as it is walked.

    Attributes:
        number: of the fragment in its reference. start, end: frames of the course. standing: on both feet, until the time is over.
        stance: the foot that carries; swing: the foot whose landing ends the step; 0 left, 1 right.
        swing_off, stance_off: frames on which these leave the ground.
    """

    def __init__(self, reference: Reference, course: Course, number: int, fragment: Fragment, following: Fragment | None):
        self.reference, self.course, self.number = reference, course, number
        self.start, self.end = fragment.start, fragment.end
        self.standing = fragment.kind == "both"
        self.stance = fragment.stance
        contacts = reference.contacts[self.start:self.end]
        self.swing = 1 - self.stance
        if following is not None and following.kind != "both":
            self.swing = following.stance
            if self.swing == self.stance and not contacts[:, self.stance].any():
                self.stance = 1 - self.stance
        self.swing_off = min(self._off(contacts, self.swing), self.end)
        self.stance_off = self._off(contacts, self.stance)

    def _off(self, contacts: np.ndarray, foot: int) -> float:
        """The first frame on which a foot has left the ground for the rest of the fragment; infinite if it stays."""
        down = np.flatnonzero(contacts[:, foot])
        last = int(down[-1]) + 1 if len(down) else 0
        return self.start + last if last < len(contacts) else inf


def steps_of(reference: Reference, course: Course) -> list[Step]:
    """The whole clip, step by step."""
    fragments = reference.fragments
    return [Step(reference, course, number, fragment, following)
            for number, (fragment, following) in enumerate(zip(fragments, [*fragments[1:], None]))]


class Follower:
    """Drives ``law`` along ``route``, the Steps to take."""

    def __init__(self, body: Body, law: DataDriven, route: Iterable[Step], yaw: float = 0.0, synchronised: bool = True):
        self.law = law
        self._route = iter(route)
        self.step: Step = next(self._route)
        self._coming: Step | None = next(self._route, None)
        self.yaw, self._synchronised = yaw, synchronised
        self.frame = float(self.step.start)
        self.steps, self.finished = 0, False
        self._shift: np.ndarray | None = None
        self._warp = 1.0
        self._load, self._up, self._late = 0.0, False, 0.0
        self._weight = 9.81 * body.mass
        self._ticks = 0

    def torques(self, state: State, dt: float) -> list:
        """What to do now; ``dt`` s after the last time."""
        self.law.see(state)
        changed = self._advance(state, dt)
        if changed or self._ticks % BEND_EVERY == 0:
            self.law.bend(self._aim())
        self._ticks += 1
        return self.law.torques(state)

    def _advance(self, state: State, dt: float) -> bool:
        """Go on in time; True if a new step begins."""
        step = self.step
        self.frame += dt * step.course.fps
        self._load += min(1.0, dt / FILTER_S) * (state.feet[step.swing].force[2] - self._load)
        if step.standing or not self._synchronised:
            return self.frame >= step.end and self._next()
        if self.frame > step.swing_off and self._load < TOUCH * self._weight:
            self._up = True
        # Before its time a foot must come down hard, and must have been up; from then on a touch is enough: a straight leg cannot press.
        early = self._up and self.frame > step.start + EARLIEST * (step.end - step.start)
        if self._load > (TOUCH if self.frame >= step.end else STRIKE) * self._weight and (early or self.frame >= step.end):
            return self._next()
        if self.frame >= step.end:
            if self._coming is None:
                self.finished = True
            self._late += dt
        return False

    def _next(self) -> bool:
        if self._coming is None:
            self.finished = True
            return False
        before, step = self.step, self._coming
        self._coming = next(self._route, None)
        if step.reference is not before.reference or step.start != before.end:
            self.yaw += before.course.heading(before.end) - step.course.heading(step.start)
        first = step.course.at(step.start).rotations.copy()
        first[0] = rotation.multiply((cos(0.5 * self.yaw), 0.0, 0.0, sin(0.5 * self.yaw)), first[0])
        self._shift = rotation.log(rotation.multiply(rotation.conjugate(first), self.law.target))
        self.step, self.frame = step, float(step.start)
        self._warp = max(1.0, self.law.gains.warp * (step.end - step.start))
        self._load, self._up, self._late = 0.0, False, 0.0
        self.steps += 1
        return True

    def _aim(self) -> Aim:
        step = self.step
        sample = step.course.at(min(self.frame, float(step.end)))
        part = (self.frame - step.start) / self._warp
        shift = shift_rate = None
        if self._shift is not None and part < 1.0:
            shift = (1.0 - part * part * (3.0 - 2.0 * part)) * self._shift
            shift_rate = (-6.0 * part * (1.0 - part) / self._warp * step.course.fps) * self._shift
        if step.standing:
            return Aim(sample, self.yaw, shift, shift_rate, step.stance, 1 - step.stance, 0.0, 0.0, (1.0, 1.0))
        phase = (self.frame - step.swing_off) / max(1.0, step.end - step.swing_off)
        grown = min(max(phase / SWING_IN, 0.0), 1.0)
        shares = [1.0, 1.0]
        if self.frame > step.stance_off:
            shares[step.stance] = 0.0
        release = max(step.swing_off - step.start, RELEASE_S * step.course.fps)
        shares[step.swing] = min(max(1.0 - (self.frame - step.start) / release, 0.0), 1.0)
        return Aim(sample, self.yaw, shift, shift_rate, step.stance, step.swing, grown * grown * (3.0 - 2.0 * grown), phase, tuple(shares),
                   drop=min(DEEPEST, self.law.gains.lowering * self._late), late=self._late)
