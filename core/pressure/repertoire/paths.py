"""Curves as people move: with little jerk from key to key, and the centre of mass on its way over what carries it."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...kinematics import GRAVITY

JERK = 12.0  # m/s³ of the centre of mass that count as much as ``off`` m between where the ground presses and where it should


def through(keys: Array, values: Array, times: Array) -> Array:
    """(T,) or (T, D) at times (T,), through values (K,) or (K, D) at keys (K,) s.

    From stop to stop it is the curve of least jerk. Where the values go on in the same direction it does not stop, and nowhere does it go beyond
    them: the speed at a key is the harmonic mean of those before and after.
    """
    keys, values = np.asarray(keys, dtype=float), np.asarray(values, dtype=float)
    if len(keys) == 1:
        return np.broadcast_to(values[0], (len(times), *values.shape[1:])).copy()
    slopes = np.diff(values, axis=0) / np.diff(keys).reshape(-1, *[1] * (values.ndim - 1))
    speeds = np.zeros_like(values)
    before, after = slopes[:-1], slopes[1:]
    onward = before * after > 0.0
    speeds[1:-1] = np.where(onward, 2.0 * before * after / np.where(onward, before + after, 1.0), 0.0)
    return hermite(keys, values, speeds, np.zeros_like(values), times)


def hermite(keys: Array, values: Array, speeds: Array, pushes: Array, times: Array) -> Array:
    """The same with speeds and accelerations (``pushes``) at the keys: polynomials of the fifth degree. Before the first and after the last key it
    stays."""
    piece = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
    long = keys[piece + 1] - keys[piece]
    s = np.clip((times - keys[piece]) / long, 0.0, 1.0)
    wide = (-1, *[1] * (values.ndim - 1))
    s, long = s.reshape(wide), long.reshape(wide)
    one, other = values[piece], values[piece + 1]
    v0, v1, a0, a1 = speeds[piece] * long, speeds[piece + 1] * long, pushes[piece] * long**2, pushes[piece + 1] * long**2
    away = other - one
    c3 = 10 * away - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15 * away + 8 * v0 + 7 * v1 + 1.5 * a0 - a1
    c5 = 6 * away - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1
    return one + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))


def carried(wanted: Array, off: Array, heights: Array, lifts: Array, fps: float) -> Array:
    """(F, 2) m, the way of a centre of mass whose ground presses where it is wanted, (F, 2) m.

    It is that of an inverted pendulum which knows what comes: it leans to the side of a step before the foot lifts, and needs no more jerk than that.

    Args:
        off: (F,) m that the pressure may be away. Infinite in the air.
        heights, lifts: (F,) m and m/s² of the centre of mass, upward.
    """
    frames = len(wanted)
    second = np.zeros((frames, frames))
    inner = np.arange(1, frames - 1)
    second[inner, inner - 1] = second[inner, inner + 1] = fps**2
    second[inner, inner] = -2.0 * fps**2
    pendulum = np.eye(frames) - (heights / np.maximum(lifts + GRAVITY, 0.2 * GRAVITY))[:, None] * second
    pendulum /= off[:, None]
    third = np.diff(second[1:-1], axis=0) * fps / JERK
    return np.asarray(np.linalg.solve(pendulum.T @ pendulum + third.T @ third, pendulum.T @ (wanted / off[:, None])), dtype=float)
