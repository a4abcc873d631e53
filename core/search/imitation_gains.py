"""What a search for the feedback of imitation moves, and when a recording is imitated well."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..control.imitator import settings
from ..measure.following import nearness
from ..result import Result
from .gains import CLOSE_SPEED

# What a search moves, by a factor: gains of a joint, all three alike, and single numbers of the feedback.
JOINTS = ("pelvis", "swing_hip", "stance_knee", "stance_ankle")
NUMBERS = (("cd", 0), ("cd", 1), ("cv", 0), ("cv", 1), ("ankle_cd", 0), ("ankle_cd", 1), ("ankle_cv", 0), ("ankle_cv", 1),
           ("swing_knee", None))
SIZE, POPULATION = len(JOINTS) + len(NUMBERS), 10


def moved(gains: dict[str, Any], steps: Array) -> dict[str, Any]:
    """Gains for a job's reference: the preset's, or ``gains`` in their places, times the exponentials of ``steps``, ordered as JOINTS, NUMBERS."""
    data = settings(gains)
    state, result = data["states"][0], dict(gains)
    factors = np.exp(np.clip(steps, -2.0, 2.0)).tolist()
    for name, factor in zip(JOINTS, factors[:len(JOINTS)], strict=True):
        result[name] = [_short(value * factor) for value in data["gains"][name]]
    for (name, place), factor in zip(NUMBERS, factors[len(JOINTS):], strict=True):
        if place is None:
            result[f"{name}_angle"] = _short(state[name] * factor)
        else:
            result.setdefault(name, list(state[name]))
            result[name] = [_short(value * factor) if n == place else value for n, value in enumerate(result[name])]
    return result


def held(result: Result) -> bool:
    """Whether a recording is imitated at its own speed."""
    return not result.outcome["fell"] and abs(nearness(result)["speed_ratio"] - 1.0) < CLOSE_SPEED


def _short(value: float) -> float:
    return float(f"{value:.4g}")
