"""What is looked at in foot pressure to recognise motions, frame by frame.

Two sets, for pads and for insoles alike. ``ten``: those of the thesis (section 3.3.2). ``per_foot``: what each foot carries, how its pressure moves,
and where the feet are. Insoles do not know where the feet are: they are laid side by side.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Ints
from .feet_in_grid import Feet, whose
from .recording import LEFT, RIGHT, Layout, Recording

APART = 0.2  # m, from the middle of one insole to that of the other
GREY = 1e5  # Pa
HU_ROOTS = np.array([1.0, 0.5, 0.5, 0.5, 0.25, 1 / 3])
FASTEST = 3.0  # m/s: what moves faster has come down elsewhere
TEN = ("cop velocity ahead", "cop velocity left", "area left", "area right", "hu 1", "hu 2", "hu 3", "hu 4", "hu 5", "hu 6")
PER_FOOT = ("force left", "force right", "area left", "area right", "cop ahead", "cop left", "feet ahead", "feet apart", "cop velocity ahead",
            "cop velocity left", "left foot's cop velocity ahead", "left foot's cop velocity left", "right foot's cop velocity ahead",
            "right foot's cop velocity left")
COP_VELOCITY = slice(8, 10)
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


@dataclass(frozen=True, eq=False)
class Moment:
    """What a stream shows at a moment of its track.

    Attributes:
        time: s. footing: (14,) as ``footing`` gives it; the feet in the air are where they were last down. ten: (10,). per_foot: (14,).
        pressures: (S,) and owners: (S,) of the frame, and whose foot each sensor is under.
    """

    time: float
    footing: Array
    ten: Array
    per_foot: Array
    pressures: Array
    owners: Ints


class Watch:
    """Follows a stream: frames of pressure come in one after the other, moments of the track at an even rate come out.

    Frames between two moments are not looked at, so that a quick device costs no more than a slow one.
    """

    def __init__(self, layout: Layout, calibrated: bool = True, rate: float = 12.0) -> None:
        """``calibrated``: pressures are Pa, not counts. ``rate``: moments a second."""
        self.layout, self.calibrated, self.rate = layout, calibrated, rate
        self._ticks = Ticks(rate)
        self._feet = None if layout.grid is None else Feet(layout)
        self._totals: list[float] = []  # of all moments in which somebody stood there, in order of size
        self._frame: tuple[float, Array] | None = None
        self._before: Array | None = None

    def hear(self, time: float, pressures: Array) -> list[Moment]:
        """The moments that a frame at ``time`` (s), pressures (S,), makes known: none, one, or after lost frames several."""
        lost, now = self._ticks.due(time)
        found = []
        for tick in lost:
            assert self._frame is not None
            found.append(self._moment(tick, *self._frame))
        found += [self._moment(tick, time, pressures) for tick in now]
        self._frame = time, pressures
        return found

    def _moment(self, tick: float, time: float, pressures: Array) -> Moment:
        owners = self.layout.feet if self._feet is None else self._feet.follow(time, pressures)
        row = _held(footing(self.layout, pressures, owners, self.calibrated), self._before)
        total = row[0] + row[4]
        if total > 0.0:
            insort(self._totals, float(total))
        both = row[None] if self._before is None else np.stack([self._before, row])
        self._before = row
        return Moment(tick, row, ten(both, self.rate)[-1], per_foot(both, self.rate, _weight(self._totals))[-1], pressures, owners)


class Ticks:
    """The moments of a track at an even rate, and the frames of a stream nearest to them."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._start = self._last = 0.0
        self._count = 0

    def due(self, time: float) -> tuple[list[float], list[float]]:
        """When a frame at ``time`` (s) has come: the moments (s) for which the frame before is all that is known, and those that this one is for."""
        if self._count == 0:
            self._start = self._last = time
        near = min(max(time - self._last, 0.0), 1.0 / self.rate) / 2 + 1e-6
        self._last = time
        lost: list[float] = []
        now: list[float] = []
        while (tick := self._start + self._count / self.rate) <= time + near:
            (now if tick >= time - near or self._count == 0 else lost).append(tick)
            self._count += 1
        return lost, now


def heard(recording: Recording, rate: float | None = None) -> Track:
    """A recording as a stream shows it: nothing is known of what comes later."""
    watch = Watch(recording.layout, recording.calibrated, rate or _rate(recording))
    moments = [moment for time, pressures in zip(recording.times, recording.pressures, strict=True) for moment in watch.hear(float(time), pressures)]
    return Track(np.array([moment.time for moment in moments]), watch.rate, np.array([moment.ten for moment in moments]),
                 np.array([moment.per_foot for moment in moments]))


