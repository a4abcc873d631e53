"""Imitator: drives a body through a Job with a periodic controller made from a recording."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from math import cos, sin
from typing import Any

import numpy as np

from .. import presets, rotation
from ..arrays import Array
from ..body import Body
from ..errors import JobError
from ..job import Job
from ..physics.state import PerJoint, State
from ..quaternion import hinge_angle
from ..reference import Reference
from .driver import Driver
from .feedforward import Feedforward
from .gait import GAINS, Gait, GaitPose, gait_from_dict, lowered
from .imitation import Imitation
from .periodic import Periodic, periodic
from .steering import IMITATION_STEERING, curve_value

START = 0.3  # fraction of the first step that is over when the body is placed: it stands on one leg, the other is in the air
CLEARANCE = 0.002  # m over the ground at the start: a pose that penetrates it would be thrown up
FLIGHT = 0.15  # fraction of the cycle without a foot on the ground, from which on a recording is a run


def settings(gains: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The preset of imitation as data, with ``gains`` in place of its own: [kp, kd, limit] of a joint, feedback by its name in ``GaitPose``, or
    an angle that is added to the recording's by its name with "_angle", as in "swing_knee_angle"."""
    data = copy.deepcopy(presets.read_json(presets.FOLDER / "imitation.json"))
    feedback = [field.name for field in fields(GaitPose) if field.name.endswith(("cd", "cv"))]
    angles = [f"{name}_angle" for name in ("torso", "swing_hip", "swing_knee", "swing_ankle", "stance_knee", "stance_ankle")]
    for name, value in (gains or {}).items():
        if name in GAINS:
            data["gains"][name] = value
        elif name in feedback or name in angles:
            data["states"][0][name.removesuffix("_angle")] = value
        else:
            raise JobError(f"gains: imitation has no '{name}'; known are {', '.join([*GAINS, *feedback, *angles])}.")
    return data


class Imitator(Driver):
    """Drives a body through a Job. The controller that acts is ``law``; ``start``: a state in full stride, as ``start.place_in`` takes it."""

    def __init__(self, body: Body, job: Job, reference: Reference, *, gains: Mapping[str, Any] | None = None, without: Sequence[str] = (),
                 stance_width: float = 0.0, arm_spread: float = 0.0, feedforward: dict[str, Any] | None = None, feedback_gain: float = 1.0):
        """
        Args:
            gains: as ``settings`` takes them. without: names of feedback to leave out.
            stance_width: rad added to both swing hips, outward. arm_spread: rad added to both shoulders, outward.
            feedforward: torques learned for this recording, used with the share ``feedback_gain`` of the trunk's feedback gains.
        """
        super().__init__(body, job)
        self.motion = periodic(reference)
        gait = gait_from_dict(settings(gains), reference.name).scaled(body.mass, body.leg_length)
        if self.motion.flight > FLIGHT:
            gait = replace(gait, style=replace(gait.style, share_load=False))
        self._gait = _without(gait, without)
        self.law = Imitation(body, self._gait, self.motion, job.time_step, job.friction)
        self.law.machine.synchronised = "synchronisation" not in without
        self.law.command.swing_offset = (0.0, stance_width)
        self.law.command.arm_spread = arm_spread
        self.law.begin_at(0, START)
        if feedforward:
            self.law.feedforward = Feedforward.from_dict(feedforward)
            self.soften(feedback_gain)
        self._commanded_heading = self.heading(0.0, (0.0, 0.0))
        self.start = start_of(self.motion, START * self.motion.right, self.commanded_heading)
        self._correction = (0.0, 0.0)
        self._seen_steps = -1
        self._marks: list[tuple[float, float, float, float]] = []  # time, x, y, commanded heading at the last step changes

    @property
    def gait_name(self) -> str:
        return self._gait.name

    @property
    def stance(self) -> int:
        return self.law.machine.stance

    @property
    def steps(self) -> int:
        return self.law.machine.steps

    def shown(self) -> Array:
        """(L, 3) m, world: the joints of the recording at this phase, put where its stance foot meets the body's."""
        return self.law.followed()

    def faces(self, state: State) -> float:
        """Where it is to face: in each step the pelvis turns to and fro around that."""
        return self.law.facing

    def torques(self, state: State) -> PerJoint:
        if self._seen_steps < 0:
            self.law.reset(state)
        if self.steps != self._seen_steps:
            self._seen_steps = self.steps
            self._aim(state)
        self._commanded_heading = self.heading(state.time, state.position)
        self.law.command.heading = self.commanded_heading
        return self.law.torques(state)

    def soften(self, factor: float) -> None:
        """From now on use only this fraction of the feedback gains of the trunk."""
        self._gait = lowered(self._gait, factor)
        self.law.change(self._gait)

    def _aim(self, state: State) -> None:
        """A step has begun: aim at the velocity that, as the last stride went, brings about the wanted one, by default the recording's."""
        x, y, _ = state.position
        self._marks = [*self._marks[-2:], (state.time, x, y, self.commanded_heading)]
        own = self.motion.velocity.tolist()
        wanted = own[0] if self.job.speed is None else curve_value(self.job.speed, state.time)
        if self.job.speed is not None and wanted != self.commanded_speed:
            self.commanded_speed = wanted
        elif len(self._marks) == 3:
            (t0, x0, y0, before), (t1, x1, y1, now) = self._marks[0], self._marks[-1]
            # In a bend a stride goes where it faced in its middle.
            c, s, seconds = cos(0.5 * (before + now)), sin(0.5 * (before + now)), max(t1 - t0, 1e-6)
            forward, left = ((x1 - x0) * c + (y1 - y0) * s) / seconds, ((y1 - y0) * c - (x1 - x0) * s) / seconds
            self._correct(wanted - forward, own[1] - left)
        self.law.extra_speed = (wanted - own[0] + self._correction[0], self._correction[1])
        self.law.command.lean = -IMITATION_STEERING.lean * self.law.extra_speed[0]

    def _correct(self, *missing: float) -> None:
        """Take in by how much (forward, left, m/s) the last stride was too slow."""
        forward, left = (max(-most, min(most, old + gain * error)) for old, error, gain, most in
                         zip(self._correction, missing, IMITATION_STEERING.speed_gain, IMITATION_STEERING.most_correction, strict=True))
        self._correction = (forward, left)


