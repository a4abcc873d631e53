"""Planar: controllers of the planar biped, as in the paper, learned from gaits, a stand, and the changes between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import repeat
from typing import Any, TypeVar

import numpy as np

from .. import presets
from ..arrays import Array
from ..control.gait import load_gait
from ..dynamics import Dynamics
from ..errors import JobError
from ..job import Job
from ..physics import world_class
from .controller import STATIONARY, TRANSITION, Controller
from .following import ByServos, world_settings
from .lesson import Lesson
from .refine import Attempt, Ground, Held, Practise, Samples, Start, demonstrate, demonstrate_change, trial
from .senses import Senses, Weights
from .teachers import MARCH, PlanarStander, PlanarStopper, PlanarWalker

T = TypeVar("T")

BODY, STAND, WALK = "planar_biped", "stand", "planar_walk"
FRICTION = 0.8
ENGINE = "pybullet"
TIME_STEP, EVERY = 0.001, 0.01  # s: of the engine, and from one choice to the next; the paper chooses 30 times a second, for softer servos
GAINS = {"thigh": [300.0, 30.0, 1000.0], "shin": [300.0, 30.0, 1000.0], "foot": [300.0, 10.0, 1000.0]}  # N·m/rad, N·m·s/rad, N·m: as of the gaits
# Of a stand: stiff enough that a body which nobody balances stays up by itself, as the paper's servos are.
STIFF = {"thigh": [600.0, 50.0, 1000.0], "shin": [800.0, 50.0, 1000.0], "foot": [800.0, 10.0, 1000.0]}
NEIGHBOURS, FAR = 6, 20.0  # see ``Lesson``
SETTLED_S, SHOWN_S, STARTS = 4.0, 12.0, 24  # s until a gait has found its stride, s that are shown of it, and moments of that to begin at
STOOD_S = 2.0  # s of a stand that are shown, each time that it is shown
FELT_S = 0.01  # s in which a body that stands feels the ground again
STOOD = 3  # moments of each stand, at which changes into a gait are shown
PHASES = 6  # moments of a stride, at which changes into another gait are shown
LATEST_S, AFTER_S = 12.0, 1.0  # s that a change may take, and s for which the new gait is shown after it
LONGEST_S, ENOUGH = 300.0, 24  # s of the longest trials, and how many trials in a row must be held, of which the first ones are shorter
PERTURBED, PUSHED = (0.05, 0.2), (15.0, 0.0)  # of trials that are disturbed: see ``Trial``


@contextmanager
def lesson(name: str, gait: str, then: str | None) -> Iterator[tuple[Ground[ByServos], Lesson]]:
    """To go in ``gait``, or to change from it into ``then``, each of them a planar gait's name or "stand"; and the ground to learn it on."""
    for each in (gait, then):
        if each not in (None, STAND) and not load_gait(str(each)).planar:
            raise JobError(f"'{each}' is no gait of the planar biped; planar ones are {', '.join(planar_gaits())} and {STAND}.")
    gains = STIFF if gait == STAND and not then else GAINS
    with school(gains) as ground:
        shown, starts = (_changes(ground, gait, then) if then else _stands(ground) if gait == STAND else _goes(ground, gait))
        yield ground, Lesson(name, TRANSITION if then else STATIONARY, BODY, shown, starts, {"gains": gains}, EVERY, TIME_STEP, NEIGHBOURS, FAR,
                             PERTURBED, PUSHED, longest=LONGEST_S, enough=ENOUGH)


def practise_beside(executor: Executor, gait: str, then: str | None) -> Practise:
    """Trials of a round are made side by side, each by a process that has a ground of its own. ``gait``, ``then``: as in ``lesson``."""
    def practise(controller: Controller, attempts: Sequence[Attempt]) -> Iterable[Held]:
        return executor.map(_attempt, repeat((gait, then)), repeat(controller), attempts)

    return practise


def _attempt(what: tuple[str, str | None], controller: Controller, attempt: Attempt) -> Held:
    ground, starts = _prepared(*what)
    return trial(ground, controller, starts[attempt.start], attempt.how, np.random.default_rng(attempt.seed))


@cache
def _prepared(gait: str, then: str | None) -> tuple[Ground[ByServos], Sequence[Start[Any]]]:
    """The ground of a process that practises for others, as long as it lives, and the moments to begin at."""
    ground, given = kept_open(lesson("", gait, then))
    return ground, given.starts


def kept_open(what: AbstractContextManager[T]) -> T:
    """What is opened for as long as this process lives. What ``atexit`` is told is not done at the end of a worker process."""
    from multiprocessing.util import Finalize  # Blender crashes at its end where this was loaded

    Finalize(None, what.__exit__, args=(None, None, None), exitpriority=1)
    return what.__enter__()


def planar_gaits() -> list[str]:
    return [name for name in presets.names("gaits") if presets.load("gaits", name).get("planar")]


@contextmanager
def school(gains: dict[str, list[float]]) -> Iterator[Ground[ByServos]]:
    """Where the planar biped practises: a flat floor. ``gains``: of its servos."""
    body = presets.body(BODY)
    with world_class(ENGINE)(body, settings=world_settings(body, TIME_STEP, FRICTION)) as world:
        yield Ground(world, Senses(body, Weights()), ByServos(body, Dynamics(body, world.inertias), gains), EVERY)


