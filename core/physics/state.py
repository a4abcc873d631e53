"""What a controller sees of the world, read once a step.

Plain tuples and floats: for a single character they are three times as fast as numpy arrays of this size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]  # w, x, y, z
# A value for each link's joint: of a hinge a float; of a ball joint a Quaternion where it is a rotation, else a Vector; of the pelvis None. The type
# is left open, because whoever takes a value out of it knows which kind of joint it belongs to.
PerJoint = list[Any]


@dataclass(slots=True)
class Foot:
    """One foot with its toes.

    Attributes:
        position: m, world, of the ankle joint. force: N, world, of ground and obstacles on it.
        load_moment: N·m, sum over the contacts of vertical force times contact point; over the vertical force it is the CoP.
        depth: m, deepest penetration, ≥ 0. push: N, world, ``force`` without friction: it points along the ground's normal.
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
    joints: PerJoint
    joint_velocities: PerJoint
    feet: tuple[Foot, Foot]
