"""Pendulum: a part of the body that trails behind what carries it, and swings past it."""

from __future__ import annotations

import numpy as np

from ... import rotation
from ...arrays import Array
from ...motion import Motion
from ...signals import local_fit
from .scene import Scene, level

SUBSTEPS, SMOOTH_S = 4, 0.1


def trailing(scene: Scene, motion: Motion, link: int, along: Array, length: float, rate: float, damping: float) -> Array:
    """(F, 3) rad, world: by how much a link turns from where its joint would carry it, because what carries it is moved by the hit.

    Args:
        motion: the body as it is so far. along: (F, 3) the link's own direction, world. length: m, of a pendulum that swings alike.
        rate: rad/s, with which it comes back. damping: as a fraction of critical damping.
    """
    parent = int(scene.body.parents[link])
    pushed = _beyond_clip(scene, motion, lambda one, positions, turns: local_fit(positions[:, link], one.fps, SMOOTH_S, 2, 2))
    twisted = _beyond_clip(scene, motion, lambda one, positions, turns: local_fit(
        rotation.angular_velocity(turns[:, parent], one.fps), one.fps, SMOOTH_S, 1, 1))
    drive = -(twisted + np.cross(along, pushed) / length) * (np.arange(motion.frames) > scene.first)[:, None]
    angle, speed, found = np.zeros(3), np.zeros(3), np.zeros((motion.frames, 3))
    step = 1.0 / (SUBSTEPS * scene.fps)
    for frame in range(1, motion.frames):
        for _ in range(SUBSTEPS):
            speed = speed + step * (drive[frame] - rate**2 * angle - 2.0 * damping * rate * speed)
            angle = angle + step * speed
        found[frame] = angle
    return found


def _beyond_clip(scene: Scene, motion: Motion, measured) -> Array:  # type: ignore[no-untyped-def]
    """(F, 3) world: what ``measured(motion, positions, turns)`` (F, 3) gives of the body, less what it gives of the clip facing the same way."""
    own, other = (measured(one, *one.world()) for one in (motion, scene.clip))
    return np.asarray(own - rotation.rotate(rotation.multiply(level(motion), rotation.conjugate(level(scene.clip))), other))


def turned(motion: Motion, link: int, parent: int, turn: Array) -> Array:
    """(F, 4) the rotation of a link in its parent, once it is turned in the world by rotation vectors (F, 3)."""
    carries = motion.world()[1][:, parent]
    local = rotation.rotate(rotation.conjugate(carries), turn)
    return rotation.multiply(rotation.exp(local), motion.rotations[:, link])


def toward(own: Array, goal: Array, share: Array) -> Array:
    """(F, 4) rotations ``share`` (F,) of the way from ``own`` to ``goal``, both (F, 4): on the short way where that begins, and on the same way round
    from then on, for a limb that changed its way would jump."""
    between = rotation.make_continuous(rotation.multiply(rotation.conjugate(own), goal))
    between = between * np.copysign(1.0, between[int(np.argmax(share > 0.0)), 0])
    sine = np.linalg.norm(between[:, 1:], axis=1, keepdims=True)
    axis = np.divide(between[:, 1:], sine, out=np.zeros_like(between[:, 1:]), where=sine > 1e-9)
    return rotation.multiply(own, rotation.exp(share[:, None] * 2.0 * np.arctan2(sine, between[:, :1]) * axis))


def bounded(angles: Array, most: float) -> Array:
    """(F, 3) rotation vectors, rad, that get no longer than ``most``, softly."""
    size = np.linalg.norm(angles, axis=-1, keepdims=True)
    return np.asarray(angles * np.divide(most * np.tanh(size / most), size, out=np.ones_like(size), where=size > 1e-9))
