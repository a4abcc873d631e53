"""Lesson: what all controllers are learned like, whatever they learn: from what was shown to a controller that holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..arrays import Array
from ..context import Context
from ..physics.state import State
from .controller import STATIONARY, Controller
from .refine import Ground, Practise, Samples, Start, Trial, normal_distance, practise_here, refined
from .senses import Weights

USUALLY = 0.95  # fraction of the samples whose distances from each other tell how dense samples are
LEAST, MOST_FAR = 0.7, 5.0  # distances up to which no state is abnormal, and beyond which all are: those of feet which are 5 and 30 cm elsewhere
BESIDE_S = 0.1  # s: samples nearer in time than that say nothing of how dense samples are
SECONDS = 20.0  # s of a trial, at first
LONGEST_S, ENOUGH = 120.0, 8  # see ``Lesson``


@dataclass(frozen=True)
class Lesson:
    """What is to be learned.

    Attributes:
        name, kind, body: of the controller. far: a state is abnormal that is so many times further from all samples than these are from each other.
        shown: by teachers, each piece from beginning to end; starts: moments to practise from.
        following: see ``Controller``; every, time_step, neighbours: too. perturbed, pushed: of trials that are disturbed, see ``Trial``.
        moments: rows that choices begin with, where they do; filled while it is learned. left_out: names of clips on which the teacher fell.
        longest: s of a trial of what goes on for ever, after it has held some. enough: trials in a row that must be held.
    """

    name: str
    kind: str
    body: str | dict[str, Any]
    shown: list[Samples]
    starts: Sequence[Start[Any]]
    following: dict[str, Any]
    every: float
    time_step: float
    neighbours: int
    far: float
    perturbed: tuple[float, float]
    pushed: tuple[float, float]
    moments: list[Array] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    longest: float = LONGEST_S
    enough: int = ENOUGH


def learned(ground: Ground[Any], lesson: Lesson, *, rounds: int, seed: int, made_by: str, context: Context,
            keep: Callable[[Controller], None], patience: float = float("inf"), known: Controller | None = None, beside: int = 1,
            practise: Practise | None = None) -> tuple[Controller, list[float]]:
    """A controller, refined until it holds or for so many ``rounds``; and for how long each trial was held (s). ``keep``: told of what is there.
    ``patience``: s after which no round begins any more. ``known``: what stopped work on it has come to, to go on from; that of another
    lesson is left. ``beside``: trials of a round. ``practise``: who makes them; by default they are made here."""
    ground.world.resume(lesson.starts[0].snapshot)
    start = as_start(ground.world.read())
    states, choices, sorts, times = (np.concatenate([getattr(piece, each.name) for piece in lesson.shown]) for each in fields(Samples))
    controller = Controller(lesson.name, lesson.kind, lesson.body, states, choices, np.array(lesson.moments), sorts, times, np.array([len(states)]),
                            lesson.neighbours, Weights(), lesson.every, lesson.time_step, 0.0, lesson.following, start, made_by)
    controller = normal_distance(controller, USUALLY, lesson.far, round(BESIDE_S / lesson.every), LEAST, MOST_FAR)
    longest = lesson.longest if lesson.kind == STATIONARY else max(map(len, lesson.shown)) * lesson.every

    def trials(number: int, in_a_row: int) -> Trial:
        seconds = min(longest, SECONDS * 2.0 ** (in_a_row // 2))
        return Trial(seconds, lesson.perturbed, lesson.pushed) if number % 2 else Trial(seconds)

    if known is not None and not known.began_as(controller):
        context.say(f"The unfinished work on '{lesson.name}' is of another lesson: it begins anew.")
        known = None
    if known is not None:
        controller = replace(known, made_by=made_by)
    return refined(ground, controller, practise or practise_here(ground, lesson.starts), len(lesson.starts), trials, rounds,
                   seed + controller.refinements, lesson.enough, context, keep,
                   (known.moments if known is not None else np.zeros((0, 0)), lesson.moments), patience, beside)


def as_start(state: State) -> dict[str, Any]:
    """A state as ``start.place_in`` takes it, at the origin."""
    return {"height": state.position[2], "rotation": list(state.rotation), "joints": list(state.joints), "velocity": list(state.velocity),
            "angular_velocity": list(state.angular_velocity), "joint_velocities": list(state.joint_velocities)}
