"""Following: how what a controller chose becomes torques. In the plane it chose the pose that servos turn the joints to, as in the paper (eq. 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ..arrays import Array
from ..body import Body
from ..dynamics import Dynamics, Pose
from ..physics.settings import TRACKING, USUAL, WorldSettings
from ..physics.state import PerJoint, State

WORTH = 0.05  # rad: poses that servos turn to, from which on they differ


class Following(Protocol):
    """Attributes: hold: how many steps of the engine torques are held for. turning: rad/s at which what it follows turns."""

    hold: int
    turning: float

    def see(self, state: State) -> Pose:
        """Where the body is, before a choice is made."""

    def take(self, choice: Array, facing: float) -> None:
        """Follow this from now on. ``facing``: rad, world, where the body is to face."""

    def torques(self, state: State) -> PerJoint:
        """As ``World.apply`` takes them."""

    def between(self, choice: Array, other: Array, share: float) -> Array:
        """What is between two choices; at a ``share`` of 1 the other one."""

    def differs(self, choice: Array, other: Array) -> bool:
        """Whether what a controller chose is so far from what a teacher would have chosen, that this is worth learning."""

    def shown(self) -> Array | None:
        """(L, 3) m, world: the joints of the motion that is followed; None where there is none of the whole body."""


class ByServos:
    """Servos at the joints of the planar biped; a choice is an angle (rad) for each."""

    hold, turning = 1, 0.0

    def __init__(self, body: Body, dynamics: Dynamics, gains: dict[str, list[float]]):
        """``gains``: by the names of links without their side, stiffness N·m/rad, damping N·m·s/rad and largest torque N·m."""
        self._dynamics, self._count = dynamics, len(body.names)
        self._joints: list[tuple[int, float, float, float]] = []
        for link, name in enumerate(body.names):
            if link:
                stiffness, damping, most = gains[name.partition(".")[0]]
                self._joints.append((link, stiffness, damping, most))
        self._targets = [0.0] * (self._count - 1)

    def see(self, state: State) -> Pose:
        return self._dynamics.pose(state)

    def take(self, choice: Array, facing: float) -> None:
        self._targets = choice.tolist()

    def torques(self, state: State) -> PerJoint:
        torques: PerJoint = [0.0] * self._count
        for (link, stiffness, damping, most), target in zip(self._joints, self._targets, strict=True):
            torque = stiffness * (target - state.joints[link]) - damping * state.joint_velocities[link]
            torques[link] = min(max(torque, -most), most)
        return torques

    def between(self, choice: Array, other: Array, share: float) -> Array:
        return choice + share * (other - choice)

    def differs(self, choice: Array, other: Array) -> bool:
        return bool(abs(choice - other).max() > WORTH)

    def shown(self) -> None:
        return None

    def choice(self, state: State, torques: PerJoint) -> Array:
        """The pose that servos must turn to in a state, so that they give these torques: what a teacher does, as a rectified motion has it."""
        return np.array([state.joints[link] + (torques[link] + damping * state.joint_velocities[link]) / stiffness
                         for link, stiffness, damping, _ in self._joints])


def following_of(body: Body, inertias: Array, data: dict[str, Any], friction: float) -> Following:
    """As a controller's ``following`` says. ``inertias``: (L, 3) kg·m² of the links as they are simulated."""
    if body.planar:
        return ByServos(body, Dynamics(body, inertias), data["gains"])
    from .balanced import ByBalance

    return ByBalance(body, inertias, data["gains"], friction)


def world_settings(body: Body, time_step: float, friction: float, self_collision: bool = False) -> WorldSettings:
    """What the world of a learned controller is like."""
    return replace(USUAL if body.planar else TRACKING, time_step=time_step, friction=friction, self_collision=self_collision)
