"""Clips: controllers of a body in 3D, learned from tracking recordings: the law that tracks a clip in time teaches one that knows no time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import presets
from ..control.tracker import Tracker, gains_of
from ..errors import JobError, SimulationError
from ..job import Job
from ..physics import choose_engine, world_class
from ..reference import Reference
from ..start import place_in
from .balanced import ByBalance, Moments, Tracked
from .controller import STATIONARY, TRANSITION
from .following import world_settings
from .lesson import Lesson
from .refine import Ground, Samples, Start, demonstrate
from .senses import Senses, Weights

ENGINES, TIME_STEP, FRICTION = ("pybullet", "mujoco"), 0.002, 0.8  # the first engine that is there
EVERY = 0.012  # s from one choice to the next: the reference is bent as often when a clip is tracked
NEIGHBOURS, FAR = 6, 6.0  # see ``Lesson``
SHOWN_S, STARTS = 10.0, 12  # s of each clip's loop that are shown, and moments of that to begin at
APART = {STATIONARY: 1, TRANSITION: 2}  # frames of a clip from one moment that is kept to the next: a loop has few, a change is all new
MOVES = 0.1  # m/s of the pelvis, from which on a clip moves
PERTURBED, PUSHED = (0.08, 0.2), (60.0, 40.0)  # of trials that are disturbed: see ``Trial``


@dataclass(frozen=True)
class Shown:
    """A clip that shows what is to be learned, from ``first`` s on. The body does what comes before it, too, so that it comes into its stride."""

    clip: Reference
    first: float = 0.0


@contextmanager
def lesson(name: str, clips: Sequence[Shown], kind: str, body: str | dict[str, Any]) -> Iterator[tuple[Ground[Any], Lesson]]:
    """To do what clips do that were prepared for a body; and the ground to learn it on. A STATIONARY controller repeats the steps of a clip that
    repeat best, or holds a stand; a TRANSITION does the clip once."""
    figure, whole = presets.body(body), asdict(gains_of({}))
    with world_class(choose_engine(preferred=ENGINES))(figure, settings=world_settings(figure, TIME_STEP, FRICTION)) as world:
        following = ByBalance(figure, world.inertias, whole, FRICTION)
        ground, moments = Ground(world, Senses(figure, Weights()), following, EVERY), Moments(APART[kind])
        shown: list[Samples] = []
        left_out: list[str] = []
        starts: list[Start[Tracked]] = []
        for each in clips:
            tracker = _tracker(ground, each.clip, kind == STATIONARY, whole)
            world.time = 0.0
            place_in(world, tracker.start())
            first = each.first if kind == STATIONARY else _moves_from(each.clip, each.first)
            seconds = SHOWN_S if tracker.done is None else each.clip.motion.duration - first
            try:
                piece, begun = demonstrate(ground, Tracked(tracker, moments), seconds, first, STARTS if kind == STATIONARY else 1)
            except SimulationError:  # one clip that cannot be tracked is no reason not to learn from the others
                left_out.append(each.clip.name)
                if len(left_out) == len(clips):
                    raise
                continue
            shown.append(piece)
            starts += begun
        yield ground, Lesson(name, kind, body, shown, starts, {"gains": whole}, EVERY, TIME_STEP, NEIGHBOURS, FAR, PERTURBED, PUSHED, moments.rows,
                             left_out)


def _moves_from(clip: Reference, first: float) -> float:
    """s from ``first`` on, at which a clip begins to move: a change that knew how to stand still would never end it."""
    speeds = np.linalg.norm(np.diff(clip.motion.root_positions, axis=0), axis=1) * clip.motion.fps
    moving = np.flatnonzero(speeds[round(first * clip.motion.fps):] > MOVES)
    return first + (float(moving[0]) / clip.motion.fps if len(moving) else 0.0)


def _tracker(ground: Ground[Any], reference: Reference, repeats: bool, gains: dict[str, Any]) -> Tracker:
    """Who tracks a clip: its loop, if it repeats and has one."""
    body, inertias = ground.body, ground.world.inertias
    job = Job(method="track", settings=None, body=body.name, duration=SHOWN_S, fps=30.0, seed=0, ground={"type": "plane"}, friction=FRICTION,
              obstacles=(), events=(), heading=None, speed=None, path=None, self_collision=False, time_step=TIME_STEP, engine=ground.world.engine,
              played=False)
    if repeats:
        with suppress(JobError):  # of a clip without a cycle
            return Tracker(body, job, [reference], inertias, gains_of(gains), loop=True)
    return Tracker(body, job, [reference], inertias, gains_of(gains))
