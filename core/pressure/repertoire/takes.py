"""Who does what in the database that is shipped; presets/make_repertoire.py lets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from ... import presets
from ...arrays import Array
from ...body import Body
from ...feet import soles
from ...motion import Motion
from ...reference import Reference
from ...result import Result
from ...signals import runs
from ..database import Take, take_of
from ..examples import Action
from ..sensors import Device
from ..tread import of_result
from . import actions
from .perform import pace_of, perform
from .score import Mark, Score

PAD = "64x80@12Hz"
Simulated = Callable[[Reference, dict[str, Any] | str], Result | None]  # a reference done by a simulated body; None where it does not hold
MOTION_RATE = 30.0  # frames a second of the motions that are kept
STEP = 2.0**-13  # to which rotations and m are rounded, so that files are small
PLAYS = {"march": "walk"}
BODIES: dict[str, dict[str, Any] | str] = {"man": "average_man", "woman": "average_woman", "short man": "short", "heavy man": "overweight",
                                           "child": {"height": 1.22, "mass": 24.0, "sex": "female"}}
MANNERS = ("calm", "brisk")  # each of them is there in both
ON_THE_FLOOR, FOR_A_WHILE_S = 0.006, 0.15  # m up to which it is, and s
SHARE = 0.5  # of a piece that was found to be active that must be of an action, for its onset to be the action's


@dataclass(frozen=True)
class Performance:
    """A take that is to be made: its name, who does it, and what; the seed of the sway and how much there is of it; whether it is calm enough to be
    done by a simulated body."""

    name: str
    person: dict[str, Any] | str
    score: Score
    seed: int
    sway: float
    calm: bool = False


class Manner:
    """How somebody does things: nobody does them twice alike. ``brisk`` people are quick, go far and do not rest between two actions."""

    def __init__(self, seed: int, brisk: bool) -> None:
        self._random = np.random.default_rng(seed)
        self._brisk = brisk
        self.slow, self.far = (self.any(0.78, 1.0), self.any(0.95, 1.15)) if brisk else (self.any(0.98, 1.25), self.any(0.8, 1.0))
        self.sway = self.any(0.7, 1.8)
        self._away = self.any(0.2, 2.0)

    def any(self, low: float, high: float) -> float:
        return float(self._random.uniform(low, high))

    def turn(self) -> int:
        return int(self._random.integers(2))

    def does(self, score: Score) -> Score:
        """The score as this one does it."""
        if not score.leaps:
            score = score.slower(self.slow * self.any(0.9, 1.1))
        score = score.braced(self._away * self.any(0.6, 1.4), self.any(0.8, 1.1) if self._brisk else self.any(0.9, 1.6))
        rests = actions.QUIET * (self.any(0.0, 0.5) if self._brisk else self.any(0.6, 1.0))
        return score.trimmed(actions.QUIET - rests, actions.QUIET - rests)

    def stance(self, apart: tuple[float, float] = (0.14, 0.4), ahead: float = 0.15) -> actions.Places:
        return actions.stance(self.any(*apart), self.any(-ahead, ahead))


def programme() -> list[Performance]:
    """All takes; about half of them are mirrored."""
    found: list[Performance] = []
    for who, person in BODIES.items():
        for manner in MANNERS:
            number = len(found)
            doing = Manner(number, manner == "brisk")
            for what, scores in _pieces(doing):
                score = chained([actions.stand(scores[0].places, 0.5), *map(doing.does, scores), actions.stand(scores[0].places, 0.35)])
                score = replace(score, rests=doing.any(0.36, 0.64))
                score = score.mirrored() if doing.turn() else score
                found.append(Performance(f"{manner} {who}: {what}", person, score, len(found), doing.sway, manner == "calm"))
    return found


def _pieces(doing: Manner) -> Iterable[tuple[str, list[Score]]]:
    """What one of them does."""
    for name, size in (("short", 0.3), ("medium", 0.6), ("large", 0.95)):
        at = doing.stance((0.13, 0.3), 0.04)
        yield f"{name} steps", [actions.step(at, direction, doing.far * size, doing.turn()) for direction in ("forward", "back")]
        at = doing.stance((0.13, 0.3), 0.04)
        yield f"{name} side steps", [actions.step(at, direction, doing.far * size) for direction in ("left", "right")]
    for name, height in (("low", 0.4), ("middle", 0.75), ("high", 1.1)):
        at = doing.stance()
        yield f"{name} kick", [actions.kick(at, doing.far * height * doing.any(0.9, 1.1))]
        at = actions.stance(doing.any(0.15, 0.35), doing.any(0.4, 0.8))
        yield f"{name} kicks from behind", [actions.kick(at, doing.far * height * doing.any(0.9, 1.1)) for _ in range(2)]
    for name, size, depth in (("short", 0.75, 0.1), ("medium", 0.9, 0.25), ("deep", 1.0, 0.4)):
        at = doing.stance((0.16, 0.3), 0.08)
        yield f"{name} lunge", [actions.lunge(at, doing.far * size, depth)]
    at = actions.stance(doing.any(0.3, 0.65), doing.any(0.2, 0.6) * (1 - 2 * doing.turn()))
    yield "punches", [actions.punches(at, 5, doing.any(0.7, 1.3)).slower(doing.any(0.62, 1.0))]
    at = doing.stance()
    yield "squats", [actions.squat(at, depth) for depth in (0.25, 0.55 * doing.far)]
    for name, height in (("low", 0.08), ("high", 0.2)):
        yield f"{name} jump", [actions.jump(doing.stance(), actions.airtime(height * doing.far))]
    yield "one leg", [actions.one_leg(doing.stance(), 1.5, doing.any(0.15, 0.45))]
    yield "marching", [actions.march(doing.stance(), 7, doing.any(0.15, 0.4))]
    yield "walking", [actions.walk(doing.stance((0.14, 0.3), 0.1), 7, 0.7 * doing.far)]
    at = doing.stance((0.2, 0.5))
    yield "shifts", [actions.shift(at, 0, doing.any(0.75, 0.95), doing.any(0.0, 0.6)), actions.shift_forward(at, doing.any(0.15, 0.28)),
                     actions.shift(at, 1, doing.any(0.75, 0.95), doing.any(0.0, 0.6))]
    yield "standing", [actions.stand(doing.stance(), 5.0, tuple((1.3 * k, doing.any(0.4, 0.6)) for k in range(1, 4)))]


def chained(scores: Sequence[Score]) -> Score:
    return reduce(Score.then, scores)


def made(performance: Performance, device: Device, simulated: Simulated | None = None) -> tuple[Take, bool]:
    """The take, and whether it is of a simulated body; else the pressure under it follows from how it moves."""
    body = presets.body(performance.person)
    reference, tread = perform(performance.score, body, performance.name, performance.seed, performance.sway), None
    result = simulated(reference, performance.person) if simulated and performance.calm else None
    if result is not None:
        motion = Motion(body.skeleton, result.fps, result.root_positions, result.rotations)
        reference, tread = replace(reference, motion=motion), of_result(result)
    pace = pace_of(body)
    marks = [Mark(mark.name, mark.start * pace, mark.end * pace) for mark in performance.score.marks]
    return marked(take_of(reference, performance.person, device, tread=tread), reference, marks), result is not None


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


def dragged(body: Body, motion: Motion) -> float:
    """m that a heel or the tips of toes get away, at most, from where they stand while they are on the floor for a while."""
    points, far = soles(body, motion), 0.0
    for foot in (0, 1):
        for row in (0, 4):
            place = points[:, foot, row:row + 2].mean(axis=1)
            for start, end in runs(place[:, 2] < ON_THE_FLOOR):
                if end - start >= FOR_A_WHILE_S * motion.fps:
                    stood = place[start + 1:end - 1, :2]  # within its first and last frame it comes and goes
                    far = max(far, float(np.linalg.norm(stood - np.median(stood, axis=0), axis=1).max()))
    return far


def _rounded(values: Array) -> Array:
    return np.round(values / STEP) * STEP


def _without(start: float, end: float, found: Sequence[Action], least: float = 0.3) -> list[tuple[float, float]]:
    """The pieces from start to end that are in no action, if they last."""
    pieces = [(start, end)]
    for action in found:
        cut = [piece for one, other in pieces for piece in ((one, min(other, action.start)), (max(one, action.end), other))]
        pieces = [(one, other) for one, other in cut if other - one >= least]
    return pieces
