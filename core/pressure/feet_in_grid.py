"""Which foot presses on which sensors of a pad: left and right feet are told apart and followed.

A foot that is down stays where it is, so the sensors under it are its own until it lifts. What appears elsewhere is the other foot, if it cannot be
one foot together with what is there: nothing longer or wider than a foot is one. Where two feet touch, the line with the least pressure along it
parts them. Only at the start, and where both feet land together after a jump, does it count which is further to the left; and then, whether prints
look like left or right feet: arch and great toe are on the inner side. Ahead on the pad is where the person faces, more or less (thesis, 3.3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bools, Ints
from .prints import scatter
from .recording import EITHER, LEFT, RIGHT, Layout, Recording

FOOT_SIZE = (0.27, 0.10)  # m, length and width of a foot about which nothing is known
LONGER, WIDER = 1.08, 1.25  # times a foot's size that a print may have: feet are turned, and sensors are coarse
GAP = 0.10  # m: parts of one foot, heel and ball, are no further apart
REMEMBERED_S = 0.6  # s of a print that say where a foot is
# So many sensors tell how hard a frame presses. What presses less than this share of the hardest frame of late is noise; that fades frame by frame.
HARDEST, FAINT, FADES = 20, 0.06, 0.99
TOE_OUT = 0.12  # rad, that feet point outwards about which nothing is known
LONG_PRINT = 0.17  # m: a print as long as this shows where its foot points
LEAST_SHARE, SPECK = 0.01, 3  # of the force, and sensors: prints with less are specks
TURNED = 0.75  # rad by which a foot may be turned away from ahead; two balls side by side are as long as a foot that is turned by more
WHOLE_PRINT = 0.75  # of a foot's length: prints as long as this show by their shape which foot it is
ON_BOTH = 0.12  # of a part's force: a part with this much of it nearer to either foot is both feet
# Where a line parts two feet: how far from it pressure counts (m), and the least share of the force on either side. It may have more pressure along
# it, as shares of the force, if it parts feet that are as wide as each other instead of one twice as wide, and if both sides are as small as feet.
LINE_M, LEAST_FOOT, UNEVEN, TOO_LARGE = 0.012, 0.05, 0.15, 0.5
ASKEW = 0.15  # the same for each rad that the line is turned less: two feet side by side are the usual case
# Frames' worth of shapes that must speak against which foot is which, before they are exchanged; and that are remembered.
DOUBT, CERTAIN = 2.0, 6.0


@dataclass
class _Foot:
    """What is remembered of a foot: the prints of the last moments, (N, 2) m each, and whether it is down."""

    prints: list[tuple[float, Array]]
    down: bool = False

    @property
    def places(self) -> Array:
        return np.concatenate([places for _, places in self.prints]) if self.prints else np.zeros((0, 2))


class Feet:
    """Follows the feet on a pad frame by frame, as they come."""

    def __init__(self, layout: Layout, size: tuple[float, float] = FOOT_SIZE) -> None:
        """``size``: m, length and width of a foot."""
        assert layout.grid is not None, "Feet are looked for on a pad; sensors of insoles know their foot."
        self.layout, self.size = layout, size
        self._feet = (_Foot([]), _Foot([]))
        self._columns = layout.grid[1]
        self._hardest = 0.0
        self._looks = 0.0  # above 0: the prints look like the feet they are taken for

    def follow(self, time: float, pressures: Array) -> Ints:
        """(S,) whose foot each sensor of a frame, pressures (S,), is under: LEFT, RIGHT, or EITHER where nothing presses."""
        owners = np.full(len(pressures), EITHER)
        pressed = np.nan_to_num(pressures)
        hard = float(np.partition(pressed, -HARDEST)[-HARDEST:].mean()) if len(pressed) > HARDEST else float(pressed.max())
        self._hardest = max(hard, FADES * self._hardest)
        on = np.flatnonzero(pressed > FAINT * self._hardest)
        for foot in self._feet:
            foot.prints = [(then, places) for then, places in foot.prints if abs(time - then) <= REMEMBERED_S] or foot.prints[-1:]
        parts = self._parts(on, pressed)
        if parts:
            for cells, whose in self._shared_out(parts, pressed):
                owners[cells] = whose
            owners = self._looked_at(owners, pressed)
        for number, foot in enumerate(self._feet):
            own = owners == number
            foot.down = bool(own.any())
            if foot.down:
                # A print from before the foot was last lifted is elsewhere.
                foot.prints.append((time, self.layout.centres[own]))
        return owners

    def _parts(self, on: Ints, pressed: Array) -> list[Ints]:
        """Sensors that are pressed, in groups that touch each other, the largest force first; specks are left out."""
        names = _connected(on, self._columns)
        groups = [on[names == name] for name in np.unique(names)]
        least = LEAST_SHARE * pressed[on].sum()
        return sorted((group for group in groups if pressed[group].sum() > least), key=lambda group: -float(pressed[group].sum()))

    def _shared_out(self, parts: list[Ints], pressed: Array) -> list[tuple[Ints, int]]:
        """The parts, cut where two feet touch, each with its foot."""
        down = [number for number in (LEFT, RIGHT) if self._feet[number].down]
        if not down:
            return self._landed(parts, pressed)
        if len(down) == 2:
            return self._kept(parts, pressed)
        return self._joined(parts, down[0], pressed)

    def _looked_at(self, owners: Ints, pressed: Array) -> Ints:
        """The owners (S,), left and right exchanged where the prints of the last frames look like the other foot's."""
        for number, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
            own = owners == number
            if own.any():
                self._looks += sign * _looks_left(self.layout.centres[own], pressed[own], self.size)
        self._looks = min(self._looks, CERTAIN)
        if self._looks > -DOUBT:
            return owners
        self._looks = -self._looks
        self._feet = self._feet[::-1]
        return np.where(owners == EITHER, EITHER, 1 - owners)

    def _kept(self, parts: list[Ints], pressed: Array) -> list[tuple[Ints, int]]:
        """Both feet were down: each part goes to the foot whose print it lies on. Where a part lies on both, all is cut in two."""
        boxes = [_Box.around(self._feet[number].places, number, self.size) for number in (LEFT, RIGHT)]
        found: list[tuple[Ints, int]] = []
        for part in parts:
            nearer = np.stack([box.depth(self.layout.centres[part]) for box in boxes]).argmin(axis=0)
            shares = np.bincount(nearer, pressed[part], 2) / pressed[part].sum()
            if shares.min() > ON_BOTH:
                break
            found.append((part, int(shares.argmax())))
        else:
            feet = [np.concatenate([part for part, whose in found if whose == number] or [np.zeros(0, dtype=int)]) for number in (LEFT, RIGHT)]
            if all(len(cells) == 0 or self._one(self.layout.centres[cells]) for cells in feet):
                return found
        everything = np.concatenate(parts)
        left = _cut_in_two(self.layout.centres[everything], pressed[everything], self.size, [box.middle for box in boxes])
        return [(everything[left], LEFT), (everything[~left], RIGHT)]

    def _joined(self, parts: list[Ints], down: int, pressed: Array) -> list[tuple[Ints, int]]:
        """One foot was down: what cannot be that foot is the other one, which lands, also where the first has lifted since the last frame."""
        box = _Box.around(self._feet[down].places, down, self.size)
        found, others = [], []
        # The nearest first: a heel's ball is taken before a foot that lands beyond it.
        own = self._feet[down].prints[-1][1]
        for part in sorted(parts, key=lambda part: float(box.away(self.layout.centres[part]).min())):
            places = self.layout.centres[part]
            away = box.away(places)
            union = np.concatenate([own, places])
            if away.min() < GAP and self._one(union):
                found.append((part, down))
                own = union
            elif away.min() < 1e-9 and len(part) > SPECK:
                # It touches the foot that stands, and reaches beyond what one foot can be: both in one.
                one = _cut_in_two(places, pressed[part], self.size)
                stands = one if box.depth(places[one]).mean() < box.depth(places[~one]).mean() else ~one
                found.append((part[stands], down))
                others.append(part[~stands])
            else:
                others.append(part)
        return found + [(part, 1 - down) for part in others if len(part)]

    def _landed(self, parts: list[Ints], pressed: Array) -> list[tuple[Ints, int]]:
        """No foot was down: two prints, or one that is too large for one foot, are both feet; else which one it is says where they were last."""
        everything = np.concatenate(parts)
        places = self.layout.centres[everything]
        if self._one(places):
            return [(everything, self._side(np.average(places, axis=0, weights=pressed[everything])))]
        left = _cut_in_two(places, pressed[everything], self.size)
        return [(everything[left], LEFT), (everything[~left], RIGHT)]

    def _side(self, place: Array) -> int:
        """The foot that was last nearer to a place (2,); where nothing is known, the left."""
        known = [float(np.linalg.norm(foot.prints[-1][1].mean(axis=0) - place)) if foot.prints else np.inf for foot in self._feet]
        return int(np.argmin(known))

    def _one(self, places: Array) -> bool:
        """Whether places (N, 2) fit under one foot that points about ahead."""
        return _fits(places, self.size)