def track(recording: Recording, rate: float | None = None) -> Track:
    """A recording as a whole, at ``rate`` frames a second or its own: whose foot is where is also told by what comes later."""
    rate = rate or _rate(recording)
    ticks, frames, times = Ticks(rate), [], []
    for frame, time in enumerate(recording.times):
        lost, now = ticks.due(float(time))
        times += lost + now
        frames += len(lost) * [frame - 1] + len(now) * [frame]
    used = np.unique(frames)
    kept = replace(recording, times=recording.times[used], pressures=recording.pressures[used], forces=None)
    prints = [footing(recording.layout, pressures, own, recording.calibrated)
              for pressures, own in zip(kept.pressures, whose(kept), strict=True)]
    rows = _steady(np.array(prints)[np.searchsorted(used, frames)])
    return Track(np.array(times), rate, ten(rows, rate), per_foot(rows, rate, _weight(sorted(rows[:, 0] + rows[:, 4]))))


def _rate(recording: Recording) -> float:
    return float(1.0 / np.median(np.diff(recording.times)))


# Of a frame: force, area, cop ahead and left of each foot (8), then Hu moments (6).
FOOTING = 14


def footing(layout: Layout, pressures: Array, owners: Ints, calibrated: bool = True) -> Array:
    """(14,) of one frame, pressures (S,) and owners (S,): force (N or counts), area (m²), centre of pressure ahead and left (m) of the left, then of
    the right foot; NaN centres of feet in the air; then six Hu moments of both together."""
    centres = laid_out(layout)
    on = np.flatnonzero((pressures > 0.0) & (owners >= 0))  # few of a pad's sensors are pressed, and one that says nothing is not
    forces, areas, centres, owners = pressures[on] * (layout.areas[on] if calibrated else 1.0), layout.areas[on], centres[on], owners[on]
    found = np.full(FOOTING, np.nan)
    for foot in (LEFT, RIGHT):
        own = owners == foot
        total = forces[own].sum()
        found[4 * foot:4 * foot + 2] = total, areas[own].sum()
        if total > 0.0:
            found[4 * foot + 2:4 * foot + 4] = forces[own] @ centres[own] / total
    found[8:] = hu_moments(centres, forces)
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


def per_foot(rows: Array, rate: float, weight: float) -> Array:
    """(T, 14) what each foot carries, how its pressure moves and where the feet are, from footings (T, 14) at a rate, of somebody with a weight in
    the unit of their forces. Where on the pad somebody stands does not count: places are seen from the middle between the feet."""
    left, right = rows[:, 2:4], rows[:, 6:8]
    middle = _middle(rows)
    moves = np.zeros((len(rows), 6))
    moves[1:] = np.diff(np.concatenate([middle, left, right], axis=1), axis=0) * rate
    # Where a foot has come down, its centre of pressure has not moved there.
    for foot in (LEFT, RIGHT):
        loaded = rows[:, 4 * foot] > 0.0
        moves[1:, 2 + 2 * foot:4 + 2 * foot] *= (loaded[1:] & loaded[:-1])[:, None]
    return np.concatenate([rows[:, [0, 4]] / weight, rows[:, [1, 5]], middle - (left + right) / 2, left - right,
                           np.clip(moves, -FASTEST, FASTEST)], axis=1)


def _weight(totals: Sequence[float]) -> float:
    """The person's weight by what the feet carried in all at several moments, in order of size: over a while that is what they carry on average."""
    if not totals or totals[-1] <= 0.0:
        return 1.0
    first = bisect_right(totals, 0.3 * _median(totals, 0))
    return _median(totals, first)


def _median(ordered: Sequence[float], first: int) -> float:
    """Of values in order of size, from the ``first`` on."""
    last = len(ordered) - 1
    return float(ordered[(first + last) // 2] + ordered[(first + last + 1) // 2]) / 2


def _middle(rows: Array) -> Array:
    """(T, 2) m, centre of pressure of both feet; in the air, the middle between where they were."""
    loads = rows[:, [0, 4]] + 1e-9
    return (loads[:, :1] * rows[:, 2:4] + loads[:, 1:] * rows[:, 6:8]) / loads.sum(axis=1, keepdims=True)


def _held(row: Array, before: Array | None) -> Array:
    """A footing (14,) in which a foot in the air is where it was last down, and one that has never been down beside the other."""
    row = row.copy()
    for foot in (LEFT, RIGHT):
        own = slice(4 * foot + 2, 4 * foot + 4)
        if not np.isfinite(row[own]).all():
            other = row[6 - 4 * foot:8 - 4 * foot]
            beside = np.nan_to_num(other) + (0.0, APART if foot == LEFT else -APART)
            row[own] = beside if before is None else before[own]
    return row


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
