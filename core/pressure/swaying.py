"""Sway: the weight of one who stands is where the feet press."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from .. import rotation
from ..arrays import Array
from .contacts import Load

SWAY_S = 0.15  # s to either side (one sigma) over which it is averaged where feet press: people sway slower than their pressure
FURTHEST = 0.25  # m that the body is moved, at most
GOES_ALONG = 0.84  # m that the centre of mass moves for every m of the pelvis while the feet stay


def sway(loads: Sequence[Load], times: Array, centres: Array, balls: Array, turns: Array, heel_to_ball: float) -> Array:
    """(N, 3) m by which the pelvis is to move at times (N,) s, so that the centre of mass, at centres (N, 3) m, is over where the feet press.

    Args:
        loads: of the recording. balls, turns: (N, 2, 3) m and (N, 2, 4) of the feet. heel_to_ball: m, along a foot.
    """
    late = list(takewhile(lambda load: load.time > times[0] - 3.0 * SWAY_S, reversed(loads)))
    if not late:
        return np.zeros((len(times), 3))
    weights = np.exp(-0.5 * ((np.array([load.time for load in late]) - times[:, None]) / SWAY_S) ** 2)
    shares = np.array([load.shares for load in late])
    loaded = weights @ shares
    presses = np.einsum("nt,tf,tfd->nfd", weights, shares, np.array([load.presses for load in late])) / np.maximum(loaded, 1e-9)[..., None]
    yaws = rotation.heading(turns)
    ahead = np.stack([np.cos(yaws), np.sin(yaws)], axis=-1)
    left = np.stack([-ahead[..., 1], ahead[..., 0]], axis=-1)
    pressed = balls[..., :2] + (presses[..., :1] - heel_to_ball) * ahead + presses[..., 1:] * left
    total = loaded.sum(axis=1, keepdims=True)
    middle = (loaded[..., None] * pressed).sum(axis=1) / np.maximum(total, 1e-9)
    away = np.where(total > 1e-3, middle - centres[:, :2], 0.0) / GOES_ALONG
    away *= np.minimum(1.0, FURTHEST / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9))
    return np.concatenate([away, np.zeros((len(times), 1))], axis=1)