@dataclass(frozen=True, eq=False)
class _Box:
    """A foot's print: middle (2,) m, axes (2, 2) along and across, and half sizes (2,) m."""

    middle: Array
    axes: Array
    half: Array

    @classmethod
    def around(cls, places: Array, foot: int, size: tuple[float, float]) -> _Box:
        axes = _axes(places, foot)
        along = places @ axes.T
        low, high = along.min(axis=0), along.max(axis=0)
        half = np.maximum((high - low) / 2, np.array([0.25, 0.35]) * size)
        return cls((low + high) / 2 @ axes, axes, half)

    def away(self, places: Array) -> Array:
        """(N,) m from places (N, 2) to the print; 0 on it."""
        return np.linalg.norm(np.maximum(np.abs((places - self.middle) @ self.axes.T) - self.half, 0.0), axis=1)

    def depth(self, places: Array) -> Array:
        """(N,) 0 in the middle of the print, 1 on its edges."""
        return np.max(np.abs((places - self.middle) @ self.axes.T) / self.half, axis=1)


def _axes(places: Array, foot: int) -> Array:
    """(2, 2) the directions along and across a foot with a print (N, 2)."""
    ahead = TOE_OUT if foot == LEFT else -TOE_OUT
    if len(places) > 3 and np.ptp(places, axis=0).max() > LONG_PRINT:
        _, vectors = np.linalg.eigh(scatter(places))
        along = vectors[:, 1] * np.copysign(1.0, vectors[0, 1])
        ahead = float(np.arctan2(along[1], along[0]))
    return np.array([(np.cos(ahead), np.sin(ahead)), (-np.sin(ahead), np.cos(ahead))])


