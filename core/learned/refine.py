"""Adaptive refinement (Sok, Kim and Lee 2007, section 5.2): a controller is let go; where its state becomes abnormal, a teacher shows the way out,
and that is added to the samples; again and again, until it holds.

The paper goes back in time to the last cycle, and searches for a way out from there. Here the teacher is a feedback law that watches all the time:
what it would have done on the way to the abnormal state is the way out from that moment on, and it takes the body over when there is no other.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

import numpy as np

from ..arrays import Array
from ..body import Body
from ..context import Context
from ..control.driver import FALLEN, TIPPED, tilt
from ..errors import SimulationError
from ..physics import World
from ..physics.state import PerJoint, State
from .controller import Controller
from .following import Following
from .senses import Senses
from .teachers import Teacher

T = TypeVar("T", bound=Teacher)
F = TypeVar("F", bound=Following)

PATIENCE_S = 5.0 / 30.0  # s for which a state must be far from all samples before it counts as abnormal: 5 frames of the paper
BACK_S = 6.0  # s before that, from which on it should have been done otherwise: a stand leans for long before it falls
LOST_S = 0.3  # s before a body is down, in which nothing helps any more
OUT_S = 1.0  # s that the teacher is given to lead out
SETTLE_S = 0.2  # s that a body is given after a start, before a state counts as abnormal
PUSH_S = 0.4  # s that a push lasts
APART = 8  # samples of a lesson, from each of which to the next that is learned together with it: those between may then be known already
LATELY, WORSE = 8, 0.6  # trials that tell how good a controller is, and fraction of what the best one held, below which one is given up for that
MOST = 12_000  # samples: more would make a file of more than 2 MB, and a choice of more than 0.4 ms


@dataclass
class Samples:
    """What was seen and what the teacher would have done, moment by moment."""

    states: list[Array]
    choices: list[Array]
    sorts: list[int]
    times: list[float]

    @staticmethod
    def none() -> Samples:
        return Samples([], [], [], [])

    def add(self, state: Array, choice: Array, sort: int, time: float) -> None:
        """``time``: s since a change began."""
        self.states.append(state)
        self.choices.append(choice)
        self.sorts.append(sort)
        self.times.append(time)

    def those(self, which: Sequence[int]) -> Samples:
        """Some of them, by their numbers."""
        return Samples([self.states[n] for n in which], [self.choices[n] for n in which], [self.sorts[n] for n in which],
                       [self.times[n] for n in which])

    def __len__(self) -> int:
        return len(self.states)


@dataclass(frozen=True)
class Start(Generic[T]):
    """A moment to begin at: the world's ``snapshot``, and the teacher as it was then."""

    snapshot: Array
    teacher: T


@dataclass(frozen=True)
class Trial:
    """How a trial is disturbed.

    Attributes:
        seconds: that it lasts. start: m/s that the pelvis is faster along the ground, and rad/s that joints turn faster, at the start: standard
            deviations.
        pushes: N (forward, left), of the strongest push on the trunk. between: s from one push to the next.
    """

    seconds: float = 20.0
    start: tuple[float, float] = (0.0, 0.0)
    pushes: tuple[float, float] = (0.0, 0.0)
    between: float = 2.0


@dataclass(frozen=True)
class Attempt:
    """One trial of a round. ``start``: the number of the moment that it begins at; ``seed``: of what is left to chance in it."""

    start: int
    how: Trial
    seed: int


@dataclass(frozen=True)
class Held:
    """How a trial went: for how many s it was held, whether to its end, and what to learn of it."""

    seconds: float
    whole: bool
    lesson: Samples


class Pushes:
    """Pushes at random, one each ``between`` s, of ``strongest`` N (forward, left) at most."""

    def __init__(self, strongest: tuple[float, float], between: float):
        self._strongest, self._between = strongest, between
        self._now = (0.0, 0.0)

    def push(self, world: World, step: int, rng: np.random.Generator) -> None:
        """At each step of a trial: push the body, where that is due."""
        if not any(self._strongest):
            return
        since = step % round(self._between / world.time_step)
        if since == 0:
            self._now = (rng.uniform(-self._strongest[0], self._strongest[0]), rng.uniform(-self._strongest[1], self._strongest[1]))
        if since < PUSH_S / world.time_step:
            world.push(0, (*self._now, 0.0))


class Ground(Generic[F]):
    """Where a body practises: a world with what sees it and what moves it."""

    def __init__(self, world: World, senses: Senses, following: F, every: float):
        """``every``: s from one choice to the next."""
        self.world, self.senses, self.following = world, senses, following
        self.steps = max(1, round(every / world.time_step))
        self.body: Body = world.body

    def row(self, state: State) -> Array:
        """Features of a state that ``following`` has not seen yet."""
        return self.senses.row(state, self.following.see(state), 0.0)

    def down(self, state: State) -> bool:
        return state.position[2] < FALLEN * self.body.standing_height or tilt(state.rotation) > TIPPED


