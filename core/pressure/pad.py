"""The simulated pad: what a grid or insoles under a body's feet feel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from .footprint import Footprint, footprint
from .recording import EITHER, Layout, Recording
from .sensors import Device, Sensing
from .spread import spots, spread
from .tread import Tread

MARGIN, MOST_CELLS = 0.2, 600  # m around where the feet go, and rows and columns, of a pad that is to hold all of it
BESIDE = 0.02  # share of all force that may fall beside a pad before the recording says so


@dataclass(frozen=True, eq=False)
class Felt:
    """What the sensors of a device felt of each foot, before anything is wrong with it.

    Attributes:
        layout: of the sensors. times: (T,) s. pressures: (T, 2, S) Pa of the left and right foot.
        beside: share of the force that no sensor felt.
    """

    layout: Layout
    times: Array
    pressures: Array
    beside: float


def record(tread: Tread, device: Device, sensing: Sensing | None = None, place: tuple[float, float, float] | None = None) -> Recording:
    """A recording of ``tread``, with all that is wrong with the device; ``place`` of a pad as for ``feel``."""
    felt = feel(tread, device, place)
    faults = (f"{felt.beside:.0%} of the force fell beside the pad.",) if felt.beside > BESIDE else ()
    whole = Recording(f"simulated {device.name}", felt.layout, felt.times, felt.pressures.sum(axis=1), faults=faults)
    return sensed(whole, sensing or Sensing())


def feel(tread: Tread, device: Device, place: tuple[float, float, float] | None = None) -> Felt:
    """What the device feels. ``place``: x, y (m) of a pad's middle in the world and the direction (rad) that is ahead. Where nothing is said, it
    lies in the middle of where the feet press, and ahead is where they point."""
    tread = tread.at(device.rate)
    print_ = footprint()
    loads = spread(tread, print_)
    layout = device.layout(_sole_size(tread))
    if layout.grid is not None:
        places = spots(tread, print_)[..., :2]
        x, y, ahead = middle_place(tread, loads, places) if place is None else place
        turned = (places - (x, y)) @ np.array([(np.cos(ahead), -np.sin(ahead)), (np.sin(ahead), np.cos(ahead))])
        forces = _onto_grid(loads, turned, layout, device.cell)
    else:
        forces = _into_insoles(loads, layout, print_, _sole_size(tread))
    total = float(loads.sum())
    beside = 1.0 - float(forces.sum()) / total if total > 0 else 0.0
    forces /= layout.areas
    return Felt(layout, tread.times - tread.times[0], forces, beside)


def middle_place(tread: Tread, loads: Array, places: Array) -> tuple[float, float, float]:
    """Where a pad is best laid for loads (F, 2, N) N at places (F, 2, N, 2) m: see ``feel``."""
    pressed = places[loads > 0.0]
    x, y = (pressed.min(axis=0) + pressed.max(axis=0)) / 2 if len(pressed) else np.zeros(2)
    toes, heels = tread.soles[:, :, -2:, :2].mean(axis=2), tread.soles[:, :, :2, :2].mean(axis=2)
    pointing = np.einsum("fk,fkd->d", loads.sum(axis=2), toes - heels)
    return float(x), float(y), float(np.arctan2(pointing[1], pointing[0]))


def holding(device: Device, tread: Tread) -> Device:
    """The device, a pad with more rows and columns where the feet would leave it: a database is to know all of a motion."""
    if device.kind != "grid":
        return device
    reach = float(np.linalg.norm(np.ptp(tread.soles[..., :2].reshape(-1, 2), axis=0))) + MARGIN
    cells = min(MOST_CELLS, int(np.ceil(reach / device.cell)))
    return replace(device, grid=(max(device.grid[0], cells), max(device.grid[1], cells)))


def sensed(recording: Recording, sensing: Sensing) -> Recording:
    """A recording as a device with faults gives it."""
    random = np.random.default_rng(sensing.seed)
    pressures = recording.pressures.copy()
    loaded = pressures[pressures > 0.0]
    if sensing.noise and len(loaded):
        pressures += random.normal(0.0, sensing.noise * loaded.mean(), pressures.shape)
    pressures += sensing.offset
    if sensing.levels:
        step = sensing.full_scale / sensing.levels
        pressures = np.clip(np.round(pressures / step), 0, sensing.levels) * step
    pressures = np.where(pressures < max(sensing.threshold, 0.0), 0.0, pressures)
    arrived = random.random(len(pressures)) >= sensing.lost
    arrived[0] = True
    return Recording(recording.device, recording.layout, recording.times[arrived], pressures[arrived], recording.calibrated,
                     None if recording.forces is None else recording.forces[arrived], recording.faults, recording.notes)


def _sole_size(tread: Tread) -> tuple[float, float]:
    """m, length and width of the left sole."""
    rows = tread.soles[0, 0].reshape(-1, 2, 3)
    length = np.linalg.norm(np.diff(rows.mean(axis=1), axis=0), axis=1).sum()
    return float(length), float(np.linalg.norm(rows[:, 0] - rows[:, 1], axis=1).mean())


def _onto_grid(loads: Array, places: Array, layout: Layout, cell: float) -> Array:
    """(T, 2, S) N of loads (T, 2, N) N at places (T, 2, N, 2) m on the pad, each shared by the four sensors around it."""
    assert layout.grid is not None
    rows, columns = layout.grid
    row = places[..., 0] / cell + (rows - 1) / 2
    column = (columns - 1) / 2 - places[..., 1] / cell
    below, left = np.floor(row).astype(int), np.floor(column).astype(int)
    frames = len(loads)
    owner = np.broadcast_to(np.arange(2 * frames).reshape(frames, 2, 1), loads.shape)
    forces = np.zeros(2 * frames * rows * columns)
    for up in (0, 1):
        for right in (0, 1):
            r, c = below + up, left + right
            share = loads * (1 - np.abs(row - r)) * (1 - np.abs(column - c))
            on = (r >= 0) & (r < rows) & (c >= 0) & (c < columns)
            np.add.at(forces, (owner[on] * rows + r[on]) * columns + c[on], share[on])
    return forces.reshape(frames, 2, -1)


def _into_insoles(loads: Array, layout: Layout, print_: Footprint, size: tuple[float, float]) -> Array:
    """(T, 2, S) N of loads (T, 2, N) N at the spots of soles of a size (m); each spot presses on the sensor next to it."""
    forces = np.zeros((len(loads), 2, len(layout.areas)))
    assert not (layout.feet == EITHER).any()
    for foot, sign in ((0, 1.0), (1, -1.0)):
        own = np.flatnonzero(layout.feet == foot)
        spot = np.stack([print_.along * size[0], sign * print_.outward * size[1] / 2], axis=1)
        nearest = own[np.linalg.norm(layout.centres[own][None] - spot[:, None], axis=2).argmin(axis=1)]
        member = np.zeros((len(nearest), forces.shape[2]))
        member[np.arange(len(nearest)), nearest] = 1.0
        forces[:, foot] = loads[:, foot] @ member
    return forces
