"""Quaternions as plain tuples (w, x, y, z), for the inner loop of one character.

``core.rotation`` does the same on arrays; on a single quaternion it costs five to ten times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, pi, sin

from .arrays import Quaternion, Vector

IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """a·b: turns by b first, then by a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw)


def rotate(q: Quaternion, v: Vector) -> Vector:
    """v from the rotated frame into the fixed one."""
    w, x, y, z = q
    a, b, c = v
    tx, ty, tz = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return (a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx)


def unrotate(q: Quaternion, v: Vector) -> Vector:
    """v from the fixed frame into the rotated one."""
    w, x, y, z = q
    a, b, c = v
    tx, ty, tz = 2 * (z * b - y * c), 2 * (x * c - z * a), 2 * (y * a - x * b)
    return (a + w * tx - y * tz + z * ty, b + w * ty - z * tx + x * tz, c + w * tz - x * ty + y * tx)


def lean(sagittal: float, coronal: float) -> Quaternion:
    """First ``coronal`` about x (a limb goes left), then ``sagittal`` about −y (a limb goes forward), radians."""
    cs, ss = cos(0.5 * sagittal), -sin(0.5 * sagittal)
    cc, sc = cos(0.5 * coronal), sin(0.5 * coronal)
    return (cc * cs, sc * cs, cc * ss, sc * ss)


def turned(yaw: float, q: Quaternion) -> Quaternion:
    """q seen from a frame turned by ``yaw`` about z: the product of that turn and q."""
    c, s = cos(0.5 * yaw), sin(0.5 * yaw)
    w, x, y, z = q
    return (c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w)


def heading(q: Quaternion) -> float:
    """Yaw of the rotated x axis, radians."""
    w, x, y, z = q
    return atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))


def hinge_angle(q: Quaternion) -> float:
    """Radians in [−π, π] that q turns about y, the axis of hinges. q and −q are the same rotation and give the same angle."""
    w, _, y, _ = q
    return 2.0 * atan2(y, w) if w >= 0.0 else 2.0 * atan2(-y, -w)


def euler(q: Quaternion) -> Vector:
    """Intrinsic angles about x, y, z, radians; the middle one lies in [−π/2, π/2]."""
    w, x, y, z = q
    xx, xy = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z)
    return (atan2(2 * (w * x - y * z), 1 - 2 * (x * x + y * y)), atan2(2 * (x * z + w * y), hypot(xx, xy)), atan2(-xy, xx))


def nearest_euler(q: Quaternion, limits: Sequence[Sequence[float]]) -> Vector:
    """Of the two triples of such angles that mean q, the one that is less beyond limits (3, 2) rad: as ``ranges.nearest``."""
    a, b, c = angles = euler(q)
    if _beyond(angles, limits) <= 0.0:
        return angles
    twin = (_wrapped(a + pi), _wrapped(pi - b), _wrapped(c + pi))
    return angles if _beyond(angles, limits) <= _beyond(twin, limits) else twin


def _beyond(angles: Vector, limits: Sequence[Sequence[float]]) -> float:
    return max(max(low - angle, angle - high) for angle, (low, high) in zip(angles, limits, strict=True))


def _wrapped(angle: float) -> float:
    return (angle + pi) % (2.0 * pi) - pi


def from_euler(angles: Vector) -> Quaternion:
    """From intrinsic angles about x, y, z."""
    a, b, c = angles
    (cx, sx), (cy, sy), (cz, sz) = ((cos(0.5 * angle), sin(0.5 * angle)) for angle in (a, b, c))
    return multiply((cx * cy, sx * cy, cx * sy, sx * sy), (cz, 0.0, 0.0, sz))


def offset(current: Quaternion, target: Quaternion) -> Vector:
    """The rotation from current to target as twice the quaternion's vector, in the current frame: radians for small angles."""
    w, x, y, z = current
    tw, tx, ty, tz = target
    dw = w * tw + x * tx + y * ty + z * tz
    twice = 2.0 if dw >= 0 else -2.0
    return (twice * (w * tx - x * tw - y * tz + z * ty), twice * (w * ty + x * tz - y * tw - z * tx),
            twice * (w * tz - x * ty + y * tx - z * tw))
