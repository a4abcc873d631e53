"""Strides: a character that walks in the steps of a recording.

Feet come first. A foot stands while that of the recording does, rolls over its heel and toes where it stands, and swings to its next print. How long
a step is follows from how quick it is, as people's steps do. The pelvis goes evenly from strike to strike;
how it sways and turns on its way, and what trunk and arms do, is this project's own walk (``cycle``). Legs reach for the feet.

A ``Strider`` goes on moment by moment with what is known then. What is to come is foreseen from the cadence, and led over smoothly into what comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, inf

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import link
from ..feet.legs import Legs
from ..motion import Motion
from ..signals import smooth_step
from .cycle import Cycle
from .footwork import STANDS_S, STRIDE_S, USUAL_STANCE, USUAL_STRIDE_S, Footwork, begins_walking, with_past
from .manner import Manner, usual
from .rolling import Rolling

RATE = 120.0  # moments a second
# s before the first lift at which a pelvis sets off; s after the last strike in which it comes to rest; s in which a walk changes with its speed.
SETS_OFF_S, RESTS_S, MANNER_S = 0.35, 0.3, 0.15
SPRING = 6.0  # 1/s: how quickly a pelvis comes over feet that stand
STILL = 0.05  # m/s: who is slower does not show where in the cycle it is
FIRST = 0.8  # of a step's length: the first one of someone who stood
SWING_SHARE = 0.78  # of a step's time that a foot swings
LANDS, CATCHES_UP_S = 0.97, 0.25  # of a swing, from which on a foot may land; s in which one would make a swing that is to be over already
SOON_S = 0.06  # s before it has to be somewhere, in which a body goes on as it goes
GOAL_S = 0.06  # s in which a foot that swings takes to another goal
FLAT_UNTIL = 0.35  # of a stance: how far it has got when its foot waits flat on the floor for its lift
# Of a stance: when the sole is down, and when the heel begins to leave the floor; and the power of the time with which it then goes up.
LANDED, LEAVES, ROLLS = 0.16, 0.5, 2.5
SWING_TO_STANCE, EDGE = (1.0 - USUAL_STANCE) / USUAL_STANCE, 0.01  # how long a swing is, in stances; a small part of a swing
SOFT_SOLE = 0.03  # m within which a foot that swings goes over from its toes to its heel as what is lowest
TOE_OUT = 0.08  # rad that feet point outwards
STAND_WIDTH = 0.8  # of the distance of the hips: that of the feet of someone who stands
SOFT_KNEE = np.radians(4.0)  # rad that knees are bent at least
GIVES, AT_SPEED = (0.003, 0.012), 0.6  # m in which the pelvis gives way where a leg gets too short for it, standing and walking at so many m/s


@dataclass
class _Foot:
    """A foot at one moment: where it stands, or from where to where it swings (m), and how far it has got in that (0–1). lifted, struck: s. first:
    whether it swings out of a stand. heel, push: of its last or next strike and of its lift, see ``manner``."""

    place: Array
    goal: Array
    down: bool = True
    part: float = FLAT_UNTIL
    rate: float = 0.0
    lifted: float = -inf
    struck: float = -inf
    first: bool = True
    heel: float = 1.0
    push: float = 1.0


@dataclass
class _Next:
    """The next step: its foot, s of its lift and strike, and whether it is one that brings the feet side by side."""

    foot: int
    lift: float
    strike: float
    closes: bool


@dataclass(frozen=True)
class Row:
    """One moment. places, goals: (2, 2) m; down, parts, heels, pushes of the left and right foot; pelvis: (2,) m; phase of the cycle; speed: m/s."""

    places: Array
    goals: Array
    down: tuple[bool, bool]
    parts: tuple[float, float]
    heels: tuple[float, float]
    pushes: tuple[float, float]
    pelvis: Array
    phase: float
    speed: float


@dataclass
class Strider:
    """Walks on, moment by moment; begins standing over the origin, facing +X.

    Attributes:
        manner: how feet came down and left the floor.
        step_width: m from ankle to ankle, across; at 0 as the walk has it, or as its legs need it.
        time: s of the moment that it has got to.
    """

    body: Body
    manner: Manner = usual
    step_width: float = 0.0
    time: float = 0.0
    _feet: list[_Foot] = field(init=False)

    def __post_init__(self) -> None:
        self.cycle = Cycle(self.body)
        self.hips = float(np.ptp(self.body.offsets[[link(self.body, "thigh", foot) for foot in (0, 1)], 1]))
        self.width = self.step_width or max(self.cycle.step_width, self.body.legs_thick)
        stand = np.array([[0.0, side * 0.5 * max(self.width, STAND_WIDTH * self.hips)] for side in (1.0, -1.0)])
        self._feet = [_Foot(stand[foot].copy(), stand[foot].copy()) for foot in (0, 1)]
        self._pelvis, self._velocity = np.zeros(2), np.zeros(2)
        self._phase, self._pace, self._speed = 0.0, 0.0, 0.0

    def warm_up(self, footwork: Footwork, fps: float) -> None:
        """Walk up to the first moment of a recording in which somebody walks already, and to the origin."""
        past = with_past(footwork)
        frames = int((1.0 - max(spans[0][1] for spans in past.spans)) * fps)
        self.time = -frames / fps
        for number in range(-frames, 0):
            self.go_on(past, number / fps)
        here = self._pelvis * (1.0, 0.0)
        self._pelvis = self._pelvis - here
        for foot in self._feet:
            foot.place, foot.goal = foot.place - here, foot.goal - here

    def go_on(self, footwork: Footwork, time: float) -> Row:
        """To a moment no earlier than the last one, with what is known then."""
        before, self.time = self.time, time
        dt = time - before
        for foot in (0, 1):
            self._tread(foot, footwork, before)
        coming = self._coming(footwork)
        for foot in (0, 1):
            self._swing(foot, footwork, coming, dt) if not self._feet[foot].down else self._stand(foot, footwork, coming, dt)
        self._carry(footwork, coming, dt)
        self._keep_time(footwork, coming, dt)
        self._speed += (float(np.hypot(*self._velocity)) - self._speed) * (1.0 - exp(-dt / MANNER_S))
        left, right = self._feet
        return Row(np.array([left.place, right.place]), np.array([left.goal, right.goal]), (left.down, right.down), (left.part, right.part),
                   (left.heel, right.heel), (left.push, right.push), self._pelvis.copy(), self._phase, self._speed)

    # -- what happens ------------------------------------------------------------------------------------------------------

    def _tread(self, foot: int, footwork: Footwork, before: float) -> None:
        """Strikes and lifts of this moment."""
        own, other, stance = self._feet[foot], self._feet[1 - foot], footwork.at(foot, self.time)
        last = footwork.last(foot, self.time)
        if own.down and stance is None and (last is None or last[1] > own.struck):  # else it has struck before it was thought to
            own.down, own.part, own.lifted, own.rate = False, 0.0, max(last[1] if last else -inf, before), 0.0
            own.first = own.lifted - max(own.struck, other.struck) > STANDS_S
            own.goal = own.place.copy()
        elif not own.down and stance is not None and own.part > LANDS:
            own.down, own.part, own.place, own.struck = True, 0.0, own.goal.copy(), stance[0]

    def _coming(self, footwork: Footwork) -> _Next | None:
        """The next strike, as it is known or foreseen; None while nobody is about to step."""
        now, step = self.time, footwork.step_time(self.time)
        swing = (1.0 - USUAL_STANCE) * (2 * step if step else USUAL_STRIDE_S)
        swinging = [foot for foot in (0, 1) if not self._feet[foot].down]
        if swinging:
            strikes = [(self._lands(foot, swing, footwork), foot) for foot in swinging]
            strike, foot = min(strikes)
            return _Next(foot, self._feet[foot].lifted, strike, self._closes(foot, strike, footwork))
        lifts = [(lift, foot) for foot in (0, 1) if (lift := footwork.next_lift(foot, now)) is not None]
        if lifts:
            lift, foot = min(lifts)
            if lift - now > SETS_OFF_S and lift - max(self._feet[0].struck, self._feet[1].struck) > STANDS_S:
                return None
        else:
            last = max((0, 1), key=lambda one: self._feet[one].struck)
            foot, struck = 1 - last, self._feet[last].struck
            if struck == -inf or footwork.until - struck > STANDS_S or step is None:
                return None
            lift = max(struck + 0.25 * step, footwork.until)
        strike = self._foreseen(footwork.next_strike(foot, now), lift + swing, footwork)
        return _Next(foot, lift, strike, self._closes(foot, strike, footwork))

    def _lands(self, foot: int, swing: float, footwork: Footwork) -> float:
        """s at which a foot in the air comes down, if it swings for so long; one that should be down already is quick about it."""
        own = self._feet[foot]
        if footwork.at(foot, self.time) is not None:
            return self.time + (1.0 - own.part) * CATCHES_UP_S
        return self._foreseen(footwork.next_strike(foot, self.time), own.lifted + swing, footwork)

    @staticmethod
    def _foreseen(known: float | None, guess: float, footwork: Footwork) -> float:
        return known if known is not None else max(guess, footwork.until)

    def _closes(self, foot: int, strike: float, footwork: Footwork) -> bool:
        """Whether the feet stand for a while after a strike."""
        lifts = [lift for one in (0, 1) if (lift := footwork.next_lift(one, strike)) is not None]
        return (min(lifts) if lifts else footwork.until) - strike > STANDS_S

    # -- feet --------------------------------------------------------------------------------------------------------------

    def _length(self, step: _Next, footwork: Footwork) -> tuple[float, float]:
        """m of a step, and s that it takes."""
        foot, other = self._feet[step.foot], self._feet[1 - step.foot]
        first = foot.first if not foot.down else step.lift - max(foot.struck, other.struck) > STANDS_S
        # A stride, and not a step: who limps does not take long and short steps for it.
        seconds = 0.5 * (step.strike - foot.struck)
        if first or 2.0 * seconds > STRIDE_S:
            seconds = footwork.step_time(self.time) or (step.strike - step.lift) / SWING_SHARE
        return (0.0 if step.closes else self.cycle.step_length(seconds) * (FIRST if first else 1.0)), seconds

    def _goal(self, step: _Next, footwork: Footwork) -> Array:
        """(2,) m where the foot of a step comes down."""
        other, side = self._feet[1 - step.foot], 1.0 if step.foot == 0 else -1.0
        width = max(self.width, STAND_WIDTH * self.hips) if step.closes else self.width
        return other.place + (self._length(step, footwork)[0], side * width)

    def _swing(self, foot: int, footwork: Footwork, coming: _Next | None, dt: float) -> None:
        own = self._feet[foot]
        if coming is None or coming.foot != foot:
            strike = self._lands(foot, dt, footwork)
            coming = _Next(foot, own.lifted, strike, self._closes(foot, strike, footwork))
        usual = 1.0 / max(coming.strike - own.lifted, dt)
        if own.rate == 0.0:
            own.part, own.rate = (self.time - own.lifted) * usual, usual
            own.goal = self._goal(coming, footwork)
        else:
            own.part, own.rate = _towards(own.part, own.rate, 1.0, usual, coming.strike - (self.time - dt), dt)
            own.goal = own.goal + (self._goal(coming, footwork) - own.goal) * (1.0 - exp(-dt / GOAL_S))
        own.heel += (self.manner(foot, coming.strike)[0] - own.heel) * (1.0 - exp(-dt / GOAL_S))
        own.part = min(max(own.part, 0.0), 1.0)

    def _stand(self, foot: int, footwork: Footwork, coming: _Next | None, dt: float) -> None:
        """How far a foot is in its stance: a long one waits flat on the floor."""
        own, step = self._feet[foot], footwork.step_time(self.time)
        own.push += (self.manner(foot, own.struck)[1] - own.push) * (1.0 - exp(-dt / GOAL_S))
        lift = footwork.next_lift(foot, self.time)
        if lift is None:
            lift = coming.lift if coming and coming.foot == foot else max(coming.strike + 0.1, footwork.until) if coming else inf
        usual = 1.1 * USUAL_STANCE * (2 * step if step else USUAL_STRIDE_S)
        lasts = min(lift - own.struck, usual)
        wanted = max(min((self.time - own.struck) / lasts, FLAT_UNTIL), 1.0 - (lift - self.time) / lasts)
        most = 1.5 * dt / lasts
        own.part = min(max(own.part + min(max(wanted - own.part, -most), most), 0.0), 1.0) if own.struck > -inf else min(max(wanted, 0.0), 1.0)

    # -- the body ----------------------------------------------------------------------------------------------------------

    def _carry(self, footwork: Footwork, coming: _Next | None, dt: float) -> None:
        """The pelvis goes evenly to where it has to be at the next strike, or comes to rest over feet that stand."""
        places = [foot.place for foot in self._feet]
        if coming is None:
            away = self._pelvis - 0.5 * (places[0] + places[1])
            push = -SPRING**2 * away - 2.0 * SPRING * self._velocity
            self._velocity = self._velocity + push * dt
            self._pelvis = self._pelvis + self._velocity * dt
            return
        foot = self._feet[coming.foot]
        rear, goal = places[1 - coming.foot], foot.goal if not foot.down else self._goal(coming, footwork)
        seconds = self._length(coming, footwork)[1]
        way = goal - rear
        speed = float(np.hypot(*way)) / max(seconds, 0.2)
        share = 0.5 if coming.closes else self.cycle.ahead(speed)
        at = rear + share * way * (1.0, 0.0) + 0.5 * way * (0.0, 1.0)
        when = coming.strike + (RESTS_S if coming.closes else 0.0)
        velocity = np.zeros(2) if coming.closes else np.array([way[0] / max(seconds, 0.2), 0.0])
        if not coming.closes and self._slows(coming, footwork):
            velocity *= 0.6
        left = when - (self.time - dt)
        for axis in (0, 1):
            self._pelvis[axis], self._velocity[axis] = _towards(self._pelvis[axis], self._velocity[axis], at[axis], velocity[axis], left, dt, SOON_S)

    def _slows(self, coming: _Next, footwork: Footwork) -> bool:
        """Whether the step after this one brings the feet side by side."""
        then = footwork.next_strike(1 - coming.foot, coming.strike)
        return then is not None and self._closes(1 - coming.foot, then, footwork)

    def _keep_time(self, footwork: Footwork, coming: _Next | None, dt: float) -> None:
        """The phase of the cycle goes from strike to strike."""
        if coming is None:
            self._pace *= exp(-dt / MANNER_S)
            self._phase += self._pace * dt
            return
        wanted = 0.0 if coming.foot == 0 else 0.5
        if self._speed < STILL and self._feet[coming.foot].down:
            self._phase = wanted - 0.5 + self.cycle.lift
        wanted += round(self._phase + 0.25 - wanted)  # the next such moment, or one that has just gone by
        left = max(coming.strike - (self.time - dt), dt)
        usual = 0.5 / max(self._length(coming, footwork)[1], 0.2)
        self._phase, self._pace = _towards(self._phase, self._pace, wanted, min(usual, 3.0 * max(wanted - self._phase, 0.0) / left), left, dt,
                                             SOON_S)


def _towards(value: float, rate: float, goal: float, goal_rate: float, left: float, dt: float, soon: float = 0.0) -> tuple[float, float]:
    """Value and rate dt later, on the cubic that gets to a goal, with a rate there, in ``left`` s. In the last ``soon`` s only the rate is led over:
    a goal that comes up at short notice makes no jump."""
    if left < soon:
        rate += (goal_rate - rate) * dt / soon
        return value + rate * dt, rate
    if left <= dt:
        return goal, goal_rate
    away = goal - value
    square, cube = 3.0 * away / left**2 - (2.0 * rate + goal_rate) / left, -2.0 * away / left**3 + (rate + goal_rate) / left**2
    return value + rate * dt + square * dt**2 + cube * dt**3, rate + 2.0 * square * dt + 3.0 * cube * dt**2


def _fading(part: Array) -> Array:
    """(T,) a change at a rate of 1 that is over soon."""
    return part * (1.0 - part) ** 6


@dataclass(frozen=True, eq=False)
class Walked:
    """N poses: their times (N,) s, the motion, and whether each foot stands (N, 2)."""

    times: Array
    motion: Motion
    stands: Bools


class Figure:
    """From the moments of a Strider to poses of a body."""

    def __init__(self, body: Body, cycle: Cycle, arm_spread: float = 0.0) -> None:
        """``arm_spread``: rad added to both shoulders, outward."""
        self.body, self.cycle, self.roll = body, cycle, Rolling(body)
        self._spread = arm_spread
        self._legs = Legs(body)
        self._reach = self._legs.distance(SOFT_KNEE)
        self._thighs = [link(body, "thigh", foot) for foot in (0, 1)]
        turned = np.array([TOE_OUT, -TOE_OUT])
        self._ahead, self._turned = np.stack([np.cos(turned), np.sin(turned)], axis=-1), rotation.from_axis_angle((0.0, 0.0, 1.0), turned)

    def walked(self, rows: Sequence[Row], start: float, fps: float) -> Walked:
        """The moments from a time (s) on."""
        return Walked(start + np.arange(len(rows)) / fps, self.poses(rows, fps), np.array([row.down for row in rows]))

    def poses(self, rows: Sequence[Row], fps: float) -> Motion:
        """A pose for each moment."""
        speeds, phases = np.array([row.speed for row in rows]), np.array([row.phase for row in rows])
        weights = self.cycle.weights(speeds)
        rotations = self.cycle.turns(weights, phases)
        for side, name in ((1.0, "upper_arm.L"), (-1.0, "upper_arm.R")):
            index = self.body.names.index(name)
            rotations[:, index] = rotation.multiply(rotation.exp((side * self._spread, 0.0, 0.0)), rotations[:, index])
        ankles, turns, toes = self._feet(rows, weights)
        roots = np.zeros((len(rows), 3))
        roots[:, :2] = [row.pelvis for row in rows]
        roots[:, 2] = self.body.standing_height
        roots += self.cycle.pelvis(weights, phases)
        roots[:, 2] = self._height(roots, rotations[:, 0], ankles, np.interp(speeds, (0.0, AT_SPEED), GIVES))
        return self._legs.reaching(Motion(self.body.skeleton, fps, roots, rotation.normalize(rotations)), ankles, turns, toes)

    def _feet(self, rows: Sequence[Row], weights: Array) -> tuple[Array, Array, Array]:
        """Ankles (T, 2, 3) m, their turns (T, 2, 4), both world, and toes (T, 2) rad of the feet."""
        down, part = np.array([row.down for row in rows]), np.array([row.parts for row in rows])
        places, goals = np.array([row.places for row in rows]), np.array([row.goals for row in rows])
        off, strike = (tilt[:, None] for tilt in self.cycle.tilts(weights))
        off, strike = off * np.array([row.pushes for row in rows]), strike * np.array([row.heels for row in rows])
        along, rise, tilt = self.cycle.swing(weights, part)
        # As fast as a foot rolls off the floor it goes on: rad, and m, over a swing, beside what the swing has by itself.
        rolls = ROLLS * off / (1.0 - LEAVES) * SWING_TO_STANCE
        landing, lifting = np.maximum(1.0 - part / LANDED, 0.0) ** 2, np.maximum((part - LEAVES) / (1.0 - LEAVES), 0.0) ** ROLLS
        fading = _fading(part)
        pitch = np.where(down, strike * landing + off * lifting, off + part * (strike - off) + tilt + fading * rolls)
        # A swing goes from where the toes have left the floor to where the heel comes down.
        standing, left, lands, leaves = self.roll.ankle(np.stack([pitch, off, strike, off - EDGE * rolls]))
        away = left[..., 0]
        goes = (away - leaves[..., 0]) / EDGE
        toes = np.where(down, self.roll.bend(pitch), self.roll.bend(off) * (1.0 - smooth_step(2.0 * part)))
        way = goals - places + (lands[..., 0] - away)[..., None] * self._ahead
        begins = self.cycle.swing(weights, np.full((len(rows), 1), EDGE))[0] / EDGE
        swung = (places + away[..., None] * self._ahead + along[..., None] * way
                 + fading[..., None] * (goes[..., None] * self._ahead - begins[..., None] * way))
        flat = np.where(down[..., None], places + standing[..., :1] * self._ahead, swung)
        height = np.where(down, standing[..., 1], self.roll.above(pitch, toes, 4.0 * part * (1.0 - part) * SOFT_SOLE) + rise)
        return np.concatenate([flat, height[..., None]], axis=-1), rotation.multiply(self._turned, rotation.hinge(pitch)), toes

    def _height(self, roots: Array, turns: Array, ankles: Array, gives: Array) -> Array:
        """(T,) m of the pelvis: as high as the walk has it, but no higher than the legs reach; it gives way within (T,) m."""
        height = roots[:, 2]
        hips = rotation.rotate(turns[:, None], self.body.offsets[self._thighs])
        flat = ((roots[:, None] + hips - ankles)[..., :2] ** 2).sum(axis=-1)
        both = ankles[..., 2] + np.sqrt(np.maximum(self._reach**2 - flat, 1e-4)) - hips[..., 2]
        for most in both.T:
            height = 0.5 * (height + most - np.sqrt((height - most) ** 2 + gives**2))
        return height


def walk(footwork: Footwork, body: Body, seconds: float, *, fps: float = RATE, manner: Manner = usual, step_width: float = 0.0,
         arm_spread: float = 0.0) -> Walked:
    """The walk of a whole recording, from its first moment on, for so many seconds. The rest as in ``Strider`` and ``Figure``."""
    strider = Strider(body, manner, step_width)
    if begins_walking(footwork):
        strider.warm_up(footwork, fps)
    rows = [strider.go_on(footwork, number / fps) for number in range(int(seconds * fps + 1e-6) + 1)]
    return Figure(body, strider.cycle, arm_spread).walked(rows, 0.0, fps)
