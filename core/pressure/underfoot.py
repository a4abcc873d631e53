"""Pressure as it is drawn under the feet of a character: which sensor is where, and what it feels when, for all frames at once.

Sensors of insoles are in the soles, wherever those are. Those of a pad lie on the floor.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Array, Ints
from ..errors import FormatError
from ..whole_file import whole_arrays, whole_file
from .footprint import Footprint
from .loads import centre
from .motions import Trodden
from .pad import feel, holding, middle_place, record
from .recording import EITHER, LEFT, RIGHT, Recording
from .sensors import INSOLE_SIZE, Device
from .spread import corner_shares, spots, spread
from .tread import Tread

FORMAT = 1
FEW = 8  # sensors of an insole: fewer do not tell how large it is
AT_ONCE = 16  # frames of a large pad that are worked out at one time
FAINT = 1e-3  # of the greatest pressure: what is pressed less is not worth a cell
USUALLY = 95.0  # per cent of what sensors feel that is below the last colour
STANDING = 0.05  # m: a centre of pressure that strays less than this does not tell where ahead is
LAYING_RATE = 12.0  # frames a second that are enough to lay a pad under a motion
NOT_IN_SOLES = np.zeros(0, dtype=int), np.zeros((0, 4, 2))
SQUARE = ((-1, -1), (-1, 1), (1, 1), (1, -1))  # corners of a sensor, ahead and to the left


@dataclass(frozen=True, eq=False)
class Underfoot:
    """T frames of S sensors.

    Attributes:
        device: as people call it. calibrated: whether pressures are in Pa; else counts.
        times: (T,) s from the first frame of the motion. pressures: (T, S) Pa, 0 where nothing is felt.
        feet: (S,) LEFT or RIGHT, and in_soles: (S, 4, 2) the corners of the sensors of insoles, ``along`` and ``outward`` as in ``footprint``.
        on_floor: (S, 4, 3) m, the corners of those of a pad in the world of the motion at the start. What the device is not is empty.
        belt: (2,) m/s, how the floor goes under one who walks in place.
    """

    device: str
    calibrated: bool
    times: Array
    pressures: Array
    feet: Ints
    in_soles: Array
    on_floor: Array
    belt: Array = field(default_factory=lambda: np.zeros(2))

    @property
    def usual_peak(self) -> float:
        """Pa, or counts, that few sensors go beyond: what the last colour is for. A heel that comes down may be much higher for a moment."""
        return usual_peak(self.pressures)

    def at(self, time: float) -> Array | None:
        """(S,) Pa at a time, s: of the frame that is shown then; None before the first one and after the last."""
        step = (self.times[-1] - self.times[0]) / max(len(self.times) - 1, 1)
        if not self.times[0] - 1e-6 <= time <= self.times[-1] + step:
            return None
        return self.pressures[int(np.searchsorted(self.times, time + 1e-6, side="right")) - 1]

    def shares(self, soles: Array) -> Array:
        """(S, 4, 2 P) what the corners of soles, the left one's first, have in each corner of a sensor of insoles: where those are, so are the
        sensors. soles: (2, P, 3) m of two feet that stand flat, as in ``Tread``."""
        corners = soles.shape[1]
        found = np.zeros((len(self.feet), len(SQUARE), 2 * corners))
        for foot in (LEFT, RIGHT):
            own = self.feet == foot
            along, outward = (self.in_soles[own, :, axis].ravel() for axis in (0, 1))
            shares = corner_shares(soles[None], Footprint(along, outward, np.ones_like(along)))[foot]
            found[own, :, corners * foot:corners * (foot + 1)] = shares.reshape(-1, len(SQUARE), corners)
        return found

    def save(self, path: str | Path) -> None:
        """Whole, or not at all."""
        arrays: dict[str, Any] = {one.name: np.asarray(getattr(self, one.name)) for one in fields(self)}
        with whole_file(path) as file:
            np.savez_compressed(file, format=np.array(FORMAT), **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Underfoot:
        with whole_arrays(path, "pressure under feet", "show it again") as data:
            if int(data["format"]) != FORMAT:
                raise FormatError(f"'{path}' was written by another version of Footfall: show the pressure again.")
            return cls(str(data["device"]), bool(data["calibrated"]), *(data[one.name] for one in fields(cls)[2:]))


def usual_peak(pressures: Array) -> float:
    """Of pressures (T, S) that few go beyond."""
    felt = pressures[pressures > FAINT * pressures.max(initial=0.0)]
    return float(np.percentile(felt, USUALLY)) if len(felt) else 0.0


def in_units(pressure: float, calibrated: bool) -> str:
    """As people read it."""
    return f"{pressure / 1000.0:.0f} kPa" if calibrated else f"{pressure:.0f} counts"


def of_motion(motion: Trodden, device: Device) -> Underfoot:
    """What a device would feel under a motion. A pad is as large as the motion needs."""
    if device.kind != "grid":
        return of_insoles(record(motion.tread, device))
    tread, ground = motion.tread.at(device.rate), _read_at(motion.tread.times, motion.ground, device.rate)
    pad = holding(device, tread)
    place = middle_place(tread, spread(tread), spots(tread)[..., :2])
    pressed, height = _pressed_cells(tread, ground, pad, place)
    cells = np.flatnonzero(pressed.max(axis=0, initial=0.0) > FAINT * pressed.max(initial=0.0))
    layout = pad.layout()
    return Underfoot(f"simulated {device.name}", True, tread.times - tread.times[0], pressed[:, cells].astype(np.float32), *NOT_IN_SOLES,
                     _squares(layout.centres[cells], layout.areas[cells], height[cells], place), motion.belt)


def of_insoles(recording: Recording) -> Underfoot:
    """What insoles felt, with their sensors in the soles of whoever wears them now."""
    layout = recording.layout
    found = np.zeros((len(layout.areas), len(SQUARE), 2))
    for foot, outer in ((LEFT, 1.0), (RIGHT, -1.0)):
        own = layout.feet == foot
        centres, halves = layout.centres[own], 0.5 * np.sqrt(layout.areas[own])
        length, width = _insole_size(centres, halves)
        corners = (centres[:, None] + halves[:, None, None] * np.array(SQUARE)) / (length, 0.5 * outer * width)
        found[own] = np.clip(corners, (0.0, -1.0), 1.0)
    return Underfoot(recording.device, recording.calibrated, recording.times, _felt(recording), layout.feet, found, np.zeros((0, 4, 3)))


def on_pad(recording: Recording, place: tuple[float, float, float], height: float) -> Underfoot:
    """What a pad felt that lies at ``place`` (x, y in m, and rad that is ahead) at a height (m)."""
    layout = recording.layout
    stepped_on = np.flatnonzero(np.nan_to_num(recording.pressures).max(axis=0, initial=0.0) > 0.0)
    part = replace(recording, pressures=recording.pressures[:, stepped_on])
    return Underfoot(recording.device, recording.calibrated, recording.times, _felt(part), *NOT_IN_SOLES,
                     _squares(layout.centres[stepped_on], layout.areas[stepped_on], np.full(len(stepped_on), height), place))


def laid_under(recording: Recording, tread: Tread) -> tuple[float, float, float]:
    """Where a pad is to lie so that its centre of pressure goes with that of a motion as well as it can: x, y (m) and rad that is ahead."""
    tread = tread.at(LAYING_RATE)
    loads, places = spread(tread), spots(tread)[..., :2]
    _, _, ahead = middle_place(tread, loads, places)
    total = loads.sum(axis=(1, 2))
    under = np.einsum("fkn,fknd->fd", loads, places) / np.maximum(total, 1e-9)[:, None]
    felt = centre(recording, recording.layout.feet == EITHER)
    nearest = np.clip(np.searchsorted(recording.times, tread.times - tread.times[0]), 0, len(recording.times) - 1)
    both = (total > 0.0) & np.isfinite(felt[nearest, 0]) & (tread.times - tread.times[0] <= recording.times[-1] + 1.0 / LAYING_RATE)
    if not both.any():
        middle, on = under[total > 0.0].mean(axis=0) if (total > 0.0).any() else np.zeros(2), np.zeros(2)
        return _placed(middle, on, ahead)
    on, under = felt[nearest[both]], under[both]
    strays = on - on.mean(axis=0), under - under.mean(axis=0)
    if all(float(np.sqrt((stray**2).sum(axis=1).mean())) > STANDING for stray in strays):
        cross = strays[0].T @ strays[1]
        ahead = float(np.arctan2(cross[0, 1] - cross[1, 0], cross[0, 0] + cross[1, 1]))
    return _placed(under.mean(axis=0), on.mean(axis=0), ahead)


def stood_on(recording: Recording, place: tuple[float, float, float]) -> tuple[float, float, float]:
    """Where a pad is to lie so that its centre of pressure is on the whole under who stands at ``place``: x, y (m) and rad of the way it faces."""
    felt = centre(recording, recording.layout.feet == EITHER)
    known = felt[np.isfinite(felt[:, 0])]
    return _placed(np.array(place[:2]), known.mean(axis=0) if len(known) else np.zeros(2), place[2])


def _placed(world: Array, pad: Array, ahead: float) -> tuple[float, float, float]:
    """The place of a pad's origin where its point (2,) ``pad`` is to be at (2,) ``world``."""
    x, y = world - _turn(ahead) @ pad
    return float(x), float(y), ahead


