"""Taking the jitter out of a recording: a low-pass filter without delay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import rotation
from ..motion import Motion

# Seconds by which a signal is continued at both ends, point-reflected, so that it is not bent there.
MARGIN_S = 0.5
# Seconds over which one cut-off goes over into the other.
CHANGE_S = 0.1


def low_pass(values: np.ndarray, fps: float, cutoff: float) -> np.ndarray:
    """(F, ...) smoothed: the answer of a second-order Butterworth filter run forward and backward, half the amplitude at ``cutoff`` Hz."""
    values = np.asarray(values, dtype=float)
    frames = len(values)
    margin = min(int(MARGIN_S * fps), frames - 1)
    if margin < 1:
        return values.copy()
    before = 2.0 * values[:1] - values[margin:0:-1]
    after = 2.0 * values[-1:] - values[-2:-margin - 2:-1]
    padded = np.concatenate([before, values, after])
    # The transform takes its input for a cycle: without this line between its ends they would not meet.
    line = np.linspace(0.0, 1.0, len(padded)).reshape(-1, *[1] * (values.ndim - 1))
    trend = padded[:1] + line * (padded[-1:] - padded[:1])
    gain = 1.0 / (1.0 + (np.fft.rfftfreq(len(padded), 1.0 / fps) / cutoff) ** 4)
    spectrum = np.fft.rfft(padded - trend, axis=0) * gain.reshape(-1, *[1] * (values.ndim - 1))
    return (np.fft.irfft(spectrum, len(padded), axis=0) + trend)[margin:margin + frames]


def smoothed(motion: Motion, cutoff: float) -> Motion:
    """The motion with root and rotations low-passed at ``cutoff`` Hz."""
    rotations = rotation.normalize(low_pass(rotation.make_continuous(motion.rotations), motion.fps, cutoff))
    return replace(motion, root_positions=low_pass(motion.root_positions, motion.fps, cutoff), rotations=rotations)


def smoothed_by_pace(motion: Motion, calm: float, lively: float, is_lively: np.ndarray) -> Motion:
    """Low-passed at ``calm`` Hz, at ``lively`` Hz where is_lively (F,)."""
    if not is_lively.any():
        return smoothed(motion, calm)
    width = 2 * int(CHANGE_S * motion.fps) + 1
    weight = np.convolve(np.pad(is_lively.astype(float), width // 2, mode="edge"), np.ones(width) / width, mode="valid")
    return smoothed(motion, calm).blend(smoothed(motion, lively), weight)
