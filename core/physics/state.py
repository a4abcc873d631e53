"""What a controller sees of the world, read once a step.

Plain tuples and floats: for a single character they are three times as fast as numpy arrays of this size.
"""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(slots=True)
class Foot:
    """One foot with its toes.

    Attributes:
        position: m, world, of the ankle joint. force: N, world, of ground and obstacles on it.
        load_moment: N·m, sum over the contacts of vertical force times contact point; over the vertical force it is the CoP.
        depth: m, deepest penetration, ≥ 0. push: N, world, the part of ``force`` across the surfaces: its direction is the ground's normal.
    """

    position: Vector
    force: Vector
    load_moment: Vector
    depth: float
    push: Vector = (0.0, 0.0, 0.0)


@dataclass(slots=True)
class State:
    """World-frame state of the pelvis, and joint states by link index.

    Attributes:
        time: seconds.
        position, velocity: m and m/s of the pelvis joint origin (the midpoint of the hips).
        rotation: w, x, y, z. angular_velocity: rad/s, world.
        joints: for a ball joint the quaternion from parent to link, for a hinge the angle about y (rad); pelvis: None.
        joint_velocities: for a ball joint rad/s in the link's own frame, for a hinge rad/s; pelvis: None.
        feet: left, right.
    """

    time: float
    position: Vector
    rotation: Quaternion
    velocity: Vector
    angular_velocity: Vector
    joints: list
    joint_velocities: list
    feet: tuple[Foot, Foot]
