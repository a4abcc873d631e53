"""Rigid-body dynamics of a Body: where its links are and how they move, and the torques behind an acceleration.

All is done for all links at once: sums along the chain from the pelvis to a link, or over all that hangs on a link, are products
with one matrix, so that a step costs a few dozen small array operations and no loop over links. World frame, SI units.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from .arrays import Array, Vector
from .body import Body
from .kinematics import GRAVITY
from .physics.state import State
from .quaternion import multiply

# Quaternion products and turns into matrices are linear in the products of components: tables for (..., 16) outer products.
_PRODUCT = np.zeros((16, 4))
for _i, _j, _k, _sign in (
    (0, 0, 0, 1), (1, 1, 0, -1), (2, 2, 0, -1), (3, 3, 0, -1), (0, 1, 1, 1), (1, 0, 1, 1), (2, 3, 1, 1), (3, 2, 1, -1),
    (0, 2, 2, 1), (2, 0, 2, 1), (3, 1, 2, 1), (1, 3, 2, -1), (0, 3, 3, 1), (3, 0, 3, 1), (1, 2, 3, 1), (2, 1, 3, -1),
):
    _PRODUCT[4 * _i + _j, _k] = _sign
_MATRIX = np.zeros((16, 9))
for _row, _terms in enumerate((
    ((0, 0, 1), (1, 1, 1), (2, 2, -1), (3, 3, -1)), ((1, 2, 2), (0, 3, -2)), ((1, 3, 2), (0, 2, 2)),
    ((1, 2, 2), (0, 3, 2)), ((0, 0, 1), (1, 1, -1), (2, 2, 1), (3, 3, -1)), ((2, 3, 2), (0, 1, -2)),
    ((1, 3, 2), (0, 2, -2)), ((2, 3, 2), (0, 1, 2)), ((0, 0, 1), (1, 1, -1), (2, 2, -1), (3, 3, 1)),
)):
    for _i, _j, _sign in _terms:
        _MATRIX[4 * _i + _j, _row] = _sign
_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])


def products(a: Array, b: Array) -> Array:
    """(N, 4) quaternion products a·b of (N, 4) each."""
    return (a[:, :, None] * b[:, None, :]).reshape(-1, 16) @ _PRODUCT


def differences(now: Array, target: Array) -> Array:
    """(N, 3) rad, from ``now`` to ``target`` (N, 4) in the frame of ``now``; for small angles."""
    turn = products(now * _CONJUGATE, target)
    return turn[:, 1:] * np.copysign(2.0, turn[:, :1])


def matrices(quaternions: Array) -> Array:
    """(N, 3, 3) rotation matrices of (N, 4) unit quaternions."""
    return ((quaternions[:, :, None] * quaternions[:, None, :]).reshape(-1, 16) @ _MATRIX).reshape(-1, 3, 3)


def cross(a: Array, b: Array) -> Array:
    """(..., 3) cross products, which broadcast; several times as fast as numpy's for a few vectors."""
    return crossed(turned_on(a), turned_on(b))


def turned_on(a: Array) -> tuple[Array, Array]:
    """Vectors (..., 3) with their components moved on by one and by two: what ``crossed`` takes. Worth keeping of vectors that are in several
    products."""
    return a.take(_NEXT, -1), a.take(_AFTER, -1)


def crossed(a: tuple[Array, Array], b: tuple[Array, Array]) -> Array:
    """Cross products of vectors as ``turned_on`` gives them."""
    return a[0] * b[1] - a[1] * b[0]


@dataclass(slots=True)
class Pose:
    """A Body at one moment; L links.

    Attributes:
        rotations: (L, 4) of each joint relative to its parent, of the pelvis to the world.
        rates: (L, 3) rad/s, of each joint, in its link's own frame; the pelvis has 0.
        frames: (L, 3, 3) orientations in the world.
        origins, centers: (L, 3) m, world, joints and centres of mass.
        spins: (L, 3) rad/s, world, of each link relative to its parent; of the pelvis to the world.
        bias: (L, 3) rad/s², what turning parents add to the change of ``spins``.
        arms: (2 L, 3) m, world, from each parent's joint to the link's, then from each joint to its centre of mass.
        carried: (2 L, 3) rad/s, world, of the links that carry these arms: the parents, then the links themselves.
        swept: (2 L, 3) m/s, world, of each arm's end against its start.
        velocities: (L, 3) m/s, world, of the joints.
        com, com_velocity: (3,) m and m/s, world, of the whole body's centre of mass.
        arms_on, carried_on: of arms and carried, as ``turned_on`` gives them.
    """

    rotations: Array
    rates: Array
    frames: Array
    origins: Array
    centers: Array
    spins: Array
    bias: Array
    arms: Array
    carried: Array
    swept: Array
    velocities: Array
    com: Array
    com_velocity: Array
    arms_on: tuple[Array, Array]
    carried_on: tuple[Array, Array]

    @property
    def turning(self) -> Array:
        """(L, 3) rad/s of the links in the world."""
        return self.carried[len(self.rotations):]


