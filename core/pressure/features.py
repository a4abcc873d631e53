"""What is looked at in foot pressure to recognise motions, frame by frame.

Two sets, for pads and for insoles alike. ``ten``: those of the thesis (section 3.3.2). ``per_foot``: what each foot carries, how its pressure moves,
and where the feet are. Insoles do not know where the feet are: they are laid side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Ints
from .feet_in_grid import whose
from .recording import LEFT, RIGHT, Layout, Recording

APART = 0.2  # m, from the middle of one insole to that of the other
GREY = 1e5  # Pa
HU_ROOTS = np.array([1.0, 0.5, 0.5, 0.5, 0.25, 1 / 3])
FASTEST = 3.0  # m/s: what moves faster has come down elsewhere
TEN = ("cop velocity ahead", "cop velocity left", "area left", "area right", "hu 1", "hu 2", "hu 3", "hu 4", "hu 5", "hu 6")
PER_FOOT = ("force left", "force right", "area left", "area right", "cop ahead", "cop left", "feet ahead", "feet apart", "cop velocity ahead",
            "cop velocity left", "left foot's cop velocity ahead", "left foot's cop velocity left", "right foot's cop velocity ahead",
            "right foot's cop velocity left")
STANCE = slice(0, 8)  # those that depend on how somebody stands, and not only on what changes


@dataclass(frozen=True, eq=False)
class Track:
    """What a recording shows, at an even rate.

    Attributes:
        times: (T,) s. rate: frames a second. ten: (T, 10) and per_foot: (T, 14), as ``TEN`` and ``PER_FOOT`` name them; m, m/s, m², and forces as
            shares of the person's weight.
    """

    times: Array
    rate: float
    ten: Array
    per_foot: Array


def track(recording: Recording, owners: Ints | None = None, rate: float | None = None) -> Track:
    """``owners``: (T, S) whose foot each sensor is under, where that is known; ``rate``: of the track, else the recording's own."""
    owners = whose(recording) if owners is None else owners
    rate = rate or float(1.0 / np.median(np.diff(recording.times)))
    prints = [footing(recording.layout, pressures, own, recording.calibrated) for pressures, own in zip(recording.pressures, owners, strict=True)]
    times = np.arange(recording.times[0], recording.times[-1] + 1e-9, 1.0 / rate)
    # The frame that came last, as at a stream: nothing is known of the next.
    last = np.clip(np.searchsorted(recording.times, times + 1e-6) - 1, 0, len(recording.times) - 1)
    rows = _steady(np.array(prints)[last])
    return Track(times, rate, ten(rows, rate), per_foot(rows, rate))


# Of a frame: force, area, cop ahead and left of each foot (8), then Hu moments (6).
FOOTING = 14


def footing(layout: Layout, pressures: Array, owners: Ints, calibrated: bool = True) -> Array:
    """(14,) of one frame, pressures (S,) and owners (S,): force (N or counts), area (m²), centre of pressure ahead and left (m) of the left, then of
    the right foot; NaN centres of feet in the air; then six Hu moments of both together."""
    centres = laid_out(layout)
    forces = np.nan_to_num(pressures) * (layout.areas if calibrated else 1.0)
    found = np.full(FOOTING, np.nan)
    for foot in (LEFT, RIGHT):
        own = (owners == foot) & (forces > 0.0)
        total = forces[own].sum()
        found[4 * foot:4 * foot + 2] = total, layout.areas[own].sum()
        if total > 0.0:
            found[4 * foot + 2:4 * foot + 4] = forces[own] @ centres[own] / total
    on = (owners >= 0) & (forces > 0.0)
    found[8:] = hu_moments(centres[on], forces[on])
    return found


def laid_out(layout: Layout) -> Array:
    """(S, 2) m: where sensors are on a pad; those of insoles as if they lay side by side."""
    if layout.grid is not None:
        return layout.centres
    return layout.centres + np.where(layout.feet == LEFT, 0.5, -0.5)[:, None] * (0.0, APART)


