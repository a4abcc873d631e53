"""What feet press on their sensors: force, and where its centre is."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Bools
from .recording import EITHER, LEFT, RIGHT, Recording

NAMES = {LEFT: "left", RIGHT: "right", EITHER: "pad"}
# Share of the greatest force below which there is too little to say where its centre is.
LIGHT = 0.02


def feet_of(recording: Recording) -> list[int]:
    """Which feet the sensors are under: LEFT, RIGHT, or EITHER on a pad where nobody has told them apart."""
    return [foot for foot in NAMES if (recording.layout.feet == foot).any()]


def force(recording: Recording, foot: int) -> Array:
    """(T,) N, or counts, on a foot: what the device tells itself, else what its sensors feel; NaN where it tells nothing."""
    told = recording.forces
    if told is not None and foot in (LEFT, RIGHT) and not np.isnan(told[:, foot]).all():
        return told[:, foot]
    silent = np.isnan(recording.pressures[:, recording.layout.feet == foot]).all(axis=1)
    return np.where(silent, np.nan, recording.felt(foot))


def forces(recording: Recording) -> Array:
    """(T, 2) N, or counts, on the left and right foot; 0 on a foot that has no sensors."""
    return np.stack([force(recording, foot) if foot in feet_of(recording) else np.zeros(len(recording.times)) for foot in (LEFT, RIGHT)], axis=1)


def centre(recording: Recording, under: Bools) -> Array:
    """(T, 2) m: the centre of pressure of the sensors (S,) that are ``under`` something; NaN where hardly anything presses."""
    weights = np.nan_to_num(recording.pressures[:, under]) * (recording.layout.areas[under] if recording.calibrated else 1.0)
    total = weights.sum(axis=1)
    enough = total > LIGHT * max(float(total.max(initial=0.0)), 1e-12)
    path = np.full((len(total), 2), np.nan)
    path[enough] = (weights[enough] @ recording.layout.centres[under]) / total[enough, None]
    return path


def centres(recording: Recording) -> Array:
    """(T, 2, 2) m: the centres of pressure of the left and the right foot; NaN where hardly anything presses, or nobody tells the feet apart."""
    return np.stack([centre(recording, recording.layout.feet == foot) for foot in (LEFT, RIGHT)], axis=1)
