"""Feet that stay where they stand, and come down where the recording has them.

What is played is moved to where each foot is, by a ``Shift`` of its own. As long as the foot stands, that stays as it is, so the foot does not slide.
While it is in the air, it is led to where the foot is to come down: where the pad has it; or else as far from the other foot as it was played.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from .. import rotation
from ..body import Body
from ..signals import smooth_step
from .contacts import Contacts
from .library import BEARS_S, Part
from .prints import Place
from .shift import Shift, onto

SETTLED_S = 0.1  # s after it has come down, a foot stands flat
FURTHEST = 0.4  # m, for a leg of a metre, by which a step that is played is made to land elsewhere, at most: what is left is for the next
ASTRAY, TURNED = 0.05, 0.35  # m and rad: a foot that stands so far from where the pad has it takes a step
LIFT, LIFTED_S = 0.09, 0.2  # m that a foot is lifted in a step that is not played, and s that this takes
QUICKEST, QUICKEST_TURN = 2.0, 4.0  # m/s and rad/s by which a step that is played is led elsewhere, at most
FOLLOWS_S = 0.1  # s in which a foot of one who begins to walk gets into its track
STEP_S = 0.4  # s of such a step, where the recording does not say it
SHORTEST_S = 0.1  # s: feet that press less for a shorter time have not been lifted
SEEN_S = 0.25  # s that a foot comes down before it is lifted in what is played, and is still the step that is played
NOWHERE = Shift((0.0, 0.0), (0.0, 0.0), 0.0)


@dataclass
class Step:
    """That is not played: from ``start`` (s) until ``end``, where the foot comes down at a ``place``, as far as that is known."""

    start: float
    end: float = np.inf
    place: Place | None = None


@dataclass
class Foot:
    """shift: see above. step: that it takes on its own. lifted: s of the stream, and frame of what is played, at which it was lifted; or None.
    led: s, or frame, up to which it was led."""

    shift: Shift
    step: Step | None = None
    lifted: tuple[float, float] | None = None
    led: float = 0.0


@dataclass(frozen=True)
class Footing:
    """Of a foot at a moment: whether it is down, how much of the body it bears (0 to 1), m that it is lifted besides what is played."""

    shift: Shift
    down: bool
    bears: float
    lift: float = 0.0


class Stepping:
    """The feet of a character."""

    def __init__(self, body: Body, heel_to_ball: float, contacts: Contacts, fps: float) -> None:
        """``heel_to_ball``: m. ``contacts``: what is known of the feet of the recording. ``fps``: poses a second."""
        self._furthest, self._heel_to_ball, self._contacts = FURTHEST * body.leg_length, heel_to_ball, contacts
        self._fps = fps
        self.feet = Foot(NOWHERE), Foot(NOWHERE)

    def moved(self, foot: int, x: float, y: float) -> None:
        """A foot turned out to stand elsewhere, by x, y (m)."""
        shift = self.feet[foot].shift
        self.feet[foot].shift = replace(shift, place=(shift.place[0] + x, shift.place[1] + y))

    def join(self, shifts: tuple[Shift, Shift], faces: float = 0.0) -> None:
        """Something else is played: the feet are where they were, and the body faces there (rad)."""
        self._track = faces  # a walk is played ahead
        for foot, shift in zip(self.feet, shifts, strict=True):
            foot.shift, foot.lifted = shift, None

    def ball(self, place: Place) -> tuple[float, float, float]:
        """x, y (m) of the ball of a foot at a place, and where it points (rad)."""
        ahead = self._heel_to_ball
        return place.x + ahead * float(np.cos(place.yaw)), place.y + ahead * float(np.sin(place.yaw)), place.yaw

    def played(self, foot: int, time: float, part: Part, at: float, moving: bool) -> Footing:
        """A foot as it is played: at a time (s), and at frame ``at`` of a part. ``moving``: it goes on."""
        own, frame = self.feet[foot], int(at)
        down = bool(part.contacts[round(at), foot])
        if moving:
            own.step = None
            if down:
                own.lifted = None
            else:
                self._lead(foot, time, part, at)
        after = min(frame + 1, part.motion.frames - 1)
        bears = part.bearing[frame, foot] + (at - frame) * (part.bearing[after, foot] - part.bearing[frame, foot])
        return Footing(own.shift, down, float(bears))

    def _lead(self, foot: int, time: float, part: Part, at: float) -> None:
        """A foot in the air nears the place where it comes down."""
        own = self.feet[foot]
        if own.lifted is None:
            own.lifted, own.led = (time, at), at
        landing = int(part.landings[round(at), foot])
        pivot = part.ground(min(landing + round(SETTLED_S * part.motion.fps), part.motion.frames - 1), foot)
        aim = self.feet[1 - foot].shift.about(pivot[:2])
        place = self._recorded(foot, time, own.lifted[0])
        if place is not None:
            x, y, yaw = self.ball(place)
            away = x - aim.place[0], y - aim.place[1]
            share = min(1.0, self._furthest / max(hypot(*away), 1e-9))
            aim = onto(pivot, (aim.place[0] + share * away[0], aim.place[1] + share * away[1], yaw))
        share = _share(own.lifted[1], landing, own.led, at)
        now = own.shift.about(aim.pivot)
        way = hypot(aim.place[0] - now.place[0], aim.place[1] - now.place[1]) + abs(rotation.wrap(aim.yaw - now.yaw)) * QUICKEST / QUICKEST_TURN
        own.shift = now.towards(aim, min(share, QUICKEST / self._fps / max(way, 1e-9)))
        own.led = at

    def _recorded(self, foot: int, time: float, lifted: float) -> Place | None:
        """Where the recording has a foot come down next, if that is known, which is lifted since ``lifted`` (s)."""
        contact = self._contacts.at(foot, time)
        if contact.down and (contact.since > lifted - SEEN_S or contact.until == np.inf):
            return contact.place
        following = self._contacts.after(foot, contact)
        if following is not None and not following.down:
            following = self._contacts.after(foot, following)
        return following.place if following else None

    def walked(self, foot: int, part: Part, at: float, moving: bool) -> Footing:
        """A foot of one who walks: once it is in the air, it goes as it is played beside the other."""
        own, down = self.feet[foot], bool(part.contacts[round(at), foot])
        if moving and not down:
            own.step, now = None, own.shift.about(part.ground(round(at), foot)[:2])
            aim = replace(self.feet[1 - foot].shift.about(now.pivot), yaw=self._track)
            own.shift = now.towards(aim, 1.0 - float(np.exp(-1.0 / (FOLLOWS_S * self._fps))))
        return Footing(own.shift, down, float(down))

    def standing(self, foot: int, time: float, part: Part, at: float, moving: bool, calm: bool) -> Footing:
        """A foot of one who stands: it stays, or takes a step as the recording's does. ``calm``: it may put right where it stands."""
        own = self.feet[foot]
        if moving:
            self._decide(foot, time, part, at, calm)
        if own.step is None:
            return Footing(own.shift, True, 1.0)
        start, end = own.step.start, own.step.end
        if moving and np.isfinite(end):
            own.led = max(own.led, start)
            pivot = part.ground(int(at), foot)
            aim = onto(pivot, self.ball(own.step.place)) if own.step.place else self.feet[1 - foot].shift.about(pivot[:2])
            if own.lifted is None:
                own.lifted = (time, own.led)
            own.shift = own.shift.towards(aim, _share(own.lifted[1], end, own.led, time))
        own.led = time
        lift = LIFT * float(smooth_step((time - start) / LIFTED_S)) * float(smooth_step((end - time) / LIFTED_S))
        bears = max(1.0 - float(smooth_step((time - start) / BEARS_S)), 1.0 - float(smooth_step((end - time) / BEARS_S)))
        return Footing(own.shift, False, bears, lift)

    def _decide(self, foot: int, time: float, part: Part, at: float, calm: bool) -> None:
        """Whether a foot of one who stands is lifted, and whether it has come down."""
        own, other = self.feet[foot], self.feet[1 - foot]
        contact = self._contacts.at(foot, time)
        following = self._contacts.after(foot, contact)
        if own.step is not None:
            if not contact.down:
                own.step.end, own.step.place = contact.until, following.place if following else None
            if time >= own.step.end:
                own.step = own.lifted = None
            return
        if other.step is not None:
            return
        if not contact.down:
            # Who jumps, or has left the pad, stands.
            if self._contacts.at(1 - foot, time).down and contact.until - time > SHORTEST_S:
                own.step, own.led = Step(time, contact.until, following.place if following else None), time
        elif calm and contact.place is not None and contact.since < time - SETTLED_S and contact.until > time + STEP_S:
            x, y, yaw = self.ball(contact.place)
            here = own.shift.moved(*part.ground(int(at), foot)[:2])
            turn = own.shift.yaw + part.ground(int(at), foot)[2] - yaw
            if hypot(x - here[0], y - here[1]) > ASTRAY or abs(rotation.wrap(turn)) > TURNED:
                own.step, own.led = Step(time, time + STEP_S, contact.place), time




def _share(start: float, end: float, led: float, now: float) -> float:
    """Of what is left of a way from ``start`` to ``end``, led up to ``led``: how much of it is gone from then until ``now``."""
    if now >= end or end <= start:
        return 1.0
    before, after = (float(smooth_step((value - start) / (end - start))) for value in (led, now))
    return (after - before) / max(1.0 - before, 1e-9)
