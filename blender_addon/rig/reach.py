"""A leg that reaches for a place with its foot. Arrays only, no Blender."""

from __future__ import annotations

import numpy as np

from ...core import rotation

LONGEST = 0.9999  # of a leg that is straight: further than this it does not reach
HINGE = 0.02  # of the two bones' product: how much the knee's own axis counts beside the plane in which the leg is bent, which a straight one has not


def reach(hip: np.ndarray, knee: np.ndarray, ankle: np.ndarray, goal: np.ndarray, hinge: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F, 4) turns, world axes, by which thigh and shin turn further, so that the ankle comes to ``goal``, or as near as the leg reaches.

    All are (F, 3), world. ``hinge``: the axis about which the knee bends, to the left of the body. The knee goes on pointing where it pointed.
    """
    thigh, shin = knee - hip, ankle - knee
    lengths = np.linalg.norm(thigh, axis=1), np.linalg.norm(shin, axis=1)
    plane = np.cross(thigh, shin)
    back = (plane * hinge).sum(axis=1, keepdims=True) < 0.0  # a knee that is stretched too far
    axis = np.where(back, -plane, plane) + HINGE * (lengths[0] * lengths[1])[:, None] * hinge
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    bent = np.arctan2(np.linalg.norm(plane, axis=1), (thigh * shin).sum(axis=1))
    distance = np.clip(np.linalg.norm(goal - hip, axis=1), np.abs(lengths[0] - lengths[1]), LONGEST * (lengths[0] + lengths[1]))
    cosine = (distance**2 - lengths[0] ** 2 - lengths[1] ** 2) / (2.0 * lengths[0] * lengths[1])
    bend = rotation.from_axis_angle(axis, np.arccos(np.clip(cosine, -1.0, 1.0)) - bent)
    swing = _between(thigh + rotation.rotate(bend, shin), goal - hip)
    return swing, rotation.multiply(swing, bend)


def _between(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(F, 4) the smallest turns that take directions (F, 3) to others (F, 3), less than half a turn away."""
    start, end = (way / np.linalg.norm(way, axis=1, keepdims=True) for way in (start, end))
    return rotation.normalize(np.concatenate([1.0 + (start * end).sum(axis=1, keepdims=True), np.cross(start, end)], axis=1))
