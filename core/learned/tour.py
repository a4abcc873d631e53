"""Tour: the controllers of the planar biped practise together, as they are played: a body goes at random from one to another, when it is told to.

What goes wrong at a change may be the fault of each that took part in it (Sok, Kim and Lee 2007, section 5.3): so whoever led the body on the way to
an abnormal state learns what the teacher would have done there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import repeat
from typing import cast

import numpy as np

from ..arrays import Array
from ..body import Body
from ..dynamics import Dynamics
from ..job import Job
from ..start import place_in
from . import planar
from .controller import STATIONARY
from .driver import Learned
from .following import ByServos
from .refine import OUT_S, PATIENCE_S, SETTLE_S, Ground, Pushes, Samples, taught, way_out
from .repertoire import Repertoire
from .teachers import PlanarStander, PlanarStopper, PlanarWalker, Teacher

DWELLS_S, ARRIVES_S = (1.0, 4.0), 12.0  # s from an arrival until something else is asked for, and that a change may take
MOST_SAMPLES = 20_000  # in the plane they are short
CHANGE_S = 3.0  # s before an abnormal state, from which on it should have been done otherwise: about as long as a change takes
FIRST_S = 1.0  # s until the teacher has found the stride of a body that begins in the middle of one
HELD, FELL, ABNORMAL, LATE = "held", "fell", "abnormal", "late"
SECONDS, LONGEST_S = 40.0, 300.0  # s of a tour, at first, and after some were held


@dataclass(frozen=True)
class Outing:
    """One tour. ``pushed``: N, of the strongest push, one each ``between`` s; ``seed``: of what is left to chance."""

    seconds: float
    pushed: float
    seed: int
    between: float = 2.0


@dataclass(frozen=True)
class Toured:
    """How a tour went: for how many s it was held, how it ended (HELD, FELL, ABNORMAL or LATE), how many changes were made, who led at last, and what
    each controller is to learn, by their names."""

    seconds: float
    end: str
    changes: int
    last: str
    lessons: dict[str, Samples]


class Guide:
    """The teacher of all that a planar repertoire does: it is in the gait that the controller which acts leads to."""

    def __init__(self, body: Body, dynamics: Dynamics, following: ByServos, job: Job, lands: Mapping[str, float]):
        """``lands``: see ``PlanarWalker``."""
        self._body, self._dynamics, self._following, self._job, self._lands = body, dynamics, following, job, lands
        self._stander = PlanarStander(body, dynamics, following)
        self._gait = ""
        self.teacher: Teacher = self._stander

    def follow(self, gait: str, stand: str, arrived: bool) -> None:
        """Go, or change, into ``gait``; ``stand``: the one that is a stand. ``arrived``: whether the body is already in it."""
        walker = self.teacher if isinstance(self.teacher, PlanarWalker) else None
        if gait == stand:
            if arrived or not self._gait:
                self.teacher = self._stander
            elif walker and gait != self._gait:
                self.teacher = PlanarStopper(walker, self._stander, self._dynamics)
        elif not walker:
            self.teacher = PlanarWalker(self._body, self._job, self._following, gait, self._lands)
        elif gait != self._gait or arrived:
            walker.change(gait, at_once=arrived)
        self._gait = gait


@dataclass
class _Led:
    """A moment of a tour: whose it was, what was seen, what the teacher would have done."""

    name: str
    row: Array
    choice: Array
    sort: int
    into: float
    otherwise: bool


def tour(ground: Ground[ByServos], repertoire: Repertoire, guide: Guide, beginning: Array, stand: str, outing: Outing) -> Toured:
    """Let a body go at random through the transitions of a repertoire, while the teacher watches.

    Args:
        beginning: a snapshot of a world in which nothing has happened. stand: the name of the controller that stands; all others are named as their
            gaits are.
    """
    rng, world = np.random.default_rng(outing.seed), ground.world
    driver = Learned(ground.body, planar.teachers_job(), repertoire, world.inertias, str(rng.choice(sorted(repertoire.controllers))))
    world.resume(beginning)
    place_in(world, driver.start())
    led, acting, far, abnormal, changes = list[_Led](), "", 0.0, None, 0
    changing, asked, due = False, 0.0, float(rng.uniform(*DWELLS_S))
    every, pushes = driver.controller.every, Pushes((outing.pushed, 0.0), outing.between)
    for step in range(round(outing.seconds / world.time_step)):
        now, state = step * world.time_step, world.read()
        if ground.down(state):
            return _toured(led, now, abnormal, every, changes, FELL)
        if changing and now > asked + ARRIVES_S:
            return _toured(led, now, abnormal, every, changes, LATE)
        if changing and driver.arrived:
            due, changes, changing = now + rng.uniform(*DWELLS_S), changes + 1, False
        if not changing and now >= due:
            driver.change(str(rng.choice([other for one, other in repertoire.transitions if one == driver.leads_to])))
            asked, changing = now, True
        choices = driver.choices
        torques = driver.torques(state)
        if driver.controller.name != acting:
            acting, far = driver.controller.name, 0.0
            guide.follow(repertoire.controllers[driver.leads_to].name, stand, driver.controller.kind == STATIONARY)
        wanted = guide.teacher.torques(state)
        if driver.choices != choices:
            following = cast(ByServos, driver.following)
            choice = following.choice(state, wanted)
            controller = driver.controller
            # A change that goes on for longer than it was shown is over: it would learn to go on for ever.
            into = driver.into(state.time) if controller.kind == STATIONARY else min(driver.into(state.time), controller.lasts)
            led.append(_Led(acting, driver.row, choice, guide.teacher.sort, into, now > FIRST_S and following.differs(driver.choice, choice)))
            far = far + every if driver.distance > driver.controller.far and now > SETTLE_S else 0.0
            abnormal = now if abnormal is None and far >= PATIENCE_S else abnormal
            if abnormal is not None and now > abnormal + OUT_S:
                return _toured(led, now, abnormal, every, changes, ABNORMAL)
        world.apply(torques if abnormal is None else wanted, state)
        pushes.push(world, step, rng)
        world.step()
    if abnormal is not None:
        return _toured(led, outing.seconds, abnormal, every, changes, ABNORMAL)
    return Toured(outing.seconds, HELD, changes, acting, {})


def _toured(led: Sequence[_Led], now: float, abnormal: float | None, every: float, changes: int, how: str) -> Toured:
    """What there is to learn of a tour that was not held: as of a trial, by those who led."""
    turned = now if abnormal is None else abnormal
    lessons: dict[str, Samples] = {}
    for moment in (led[n] for n in way_out(len(led), every, turned, CHANGE_S, how == FELL)):
        if moment.otherwise:
            lessons.setdefault(moment.name, Samples.none()).add(moment.row, moment.choice, moment.sort, moment.into)
    last = led[min(len(led) - 1, round(turned / every))].name if led else ""
    return Toured(turned, how, changes, last, lessons)


MakeTours = Callable[[Repertoire, Sequence[Outing]], Iterable[Toured]]


def tours_beside(executor: Executor, stand: str) -> MakeTours:
    """Tours of a round are made side by side, each by a process that has a ground of its own. ``stand``: see ``tour``."""
    return lambda repertoire, outings: executor.map(partial(_tour_there, stand), repeat(repertoire), outings)


def _tour_there(stand: str, repertoire: Repertoire, outing: Outing) -> Toured:
    ground, beginning, guide = _guided(tuple(sorted(one.name for one in repertoire.controllers.values() if one.name != stand)))
    return tour(ground, repertoire, guide(), beginning, stand, outing)


@cache
def _guided(gaits: tuple[str, ...]) -> tuple[Ground[ByServos], Array, Callable[[], Guide]]:
    """The ground of a process that practises for others, as long as it lives, as it is at the beginning, and who teaches there."""
    ground = planar.kept_open(planar.school(planar.GAINS))
    beginning = ground.world.snapshot()
    lands = planar.landings(ground, gaits)
    dynamics = Dynamics(ground.body, ground.world.inertias)
    return ground, beginning, lambda: Guide(ground.body, dynamics, ground.following, planar.teachers_job(), lands)


def practised(repertoire: Repertoire, make_tours: MakeTours, rounds: int, beside: int, seed: int, enough: int, patience: float,
              keep: Callable[[Repertoire], None], say: Callable[[Toured], None]) -> Repertoire:
    """A repertoire after so many ``rounds`` of tours, or as soon as it has held ``enough`` in a row.

    Args:
        make_tours: of a round. beside: how many a round has; every second one is pushed when so many were held. keep: told of
            what has learned more. say: told of each tour. patience: s after which no round begins any more.
    """
    rng, began, in_a_row = np.random.default_rng(seed), time.monotonic(), 0
    with planar.school(planar.GAINS) as ground:
        for _ in range(rounds):
            if time.monotonic() - began > patience:
                break
            seconds = min(LONGEST_S, SECONDS * 2.0 ** (in_a_row // beside))
            pushed = planar.PUSHED[0] if in_a_row >= beside else 0.0
            outings = [Outing(seconds, pushed * (n % 2), int(rng.integers(2**32))) for n in range(beside)]
            known = {one.name: one for one in repertoire.whole}
            learned = dict(known)
            for found in make_tours(repertoire, outings):
                say(found)
                in_a_row = in_a_row + 1 if found.end == HELD else 0
                for name, lesson in found.lessons.items():
                    more = taught(ground, learned[name], lesson, (np.zeros((0, 0)), []))
                    learned[name] = more if len(more.states) <= MOST_SAMPLES else learned[name]
            if in_a_row >= enough:
                break
            if any(learned[name] is not known[name] for name in known):
                repertoire = replace(repertoire, controllers={key: learned[one.name] for key, one in repertoire.controllers.items()},
                                     transitions={edge: by and learned[by.name] for edge, by in repertoire.transitions.items()})
                keep(repertoire)
    return repertoire
