"""Signals over frames: smooth them, differentiate them, find where they are on.

``local_fit`` fits a polynomial around each frame (Savitzky–Golay), ``low_pass`` filters without delay.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, Bools

# Seconds by which ``low_pass`` continues a signal at both ends, point-reflected, so that it is not bent there.
MARGIN_S = 0.5


def local_fit(values: Array, fps: float, seconds: float, degree: int, derivative: int = 0) -> Array:
    """Value or derivative of the polynomial fitted to the window around each frame.

    Zero phase, and exact for polynomials up to ``degree`` everywhere: near the ends the window stops moving and its
    fit is read off-centre, so nothing is padded or held.

    Args:
        values: (F, ...) samples. fps: samples a second.
        seconds: length of the window; it is rounded to an odd number of frames, at least 3, at most F.
        degree: of the polynomial: 0 or 1 average over the window (the same away from the ends), 2 and more keep peaks.
        derivative: 0 the value, 1 the rate, 2 the acceleration; zero where F is too short to tell.
    Returns:
        (F, ...) in the unit of ``values`` per second to the power ``derivative``.
    """
    values = np.asarray(values, dtype=float)
    frames = len(values)
    width = min(window_frames(fps, seconds), frames)
    degree = min(degree, width - 1)
    if derivative > degree:
        return np.zeros_like(values)
    weights, half = _weights(width, degree, derivative), width // 2
    whole = frames - width + 1
    found = np.empty_like(values)
    # Where the window moves along, all of it has the same weights.
    middle = weights[half, 0] * values[:whole]
    for weight, first in zip(weights[half, 1:], range(1, width), strict=True):
        middle += weight * values[first:first + whole]
    found[half:half + whole] = middle
    found[:half] = np.tensordot(weights[:half], values[:width], axes=1)
    found[half + whole:] = np.tensordot(weights[half + 1:], values[frames - width:], axes=1)
    return found * fps**derivative


def window_frames(fps: float, seconds: float) -> int:
    """Odd number of frames, at least 3, nearest to ``seconds``."""
    return 2 * max(1, round((seconds * fps - 1) / 2)) + 1


def _weights(width: int, degree: int, derivative: int) -> Array:
    """(width, width): row i gives the fitted polynomial's derivative at sample i, per frame, from the window's samples."""
    # Scaled to -1..1, or the powers of a long window would spoil the fit.
    scale = max(1.0, (width - 1) / 2)
    x = (np.arange(width) - (width - 1) / 2) / scale
    fit = np.linalg.pinv(np.vander(x, degree + 1, increasing=True))
    rates = np.zeros((width, degree + 1))
    for power in range(derivative, degree + 1):
        rates[:, power] = factorial(power) / factorial(power - derivative) * x ** (power - derivative)
    return rates @ fit / scale**derivative


def low_pass(values: Array, fps: float, cutoff: float) -> Array:
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


def smooth_step(values: ArrayLike) -> Array:
    """(...) 0 where values (...) are below 0, 1 where they are above 1, smooth between."""
    inside = np.minimum(np.maximum(values, 0.0), 1.0)  # np.clip takes four times as long for a number
    return np.asarray(inside * inside * (3.0 - 2.0 * inside))


def softened(values: Array, width: float) -> Array:
    """(F,) averaged over ``width`` frames to either side with a bell."""
    reach = int(width)
    bell = np.hanning(2 * reach + 3)[1:-1]
    return np.convolve(np.pad(values, reach, mode="edge"), bell / bell.sum(), mode="valid")


def envelope(values: Array, width: float) -> Array:
    """(F,) a smooth curve nowhere below values (F,): the greatest within ``width`` frames to either side, averaged over as many."""
    reach = int(width)
    greatest = np.lib.stride_tricks.sliding_window_view(np.pad(values, reach, mode="edge"), 2 * reach + 1).max(axis=1)
    return softened(greatest, reach)


def runs(on: Bools) -> list[tuple[int, int]]:
    """(start, end) of every run of True in (F,), end excluded."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def nearby(on: Bools, reach: float) -> Bools:
    """(F,) whether on (F,) is True within ``reach`` frames to either side."""
    width = int(reach)
    return np.any(np.lib.stride_tricks.sliding_window_view(np.pad(on, width), 2 * width + 1), axis=1)