def _walker(ground: Ground[ByServos], gait: str, then: str | None = None) -> PlanarWalker:
    """Who goes in a gait, and may change into another one; the body stands where it begins."""
    return _setting_out(ground, gait, landings(ground, [each for each in (gait, then) if each and each != STAND]))


def landings(ground: Ground[ByServos], gaits: Iterable[str]) -> dict[str, float]:
    """s into its stance at which a foot lands, of those among some gaits that change legs by the clock and land on the leg that then stands."""
    return {gait: landing for gait in gaits if _by_clock(gait) and (landing := _landing(ground, gait)) is not None}


def _setting_out(ground: Ground[ByServos], gait: str, lands: dict[str, float]) -> PlanarWalker:
    ground.world.time = 0.0
    teacher = PlanarWalker(ground.body, teachers_job(), ground.following, gait, lands)
    teacher.begin(ground.world)
    return teacher


def _by_clock(gait: str) -> bool:
    """Whether a gait changes legs when its time is over, and not when a foot touches the ground."""
    return all(state.duration is not None for state in load_gait(gait).states)


def _landing(ground: Ground[ByServos], gait: str) -> float | None:
    """s into its stance at which a foot lands in a gait, as it is when it has found its stride; None where none does."""
    teacher = _setting_out(ground, gait, {})
    demonstrate(ground, teacher, SETTLED_S, SETTLED_S)
    return float(np.mean(teacher.landed[len(teacher.landed) // 2:])) if teacher.landed else None


def _stander(ground: Ground[ByServos]) -> PlanarStander:
    return PlanarStander(ground.body, Dynamics(ground.body, ground.world.inertias), ground.following)


def _goes(ground: Ground[ByServos], gait: str) -> tuple[list[Samples], list[Start[Any]]]:
    """A gait in full stride."""
    shown, starts = demonstrate(ground, _walker(ground, gait), SHOWN_S, SETTLED_S, STARTS)
    return [shown], starts


def _stands(ground: Ground[ByServos]) -> tuple[list[Samples], list[Start[Any]]]:
    """Stands as they come about: out of nothing, and after a walk that stopped on either foot."""
    lessons, starts = [], []
    for moment in _still(ground):
        ground.world.resume(moment)
        shown, begun = demonstrate(ground, _stander(ground), STOOD_S, 0.0, STARTS // 4)
        lessons.append(shown)
        starts += begun
    return lessons, starts


def _still(ground: Ground[ByServos]) -> list[Array]:
    """Snapshots of bodies that stand: as they are put down, and when a walk has just come to a stand on either foot."""
    _walker(ground, MARCH)
    found = [ground.world.snapshot()]
    for start in _phases(ground, WALK)[:: PHASES // 2]:
        ground.world.resume(start.snapshot)
        stopping = _stopping(ground, start)
        demonstrate_change(ground, stopping.teacher, LATEST_S, 0.0)
        found.append(ground.world.snapshot())
    return found


def _standing(ground: Ground[ByServos]) -> list[Array]:
    """Snapshots of bodies that stand, for a shorter or a longer time."""
    found = []
    for moment in _still(ground):
        ground.world.resume(moment)
        found += [start.snapshot for start in demonstrate(ground, _stander(ground), STOOD_S, 0.0, STOOD)[1]]
    return found


def _phases(ground: Ground[ByServos], gait: str, then: str | None = None) -> list[Start[PlanarWalker]]:
    """Moments of a gait in full stride."""
    return demonstrate(ground, _walker(ground, gait, then), SHOWN_S / 2, SETTLED_S, PHASES)[1]


def _changes(ground: Ground[ByServos], gait: str, then: str) -> tuple[list[Samples], list[Start[Any]]]:
    """Changes from one gait into another, each from when it is seen on."""
    lessons, starts = [], []
    for moment in _ready(ground, gait, then):
        ground.world.resume(moment.snapshot)
        if gait == STAND:  # what the feet bear is not seen in the first moment of a world that was gone back to, and a stand begins in no other
            demonstrate(ground, _stander(ground), 0.0, FELT_S)
        shown, begun = demonstrate_change(ground, moment.teacher, LATEST_S, AFTER_S)
        lessons.append(shown)
        starts.append(begun)
    return lessons, starts


def _ready(ground: Ground[ByServos], gait: str, then: str) -> Sequence[Start[Any]]:
    """Moments of a gait, with teachers who are about to change into another one."""
    if gait == STAND:
        return [Start(moment, PlanarWalker(ground.body, teachers_job(), ground.following, then)) for moment in _standing(ground)]
    found = _phases(ground, gait, then)
    for start in found:
        if then != STAND:
            start.teacher.change(then)
    return [_stopping(ground, start) for start in found] if then == STAND else found


def _stopping(ground: Ground[ByServos], start: Start[PlanarWalker]) -> Start[PlanarStopper]:
    """The same moment, with one who is to come to a stand."""
    return Start(start.snapshot, PlanarStopper(start.teacher, _stander(ground), Dynamics(ground.body, ground.world.inertias)))


def teachers_job() -> Job:
    """The job of a teacher: to go on, on a flat floor."""
    return Job(method="gait", settings=None, body=BODY, duration=LATEST_S, fps=30.0, seed=0, ground={"type": "plane"}, friction=FRICTION,
               obstacles=(), events=(), heading=None, speed=None, path=None, self_collision=False, time_step=TIME_STEP, engine=ENGINE,
               played=False)