def _without(gait: Gait, names: Sequence[str]) -> Gait:
    """The gait with some of its feedback left out."""
    none = (0.0, 0.0)
    off: dict[str, dict[str, Any]] = {"swing hip": {"cd": none, "cv": none}, "stance ankle": {"ankle_cd": none, "ankle_cv": none},
           "swing height": {"swing_knee": 0.0, "swing_ankle": none}}
    for name in names:
        gait = replace(gait, states=(replace(gait.states[0], **off.get(name, {})),))
    return gait


def start_of(motion: Periodic, phase: float, facing: float) -> dict[str, Any]:
    """The recorded state at a phase, on the way towards ``facing`` (rad), with the lowest sole just over the ground: height (m) of the pelvis,
    its rotation, velocity (m/s) and angular velocity (rad/s), the joints and their rates, as ``start.place_in`` takes them."""
    body = motion.body
    _, rotations = motion.pose(phase)
    velocity, rates = motion.rates(phase)
    positions, orientations = body.skeleton.forward_kinematics(np.zeros(3), rotations)
    soles = positions[body.sole_links] + rotation.rotate(orientations[body.sole_links], body.sole_points)
    joints: PerJoint = [None]
    joint_rates: PerJoint = [None]
    for joint, rate, hinge in zip(rotations[1:].tolist(), rates[1:].tolist(), body.hinges[1:], strict=True):
        joints.append(hinge_angle(joint) if hinge else tuple(joint))
        joint_rates.append(rate[1] if hinge else tuple(rate))
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), facing)
    pelvis = rotation.multiply(turn, rotations[0])
    return {"height": CLEARANCE - float(soles[:, 2].min()), "rotation": tuple(pelvis.tolist()),
            "velocity": tuple(rotation.rotate(turn, velocity).tolist()), "angular_velocity": tuple(rotation.rotate(pelvis, rates[0]).tolist()),
            "joints": joints, "joint_velocities": joint_rates}
