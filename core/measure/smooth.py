"""Smoothing and differentiating sampled curves with one tool: a polynomial fitted around each frame (Savitzky–Golay)."""

from __future__ import annotations

from math import factorial

import numpy as np


def local_fit(values: np.ndarray, fps: float, seconds: float, degree: int, derivative: int = 0) -> np.ndarray:
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
    starts = np.clip(np.arange(frames) - width // 2, 0, frames - width)
    weights = _weights(width, degree, derivative)[np.arange(frames) - starts]
    windows = values[starts[:, None] + np.arange(width)]
    return np.einsum("fw,fw...->f...", weights, windows) * fps**derivative


def window_frames(fps: float, seconds: float) -> int:
    """Odd number of frames, at least 3, nearest to ``seconds``."""
    return 2 * max(1, round((seconds * fps - 1) / 2)) + 1


def _weights(width: int, degree: int, derivative: int) -> np.ndarray:
    """(width, width): row i gives the fitted polynomial's derivative at sample i, per frame, from the window's samples."""
    # Scaled to -1..1, or the powers of a long window would spoil the fit.
    scale = max(1.0, (width - 1) / 2)
    x = (np.arange(width) - (width - 1) / 2) / scale
    fit = np.linalg.pinv(np.vander(x, degree + 1, increasing=True))
    rates = np.zeros((width, degree + 1))
    for power in range(derivative, degree + 1):
        rates[:, power] = factorial(power) / factorial(power - derivative) * x ** (power - derivative)
    return rates @ fit / scale**derivative
