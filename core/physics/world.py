"""What every engine offers: one character, a ground, things; torques or servos in, State out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..body import Body
from .rollouts import Push, Rollouts
from .settings import USUAL, WorldSettings
from .state import State, Vector


class World(Protocol):
    """A world with one Body in it; see the engines' classes for what each argument means and where they differ.

    Attributes:
        time_step, time: s. inertias: (L, 3) kg·m² of the links as they are simulated. torques: as last given to ``apply``, with what the limits of
        ball joints added. objects: names of obstacles and balls, in the order of ``object_poses``.
    """

    engine: str
    body: Body
    time_step: float
    time: float
    inertias: np.ndarray
    torques: list
    objects: dict[str, int]

    def __init__(self, body: Body, ground: dict | None = None, obstacles: Sequence[dict[str, Any]] | None = None, settings: WorldSettings = USUAL): ...

    def add_box(self, name: str, size: tuple, position: tuple, mass: float, yaw: float, friction: float) -> None: ...

    def throw_ball(self, name: str, mass: float, radius: float, position: tuple, velocity: tuple) -> None: ...

    def place(self, position: tuple, rotation: tuple, joints: list, velocity: tuple = (0, 0, 0), angular_velocity: tuple = (0, 0, 0),
              joint_velocities: list | None = None) -> None: ...

    def read(self) -> State: ...

    def contacts(self) -> list[tuple[int, tuple, tuple, float]]: ...

    def ground_height(self, x: float, y: float) -> float: ...

    def object_poses(self) -> list[tuple[tuple, tuple]]: ...

    def apply(self, torques: list, state: State) -> None: ...

    def push(self, link: int, force: Vector, point: Vector | None = None) -> None: ...

    def twist(self, link: int, torque: Vector) -> None: ...

    def step(self) -> None: ...

    def save(self) -> tuple: ...

    def restore(self, saved: tuple) -> None: ...

    def close(self) -> None: ...

    def __enter__(self) -> World: ...

    def __exit__(self, *_: object) -> None: ...

    def set_servos(self, stiffness: np.ndarray, damping: np.ndarray, strongest: np.ndarray) -> None: ...

    def follow(self, targets: np.ndarray) -> None: ...

    def snapshot(self) -> np.ndarray: ...

    def resume(self, snapshot: np.ndarray) -> None: ...

    def rollouts(self, starts: np.ndarray, targets: np.ndarray, steps: int, *, every: int = 1, threads: int = 1,
                 pushes: Sequence[Push] = ()) -> Rollouts: ...
