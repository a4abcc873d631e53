"""By balance: in 3D a choice is what the balancing law of tracked clips is to follow at this moment: pose, velocity, contacts.

On plain servos, as in the paper, a body in 3D fell whatever was tried. So the regression chooses the reference, and that law makes the torques.
"""

from __future__ import annotations

import copy
from dataclasses import fields, replace
from math import prod
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..control.course import Course, Sample
from ..control.data_driven import DataDriven, TrackingAim
from ..control.tracker import EVERY, Tracker, gains_of
from ..dynamics import Dynamics, Pose
from ..physics.state import PerJoint, State

WORTH = 0.1  # of phases, of shares of the weight …, from which on two choices differ
SWINGS = 4  # the sort of a sample is that of its stance and its swing foot, and so much more while that one swings
FEET, HALF = slice(-9, -6), 0.5  # of a choice: stance, swing, and how much that one swings


class ByBalance:
    """The balancing law of tracked clips on one body. A choice is a moment, see ``Moments``, and then stance, swing, how much that one swings, the
    phase of its swing, both shares of the weight, drop, lateness and tempo, see ``TrackingAim``."""

    hold = EVERY

    def __init__(self, body: Body, inertias: Array, gains: dict[str, Any], friction: float):
        """``gains``: as a job that tracks has them."""
        self.law = DataDriven(body, Dynamics(body, inertias), gains_of(gains), friction)
        self._places = _places(len(body.names))
        self._seen: State | None = None
        self.turning = 0.0

    def see(self, state: State) -> Pose:
        if self._seen is not state:
            self.law.see(state)
            self._seen = state
        return self.law.pose

    def take(self, choice: Array, facing: float) -> None:
        values = [choice[place].reshape(shape) for place, shape in self._places]
        values[0] = values[0] / np.sqrt((values[0] * values[0]).sum(axis=1, keepdims=True))
        turning, stance, swing, swinging, phase, left, right, drop, late, tempo = choice[self._places[-1][0].stop:].tolist()
        self.turning = 0.0 if late else tempo * turning
        self.law.bend(TrackingAim(Sample(*values), facing, facing, None, round(stance), round(swing), swinging, phase, (left, right), drop, late,
                                  tempo=tempo))

    def torques(self, state: State) -> PerJoint:
        self.see(state)
        return self.law.torques(state)

    def between(self, choice: Array, other: Array, share: float) -> Array:
        """Where they are in different steps, there is nothing between them: it is the one that counts more."""
        feet, feet_of_other = choice[FEET], other[FEET]
        if (abs(feet - feet_of_other)[:2] > HALF).any() or (feet[2] > 0.0) != (feet_of_other[2] > 0.0):
            return other if share > HALF else choice
        return choice + share * (other - choice)

    def differs(self, choice: Array, other: Array) -> bool:
        """By where in a step they are: moments of the same step are alike where its phases are."""
        return bool(abs(choice[-len(other) + 1:] - other[1:]).max() > WORTH)

    def shown(self) -> Array:
        return self.law.reference_joints()


def _places(links: int) -> list[tuple[slice, tuple[int, ...]]]:
    """Where the fields of a ``Sample`` stand in a choice, in order, and their shapes."""
    shapes: list[tuple[int, ...]] = [(links, 4), (links, 3), (links, 3), (4, 3), (4, 3), (3,), (3,), (3,), (3,), (2, 3), (2, 3), (2,), (2,)]
    ends = np.cumsum([prod(shape) for shape in shapes]).tolist()
    return [(slice(start, end), shape) for start, end, shape in zip([0, *ends], ends, shapes, strict=False)]


class Moments:
    """Moments of clips as they were seen, each once: rows as choices begin with them.

    A moment is seen from where the clip faces, and from where its pelvis is: so it can be followed anywhere, in any direction. Its last number is how
    fast the clip turns (rad/s).
    """

    def __init__(self, apart: int):
        """``apart``: frames from one moment that is kept to the next."""
        self._apart = apart
        self.rows: list[Array] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._courses: list[Course] = []  # kept, so that each is known by its identity

    def number(self, course: Course, frame: float) -> int:
        """Of the moment of a clip that is nearest to a frame."""
        key = (id(course), self._apart * round(frame / self._apart))
        if key not in self._numbers:
            self._courses.append(course)
            self._numbers[key] = len(self.rows)
            turning = course.fps * (course.facing(key[1] + 0.5) - course.facing(key[1] - 0.5))
            self.rows.append(np.append(_turned(course.at(key[1]), course.facing(key[1])), turning))
        return self._numbers[key]


def _turned(sample: Sample, facing: float) -> Array:
    """A sample as one row, turned so that the clip faces along +X, its pelvis above the origin."""
    back = np.array((np.cos(0.5 * facing), 0.0, 0.0, -np.sin(0.5 * facing)))
    rotations = sample.rotations.copy()
    rotations[0] = rotation.multiply(back, rotations[0])
    rotations *= np.where(rotations[:, :1] < 0.0, -1.0, 1.0)  # of the two quaternions of a turn always the same, so that they can be averaged
    world = {name: rotation.rotate(back, getattr(sample, name)) for name in ("turning", "turned", "com_velocity", "com_acceleration")}
    rates, accelerations = sample.rates.copy(), sample.accelerations.copy()
    rates[0], accelerations[0] = rotation.rotate(back, rates[0]), rotation.rotate(back, accelerations[0])
    over = sample.root * (1.0, 1.0, 0.0)
    places = {name: rotation.rotate(back, getattr(sample, name) - over) for name in ("root", "com", "balls", "ankles")}
    found = replace(sample, rotations=rotations, rates=rates, accelerations=accelerations, **world, **places)
    return np.concatenate([np.ravel(getattr(found, item.name)) for item in fields(Sample)])


class Tracked:
    """Teaches what tracking a clip does. ``moments`` collects what is seen of the clip, also by its copies."""

    arrived = True

    def __init__(self, tracker: Tracker, moments: Moments):
        self.tracker, self._moments = tracker, moments

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracked:
        return Tracked(copy.deepcopy(self.tracker, memo), self._moments)

    def torques(self, state: State) -> PerJoint:
        return self.tracker.torques(state)

    def choice(self, state: State, torques: PerJoint) -> Array:
        follower, aim = self.tracker.follower, self.tracker.law.aim
        number = self._moments.number(follower.step.course, min(follower.frame, float(follower.step.end)))
        return np.array([number, aim.stance, aim.swing, aim.swinging, aim.phase, *aim.shares, aim.drop, aim.late, aim.tempo])

    @property
    def facing(self) -> float:
        return self.tracker.commanded_heading

    @property
    def sort(self) -> int:
        aim = self.tracker.law.aim
        return aim.stance + 2 * aim.swing + SWINGS * (aim.swinging > 0.0)
