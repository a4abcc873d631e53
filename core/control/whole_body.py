"""Whole-body control: the joint torques with which a body on its feet comes nearest to what it is asked to do, all tasks weighed against each other.

Unknown are the accelerations of the pelvis and of all joints, and the forces at the corners of the soles. These forces push within their friction,
and never pull. The equations of motion of the whole body tie all of them together. World frame, SI units.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Bools, Vector
from ..body import Body
from ..dynamics import Dynamics, Pose, cross
from .footing import GroundForce

GRIP = 0.5  # horizontal force over vertical force, at most
EXACT = 300.0  # weight of the equations of motion, beside tasks of about 1
LIGHT = 1e-4  # weight of the forces themselves: of forces that do equally well the smaller are taken
GYRATION = 0.1  # m², inertia over mass of a usual body: it turns moments into angular accelerations
GRAVITY = np.array((0.0, 0.0, 9.81))


class WholeBody:
    """Solves for torques. Tasks are added between ``begin`` and ``torques``; their rows are accelerations: m/s² and rad/s².

    The columns: 3 of the pelvis's acceleration, then for each joint its spin relative to the parent (pelvis: to the world), about the world's axes;
    a hinge has one, its own.
    """

    def __init__(self, body: Body, dynamics: Dynamics, friction: float):
        self.dynamics = dynamics
        self._chain = dynamics.chain.astype(bool)
        self._hinges = body.hinges
        slices, column = [], 3
        for hinge in body.hinges:
            wide = 1 if hinge else 3
            slices.append(slice(column, column + wide))
            column += wide
        self.slices, self.columns = slices, column
        self._joint = np.concatenate([np.full(columns.stop - columns.start, i) for i, columns in enumerate(slices)])
        grip = min(GRIP, 0.9 * friction) / 2**0.5
        self._cone = np.array([(grip, grip, 1.0), (grip, -grip, 1.0), (-grip, grip, 1.0), (-grip, -grip, 1.0)])
        self._weight = 9.81 * body.mass
        self._pressed = np.zeros(0, dtype=bool)

    def begin(self, pose: Pose) -> None:
        """A new moment."""
        self.pose = pose
        self._rows: list[Array] = []
        self._goals: list[Array] = []
        # (C − 3, 3): the axis of each column, world.
        self._axes = np.concatenate([frame[:, 1][None] if hinge else np.eye(3) for hinge, frame in zip(self._hinges, pose.frames, strict=True)])
        self._on = self._chain[:, self._joint]
        self._arms = pose.origins[self._joint]
        count = len(pose.frames)
        # What the links' velocities alone accelerate: (L, 3) of the links' spins, of joints and of centres of mass.
        self.turned = self.dynamics.chain @ pose.bias
        along = cross(np.concatenate([self.turned[self.dynamics.carriers[:count]], self.turned]), pose.arms) + cross(pose.carried, pose.swept)
        self.swung = self.dynamics.chain @ along[:count]
        self._momentum()

    def turning(self, link: int) -> Array:
        """(3, C) rows that give a link's angular acceleration from those of the columns; ``turned`` comes on top of it."""
        rows = np.zeros((3, self.columns))
        rows[:, 3:] = (self._axes * self._on[link][:, None]).T
        return rows

    def joint(self, link: int) -> Array:
        """(A, C) rows that give the angular acceleration of a joint with A axes itself."""
        return np.eye(self.columns)[self.slices[link]]

    def moving(self, link: int, point: Array) -> Array:
        """(3, C) rows that give the acceleration of a point (3,) m, world, of a link; for a joint ``swung`` comes on top of it."""
        rows = np.zeros((3, self.columns))
        rows[:, :3] = np.eye(3)
        rows[:, 3:] = (cross(self._axes, point - self._arms) * self._on[link][:, None]).T
        return rows

    def _momentum(self) -> None:
        """Rows of the change of linear (over the mass) and angular momentum (about the centre of mass)."""
        pose, dynamics = self.pose, self.dynamics
        away = pose.centers - pose.com
        # (L, C − 3, 3) of the centres of mass.
        moves = cross(self._axes[None], pose.centers[:, None] - self._arms[None]) * self._on[:, :, None]
        self.com = np.zeros((3, self.columns))
        self.com[:, :3] = np.eye(3)
        self.com[:, 3:] = np.tensordot(dynamics.masses / dynamics.mass, moves, axes=1).T
        inertias = (pose.frames * dynamics.inertias[:, None, :]) @ pose.frames.transpose(0, 2, 1)
        moments = (self._axes[None] * self._on[:, :, None]) @ inertias + cross(away[:, None], dynamics.masses[:, None, None] * moves)
        self._moment = np.zeros((3, self.columns))
        self._moment[:, 3:] = moments.sum(axis=0).T
        still = dynamics.motion_forces(pose, np.zeros_like(pose.origins))
        self.com_swung, self._moment_swung = still.force / dynamics.mass, still.moment

    def add(self, rows: Array, goal: Array, weight: float | Array) -> None:
        """Ask that rows (R, C) times the accelerations be ``goal`` (R,)."""
        self._rows.append(rows * np.reshape(weight, (-1, 1)))
        self._goals.append(goal * weight)

    def torques(self, corners: list[tuple[int, Vector]], goals: Array, weights: Array) -> Array:
        """(L, 3) N·m in the links' own frames.

        Args:
            corners: link and point (m, world) of each corner that stands.
            goals: (L, 3) rad/s² of the joints, world, each with its weight (L,); row 0 is not used.
        """
        dynamics, pose, columns = self.dynamics, self.pose, self.columns
        mass = dynamics.mass
        # Each joint's own task.
        diagonal = np.zeros(columns)
        wanted = np.zeros(columns)
        diagonal[3:] = weights[self._joint]
        wanted[3:] = (self._axes * goals[self._joint]).sum(axis=1)
        self._rows.append(np.diag(diagonal)[6:])
        self._goals.append((diagonal * wanted)[6:])
        # The equations of motion, in units of acceleration.
        gyration = GYRATION * mass
        self._rows += [EXACT * self.com, EXACT * self._moment / gyration]
        self._goals += [EXACT * (-GRAVITY - self.com_swung), -EXACT * self._moment_swung / gyration]
        matrix, goal = np.concatenate(self._rows), np.concatenate(self._goals)
        points = np.array([point for _, point in corners]).reshape(-1, 3)
        forces = np.tile(self._cone, (len(points), 1))
        lever = np.repeat(points - pose.com, 4, axis=0)
        given = np.zeros((len(matrix), len(forces)))
        given[-6:-3] = EXACT / mass * forces.T
        given[-3:] = EXACT / gyration * cross(lever, forces).T
        # matrix · accelerations = goal + given · pressed, in the least squares; pressed ≥ 0.
        q, r = np.linalg.qr(matrix)
        rest, missing = given - q @ (q.T @ given), q @ (q.T @ goal) - goal
        scale = self._weight
        normal = rest.T @ rest * scale**2 + LIGHT * np.eye(len(forces))
        if len(self._pressed) != len(forces):
            self._pressed = np.ones(len(forces), dtype=bool)
        pressed, self._pressed = nonnegative(normal, rest.T @ missing * scale, self._pressed)
        pressed = pressed * scale
        found = np.linalg.solve(r, q.T @ (goal + given @ pressed))
        spins = np.zeros_like(pose.origins)
        np.add.at(spins, self._joint, self._axes * found[3:, None])
        total = dynamics.motion_forces(pose, spins)
        carried = (forces * pressed[:, None]).reshape(-1, 4, 3).sum(axis=1).tolist()
        loads: list[GroundForce] = [(link, point, (x, y, z), (0.0, 0.0, 0.0)) for (link, point), (x, y, z) in zip(corners, carried, strict=True)]
        torques = dynamics.torques(pose, total, found[:3] + GRAVITY, np.zeros(3), loads)
        return (pose.frames.transpose(0, 2, 1) @ torques[:, :, None])[:, :, 0]


def nonnegative(matrix: Array, goal: Array, free: Bools) -> tuple[Array, Bools]:
    """x ≥ 0 that minimises xᵀ·matrix·x / 2 − goal·x, by exchanging which are free and which are 0; ``free``: (N,) the first guess of that.

    Blocks of wrong ones are exchanged at once as long as that helps, then one at a time (Júdice and Pires 1994).
    """
    count, free = len(goal), free.copy()
    fewest, patience = count + 1, 3
    for _ in range(5 * count + 10):
        x = np.zeros(count)
        if free.any():
            x[free] = np.linalg.solve(matrix[np.ix_(free, free)], goal[free])
        wrong = np.where(free, x < -1e-9, matrix @ x - goal < -1e-9)
        number = int(wrong.sum())
        if not number:
            break
        if number < fewest:
            fewest, patience = number, 3
        elif patience:
            patience -= 1
        else:
            last = np.flatnonzero(wrong)[-1]
            wrong[:] = False
            wrong[last] = True
        free ^= wrong
    return np.maximum(x, 0.0), free
