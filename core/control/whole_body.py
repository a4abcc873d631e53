"""Whole-body control: the joint torques with which a body on its feet comes nearest to what it is asked to do, all tasks weighed against each other.

Unknown are the accelerations of the pelvis and of all joints, and the forces at the corners of the soles. These forces push within their friction,
and never pull. The equations of motion of the whole body tie all of them together. World frame, SI units.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Vector
from ..body import Body
from ..dynamics import Dynamics, Pose, cross
from .footing import GroundForce

GRIP = 0.5  # horizontal force over vertical force, at most
EXACT = 300.0  # weight of the equations of motion, beside tasks of about 1
LIGHT = 1e-4  # weight of the forces themselves: of forces that do equally well the smaller are taken
IDLE = 1e-6  # weight of accelerations that nothing asks for: they are rather none
MOST_ROWS = 80  # of the tasks of one moment, but for the joints' own
GYRATION = 0.1  # m², inertia over mass of a usual body: it turns moments into angular accelerations
GRAVITY = np.array((0.0, 0.0, 9.81))


class WholeBody:
    """Solves for torques. Tasks are added between ``begin`` and ``torques``; their rows are accelerations: m/s² and rad/s².

    The columns: 3 of the pelvis's acceleration, then for each joint its spin relative to the parent (pelvis: to the world), about the world's axes;
    a hinge has one, its own.
    """

    def __init__(self, body: Body, dynamics: Dynamics, friction: float):
        self.dynamics = dynamics
        slices, column = [], 3
        for hinge in body.hinges:
            wide = 1 if hinge else 3
            slices.append(slice(column, column + wide))
            column += wide
        self.slices, self.columns = slices, column
        self._joint = np.concatenate([np.full(columns.stop - columns.start, i) for i, columns in enumerate(slices)])
        self._turns = np.flatnonzero(body.hinges)
        self._of_hinges = np.array([slices[link].start - 3 for link in self._turns])
        # (C − 3, 3): the axes of the balls; those of the hinges turn with their links.
        self._fixed = np.concatenate([np.zeros((1, 3)) if hinge else np.eye(3) for hinge in body.hinges])
        # (L, C − 3): 1 where a column turns a link.
        self._on = dynamics.chain[:, self._joint]
        self._ones = np.eye(column)
        grip = min(GRIP, 0.9 * friction) / 2**0.5
        self._cone = np.array([(grip, grip, 1.0), (grip, -grip, 1.0), (-grip, grip, 1.0), (-grip, -grip, 1.0)])
        self._weight = 9.81 * body.mass
        self._pressed = np.zeros(0)
        self._rows, self._goals, self._count = np.empty((MOST_ROWS, column)), np.empty(MOST_ROWS), 0

    def begin(self, pose: Pose) -> None:
        """A new moment."""
        self.pose, self._count = pose, 0
        dynamics, count = self.dynamics, len(pose.frames)
        # (C − 3, 3): the axis of each column, world, and below as it is needed most, (3, C − 3).
        axes = self._fixed.copy()
        axes[self._of_hinges] = pose.frames[self._turns, :, 1]
        self._axes, self._across = axes, np.ascontiguousarray(axes.T)
        arms = pose.origins.take(self._joint, 0)
        self._levers = cross(axes, arms).T
        # What the links' velocities alone accelerate: (L, 3) of the links' spins and of joints.
        self.turned = dynamics.chain @ pose.bias
        along = cross(self.turned.take(dynamics.carriers[:count], 0), pose.arms[:count]) + cross(pose.carried[:count], pose.swept[:count])
        self.swung = dynamics.chain @ along
        self._momentum(axes, pose.com - arms)

    def turning(self, link: int) -> Array:
        """(3, C) rows that give a link's angular acceleration from those of the columns; ``turned`` comes on top of it."""
        rows = np.zeros((3, self.columns))
        rows[:, 3:] = self._across * self._on[link]
        return rows

    def joint(self, link: int) -> Array:
        """(A, C) rows that give the angular acceleration of a joint with A axes itself."""
        return self._ones[self.slices[link]]

    def moving(self, link: int, point: Array) -> Array:
        """(3, C) rows that give the acceleration of a point (3,) m, world, of a link; for a joint ``swung`` comes on top of it."""
        x, y, z = point.tolist()
        rows = np.zeros((3, self.columns))
        rows[0, 0] = rows[1, 1] = rows[2, 2] = 1.0
        # Each axis times the way from its joint to the point.
        rows[:, 3:] = (np.array(((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0))) @ self._across - self._levers) * self._on[link]
        return rows

    def _momentum(self, axes: Array, beside: Array) -> None:
        """Rows of the change of linear (over the mass) and angular momentum (about the centre of mass). ``beside``: (C − 3, 3) m, from the joint of
        each column to the body's centre of mass."""
        pose, dynamics = self.pose, self.dynamics
        masses, away = dynamics.masses[:, None], pose.centers - pose.com
        heavy = masses * away
        inertias = (pose.frames * dynamics.inertias[:, None, :]) @ pose.frames.transpose(0, 2, 1) - heavy[:, :, None] * away[:, None, :]
        square = (heavy * away).sum(axis=1)
        for axis in range(3):
            inertias[:, axis, axis] += square
        # Of all that hangs on each joint, about the body's centre of mass: inertia, mass times place, mass.
        hanging = (dynamics.subtree @ np.concatenate([inertias.reshape(-1, 9), heavy, masses], axis=1)).take(self._joint, 0)
        swept = cross(axes, beside)
        self.com, self._moment = np.zeros((3, self.columns)), np.zeros((3, self.columns))
        self.com[:, :3] = self._ones[:3, :3]
        self.com[:, 3:] = (cross(axes, hanging[:, 9:12]) + hanging[:, 12:] * swept).T / dynamics.mass
        self._moment[:, 3:] = ((hanging[:, :9].reshape(-1, 3, 3) @ axes[:, :, None])[:, :, 0] + cross(hanging[:, 9:12], swept)).T
        still = dynamics.motion_forces(pose, np.zeros_like(pose.origins))
        self.com_swung, self._moment_swung = still.force / dynamics.mass, still.moment

    def add(self, rows: Array, goal: Array | float, weight: float) -> None:
        """Ask that rows (R, C) times the accelerations be ``goal`` (R,)."""
        first, self._count = self._count, self._count + len(rows)
        np.multiply(rows, weight, out=self._rows[first:self._count])
        self._goals[first:self._count] = goal
        self._goals[first:self._count] *= weight

    def torques(self, corners: list[tuple[int, Vector]], goals: Array, weights: Array) -> Array:
        """(L, 3) N·m in the links' own frames.

        Args:
            corners: link and point (m, world) of each corner that stands.
            goals: (L, 3) rad/s² of the joints, world, each with its weight (L,); row 0 is not used.
        """
        dynamics, pose, scale = self.dynamics, self.pose, self._weight
        # What is asked for: rows · accelerations = aims in the least squares, and each joint's own task.
        rows, aims = self._rows[:self._count], self._goals[:self._count]
        firm = np.full(self.columns, IDLE)
        firm[6:] = weights.take(self._joint[3:])**2
        asked = rows.T @ rows
        asked.ravel()[::self.columns + 1] += firm
        wish = rows.T @ aims
        wish[6:] += firm[6:] * (self._axes * goals.take(self._joint, 0)).sum(axis=1)[3:]
        # The equations of motion, in units of acceleration: moved · accelerations = falling + given · pressed.
        gyration = GYRATION * dynamics.mass
        moved = EXACT * np.concatenate([self.com, self._moment / gyration])
        falling = -EXACT * np.concatenate([GRAVITY + self.com_swung, self._moment_swung / gyration])
        points = np.array([point for _, point in corners]).reshape(-1, 3)
        forces = np.tile(self._cone, (len(points), 1))
        lever = np.repeat(points - pose.com, 4, axis=0)
        given = EXACT * scale * np.concatenate([forces / dynamics.mass, cross(lever, forces) / gyration], axis=1).T
        # What would be done without these equations, and how it gives way to them.
        free = np.linalg.solve(asked, np.concatenate([wish[:, None], moved.T], axis=1))
        missing = moved @ free[:, 0] - falling
        yields = np.linalg.inv(moved @ free[:, 1:] + self._ones[:6, :6])
        normal = given.T @ yields @ given
        normal.ravel()[::len(forces) + 1] += LIGHT
        if len(self._pressed) != len(forces):
            self._pressed = np.zeros(len(forces))
        pressed = self._pressed = nonnegative(normal, given.T @ (yields @ missing), self._pressed)
        found = free[:, 0] - free[:, 1:] @ (yields @ (missing - given @ pressed))
        spins = np.zeros_like(pose.origins)
        np.add.at(spins, self._joint, self._axes * found[3:, None])
        total = dynamics.motion_forces(pose, spins)
        carried = (forces * (scale * pressed)[:, None]).reshape(-1, 4, 3).sum(axis=1).tolist()
        loads: list[GroundForce] = [(link, point, (x, y, z), (0.0, 0.0, 0.0)) for (link, point), (x, y, z) in zip(corners, carried, strict=True)]
        torques = dynamics.torques(pose, total, found[:3] + GRAVITY, np.zeros(3), loads)
        return (pose.frames.transpose(0, 2, 1) @ torques[:, :, None])[:, :, 0]


def nonnegative(matrix: Array, goal: Array, guess: Array) -> Array:
    """x ≥ 0 that minimises xᵀ·matrix·x / 2 − goal·x. ``guess``: (N,) what it may be, ≥ 0; the nearer, the sooner it is found.

    Numbers that would pull are held at 0, and one after the other of those that it helps are let go (Lawson and Hanson 1974, chapter 23)."""
    x = guess.copy()
    free = x > 0.0
    for _ in range(5 * len(goal) + 10):
        while free.any():
            at = np.flatnonzero(free)
            wanted = np.linalg.solve(matrix[at[:, None], at], goal[at])
            pulls = wanted <= 0.0
            if not pulls.any():
                x[at] = wanted
                break
            # From what there is towards what is wanted, until the first one is 0.
            now = x[at]
            shares = np.where(pulls, now / np.where(pulls, now - wanted, 1.0), 1.0)
            x[at] = np.where(pulls & (shares <= shares.min()), 0.0, now + shares.min() * (wanted - now))
            free[at] = x[at] > 0.0
        helps = np.where(free, 0.0, goal - matrix @ x)
        if helps.max(initial=0.0) <= 1e-9:
            break
        free[helps.argmax()] = True
    return x