class Dynamics:
    """The equations of motion of one Body."""

    def __init__(self, body: Body, inertias: Array):
        """``inertias``: (L, 3) kg·m² of the links as they are simulated (``World.inertias``)."""
        count = len(body.names)
        self.body, self.hinges = body, body.hinges
        self.masses, self.mass = body.masses, body.mass
        self._column = body.masses[:, None]
        self.inertias = inertias
        self._roots = np.sqrt(inertias)[:, None, :]
        # chain[i, j]: j is on the way from the pelvis to i, or i itself.
        self.chain = np.eye(count)
        for link, parent in enumerate(body.parents):
            if parent >= 0:
                self.chain[link] += self.chain[parent]
        self.subtree = np.ascontiguousarray(self.chain.T)
        parents = np.maximum(body.parents, 0)
        self._parents = parents[1:].tolist()
        self.carriers = np.concatenate([parents, np.arange(count)])
        offsets = body.offsets.copy()
        offsets[0] = 0.0
        self._arms = np.concatenate([offsets, body.com_offsets])[:, :, None]
        self._weights = body.masses / body.mass
        depth = self.chain.sum(axis=1).astype(int)
        self._levels = [(np.flatnonzero(depth == level), parents[depth == level]) for level in range(2, depth.max() + 1)]
        self._count = count

    def pose(self, state: State) -> Pose:
        """What ``state`` means for all links."""
        # Plain floats in flat lists: one link after the other this is faster than small arrays.
        turned = [state.rotation]
        rotations, rates, orientations = [*state.rotation], [0.0, 0.0, 0.0], [*state.rotation]
        for hinge, parent, joint, velocity in zip(self.hinges[1:], self._parents, state.joints[1:], state.joint_velocities[1:], strict=True):
            if hinge:
                half = 0.5 * joint
                turn, rate = (cos(half), 0.0, sin(half), 0.0), (0.0, velocity, 0.0)
            else:
                turn, rate = joint, velocity
            rotations += turn
            rates += rate
            world = multiply(turned[parent], turn)
            turned.append(world)
            orientations += world
        frames = matrices(np.array(orientations).reshape(-1, 4))
        return self._pose(state.position, np.array(rotations).reshape(-1, 4), np.array(rates).reshape(-1, 3), frames, state.velocity,
                          state.angular_velocity)

    def pose_of(self, position: Vector, rotations: Array, rates: Array, velocity: Vector, angular_velocity: Vector) -> Pose:
        """A pose from the pelvis's position, velocity, angular velocity (3,), rotations (L, 4) and joint rates (L, 3) rad/s in the links' own
        frames (pelvis: 0)."""
        return self._pose(position, rotations, rates, self.frames(rotations), velocity, angular_velocity)

    def _pose(self, position: Vector, rotations: Array, rates: Array, frames: Array, velocity: Vector, angular_velocity: Vector) -> Pose:
        count = self._count
        arms = (frames.take(self.carriers, 0) @ self._arms)[:, :, 0]
        origins = self.chain @ arms[:count]
        origins += position
        centers = origins + arms[count:]
        spins = (frames @ rates[:, :, None])[:, :, 0]
        spins[0] = angular_velocity
        carried = (self.chain @ spins).take(self.carriers, 0)
        arms_on, carried_on = turned_on(arms), turned_on(carried)
        swept = crossed(carried_on, arms_on)
        velocities = self.chain @ swept[:count]
        velocities += velocity
        bias = crossed((carried_on[0][:count], carried_on[1][:count]), turned_on(spins))
        return Pose(rotations, rates, frames, origins, centers, spins, bias, arms, carried, swept, velocities, self._weights @ centers,
                    self._weights @ (velocities + swept[count:]), arms_on, carried_on)

    def energy(self, pose: Pose) -> float:
        """J, kinetic and potential, over a ground at a height of 0."""
        moving, turning = pose.velocities + pose.swept[self._count:], (pose.turning[:, None, :] @ pose.frames)[:, 0]
        kinetic = 0.5 * (self._column * moving**2).sum() + 0.5 * (self.inertias * turning**2).sum()
        return float(kinetic + GRAVITY * self.mass * pose.com[2])

    def joints(self, rotations: Array) -> Array:
        """(L, 3) m, where the joints are for rotations (L, 4), seen from the pelvis's."""
        count = self._count
        return self.chain @ (self.frames(rotations).take(self.carriers[:count], 0) @ self._arms[:count])[:, :, 0]

    def frames(self, rotations: Array) -> Array:
        """(L, 3, 3) orientations in the world of rotations (L, 4)."""
        frames = matrices(rotations)
        for links, parents in self._levels:
            frames[links] = frames.take(parents, 0) @ frames.take(links, 0)
        return frames

    def motion_forces(self, pose: Pose, spin_rates: Array) -> Forces:
        """The forces behind an acceleration: ``spin_rates`` (L, 3) rad/s² in the world, of each joint relative to its parent (pelvis: to the world),
        while the pelvis's joint does not accelerate."""
        count, column = self._count, self._column
        turned = (self.chain @ (spin_rates + pose.bias)).take(self.carriers, 0)
        along = crossed(turned_on(turned), pose.arms_on) + crossed(pose.carried_on, turned_on(pose.swept))
        forces = column * (self.chain @ along[:count] + along[count:])
        # In the links' own frames their inertias are diagonal.
        frames = pose.frames
        turning, change = (pose.carried[count:, None, :] @ frames)[:, 0], (turned[count:, None, :] @ frames)[:, 0]
        moments = (frames @ (self.inertias * change + cross(turning, self.inertias * turning))[:, :, None])[:, :, 0]
        away = pose.centers - pose.com
        heavy = column * away
        axes = (frames * self._roots).transpose(1, 0, 2).reshape(3, -1)
        inertia = axes @ axes.T - heavy.T @ away
        square = float((heavy * away).sum())
        inertia[0, 0] += square
        inertia[1, 1] += square
        inertia[2, 2] += square
        return Forces(forces, moments, inertia, away, forces.sum(axis=0), (moments + cross(away, forces)).sum(axis=0))

    def torques(self, pose: Pose, forces: Forces, acceleration: Array, turn: Array,
                ground: list[tuple[int, Vector, Vector, Vector]]) -> Array:
        """(L, 3) N·m, world: what each joint must exert on its link; row 0 is what is missing at the pelvis.

        Args:
            forces: as from ``motion_forces``.
            acceleration, turn: (3,) m/s² of the centre of mass and (3,) rad/s² of the whole body, on top of those behind ``forces``; gravity counts
                as an acceleration upwards.
            ground: (link, point (3,), force (3,) N, moment (3,) N·m) of what holds the body from outside.
        """
        linear = forces.forces + self._column * (acceleration + cross(turn, forces.away))
        rolled = pose.frames @ (self.inertias * (turn[None, None, :] @ pose.frames)[:, 0])[:, :, None]
        moments = forces.moments + rolled[:, :, 0] + cross(pose.centers, linear)
        for link, (x, y, z), (fx, fy, fz), (mx, my, mz) in ground:
            linear[link] -= (fx, fy, fz)
            moments[link] -= (mx + y * fz - z * fy, my + z * fx - x * fz, mz + x * fy - y * fx)
        return self.subtree @ moments - cross(pose.origins, self.subtree @ linear)


@dataclass(slots=True)
class Forces:
    """The forces behind an acceleration of the links, world; without gravity.

    Attributes:
        forces: (L, 3) N, at the links' centres of mass.
        moments: (L, 3) N·m, about them.
        inertia: (3, 3) kg·m², of the whole body about its centre of mass, as if its joints were frozen.
        away: (L, 3) m, from the body's centre of mass to the links'.
        force: (3,) N, the sum of ``forces``.
        moment: (3,) N·m, the sum of all moments about the body's centre of mass.
    """

    forces: Array
    moments: Array
    inertia: Array
    away: Array
    force: Array
    moment: Array
