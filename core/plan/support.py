"""The torques behind a clip: inverse dynamics with the forces that the ground can give wherever the body touches it.

With these in the servos' targets the body does the clip nearly by itself, and a plan only has to keep its balance.
"""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..body import Body
from ..dynamics import Dynamics
from ..motion import Motion
from ..signals import local_fit

NEAR = 0.02  # m over the ground, up to which a point of the body can be pushed by it
GRIP = 0.56  # horizontal over vertical force along an edge of the friction pyramid
# s of the clip that each velocity, acceleration and torque is taken from: over less, a landing would be a jolt that cannot be followed.
VELOCITY_S, ACCELERATION_S, TORQUE_S = 0.06, 0.12, 0.08
EVEN = 1e-2  # weight of the forces themselves against meeting the need exactly: the larger it is, the more evenly they are spread
ROUNDS = 300  # of the gradient method that finds them


def touching_points(body: Body) -> tuple[Ints, Array, Array]:
    """Points of the links' shapes that can touch the ground: link (P,), centre (P, 3) m in the link's frame, radius about it (P,) m."""
    points = []
    for link, shape in enumerate(body.shapes):
        center = np.array(shape.center)
        if shape.kind == "box":
            points += [(link, center + np.array(shape.size) * (x, y, z), 0.0) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        elif shape.kind == "capsule":
            points += [(link, center + (0.0, 0.0, end * shape.size[1]), shape.size[0]) for end in (-1, 1)]
        else:
            points.append((link, center, shape.size[0]))
    links, centers, radii = zip(*points, strict=True)
    return np.array(links), np.array(centers), np.array(radii)


def lowest_points(body: Body, positions: Array, orientations: Array) -> tuple[Ints, Array]:
    """Link (P,) of each touching point, and where its lowest spot is: (F, P, 3) m, world, for link poses (F, L, 3) and (F, L, 4)."""
    links, centers, radii = touching_points(body)
    spots = positions[:, links] + rotation.rotate(orientations[:, links], centers)
    spots[..., 2] -= radii
    return links, spots


def joint_rates(rotations: Array, fps: float) -> Array:
    """(F, L, 3) rad/s of continuous rotations (F, L, 4), in the turning frames."""
    return 2.0 * rotation.multiply(rotation.conjugate(rotations), local_fit(rotations, fps, VELOCITY_S, 2, 1))[..., 1:]


def torques(body: Body, inertias: Array, motion: Motion, heights: Array) -> Array:
    """(F, L, 3) N·m on each link in its own frame; the pelvis's are 0.

    Args:
        inertias: (L, 3) kg·m² as simulated. motion: with continuous rotations. heights: (F,) m, of the ground under the body.
    """
    dynamics, fps = Dynamics(body, inertias), motion.fps
    rates = joint_rates(motion.rotations, fps)
    changes = local_fit(rates, fps, ACCELERATION_S, 2, 1)
    velocities = local_fit(motion.root_positions, fps, VELOCITY_S, 2, 1)
    spins = rotation.rotate(motion.rotations[:, 0], rates[:, 0])
    rates[:, 0] = 0.0
    poses = [dynamics.pose_of(*arguments) for arguments in zip(motion.root_positions, motion.rotations, rates, velocities, spins, strict=True)]
    pushes = dynamics.mass * (local_fit(np.array([pose.com_velocity for pose in poses]), fps, ACCELERATION_S, 2, 1) + (0.0, 0.0, 9.81))
    spin_rates = local_fit(spins, fps, ACCELERATION_S, 2, 1)
    wanted = [(pose.frames @ change[:, :, None])[:, :, 0] for pose, change in zip(poses, changes, strict=True)]
    for row, spin_rate in zip(wanted, spin_rates, strict=True):
        row[0] = spin_rate
    forces = [dynamics.motion_forces(pose, row) for pose, row in zip(poses, wanted, strict=True)]
    links, spots = lowest_points(body, *motion.world())
    needs = np.concatenate([pushes, np.array([force.moment for force in forces])], axis=1)
    arms = spots - np.array([pose.com for pose in poses])[:, None]
    given = ground_forces(arms, spots[..., 2] - heights[:, None] < NEAR, needs)
    found = np.zeros((len(poses), len(body.names), 3))
    for frame, (pose, force) in enumerate(zip(poses, forces, strict=True)):
        loads = given[frame]
        pushed = loads.sum(axis=0)
        about = np.cross(arms[frame], loads).sum(axis=0)
        # What the ground cannot give goes into the motion of the whole body.
        spin = np.linalg.solve(force.inertia, about - force.moment)
        ground = [(int(links[n]), spots[frame, n], loads[n], (0.0, 0.0, 0.0)) for n in np.flatnonzero(loads[:, 2] > 1e-6)]
        row = dynamics.torques(pose, force, (pushed - force.force) / dynamics.mass, spin, ground)
        found[frame] = (pose.frames.transpose(0, 2, 1) @ row[:, :, None])[:, :, 0]
    found[:, 0] = 0.0
    return local_fit(found, fps, TORQUE_S, 1)


def ground_forces(arms: Array, near: Bools, needs: Array) -> Array:
    """(F, P, 3) N at each point: what comes nearest to the force and moment that is needed, pushing only, within the friction pyramid.

    Args:
        arms: (F, P, 3) m, from the centre of mass. near: (F, P) whether a point is at the ground. needs: (F, 6) N and N·m.
    """
    edges = np.array([(GRIP, 0.0, 1.0), (-GRIP, 0.0, 1.0), (0.0, GRIP, 1.0), (0.0, -GRIP, 1.0)])
    frames, points = near.shape
    moments = np.cross(arms[:, :, None], edges)
    columns = np.concatenate([np.broadcast_to(edges, moments.shape), moments], axis=3).reshape(frames, -1, 6)
    columns = columns * np.repeat(near, len(edges), axis=1)[:, :, None]
    # Non-negative least squares by accelerated projected gradients, for all frames at once.
    square = columns.transpose(0, 2, 1) @ columns
    step = (1.0 / (np.linalg.norm(square, ord=2, axis=(1, 2)) + EVEN**2))[:, None]
    size = np.zeros((frames, columns.shape[1]))
    ahead, momentum = size, 1.0
    for _ in range(ROUNDS):
        short = (ahead[:, None, :] @ columns)[:, 0] - needs
        slope = (columns @ short[:, :, None])[:, :, 0] + EVEN**2 * ahead
        after = np.maximum(ahead - step * slope, 0.0)
        following = (1.0 + (1.0 + 4.0 * momentum**2) ** 0.5) / 2.0
        ahead = after + (momentum - 1.0) / following * (after - size)
        size, momentum = after, following
    return size.reshape(frames, points, len(edges)) @ edges
