"""Who does what in the database that is shipped, and the database of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from ... import presets
from ...reference import Reference
from ..database import Database, Take, take_of
from ..examples import Action
from ..sensors import Device, device_named
from . import actions
from .perform import pace_of, perform
from .score import Mark, Score

PAD = "64x80@12Hz"
MOTION_RATE = 30.0  # frames a second of the motions that are kept
STEP = 2.0**-13  # to which rotations and m are rounded, so that files are small
PLAYS = {"march": "walk"}
BODIES: dict[str, dict[str, Any] | str] = {"man": "average_man", "woman": "average_woman", "short man": "short", "heavy man": "overweight",
                                           "child": {"height": 1.22, "mass": 24.0, "sex": "female"}}
# How each of them stands before what they do, one after the other; how much slower they are, and how far they go.
STANCES = ("side by side", "close", "wide", "left ahead")
MANNERS = {"man": (1.0, 1.0), "woman": (1.08, 0.9), "short man": (0.9, 1.05), "heavy man": (1.15, 0.85), "child": (0.95, 0.95)}
SHARE = 0.5  # of a piece that was found to be active that must be of an action, for its onset to be the action's


@dataclass(frozen=True)
class Performance:
    """A take that is to be made: its name, who does it, and what."""

    name: str
    person: dict[str, Any] | str
    score: Score
    seed: int


def programme() -> list[Performance]:
    """All takes, each also mirrored."""
    found = []
    for number, (who, person) in enumerate(BODIES.items()):
        slow, far = MANNERS[who]
        for which, (what, scores) in enumerate(_pieces(number, slow, far)):
            score = chained(scores)
            for side, one in (("", score), (" mirrored", score.mirrored())):
                found.append(Performance(f"{who}: {what}{side}", person, one, 100 * number + 2 * which + (1 if side else 0)))
    return found


def _pieces(number: int, slow: float, far: float) -> Iterable[tuple[str, list[Score]]]:
    """What one of them does, with a number that chooses how he stands."""
    def stance(which: int) -> actions.Places:
        return actions.STANCES[STANCES[(number + which) % len(STANCES)]]

    sizes = tuple(far * size for size in (0.3, 0.6, 0.95))
    yield "steps", [actions.step(stance(0), direction, size, foot=turn % 2, slow=slow)
                    for turn, size in enumerate(sizes) for direction in ("forward", "back")]
    yield "side steps", [actions.step(stance(1), direction, size, slow=slow) for size in sizes for direction in ("left", "right")]
    yield "kicks", [actions.kick(stance(2), far * height, slow=0.95 * slow) for height in (0.4, 0.75, 1.1)]
    yield "kicks from behind", [actions.kick(actions.FIGHTING, far * height, slow=0.9 * slow) for height in (0.6, 1.2)]
    yield "lunges", [actions.lunge(stance(3), far * size, depth, slow=slow) for size, depth in ((0.75, 0.1), (0.9, 0.25), (1.0, 0.38))]
    yield "punches", [actions.punches((actions.FIGHTING, actions.WIDE)[number % 2], 4, slow=slow)]
    yield "squats", [actions.squat(stance(0), depth, slow=slow) for depth in (0.3, 0.5 * far)]
    yield "jumps", [actions.jump(stance(1), actions.airtime(height * far)) for height in (0.08, 0.2)]
    yield "one leg", [actions.one_leg(stance(2), 1.5, 0.2 + 0.1 * (number % 3), slow=slow)]
    yield "marching", [actions.march(stance(3), 7, 0.2 + 0.08 * (number % 3), slow=slow)]
    yield "walking", [actions.walk(stance(0), 7, 0.7 * far, slow=slow)]
    yield "shifts", [actions.shift(stance(1), 0, 0.88, slow=slow), actions.shift_forward(stance(1), slow=slow),
                     actions.shift(stance(1), 1, 0.8, 0.6, slow)]
    yield "standing", [actions.stand(stance(2), 8.0)]


def chained(scores: Sequence[Score]) -> Score:
    return reduce(Score.then, scores)


def made(performance: Performance, device: Device) -> Take:
    """The take, as its body does it."""
    body = presets.body(performance.person)
    reference = perform(performance.score, body, performance.name, performance.seed)
    pace = pace_of(body)
    marks = [Mark(mark.name, mark.start * pace, mark.end * pace) for mark in performance.score.marks]
    return marked(take_of(reference, performance.person, device), reference, marks)


def marked(take: Take, reference: Reference, marks: Sequence[Mark]) -> Take:
    """The take with the names of its marks. Its onsets are where an action is seen to begin, as they are in clips; where it is not seen, as when only
    weight is shifted, they are those of the marks."""
    found, left = [], list(take.example.actions)
    for mark in marks:
        own = [one for one in left if min(one.end, mark.end) - max(one.start, mark.start) > SHARE * (one.end - one.start)]
        left = [one for one in left if one not in own]
        found.append(Action(mark.name, min((one.start for one in own), default=mark.start), max((one.end for one in own), default=mark.end)))
    found += [replace(one, name="") for one in left]
    quiet = [piece for start, end in take.example.quiet for piece in _without(start, end, found)]
    motion = reference.motion.resample(MOTION_RATE)
    motion = replace(motion, root_positions=_rounded(motion.root_positions), rotations=_rounded(motion.rotations))
    example = replace(take.example, actions=sorted(found, key=lambda action: action.start), quiet=quiet)
    return replace(take, motion=motion, example=example)


def _rounded(values: np.ndarray) -> np.ndarray:
    return np.round(values / STEP) * STEP


def _without(start: float, end: float, found: Sequence[Action], least: float = 0.3) -> list[tuple[float, float]]:
    """The pieces from start to end that are in no action, if they last."""
    pieces = [(start, end)]
    for action in found:
        cut = [piece for one, other in pieces for piece in ((one, min(other, action.start)), (max(one, action.end), other))]
        pieces = [(one, other) for one, other in cut if other - one >= least]
    return pieces


def build(tell: Callable[[float, str], None] = lambda done, doing: None) -> Database:
    """The database that is shipped; ``tell`` is told how much is done, and what is being done."""
    device, takes = device_named(PAD), []
    performances = programme()
    for number, performance in enumerate(performances):
        tell(number / len(performances), performance.name)
        takes.append(made(performance, device))
    return Database(device.name, takes, PLAYS)