# (2, 18) the directions along and across a foot that is turned by so much or less, nine each
_TURNS = np.linspace(-TURNED, TURNED, 9)
_TURNED_AXES = np.array([[*np.cos(_TURNS), *-np.sin(_TURNS)], [*np.sin(_TURNS), *np.cos(_TURNS)]])


def _fits(places: Array, size: tuple[float, float]) -> bool:
    """Whether places (N, 2) fit under one foot."""
    along = places @ _TURNED_AXES
    length, width = (along.max(axis=0) - along.min(axis=0)).reshape(2, -1)
    return bool(((length <= LONGER * size[0]) & (width <= WIDER * size[1])).any())


def _cut_in_two(places: Array, weights: Array, size: tuple[float, float], feet: list[Array] | None = None) -> Bools:
    """(N,) which of places (N, 2), pressed with weights (N,), are the left of two feet: the line with the least pressure along it parts them, such
    that both sides are as small as feet. ``feet``: (2,) m each, where the middles of the left and right foot were, if that is known."""
    share = weights / weights.sum()
    # Where there is no line, half of it is either: those further to the left.
    best, left = np.inf, np.argsort(np.argsort(-places[:, 1])) < len(places) // 2
    lines = []
    for turn in np.linspace(-1.2, 1.2, 13):
        across = places @ np.array([-np.sin(turn), np.cos(turn)])
        cuts = np.linspace(across.min(), across.max(), 24)[1:-1]
        pressure = share @ np.exp(-0.5 * ((across[:, None] - cuts) / LINE_M) ** 2) + ASKEW * abs(turn)
        beyond = share @ (across[:, None] > cuts)
        lines += [(float(pressure[n]), float(turn), float(cuts[n])) for n in np.flatnonzero(np.minimum(beyond, 1 - beyond) > LEAST_FOOT)]
    for pressure, turn, cut in sorted(lines):
        if pressure >= best:
            break
        across = places @ np.array([-np.sin(turn), np.cos(turn)])
        side = across > cut
        uneven = abs(float(np.ptp(across[side]) - np.ptp(across[~side]))) / size[1]
        cost = pressure + UNEVEN * uneven
        if cost < best and not (_fits(places[side], size) and _fits(places[~side], size)):
            cost += TOO_LARGE
        if cost < best:
            best, left = cost, side
    middles = [np.average(places[part], axis=0, weights=weights[part]) for part in (left, ~left)]
    if feet is None:
        return left if middles[0][1] > middles[1][1] else ~left
    straight, crossed = (float(np.linalg.norm(np.array(order) - feet, axis=1).sum()) for order in (middles, middles[::-1]))
    return left if straight <= crossed else ~left


