"""World: what every engine offers. One character, a ground, things; torques or servos in, State out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np

from ..body import Body
from .rollouts import Push, Rollouts
from .settings import USUAL, WorldSettings
from .state import PerJoint, Quaternion, State, Vector


class World(Protocol):
    """A world with one Body in it, which has L links. The engines' classes say where they differ from what stands here.

    Attributes:
        engine: its name. body, settings: as given. time_step, time: s.
        inertias: (L, 3) kg·m² of the links as they are simulated. torques: as last given to ``apply``, with what the limits of ball joints added.
        objects: names of obstacles and balls, in the order of ``object_poses``.
    """

    engine: str
    body: Body
    settings: WorldSettings
    time_step: float
    time: float
    inertias: np.ndarray
    torques: PerJoint
    objects: dict[str, int]

    def __init__(self, body: Body, ground: dict[str, Any] | None = None, obstacles: Sequence[dict[str, Any]] | None = None,
                 settings: WorldSettings = USUAL):
        """``ground`` and ``obstacles``: as in a Job; by default a plane, with nothing on it."""

    # -- what is in it -------------------------------------------------------------------------------------------------

    def add_box(self, name: str, size: Vector, position: Vector, mass: float, yaw: float, friction: float) -> None:
        """A box of full ``size`` (m) around ``position`` (m), turned by ``yaw`` (rad); a mass (kg) of 0 fixes it in place."""

    def throw_ball(self, name: str, mass: float, radius: float, position: Vector, velocity: Vector) -> None:
        """A ball of ``mass`` kg and ``radius`` m that starts at ``position`` (m) with ``velocity`` (m/s)."""

    def place(self, position: Vector, rotation: Quaternion, joints: PerJoint, velocity: Vector = (0, 0, 0), angular_velocity: Vector = (0, 0, 0),
              joint_velocities: PerJoint | None = None) -> None:
        """Put the character into a pose. Arguments as in ``State``; torques are dropped."""

    # -- what is seen of it --------------------------------------------------------------------------------------------

    def read(self) -> State:
        """The character as it is now; a SimulationError where it has blown up."""

    def contacts(self) -> list[tuple[int, Vector, Vector, float]]:
        """Every loaded contact of the character with ground and things: link index, point (m), force on the character (N), depth (m, ≥ 0)."""

    def bumped(self) -> list[str]:
        """Names of the other characters that touch this one."""

    def ground_height(self, x: float, y: float) -> float:
        """m, of the ground (not of obstacles) under a point; 0 where there is none."""

    def object_poses(self) -> list[tuple[Vector, Quaternion]]:
        """Position (m) and rotation of every obstacle and ball, in the order they were added."""

    # -- what acts on it -----------------------------------------------------------------------------------------------

    def apply(self, torques: PerJoint, state: State) -> None:
        """Joint torques from now on, until the next ones: of a ball joint N·m in the link's own frame, of a hinge N·m about y.

        ``state``: as just read. Beyond their range it decides what the limits of ball joints add to ``torques``, in place."""

    def push(self, link: int, force: Vector, point: Vector | None = None) -> None:
        """A force (N, world) on a point of a link (m, in its own frame; None: its centre of mass) during the next step. Pushes add up."""

    def twist(self, link: int, torque: Vector) -> None:
        """A torque (N·m, world) on a link during the next step. Twists add up."""

    def step(self) -> None:
        """Go on by ``time_step`` s under torques, servos, pushes and twists."""

    # -- going back ----------------------------------------------------------------------------------------------------

    def save(self) -> Any:
        """All of the world, for ``restore`` in the same process."""

    def restore(self, saved: Any) -> None:
        """Go back to what ``save`` gave."""

    def snapshot(self) -> np.ndarray:
        """(V,) all that a continuation depends on, beside torques and servos; for worlds that are built alike, also in other processes."""

    def resume(self, snapshot: np.ndarray) -> None:
        """Go back to a snapshot; torques and pushes are dropped, servos and their targets stay."""

    # -- servos and rollouts -------------------------------------------------------------------------------------------

    def set_servos(self, stiffness: np.ndarray, damping: np.ndarray, strongest: np.ndarray) -> None:
        """Servos at the joints, (L,) each, row 0 unused: N·m/rad, N·m·s/rad, and N·m that they give at most."""

    def follow(self, targets: np.ndarray) -> None:
        """Targets of the servos from now on: (L, 4) rotations of the joints relative to the parent; row 0 is ignored, hinges take the angle
        about y."""

    def rollouts(self, starts: np.ndarray, targets: np.ndarray, steps: int, *, every: int = 1, threads: int = 1,
                 pushes: Sequence[Push] = ()) -> Rollouts:
        """Continue N snapshots for S segments of ``steps`` steps each, under targets that are held within a segment.

        Args:
            starts: (N, V). targets: (N, S, L, 4), as for ``follow``.
            every: segments from one to the next that ``resume`` can begin with: going on from the snapshot there gives the same bits.
            threads: to share the samples, where the engine can. The result does not depend on it.
            pushes: forces on the body, in every sample.
        """

    # -- the end -------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of what the engine holds. ``with`` does it, too."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