def _turn(ahead: float) -> Array:
    """(2, 2) from a pad's axes to the world's."""
    return np.array([(np.cos(ahead), -np.sin(ahead)), (np.sin(ahead), np.cos(ahead))])


def _pressed_cells(tread: Tread, ground: Array, pad: Device, place: tuple[float, float, float]) -> tuple[Array, Array]:
    """(T, S) Pa of a pad's cells, and (S,) m, the height of the ground under whichever foot presses each the hardest. A few frames at a time."""
    pieces: list[Array] = []
    hardest = height = np.zeros(pad.grid[0] * pad.grid[1])
    for start in range(0, len(tread.times), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        felt = feel(tread.piece(part), pad, place)
        flat = felt.pressures.reshape(-1, felt.pressures.shape[2])
        most, when = flat.max(axis=0), flat.argmax(axis=0)
        height = np.where(most > hardest, ground[part].ravel()[when], height)
        hardest = np.maximum(hardest, most)
        pieces.append(felt.pressures.sum(axis=1).astype(np.float32))
    return np.concatenate(pieces), height


def _read_at(times: Array, values: Array, rate: float) -> Array:
    """Values (F, …) over times (F,) as ``Tread.at`` reads them."""
    moments = np.arange(times[0], times[-1] + 1e-9, 1.0 / rate)
    return values[np.round(np.interp(moments, times, np.arange(len(times)))).astype(int)]


def _squares(centres: Array, areas: Array, heights: Array, place: tuple[float, float, float]) -> Array:
    """(S, 4, 3) m: the corners of cells (S, 2) m of a pad at ``place``, world."""
    halves = 0.5 * np.sqrt(areas)[:, None, None]
    flat = (centres[:, None] + halves * np.array(SQUARE)) @ _turn(place[2]).T + place[:2]
    return np.concatenate([flat, np.broadcast_to(heights[:, None, None], (*flat.shape[:2], 1))], axis=2).astype(np.float32)


def _insole_size(centres: Array, halves: Array) -> tuple[float, float]:
    """m, length and width of an insole with sensors at centres (S, 2) m of half sides (S,) m."""
    if len(centres) < FEW:
        return INSOLE_SIZE
    return float((centres[:, 0] + halves).max()), 2.0 * float((np.abs(centres[:, 1]) + halves).max())


def _felt(recording: Recording) -> Array:
    return np.maximum(np.nan_to_num(recording.pressures), 0.0).astype(np.float32)
