"""Where everything is and how it moves: links, centre of mass, angular momentum, soles, joint angles.

World frame, metres, seconds. Velocities and accelerations are those of a parabola fitted to ``SMOOTHING_S`` around each
frame (see ``signals.local_fit``): exact for constant acceleration, and it spreads a heel strike over about that time.
"""

from __future__ import annotations

import numpy as np

from . import rotation
from .arrays import Array, Ints
from .result import Result
from .signals import local_fit
from .skeleton import Skeleton

GRAVITY = 9.81  # m/s²
SMOOTHING_S = 0.15


def velocity(values: Array, fps: float) -> Array:
    """(F, ...) rate of change a second of (F, ...) samples, smoothed."""
    return local_fit(values, fps, SMOOTHING_S, degree=2, derivative=1)


def acceleration(values: Array, fps: float) -> Array:
    """(F, ...) second derivative of (F, ...) samples, smoothed."""
    return local_fit(values, fps, SMOOTHING_S, degree=2, derivative=2)


def body_weight(result: Result) -> float:
    """Newtons."""
    return float(np.sum(result.masses)) * GRAVITY


def link_poses(result: Result) -> tuple[Array, Array]:
    """World positions (F, L, 3) of the joint origins and world orientations (F, L, 4) of the links."""
    skeleton = Skeleton(tuple(result.link_names), result.parents, result.offsets)
    return skeleton.forward_kinematics(result.root_positions, result.rotations)


def fastest(result: Result) -> Array:
    """(F − 1,) m/s of the joint that moves fastest from each frame to the next."""
    return np.linalg.norm(np.diff(link_poses(result)[0], axis=0), axis=-1).max(axis=1) * result.fps


def link_coms(result: Result) -> Array:
    """(F, L, 3) world position of each link's centre of mass."""
    positions, orientations = link_poses(result)
    return positions + rotation.rotate(orientations, result.com_offsets)


def center_of_mass(result: Result) -> Array:
    """(F, 3) world position of the whole body's centre of mass."""
    return np.einsum("l,fld->fd", result.masses / np.sum(result.masses), link_coms(result))


def com_velocity(result: Result) -> Array:
    """(F, 3) m/s, world, smoothed."""
    return velocity(center_of_mass(result), result.fps)


def com_acceleration(result: Result) -> Array:
    """(F, 3) m/s², world, smoothed."""
    return acceleration(center_of_mass(result), result.fps)


def angular_momentum(result: Result) -> Array:
    """(F, 3) kg·m²/s, world, of the whole body about its centre of mass."""
    return momentum_about_com(result.masses, result.inertias, link_coms(result), link_poses(result)[1], result.fps)


def momentum_about_com(masses: Array, inertias: Array, coms: Array, orientations: Array, fps: float) -> Array:
    """(F, 3) kg·m²/s, world, of links with masses (L,) kg, inertias (L, 3) kg·m², centres of mass (F, L, 3) m and orientations (F, L, 4)."""
    arms = coms - np.einsum("l,fld->fd", masses / np.sum(masses), coms)[:, None]
    # The arms are taken from the centre of mass, so their rates are velocities relative to it.
    orbital = np.einsum("l,fld->fd", masses, np.cross(arms, velocity(arms, fps)))
    axes = rotation.to_matrix(orientations)
    rates = rotation.angular_velocity(orientations, fps)
    spin = np.einsum("flij,lj,flkj,flk->fi", axes, inertias, axes, rates)
    return orbital + spin


def sole_feet(result: Result) -> Ints:
    """(P,) 0 for a sole point of the left foot or toes, 1 of the right."""
    return np.array([int(result.link_names[link].endswith(".R")) for link in result.sole_links], dtype=int)


def sole_positions(result: Result) -> Array:
    """(F, P, 3) world position of each sole point."""
    positions, orientations = link_poses(result)
    return positions[:, result.sole_links] + rotation.rotate(orientations[:, result.sole_links], result.sole_points)


def sole_heights(result: Result) -> Array:
    """(F, P) metres of each sole point above the ground under its foot."""
    return sole_positions(result)[:, :, 2] - result.ground_heights[:, sole_feet(result)]


def joint_angles(result: Result, order: str = "xyz") -> Array:
    """(F, L, 3) radians: each link's rotation about x, y, z of its parent, as intrinsic Euler angles applied in ``order``.

    Two triples of angles mean the same rotation; the one with the smaller turns is given, so that a knee may bend past 90°.
    """
    listed = rotation.to_euler(result.rotations, order)
    twin = euler_twin(listed)
    small = np.abs(listed).sum(axis=-1, keepdims=True) <= np.abs(twin).sum(axis=-1, keepdims=True)
    return np.where(small, listed, twin)[..., [order.index(axis) for axis in rotation.AXES]]


def euler_twin(angles: Array) -> Array:
    """(..., 3) radians, the other triple that means the same rotation as intrinsic ``angles`` (..., 3) listed in their order."""
    turned = np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], axis=-1)
    return rotation.wrap(turned)
