"""What every engine needs to know of a body, so that the same body behaves alike in all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import rotation
from ..body import Body
from ..errors import SimulationError
from ..quaternion import rotate
from .settings import WorldSettings
from .state import Foot, PerJoint, Quaternion, Vector

# Engines have no limits about each axis of a ball joint. Beyond its range a spring and a damper push it back, as ligaments do (N·m/rad and N·m·s/rad
# per kg of body mass).
LIMIT_STIFFNESS, LIMIT_DAMPING = 6.0, 0.10


def simulated_inertias(body: Body, floor: float) -> np.ndarray:
    """(L, 3) kg·m² of the links as they are simulated. ``floor``: kg·m² per kg of body mass and m² of leg length."""
    return np.maximum(body.inertias, floor * body.mass * body.leg_length**2)


def free_inertias(body: Body, inertias: np.ndarray) -> np.ndarray:
    """(L, 3) kg·m²: the inertia that a torque about each axis of a joint moves, while the body floats in the zero pose with its other joints loose.
    It is infinite for axes that do not turn, and for the pelvis. ``inertias``: (L, 3) kg·m² of the links."""
    matrix, freedoms = _mass_matrix(body, inertias)
    moved = np.full((len(body.names), 3), np.inf)
    for (joint, axis), share in zip(freedoms, np.diag(np.linalg.inv(matrix)), strict=True):
        if joint > 0:
            moved[joint, axis] = 1 / share
    return moved


def held_inertias(body: Body, inertias: np.ndarray) -> np.ndarray:
    """As ``free_inertias``, but with the other joints held as they are."""
    matrix, freedoms = _mass_matrix(body, inertias)
    moved = np.full((len(body.names), 3), np.inf)
    for i in range(1, len(body.names)):
        loose = [n for n, (joint, _) in enumerate(freedoms) if joint <= 0 or joint == i]
        shares = np.diag(np.linalg.inv(matrix[np.ix_(loose, loose)]))
        for n, share in zip(loose, shares, strict=True):
            if freedoms[n][0] == i:
                moved[i, freedoms[n][1]] = 1 / share
    return moved


def _mass_matrix(body: Body, inertias: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """The mass matrix in the zero pose, and which (joint, axis) each of its rows is: joint 0 turns the pelvis, joint −1 moves it."""
    links, axes = len(body.names), np.eye(3)
    joints = np.zeros((links, 3))
    carries = np.eye(links, dtype=bool)  # [i, j]: link j hangs on link i, or is it
    for i in range(1, links):
        joints[i] = joints[body.parents[i]] + body.offsets[i]
        carries[:, i] |= carries[:, body.parents[i]]
    centers = joints + body.com_offsets
    freedoms = [(-1, axis) for axis in ((0, 2) if body.planar else range(3))]
    freedoms += [(i, axis) for i in range(links) for axis in ((1,) if body.planar or (i and body.hinges[i]) else range(3))]
    speeds = np.array([np.tile(axes[k], (links, 1)) if i < 0 else np.cross(axes[k], centers - joints[i]) * carries[i][:, None] for i, k in freedoms])
    spins = np.array([np.zeros((links, 3)) if i < 0 else axes[k] * carries[i][:, None] for i, k in freedoms])
    return np.einsum("aik,bik,i->ab", speeds, speeds, body.masses) + np.einsum("aik,bik,ik->ab", spins, spins, inertias), freedoms


def moment(body: Body, position: np.ndarray, rotations: np.ndarray, velocity: np.ndarray, spin: np.ndarray, rates: np.ndarray) -> dict[str, Any]:
    """A moving pose as ``World.place`` takes it.

    Args:
        position, velocity: (3,) m and m/s of the pelvis joint. spin: (3,) rad/s of the pelvis, world.
        rotations: (L, 4). rates: (L, 3) rad/s of the joints in the links' own frames.
    """
    joints: PerJoint = [None]
    joint_rates: PerJoint = [None]
    for hinge, turn, rate in zip(body.hinges[1:], rotations[1:], rates[1:], strict=True):
        joints.append(float(rotation.log(turn)[1]) if hinge else tuple(turn.tolist()))
        joint_rates.append(float(rate[1]) if hinge else tuple(rate.tolist()))
    return {"position": tuple(position.tolist()), "rotation": tuple(rotations[0].tolist()), "joints": joints, "velocity": tuple(velocity.tolist()),
            "angular_velocity": tuple(spin.tolist()), "joint_velocities": joint_rates}


def colliding_links(body: Body, settings: WorldSettings) -> set[tuple[int, int]]:
    """Pairs of links (a < b) that collide with each other, as the settings say. Upper arms collide with a torso beside which they can hang."""
    if not settings.self_collision:
        return set()
    names = body.names
    legs = [i for i, name in enumerate(names) if name.startswith(("thigh", "shin", "foot", "toes"))]
    pairs = {(a, b) for a in legs for b in legs if a < b and names[a][-1] != names[b][-1]}
    thighs = {pair for pair in pairs if all(names[i].startswith("thigh") for i in pair)}
    if not settings.all_collide:
        return pairs - thighs
    trunk = [i for i, name in enumerate(names) if name.startswith(("pelvis", "torso", "thigh"))]
    pairs |= {(min(a, b), max(a, b)) for a, name in enumerate(names) if name.startswith("forearm") for b in trunk}
    for side in "LR":
        if f"upper_arm.{side}" in names:
            arm, torso = names.index(f"upper_arm.{side}"), names.index("torso")
            if abs(body.offsets[arm, 1]) - body.shapes[arm].size[0] > body.shapes[torso].half_extents[1]:
                pairs.add((torso, arm))
    return pairs


def feet_and_toes(body: Body) -> dict[int, int]:
    """Links that a foot consists of → 0 for the left one, 1 for the right one."""
    return {i: (0 if name.endswith("L") else 1) for i, name in enumerate(body.names) if name.startswith(("foot", "toes"))}


def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def arm(center: Vector, point: Vector, rotation: Quaternion) -> Vector:
    """m, world, from a link's centre of mass to a point on it, both m in its frame, which ``rotation`` turns into the world."""
    return rotate(rotation, (point[0] - center[0], point[1] - center[1], point[2] - center[2]))


