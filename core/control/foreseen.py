"""The torques that a periodic gait needs by itself, from inverse dynamics. Given these, feedback only has to correct what differs."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics import Dynamics
from .footing import Footing
from .periodic import Periodic

ROWS = 96  # phases at which they are computed
SMOOTH = 5  # rows over which they are averaged: at a strike they jump, and strikes are not on time


def foreseen_torques(motion: Periodic, friction: float) -> Array:
    """(ROWS, L, 3) N·m of each joint on its link, in the link's own frame, at phases 0, 1 / ROWS, …; the pelvis's are 0."""
    body = motion.body
    dynamics, footing = Dynamics(body, body.inertias), Footing(body, friction)
    phases = np.arange(ROWS) / ROWS
    step = motion.period / ROWS
    roots, rotations = motion.pose(phases)
    velocities, rates = motion.rates(phases)
    poses = []
    for root, turns, velocity, rate in zip(roots, rotations, velocities, rates, strict=True):
        spin = dynamics.frames(turns)[0] @ rate[0]
        poses.append(dynamics.pose_of(tuple(root), turns, np.concatenate([np.zeros((1, 3)), rate[1:]]), tuple(velocity), tuple(spin)))
    com = _rate(np.array([pose.com_velocity for pose in poses]), step)
    spins = _rate(np.array([pose.spins[0] for pose in poses]), step)
    turned = _rate(rates, step)
    torques = np.zeros((ROWS, len(body.names), 3))
    for row, pose in enumerate(poses):
        wanted = (pose.frames @ turned[row][:, :, None])[:, :, 0]
        wanted[0] = spins[row]
        forces = dynamics.motion_forces(pose, wanted)
        soles = footing.soles(pose)
        lows = [min(corner[2] for corner in sole) for sole in soles]
        wanted = dynamics.mass * (com[row] + (0.0, 0.0, 9.81))
        shares = [motion.share(foot, phases[row]) for foot in (0, 1)]
        force, about, ground = footing.plan(pose, soles, lows, (0.0, 0.0), shares, tuple(wanted.tolist()), tuple(forces.moment.tolist()))
        # What the feet cannot give goes into the motion of the whole body.
        turn: Array = np.linalg.solve(forces.inertia, np.array(about) - forces.moment).astype(float, copy=False)
        torques[row] = dynamics.torques(pose, forces, (np.array(force) - forces.force) / dynamics.mass, turn, ground)
        torques[row] = (pose.frames.transpose(0, 2, 1) @ torques[row][:, :, None])[:, :, 0]
    torques[:, 0] = 0.0
    return np.mean([np.roll(torques, shift, axis=0) for shift in range(-(SMOOTH // 2), SMOOTH // 2 + 1)], axis=0)


def _rate(values: Array, step: float) -> Array:
    """Rates of change of values (N, …) around a cycle, ``step`` s apart."""
    return (np.roll(values, -1, axis=0) - np.roll(values, 1, axis=0)) / (2.0 * step)