def demonstrate(ground: Ground[Any], teacher: T, seconds: float, first: float = 0.0, starts: int = 1) -> tuple[Samples, list[Start[T]]]:
    """What a teacher does by itself for some ``seconds``, from ``first`` s on; and ``starts`` moments spread over that."""
    found: Samples = Samples.none()
    kept: list[Start[T]] = []
    _lead(ground, teacher, first, lambda state, torques, fresh: None)
    apart = seconds / starts

    def watch(state: State, torques: PerJoint, fresh: bool) -> None:
        if state.time - began >= len(kept) * apart - 1e-9:
            kept.append(Start(ground.world.snapshot(), copy.deepcopy(teacher)))
        if fresh:
            found.add(ground.row(state), teacher.choice(state, torques), teacher.sort, state.time - began)

    began = ground.world.time
    _lead(ground, teacher, seconds, watch)
    return found, kept


def demonstrate_change(ground: Ground[Any], teacher: T, latest: float, after: float) -> tuple[Samples, Start[T]]:
    """What a teacher who is about to change does until ``after`` s after it has arrived; and the moment at which it begins. A SimulationError where
    it has not arrived after ``latest`` s."""
    found, kept, arrived, began = Samples.none(), list[Start[T]](), list[float](), ground.world.time

    def watch(state: State, torques: PerJoint, fresh: bool) -> bool:
        if not kept:
            kept.append(Start(ground.world.snapshot(), copy.deepcopy(teacher)))
        if fresh:
            found.add(ground.row(state), teacher.choice(state, torques), teacher.sort, state.time - began)
        if teacher.arrived and not arrived:
            arrived.append(state.time)
        return bool(arrived) and state.time >= arrived[0] + after

    _lead(ground, teacher, latest + after, watch)
    if not arrived:
        raise SimulationError(f"The teacher has not come to the end of its change after {latest:g} s: change between motions that are more alike.")
    return found, kept[0]


def _lead(ground: Ground[Any], teacher: Teacher, seconds: float, watch: Callable[[State, PerJoint, bool], bool | None]) -> None:
    """Let a teacher lead the body. ``watch``: told the state, the torques, and whether a choice is due; where it says True, that is the end."""
    world, hold = ground.world, ground.following.hold
    for step in range(round(seconds / world.time_step)):
        if step % hold == 0:
            state = world.read()
            if ground.down(state):
                raise SimulationError(f"The teacher fell at {world.time:.1f} s of what it shows: begin with a motion that holds by itself.")
            torques = teacher.torques(state)
            if watch(state, torques, step % ground.steps < hold):
                return
            world.apply(torques, state)
        world.step()


def trial(ground: Ground[Any], controller: Controller, start: Start[Any], how: Trial, rng: np.random.Generator) -> Held:
    """Let a controller go from a start, while the teacher watches."""
    world, teacher = ground.world, copy.deepcopy(start.teacher)
    world.resume(start.snapshot)
    disturb(world, how.start, rng)
    hold = ground.following.hold
    seen, otherwise, far, abnormal = Samples.none(), list[bool](), 0.0, None
    pushes, facing = Pushes(how.pushes, how.between), teacher.facing
    for step in range(round(how.seconds / world.time_step)):
        now = step * world.time_step
        if step % hold == 0:
            state = world.read()
            if ground.down(state):
                return _lesson(ground, seen, otherwise, now, abnormal, fell=True)
            torques = teacher.torques(state)
            if step % ground.steps < hold:
                row = ground.row(state)
                choice, distance = controller.choose(row, now)
                seen.add(row, teacher.choice(state, torques), teacher.sort, now)
                otherwise.append(ground.following.differs(choice, seen.choices[-1]))
                far = far + ground.steps * world.time_step if distance > controller.far and now > SETTLE_S else 0.0
                if abnormal is None and far >= PATIENCE_S:
                    abnormal = now
                if abnormal is not None and now > abnormal + OUT_S:
                    return _lesson(ground, seen, otherwise, now, abnormal, fell=False)
                ground.following.take(choice, facing)
                facing += ground.following.turning * ground.steps * world.time_step
            world.apply(ground.following.torques(state) if abnormal is None else torques, state)
        pushes.push(world, step, rng)
        world.step()
    if abnormal is not None:
        return _lesson(ground, seen, otherwise, how.seconds, abnormal, fell=False)
    return Held(how.seconds, True, Samples.none())


def _lesson(ground: Ground[Any], seen: Samples, otherwise: Sequence[bool], now: float, abnormal: float | None, fell: bool) -> Held:
    """What there is to learn of a trial that was not held: every moment in which the teacher would have done ``otherwise``, as far as it knew a way
    out."""
    turned = now if abnormal is None else abnormal
    turn = way_out(len(seen), ground.steps * ground.world.time_step, turned, BACK_S, fell)
    return Held(turned, False, seen.those([n for n in turn if otherwise[n]]))


def way_out(count: int, every: float, turned: float, back: float, fell: bool) -> range:
    """Which of ``count`` moments, ``every`` s apart, show the way out of what turned wrong ``turned`` s after the first: from ``back`` s before that
    on, as far as a teacher knew it."""
    first = max(0, round((turned - PATIENCE_S - back) / every))
    # What a teacher does in a fall that it cannot stop is no way out.
    return range(first, min(count, round((turned - LOST_S) / every)) if fell else count)