# Sums over the contacts of a foot: force, load moment, depth and push, as in ``Foot``. One flat tuple is quickest to add to.
Load = tuple[float, float, float, float, float, float, float, float, float, float]
NO_LOAD: Load = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def foot(ankle: Vector, load: Load) -> Foot:
    """The state of a foot whose ankle joint is at ``ankle`` (m, world)."""
    fx, fy, fz, mx, my, mz, depth, px, py, pz = load
    return Foot(ankle, (fx, fy, fz), (mx, my, mz), depth, (px, py, pz))


def blown_up(time: float, time_step: float) -> SimulationError:
    """The error of a simulation that has put in energy of its own."""
    return SimulationError(f"The simulation blew up at {time:.2f} s; use a smaller time_step than {time_step:g} s, or lower gains.")


def check_snapshot(snapshot: np.ndarray, size: int) -> None:
    """Snapshots (..., V) must have the ``size`` of the world that is to resume them."""
    if np.shape(snapshot)[-1:] != (size,):
        raise SimulationError(f"A snapshot of {np.shape(snapshot)[-1] if np.ndim(snapshot) else 0} numbers does not fit a world of {size}; resume it "
                              "in a world with the same body and things.")


class BallLimits:
    """Limits of the ball joints under torques: a spring-damper about each axis that is beyond its range."""

    def __init__(self, body: Body, firmness: float = 1.0):
        """``firmness``: of the springs, as a factor."""
        # The bounds as quaternion components, sin(angle / 2).
        self._bounds = []
        for i in range(1, len(body.names)):
            if not body.hinges[i]:
                low, high = np.sin(body.limits[i] / 2).T
                self._bounds.append((i, *low.tolist(), *high.tolist()))
        self._stiffness = 2 * firmness * LIMIT_STIFFNESS * body.mass
        self._damping = firmness * LIMIT_DAMPING * body.mass

    def push_back(self, torques: PerJoint, joints: PerJoint, rates: PerJoint) -> None:
        """Add to the torques of joints that are beyond their range. Arguments as in ``State``, torques as for ``World.apply``."""
        for i, lx, ly, lz, hx, hy, hz in self._bounds:
            w, x, y, z = joints[i]
            if w < 0:
                x, y, z = -x, -y, -z
            if lx <= x <= hx and ly <= y <= hy and lz <= z <= hz:
                continue
            torques[i] = self._pushed(torques[i], (x, y, z), (lx, ly, lz), (hx, hy, hz), rates[i])

    def _pushed(self, torque: Vector, angle: Vector, low: Vector, high: Vector, rate: Vector) -> Vector:
        pushed = list(torque)
        for axis in range(3):
            beyond = min(0.0, angle[axis] - low[axis]) + max(0.0, angle[axis] - high[axis])
            if beyond:
                pushed[axis] -= self._stiffness * beyond + self._damping * rate[axis]
        x, y, z = pushed
        return (x, y, z)