def hu_moments(places: Array, weights: Array) -> Array:
    """(6,) Hu's moments of forces (N,) N at places (N, 2) m, as a picture in which ``GREY`` is the brightness 1: the same wherever it is and however
    it is turned. They are of very different sizes, so their signed roots are taken."""
    if len(weights) < 2:
        return np.zeros(6)
    weights = weights / GREY
    total = weights.sum()
    x, y = (places - weights @ places / total).T

    def eta(p: int, q: int) -> float:
        return float((weights * x**p * y**q).sum()) / total ** (1 + (p + q) / 2)

    n20, n02, n11, n30, n03, n21, n12 = eta(2, 0), eta(0, 2), eta(1, 1), eta(3, 0), eta(0, 3), eta(2, 1), eta(1, 2)
    a, b = n30 + n12, n21 + n03
    hu = np.array([
        n20 + n02,
        (n20 - n02) ** 2 + 4 * n11**2,
        (n30 - 3 * n12) ** 2 + (3 * n21 - n03) ** 2,
        a**2 + b**2,
        (n30 - 3 * n12) * a * (a**2 - 3 * b**2) + (3 * n21 - n03) * b * (3 * a**2 - b**2),
        (n20 - n02) * (a**2 - b**2) + 4 * n11 * a * b,
    ])
    return np.sign(hu) * np.abs(hu) ** HU_ROOTS


def ten(rows: Array, rate: float) -> Array:
    """(T, 10) the features of the thesis from footings (T, 14) at a rate."""
    middle = _middle(rows)
    velocity = np.zeros_like(middle)
    velocity[1:] = np.diff(middle, axis=0) * rate
    return np.concatenate([velocity, rows[:, [1, 5]], rows[:, 8:]], axis=1)


def per_foot(rows: Array, rate: float) -> Array:
    """(T, 14) what each foot carries, how its pressure moves and where the feet are, from footings (T, 14) at a rate. Where on the pad somebody
    stands does not count: places are seen from the middle between the feet."""
    left, right = rows[:, 2:4], rows[:, 6:8]
    middle = _middle(rows)
    moves = np.zeros((len(rows), 6))
    moves[1:] = np.diff(np.concatenate([middle, left, right], axis=1), axis=0) * rate
    # Where a foot has come down, its centre of pressure has not moved there.
    for foot in (LEFT, RIGHT):
        loaded = rows[:, 4 * foot] > 0.0
        moves[1:, 2 + 2 * foot:4 + 2 * foot] *= (loaded[1:] & loaded[:-1])[:, None]
    return np.concatenate([rows[:, [0, 4]] / weight_of(rows), rows[:, [1, 5]], middle - (left + right) / 2, left - right,
                           np.clip(moves, -FASTEST, FASTEST)], axis=1)


def weight_of(rows: Array) -> float:
    """The person's weight, in the unit of the forces of footings (T, 14): over a while it is what the feet carry on average."""
    total = rows[:, 0] + rows[:, 4]
    carried = total[total > 0.3 * np.median(total)] if (total > 0).any() else np.ones(1)
    return float(np.median(carried)) or 1.0


def _middle(rows: Array) -> Array:
    """(T, 2) m, centre of pressure of both feet; where there is none, the last."""
    loads = rows[:, [0, 4]]
    total = np.maximum(loads.sum(axis=1, keepdims=True), 1e-9)
    return (loads[:, :1] * rows[:, 2:4] + loads[:, 1:] * rows[:, 6:8]) / total


def _steady(rows: Array) -> Array:
    """Footings (T, 14) in which a foot in the air is where it was last down; before it was, where it comes down first."""
    rows = rows.copy()
    for columns in ((2, 3), (6, 7)):
        known = np.isfinite(rows[:, columns[0]])
        if not known.any():
            rows[:, columns] = 0.0
            continue
        last = np.maximum.accumulate(np.where(known, np.arange(len(rows)), -1))
        first = int(np.argmax(known))
        rows[:, columns] = rows[np.where(last < 0, first, last)][:, columns]
    return rows