def disturb(world: World, start: tuple[float, float], rng: np.random.Generator) -> None:
    """Set a body off otherwise than it was; ``start``: see ``Trial``."""
    speed, rate = start
    if not speed and not rate:
        return
    state = world.read()
    axes = (0,) if world.body.planar else (0, 1)
    x, y, z = (v + (rng.normal(0.0, speed) if axis in axes else 0.0) for axis, v in enumerate(state.velocity))
    rates = [None, *(tuple(np.add(turning, rng.normal(0.0, rate, 3)).tolist()) if isinstance(turning, tuple) else turning + rng.normal(0.0, rate)
                     for turning in state.joint_velocities[1:])]
    now = world.time
    world.place(state.position, state.rotation, state.joints, (x, y, z), state.angular_velocity, rates)
    world.time = now


Practise = Callable[[Controller, Sequence[Attempt]], Iterable[Held]]  # makes the trials of a round, and tells of them in their order


def practise_here(ground: Ground[Any], starts: Sequence[Start[Any]]) -> Practise:
    """One trial after the other."""
    return lambda controller, attempts: (trial(ground, controller, starts[one.start], one.how, np.random.default_rng(one.seed)) for one in attempts)


def refined(ground: Ground[Any], controller: Controller, practise: Practise, starts: int, trials: Callable[[int, int], Trial], rounds: int,
            seed: int, enough: int, context: Context, keep: Callable[[Controller], None],
            moments: tuple[Array, list[Array]], patience: float, beside: int = 1) -> tuple[Controller, list[float]]:
    """A controller after so many ``rounds``, or as soon as it has held ``enough`` trials one after the other; and how long each trial was held (s).
    Refinement may also make it worse: it is the one that held best over some trials.

    Args:
        practise: makes the trials. starts: moments that they may begin at. trials: how each is disturbed, by its number and by how many before it
            were held. beside: how many trials a round has. They are of the same controller, and what comes out does not depend on who made them.
        keep: told of each controller that has learned more.
        moments: see ``Controller``: those that were there before, and those that teachers have added since. patience: s after which no round
            begins any more.
    """
    rng, began = np.random.default_rng(seed), time.monotonic()
    held, lately, in_a_row = list[float](), list[float](), 0
    best, best_held = controller, 0.0
    for number in range(rounds):
        if time.monotonic() - began > patience:
            break
        context.tell(number / rounds, doing=f"Refining '{controller.name}': {controller.refinements} ways out learned, {in_a_row} trials held")
        attempts = [Attempt(int(rng.integers(starts)), trials(number * beside + n, in_a_row), int(rng.integers(2**32))) for n in range(beside)]
        more = controller
        for attempt, found in zip(attempts, practise(controller, attempts), strict=True):
            held.append(found.seconds)
            in_a_row = in_a_row + 1 if found.whole else 0
            lately = [*lately, found.seconds / attempt.how.seconds][-max(LATELY, beside):]
            more = taught(ground, more, found.lesson, moments)
        if in_a_row >= enough:
            return controller, held
        if len(lately) >= LATELY:
            if (holds := sum(lately) / len(lately)) >= best_held:
                best, best_held = controller, holds
            elif holds < WORSE * best_held:
                # Ways out that contradict each other: what was learned since then is forgotten, and others are looked for.
                controller, lately = best, []
                keep(controller)
                continue
        if len(more.states) > MOST:
            break
        if more is not controller:
            controller = more
            keep(controller)
    return (best if lately and sum(lately) / len(lately) < best_held else controller), held


def taught(ground: Ground[Any], controller: Controller, lesson: Samples, moments: tuple[Array, list[Array]]) -> Controller:
    """A controller that has learned a lesson: those of its samples that it does not know from the others. ``moments``: see ``refined``."""
    if not len(lesson):
        return controller
    before, since = moments
    states, choices, sorts, times = (np.array(getattr(lesson, each.name)) for each in fields(Samples))
    if since:
        choices[:, 0] += len(before)
    together = np.concatenate([before, since]) if len(before) else np.array(since)
    known, learned = controller, list[int]()
    for first in range(APART):
        news = [n for n in range(first, len(lesson), APART)
                if ground.following.differs(known.choose(states[n], times[n])[0], lesson.choices[n])]
        if news:
            learned += news
            known = controller.refined(states[learned], choices[learned], sorts[learned], times[learned], together)
    return known


def normal_distance(controller: Controller, quantile: float, times: float, beside: int, least: float, most: float) -> Controller:
    """With a distance beyond which a state is abnormal: so many ``times`` that which samples have from the nearest one that was not taken within
    ``beside`` samples of theirs, of all but a few; from ``least``, because the samples of a stand are all the same, to ``most``, because a change
    goes through each of its states once."""
    rows = controller.states
    nearest = []
    for number in range(0, len(rows), 3):
        away = ((rows - rows[number]) ** 2).sum(axis=1)
        away[max(0, number - beside):number + beside + 1] = np.inf
        nearest.append(away.min())
    return replace(controller, far=min(max(least, times * float(np.sqrt(np.quantile(nearest, quantile)))), most))