def _looks_left(places: Array, weights: Array, size: tuple[float, float]) -> float:
    """From −1 to 1: how much a print with places (N, 2) m, pressed with weights (N,), looks like a left foot's; 0 where it does not show. The outer
    edge touches and the arch does not, and the great toe is on the inner side."""
    axes = _axes(places, LEFT)
    along, across = (places @ axes.T).T
    length = np.ptp(along)
    if not WHOLE_PRINT * size[0] < length < LONGER * size[0] or np.ptp(across) > WIDER * size[1]:
        return 0.0
    share = (along - along.min()) / length
    heel, edge, ball, toes = ((share >= low) & (share <= high) for low, high in ((0.0, 0.25), (0.35, 0.6), (0.62, 0.82), (0.88, 1.0)))
    if min(on.sum() for on in (heel, ball)) < 3 or not (edge.any() or toes.any()):
        return 0.0

    def middle(on: Bools) -> tuple[float, float]:
        pressed = weights[on]
        total = pressed.sum()
        return float((share[on] * pressed).sum() / total), float((across[on] * pressed).sum() / total)

    (back, back_out), (front, front_out) = middle(heel), middle(ball)
    score = 0.0
    for on, sign in ((edge, 1.0), (toes, -1.0)):
        if on.any():
            where, out = middle(on)
            line = back_out + (where - back) / (front - back) * (front_out - back_out)
            score += 0.5 * sign * float(np.clip((out - line) / (0.15 * size[1]), -1.0, 1.0))
    return score


def _connected(cells: Ints, columns: int) -> Ints:
    """(N,) a name for each of the sensors (N,) of a grid, ascending; those that touch, also at corners, have the same."""
    if len(cells) == 0:
        return np.zeros(0, dtype=int)
    # Runs of sensors side by side in a row touch as a whole: there are few of them.
    rows, at = cells // columns, cells % columns
    begins = np.concatenate([[True], (np.diff(cells) > 1) | (np.diff(rows) > 0)])
    starts = np.flatnonzero(begins)
    runs = list(zip(rows[starts].tolist(), at[starts].tolist(), at[np.append(starts[1:], len(cells)) - 1].tolist(), strict=True))
    names = list(range(len(runs)))

    def root(number: int) -> int:
        while names[number] != number:
            names[number] = names[names[number]]
            number = names[number]
        return number

    above = 0
    for number, (row, first, last) in enumerate(runs):
        while runs[above][0] < row - 1:
            above += 1
        for other in range(above, number):
            if runs[other][0] == row:
                break
            if runs[other][1] <= last + 1 and runs[other][2] >= first - 1:
                names[root(number)] = root(other)
    return np.array([root(number) for number in range(len(runs))], dtype=int)[np.cumsum(begins) - 1]


def whose(recording: Recording, size: tuple[float, float] = FOOT_SIZE) -> Ints:
    """(T, S) whose foot each sensor of a recording is under: that of the insole, or on a pad as found by following the feet. Before the frame on
    which two feet are furthest apart to the side they are followed backward: a recording may begin on one foot."""
    if recording.layout.grid is None:
        return np.broadcast_to(recording.layout.feet, recording.pressures.shape)
    start = _clearest(recording)
    owners = np.full(recording.pressures.shape, EITHER)
    for frames in (range(start, -1, -1), range(start, len(recording.times))):
        feet = Feet(recording.layout, size)
        for frame in frames:
            owners[frame] = feet.follow(float(recording.times[frame]), recording.pressures[frame])
    return owners


def _clearest(recording: Recording) -> int:
    """The frame on which it is clearest that two feet stand side by side, of the first seconds."""
    early = recording.times <= recording.times[0] + 5.0
    pressures = np.nan_to_num(recording.pressures[early])
    weights = pressures / np.maximum(pressures.sum(axis=1, keepdims=True), 1e-9)
    across = recording.layout.centres[:, 1]
    mean = weights @ across
    spread = np.sqrt(np.maximum(weights @ across**2 - mean**2, 0.0))
    return int(np.argmax(np.round(spread, 2) * (pressures.sum(axis=1) > 0)))
