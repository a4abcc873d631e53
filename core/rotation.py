"""Rotations as quaternions: float arrays of shape (..., 4), order w, x, y, z.

Every function broadcasts over the leading axes. Unless it says otherwise, a quaternion given is of unit length, q and −q
mean the same rotation, angles are radians, and q takes a vector from the rotated (local) frame to the fixed (parent) frame.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array

# A number or an array of them.
Angle = TypeVar("Angle", float, Array)

AXES = "xyz"
# Below this length a direction is rounding noise rather than a direction (unit-length data carries about 1e-16 of it).
NOISE = 1e-9
# Up to so many numbers a call of numpy takes longer than what it works out: few calls are made, each of all components together. Of more, components
# one by one are quicker. Both ways give the same bits.
FEW = 1000
# Of a product, for each component of the first factor, in a row: which component of the second it goes with in w, x, y, z, and by which sign.
_PARTNERS = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
_SIGNS = np.array([[1.0, 1.0, 1.0, 1.0], [-1.0, 1.0, -1.0, 1.0], [-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]])
# Components of a vector such that 1 to 3 and 2 to 4 are those that a cross product multiplies.
_ROUND = np.array([0, 1, 2, 0, 1])
_HINGE = np.array([0.0, 1.0, 0.0])


def identity(shape: tuple[int, ...] = ()) -> Array:
    """(*shape, 4) rotations that turn nothing."""
    q = np.zeros((*shape, 4))
    q[..., 0] = 1.0
    return q


def normalize(q: ArrayLike) -> Array:
    """(..., 4) of any length but zero → unit length. A zero quaternion has no direction and becomes NaN."""
    q = np.asarray(q, dtype=float)
    return q / _length(q)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """(..., 4) product a·b: turns by b first, then by a."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.size <= FEW and b.size <= FEW:
        return np.asarray(np.add.reduce(a[..., None] * (b.take(_PARTNERS, axis=-1) * _SIGNS), axis=-2))
    aw, ax, ay, az = _components(a)
    bw, bx, by, bz = _components(b)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: ArrayLike) -> Array:
    """(..., 4) the inverse rotation."""
    return np.asarray(q, dtype=float) * (1.0, -1.0, -1.0, -1.0)


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Turn vectors v (..., 3) by q (..., 4) → (..., 3), in the units of v."""
    # Faster than numpy's cross product, which looks at axes for longer than it multiplies.
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    if q.size <= FEW and v.size <= FEW:
        axis = q[..., 1:].take(_ROUND, axis=-1)
        across = 2.0 * _cross(axis, v.take(_ROUND, axis=-1))
        return np.asarray(v + q[..., :1] * across + _cross(axis, across.take(_ROUND, axis=-1)))
    w, x, y, z = _components(q)
    a, b, c = _components(v)
    d, e, f = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return np.stack([a + w * d + (y * f - z * e), b + w * e + (z * d - x * f), c + w * f + (x * e - y * d)], axis=-1)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """(..., 4) from axes (..., 3) of any length but zero and right-handed angles (...) in radians."""
    axis = np.asarray(axis, dtype=float)
    half = 0.5 * np.asarray(angle, dtype=float)[..., None]
    vector = np.sin(half) * axis / _length(axis)
    return _join(np.cos(half), vector)


def exp(rotvec: ArrayLike) -> Array:
    """(..., 4) from rotation vectors (..., 3): axis times angle in radians, of any length."""
    rotvec = np.asarray(rotvec, dtype=float)
    half = 0.5 * _length(rotvec)
    # numpy's sinc(x) is sin(πx)/(πx): sin(half)/half without a division by zero.
    return _join(np.cos(half), 0.5 * np.sinc(half / np.pi) * rotvec)


def log(q: ArrayLike) -> Array:
    """(..., 3) rotation vectors (axis times angle, radians) of the shortest arc: length in [0, π]."""
    q = np.asarray(q, dtype=float)
    q = np.where(q[..., :1] < 0.0, -q, q)
    w, u = q[..., :1], q[..., 1:]
    sine = _length(u)
    # atan2 keeps full precision at 0, where acos(w) is flat, and at π, where asin is. Its ratio to sine tends to 1 at 0.
    ratio = np.divide(np.arctan2(sine, w), sine, out=np.ones_like(sine), where=sine > 0.0)
    return 2.0 * ratio * u


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """(..., 4) from a (t = 0) to b (t = 1) along the shortest arc at constant speed; t (...) may lie outside [0, 1].

    The sign follows a, so that t = 1 gives b or −b.
    """
    arc = log(multiply(conjugate(a), b))
    return multiply(a, exp(np.asarray(t, dtype=float)[..., None] * arc))


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """Split q (..., 4) into (swing, twist), q = swing·twist: twist turns about axis (..., 3), swing about a normal to it.

    Where q swings the axis by half a turn every twist fits; the identity is returned for it.
    """
    q = np.asarray(q, dtype=float)
    axis = np.asarray(axis, dtype=float)
    axis = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    along = np.sum(q[..., 1:] * axis, axis=-1, keepdims=True)
    twist = _join(q[..., :1], along * axis)
    length = np.linalg.norm(twist, axis=-1, keepdims=True)
    twist = np.divide(twist, length, out=identity(twist.shape[:-1]), where=length > NOISE)
    return multiply(q, conjugate(twist)), twist


def to_matrix(q: ArrayLike) -> Array:
    """(..., 3, 3) rotation matrices; the columns are the turned x, y and z axes."""
    w, x, y, z = _components(q)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrix: ArrayLike) -> Array:
    """(..., 4) from rotation matrices (..., 3, 3); small departures from orthogonality are forgiven."""
    m = np.asarray(matrix, dtype=float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    rows = [
        [1.0 + xx + yy + zz, wx, wy, wz],
        [wx, 1.0 + xx - yy - zz, xy, xz],
        [wy, xy, 1.0 - xx + yy - zz, yz],
        [wz, xz, yz, 1.0 - xx - yy + zz],
    ]
    # This is 4·q·qᵀ: each row is q times one of its components. The row of the largest component loses least to rounding.
    outer = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    return normalize(np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :])


def to_euler(q: ArrayLike, order: str = "xyz") -> Array:
    """(..., 3) radians: intrinsic angles about the axes of ``order`` (a permutation of "xyz"), listed in that order.

    Intrinsic: each turn is about an axis already carried by the turns before it, so "xyz" is the matrix Rx·Ry·Rz (the
    channel order of BVH; Blender calls the same order ZYX). The first and last angle lie in [−π, π], the middle one in
    [−π/2, π/2]. In gimbal lock (middle angle ±π/2) only the sum or difference of the other two is known; the last is 0.
    """
    i, j, k, sign = _euler_axes(order)
    m = to_matrix(q)
    cos_middle = np.hypot(m[..., i, i], m[..., i, j])
    middle = np.arctan2(sign * m[..., i, k], cos_middle)
    last = np.where(cos_middle > NOISE, np.arctan2(-sign * m[..., i, j], m[..., i, i]), 0.0)
    # The first angle comes from the matrix with the last turn undone: next to gimbal lock, where `last` is poorly known,
    # the two then still compose to the right rotation.
    column = m[..., :, j] * np.cos(last)[..., None] + sign * m[..., :, i] * np.sin(last)[..., None]
    first = np.arctan2(sign * column[..., k], column[..., j])
    return np.stack([first, middle, last], axis=-1)


def from_euler(angles: ArrayLike, order: str = "xyz") -> Array:
    """(..., 4) from intrinsic angles (..., 3) in radians about the axes of ``order``; the inverse of :func:`to_euler`."""
    angles = np.asarray(angles, dtype=float)
    *axes, _ = _euler_axes(order)
    first, middle, last = (from_axis_angle(np.eye(3)[axis], angles[..., n]) for n, axis in enumerate(axes))
    return multiply(multiply(first, middle), last)


def heading(q: ArrayLike) -> Array:
    """(...) radians in [−π, π]: yaw about world Z of the turned +X axis (forward), 0 along +X, positive to the left.

    Where forward points straight up or down its yaw is undefined, and the turned +Y axis (left, then horizontal) answers.
    """
    forward = rotate(q, (1.0, 0.0, 0.0))
    left = rotate(q, (0.0, 1.0, 0.0))
    upright = np.hypot(forward[..., 0], forward[..., 1]) > NOISE
    x = np.where(upright, forward[..., 0], left[..., 1])
    y = np.where(upright, forward[..., 1], -left[..., 0])
    return np.arctan2(y, x)


def hinge(angle: ArrayLike) -> Array:
    """(..., 4) turns about Y, the axis of hinges, by angles (...) in radians."""
    half = 0.5 * np.asarray(angle, dtype=float)[..., None]
    return _join(np.cos(half), np.sin(half) * _HINGE)


def hinge_angle(q: ArrayLike) -> Array:
    """(...) radians in [−π, π] that rotations (..., 4) turn about Y, the axis of hinges. q and −q are the same rotation and give the same angle."""
    w, _, y, _ = _components(q)
    return 2.0 * np.arctan2(np.where(w < 0.0, -y, y), np.abs(w))


def upright_turn(normal: Array) -> Array:
    """(..., 4) the smallest turn that takes directions (..., 3) to +Z."""
    normal = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    axis = np.cross(normal, (0.0, 0.0, 1.0))
    sine = np.linalg.norm(axis, axis=-1, keepdims=True)
    angle = np.arctan2(sine, normal[..., 2:])
    return exp(axis * np.divide(angle, sine, out=np.ones_like(sine), where=sine > 0.0))


def angular_velocity(q: ArrayLike, fps: float) -> Array:
    """(F, ..., 3) rad/s in the fixed (world) frame, of orientations q (F, ..., 4) at ``fps`` frames a second.

    Central differences, one-sided at both ends; zero for a single frame. A turn of π or more between two frames is
    taken for the shorter turn the other way.
    """
    q = np.asarray(q, dtype=float)
    if len(q) < 2:
        return np.zeros((*q.shape[:-1], 3))
    # The mean of the steps before and after, not one step over two frames: that would alias at half the speed.
    steps = log(multiply(q[1:], conjugate(q[:-1]))) * fps
    return np.concatenate([steps[:1], 0.5 * (steps[1:] + steps[:-1]), steps[-1:]])


def wrap(angle: Angle) -> Angle:
    """The same directions in [−π, π): radians, a number or an array."""
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def make_continuous(q: ArrayLike) -> Array:
    """(F, ..., 4) the same rotations, with signs chosen so that none jumps to the far side from one frame to the next."""
    q = np.asarray(q, dtype=float)
    flips = np.where(np.sum(q[1:] * q[:-1], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return np.concatenate([q[:1], q[1:] * np.cumprod(flips, axis=0)])


def _components(q: ArrayLike) -> Array:
    """(K, ...) view of quaternions or vectors (..., K), to unpack."""
    q = np.asarray(q, dtype=float)
    return q.transpose(q.ndim - 1, *range(q.ndim - 1))  # as np.moveaxis, which takes longer than all else for a single quaternion


def _join(w: Array, vector: Array) -> Array:
    """(..., 4) from w (..., 1) and vector (..., 3), broadcast against each other."""
    shape = w.shape[:-1] if w.ndim == vector.ndim and w.shape[:-1] == vector.shape[:-1] else np.broadcast_shapes(w.shape[:-1], vector.shape[:-1])
    q = np.empty((*shape, 4))
    q[..., :1], q[..., 1:] = w, vector
    return q


def _length(vectors: Array) -> Array:
    """(..., 1) of vectors (..., K), as numpy's norm has it, which takes longer to find out what is asked of it."""
    return np.asarray(np.sqrt(np.add.reduce(vectors * vectors, axis=-1, keepdims=True)))


def _cross(a: Array, b: Array) -> Array:
    """(..., 3) cross products of vectors with their components as ``_ROUND`` has them."""
    return np.asarray(a[..., 1:4] * b[..., 2:] - a[..., 2:] * b[..., 1:4])


def _euler_axes(order: str) -> tuple[int, int, int, int]:
    """Indices of the three axes of ``order``, and +1 if it is a cyclic shift of xyz, −1 if not."""
    if sorted(order) != list(AXES):
        raise ValueError(f"'{order}' is not an order of rotation: use a permutation of 'xyz'.")
    i, j, k = (AXES.index(axis) for axis in order)
    return i, j, k, 1 if (j - i) % 3 == 1 else -1
