"""Tracker: drives a body through a Job that follows recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, sin
from typing import Any

import numpy as np

from .. import presets, rotation
from ..arrays import Array
from ..body import Body
from ..dynamics import Dynamics
from ..errors import JobError
from ..job import Job
from ..physics import World
from ..physics.state import PerJoint, State
from ..quaternion import hinge_angle
from ..reference import Reference
from .course import Course
from .data_driven import OFF, DataDriven, Gains
from .driver import FALLEN, TIPPING, Driver
from .follower import Follower, Step, steps_of
from .route import AsRecorded, Loop, Spliced

CLEARANCE = 0.002  # m over the ground at the start: a pose that penetrates it would be thrown up
STUB_S = 1.2  # s before a fall in which a foot that caught the ground is taken for its cause
EVERY = 3  # steps of the engine from one moment of control to the next
DROPPED = 0.15  # of the standing height: a pelvis that is lower than the clip's by less than this has not fallen, however low the clip goes
LEANS = 1.05  # rad: a body whose pelvis or trunk is tilted from the clip's by more than this has fallen
LOST_M = 0.35  # m that its joints are off the clip's on average, seen from the pelvis, from which on a body no longer does what the clip does


def gains_of(values: Mapping[str, Any], without: Sequence[str] = ()) -> Gains:
    """Gains from a job: ``values`` in place of the usual ones. ``without``: names of feedback that is switched off."""
    usual = presets.read_json(presets.FOLDER / "tracking.json")["gains"]
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in usual.items()}
    for name, value in values.items():
        if name not in usual:
            raise JobError(f"gains has no '{name}'; known are {', '.join(usual)}.")
        pair = isinstance(usual[name], list)
        numbers = value if pair else [value]
        fine = isinstance(numbers, (list, tuple)) and len(numbers) == (2 if pair else 1)
        if not fine or not all(isinstance(number, (int, float)) and 0.0 <= number < 1e5 for number in numbers):
            raise JobError(f"gains.{name} is {value!r}; allowed is {'a list of two numbers' if pair else 'a number'} from 0 on.")
        given[name] = tuple(map(float, numbers)) if pair else float(value)
    for name in without:
        given |= OFF.get(name, {})
    return Gains(**given)


class Tracker(Driver):
    """Follows the references of a job; the controller that acts is ``law``."""

    every = EVERY

    def __init__(self, body: Body, job: Job, references: list[Reference], inertias: Array, gains: Gains, *, loop: bool = False,
                 stance_width: float = 0.0, synchronised: bool = True, begin: float = 0.0):
        """
        Args:
            inertias: (L, 3) kg·m² of the links as they are simulated.
            loop: go on after the end of the clip, with the steps that repeat best, or with those of several clips.
            stance_width: rad, by which each leg is set out. synchronised: whether the clip waits for the feet.
            begin: s of a clip that is not looped, from which on it is followed.
        """
        super().__init__(body, job)
        dynamics = Dynamics(body, inertias)
        self.law = DataDriven(body, dynamics, gains, job.friction, stance_width * body.leg_length)

        def steps(reference: Reference) -> list[Step]:
            return steps_of(reference, Course(reference.motion, dynamics), gains)

        route: AsRecorded | Loop | Spliced
        if not loop:
            route = AsRecorded(job, steps(references[0]), begin)
        elif len(references) == 1:
            route = Loop(job, references[0], steps)
        else:
            route = Spliced(job, references, steps)
        self._route, first = route, route.first
        faced = first.start if loop else 0
        self.follower = Follower(body, self.law, route, yaw=job.facing - first.course.heading(faced), synchronised=synchronised)
        self.follower.frame = max(self.follower.frame, begin * first.course.fps)
        self._away = 0.0  # m off the clip, when it was last looked at
        self._span = None if loop else (self.follower.frame, references[0].fragments[-1].end)  # frames of the course, of a clip with an end

    @property
    def gait_name(self) -> str:
        return self.follower.step.reference.name

    @property
    def stance(self) -> int:
        return self.follower.step.stance

    @property
    def state_index(self) -> int:
        return self.follower.step.number

    @property
    def steps(self) -> int:
        return self.follower.steps

    @property
    def finished(self) -> bool:
        return self.follower.finished

    @property
    def done(self) -> float | None:
        if self._span is None:
            return None
        first, last = self._span
        return (min(self.follower.frame, self.follower.step.end) - first) / max(last - first, 1.0)

    @property
    def commanded_heading(self) -> float:
        follower = self.follower
        return follower.turned + follower.step.course.facing(follower.frame)

    def steer(self, heading: float, speed: float | None) -> None:
        super().steer(heading, speed)
        self._route.lead(self.job)

    def torques(self, state: State) -> PerJoint:
        return self.follower.torques(state, self.every * self.job.time_step)

    def start(self) -> dict[str, Any]:
        """Where and how the body is at the first frame: height, rotation, joints and their rates, as ``start.place_in`` takes them."""
        step, yaw = self.follower.step, self.follower.yaw
        sample = step.course.at(step.start)
        turn = (cos(0.5 * yaw), 0.0, 0.0, sin(0.5 * yaw))
        joints: PerJoint = [None]
        rates: PerJoint = [None]
        for link, hinge in enumerate(self.body.hinges):
            if link:
                w, x, y, z = rotation.normalize(sample.rotations[link]).tolist()
                joints.append(hinge_angle((w, x, y, z)) if hinge else (w, x, y, z))
                rates.append(float(sample.rates[link, 1]) if hinge else tuple(sample.rates[link].tolist()))
        low = float(sample.lows.min())
        lift = CLEARANCE - low if low < 2 * CLEARANCE else 0.0
        return {"height": float(sample.root[2]) + lift, "rotation": tuple(rotation.multiply(turn, rotation.normalize(sample.rotations[0])).tolist()),
                "joints": joints, "joint_velocities": rates, "velocity": tuple(rotation.rotate(turn, step.course.root_velocity(step.start)).tolist()),
                "angular_velocity": tuple(rotation.rotate(turn, sample.rates[0]).tolist())}

    def look_around(self, world: World, state: State) -> None:
        positions = self.law.pose.origins
        self._away = float(np.linalg.norm((positions - positions[0]) - self.law.dynamics.joints(self.law.reference_rotations()), axis=1)[1:].mean())

    def down(self, state: State, ground: float) -> bool:
        """By how low the body is, how it leans and how far its joints are off, all as seen from the clip."""
        low = min(FALLEN, self.law.aim.sample.root[2] / self.body.standing_height - DROPPED)
        fallen = state.position[2] - ground < low * self.body.standing_height
        return bool(fallen or self._away > LOST_M or (self._upright() < cos(LEANS)).any())

    def tipping(self, state: State, ground: float) -> bool:
        return self.down(state, ground) or bool((self._upright() < cos(TIPPING)).all())

    def _upright(self) -> Array:
        """(2,) cosines of the angles between pelvis and torso and those of the clip, without their turns about the vertical."""
        trunk = [0, self.law.torso]
        ours, clip = self.law.pose.frames[trunk, :, 2], self.law.dynamics.frames(self.law.reference_rotations())[trunk, :, 2]
        return np.asarray((ours * clip).sum(axis=1))

    def fell_because(self, time: float) -> str:
        follower = self.follower
        step, stub = follower.step, follower.stub
        frame = round(min(follower.frame, step.end) * step.reference.fps / step.course.fps)
        caught = f", after its {('left', 'right')[stub[1]]} foot had caught the ground at {stub[0]:.2f} s" if stub and time - stub[0] < STUB_S else ""
        return (f"Fell at {time:.2f} s near frame {frame} of '{step.reference.name}'{caught}; let it search for gains that hold (tune), "
                "or take the attempt as it is.")

    def shown(self) -> Array:
        return self.law.reference_joints()
