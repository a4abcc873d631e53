"""How a load spreads over the spots of two soles.

A spot can press where it is low and slow. Among all ways to press with a given force around a given middle, the soles take the one that differs least
from how flat feet press (least relative entropy). That makes every spot press downward only, moves the load from heel to toes and from foot to foot
as the middle moves, and has one answer, which Newton's method finds for many frames at once.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..signals import smooth_step
from .footprint import Footprint, footprint
from .tread import Tread, able

# m²: how much a load resists being tilted to one side, where its middle is known and where it follows from how a clip moves. A middle outside of what
# touches is met as nearly as this lets it be.
KNOWN, FOLLOWS = 1e-4, 1e-3
ROUNDS = 12  # of Newton's method
LONGEST_STEP = 15.0  # 1/m, of a round
ON_A_FOOT = 15.0  # 1/m: no foot of a clip is tilted more, whatever its middle of pressure is said to be: toe tips alone carry nobody
HOVERING = 0.06  # m: where nothing touches but the clip's body does not fly, what is lowest carries it, up to this height
AT_ONCE = 256  # frames: more of them take no less time, and much more memory
TAKES_OVER_S = 0.1  # s in which a foot that lands takes its load, and one that leaves gives it to the other


def spots(tread: Tread, print_: Footprint | None = None) -> Array:
    """(F, 2, N, 3) m, world: where the spots of both soles are."""
    return _between(tread.soles, corner_shares(tread.soles, print_ or footprint()))


def spread(tread: Tread, print_: Footprint | None = None) -> Array:
    """(F, 2, N) N: how hard each spot of the left and right sole presses."""
    print_ = print_ or footprint()
    corners = corner_shares(tread.soles, print_)
    loads = np.empty((len(tread.times), 2, len(print_.along)))
    for start in range(0, len(loads), AT_ONCE):
        loads[start:start + AT_ONCE] = _spread(tread.piece(slice(start, start + AT_ONCE)), corners, print_)
    return loads


def _spread(tread: Tread, corners: Array, print_: Footprint) -> Array:
    """As ``spread``, all frames at once; corners as ``corner_shares`` gives them."""
    places = _between(tread.soles, corners)
    pace = _between(tread.speeds[..., None], corners)[..., 0]
    ready = print_.hardness * able(places[..., 2], pace)
    if tread.forces.shape[1] == 2:
        return np.stack([_pressed(ready[:, foot], places[:, foot, :, :2], tread.forces[:, foot], tread.middles[:, foot], print_.hardness)
                         for foot in (0, 1)], axis=1)
    frames = len(tread.times)
    ready *= (1e-3 + smooth_step(tread.settled / TAKES_OVER_S))[:, :, None]
    flat, arms, tilt = _balanced(ready.reshape(frames, -1), places[..., :2].reshape(frames, -1, 2), tread.middles[:, 0],
                                 _lowest(places[..., 2]) * np.tile(print_.hardness, 2), FOLLOWS)
    carried = _handed_over(_tilted(flat, arms, tilt).reshape(ready.shape).sum(axis=2), tread.settled) * tread.forces
    tilt *= np.minimum(1.0, ON_A_FOOT / np.maximum(np.linalg.norm(tilt, axis=1, keepdims=True), 1e-9))
    flat, arms = flat.reshape(ready.shape), arms.reshape(*ready.shape, 2)
    return np.stack([_tilted(flat[:, foot], arms[:, foot], tilt) for foot in (0, 1)], axis=1) * carried[:, :, None]


def _handed_over(share: Array, settled: Array) -> Array:
    """(F, 2) shares of the load that feet take, of those (F, 2) that they would: little so soon after landing or before leaving. The other takes the
    rest."""
    most = smooth_step(settled / TAKES_OVER_S)
    # Where neither foot is settled, as one lands from a jump, there is nobody to take the rest.
    most = np.maximum(most, 1.0 - most[:, ::-1])
    return np.clip(share, 1.0 - most[:, ::-1], most) * (share.sum(axis=1, keepdims=True) > 0.0)


def corner_shares(soles: Array, print_: Footprint) -> Array:
    """(2, N, P) how much of each corner of soles (F, 2, P, 3) is in each spot."""
    rows = soles.shape[2] // 2
    # How long the pieces from row to row are is the same in all frames.
    centres = soles[0, 0].reshape(rows, 2, 3).mean(axis=1)
    marks = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(centres, axis=0), axis=1))])
    along = print_.along * marks[-1]
    row = np.clip(np.searchsorted(marks, along, side="right") - 1, 0, rows - 2)
    ahead = (along - marks[row]) / (marks[row + 1] - marks[row])
    weights = np.zeros((2, len(along), 2 * rows))
    for foot, outer in ((0, 1.0), (1, -1.0)):
        left = 0.5 * (1.0 + outer * print_.outward)
        for corner, share in ((0, left), (1, 1.0 - left)):
            weights[foot, np.arange(len(along)), 2 * row + corner] = (1.0 - ahead) * share
            weights[foot, np.arange(len(along)), 2 * row + 2 + corner] = ahead * share
    return weights


def _between(values: Array, corners: Array) -> Array:
    """(F, 2, N, D) values at the spots, between those (F, 2, P, D) at the corners of the soles."""
    return np.einsum("knp,fkpd->fknd", corners, values)


def _lowest(heights: Array) -> Array:
    """(F, 2 N) 1 for the lowest spots of soles at heights (F, 2, N) that hover, fading; 0 where they fly."""
    flat = heights.reshape(len(heights), -1)
    least = flat.min(axis=1, keepdims=True)
    return able(flat - least, np.zeros_like(flat)) * (least < HOVERING)


def _pressed(ready: Array, places: Array, forces: Array, middles: Array, otherwise: Array) -> Array:
    """(F, N) N of spots that press with forces (F,) N in all; the rest as for ``_balanced``."""
    return _tilted(*_balanced(ready, places, middles, otherwise, KNOWN)) * forces[:, None]


def _balanced(ready: Array, places: Array, middles: Array, otherwise: Array, resisted: float) -> tuple[Array, Array, Array]:
    """How spots that are ready (F, N) to press, at places (F, N, 2) m, are to press around middles (F, 2) m: untilted shares (F, N), their arms
    (F, N, 2) m and the tilt (F, 2) 1/m for ``_tilted``. Where no spot is ready those that are ``otherwise`` (N,) or (F, N) press."""
    ready = np.where(ready.sum(axis=1, keepdims=True) <= 1e-6, otherwise, ready)
    total = ready.sum(axis=1, keepdims=True)
    ready = np.divide(ready, total, out=np.zeros_like(ready), where=total > 0.0)
    centre = np.einsum("fn,fnd->fd", ready, places)
    wanted = np.where(np.isfinite(middles), middles, centre) - centre
    arms = places - centre[:, None]
    tilt = np.zeros_like(centre)
    for _ in range(ROUNDS):
        share = _tilted(ready, arms, tilt)
        mean = (share[:, None, :] @ arms)[:, 0]
        scatter = (arms * share[:, :, None]).transpose(0, 2, 1) @ arms - mean[:, :, None] * mean[:, None, :] + resisted * np.eye(2)
        step = np.linalg.solve(scatter, (wanted - mean - resisted * tilt)[:, :, None])[:, :, 0]
        tilt = tilt + step * np.minimum(1.0, LONGEST_STEP / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-9))
    return ready, arms, tilt


def _tilted(ready: Array, arms: Array, tilt: Array) -> Array:
    """(F, N) shares of a load that is tilted (F, 2) 1/m; they sum to 1, or to 0 where no spot is ready to press."""
    exponent = np.where(ready > 0.0, (arms @ tilt[:, :, None])[:, :, 0], -np.inf)
    most = exponent.max(axis=1, keepdims=True)
    share = ready * np.exp(exponent - np.where(np.isfinite(most), most, 0.0))
    total = share.sum(axis=1, keepdims=True)
    return np.divide(share, total, out=np.zeros_like(share), where=total > 0.0)
