"""What a search for gains of tracking moves, and when a clip is held."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..arrays import Array
from ..control.data_driven import Gains
from ..measure.following import nearness
from ..result import Result
from .gains import CLOSE_SPEED

# What a search moves, by a factor: a stiffness with its damping (which grows with the root), or one number of a pair.
STIFFNESSES = ("joint", "swing", "pelvis", "height", "knee", "ankle")
NUMBERS = (("com", 0), ("com", 1), ("swing_velocity", 0), ("swing_velocity", 1), ("swing_distance", 0), ("swing_distance", 1), ("swing_height", 0),
           ("clearance", None), ("warp", None), ("lowering", None))
SIZE, POPULATION = len(STIFFNESSES) + len(NUMBERS), 12
CLOSE_M = 0.06  # m that the joints of who holds a clip are off on average, at most


def moved(gains: Gains, steps: Array) -> Gains:
    """Gains times the exponentials of ``steps``, in the order STIFFNESSES, NUMBERS."""
    values = dataclasses.asdict(gains)
    factors = np.exp(np.clip(steps, -2.5, 2.5)).tolist()
    for name, factor in zip(STIFFNESSES, factors[:len(STIFFNESSES)], strict=True):
        stiffness, damping = values[name]
        values[name] = (stiffness * factor, damping * factor**0.5)
    for (name, place), factor in zip(NUMBERS, factors[len(STIFFNESSES):], strict=True):
        if place is None:
            values[name] *= factor
        else:
            values[name] = tuple(value * factor if n == place else value for n, value in enumerate(values[name]))
    found: dict[str, Any] = {name: tuple(map(_rounded, value)) if isinstance(value, tuple) else _rounded(value) for name, value in values.items()}
    return Gains(**found)


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def held(result: Result) -> bool:
    """Whether a clip was followed to its end as it should be."""
    if result.outcome["fell"]:
        return False
    figures = nearness(result)
    return figures["joint_error_m"] < CLOSE_M and abs(figures["speed_ratio"] - 1.0) < CLOSE_SPEED
