"""Pads and insoles that are simulated: where their sensors are, how often they are read, and what is wrong with them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..errors import FormatError
from .insoles import both, fitted, moticon, pedar
from .recording import EITHER, LEFT, RIGHT, Layout

CELL = 0.0127  # m, half an inch: from sensor to sensor of the pad of the thesis
INSOLES = {"pedar": pedar, "moticon": moticon}
INSOLE_SIZE = (0.26, 0.095)  # m, length and width of insoles that are not made for a certain foot


@dataclass(frozen=True)
class Device:
    """What is to be simulated.

    Attributes:
        kind: "grid", "pedar" or "moticon". rate: frames a second. grid: rows (ahead) and columns (across). cell: m from sensor to sensor of a grid.
    """

    kind: str
    rate: float
    grid: tuple[int, int] = (64, 80)
    cell: float = CELL

    @property
    def name(self) -> str:
        """As ``device_named`` takes it."""
        what = f"{self.grid[0]}x{self.grid[1]}" if self.kind == "grid" else self.kind
        return f"{what}@{self.rate:g}Hz"

    def layout(self, size: tuple[float, float] = INSOLE_SIZE) -> Layout:
        """Its sensors; of insoles, those for soles of a size: length and width in m."""
        if self.kind == "grid":
            return grid_layout(self.grid, self.cell)
        return insole_layout(self.kind, size)


@dataclass(frozen=True)
class Sensing:
    """What is wrong with a device. All by default: nothing.

    Attributes:
        noise: of every sensor on every frame, as a share of the mean pressure under a loaded foot (one sigma).
        offset: Pa that sensors say when nothing is on them. threshold: Pa below which they say 0.
        full_scale: Pa of the highest step; levels: how many steps there are to it (255 of 8 bits); 0: none.
        lost: share of the frames that never arrive.
        seed: of noise and losses.
    """

    noise: float = 0.0
    offset: float = 0.0
    threshold: float = 0.0
    full_scale: float = 345e3  # 50 psi: "good for normal 2 feet balancing, walking etc."
    levels: int = 0
    lost: float = 0.0
    seed: int = 0


EIGHT_BITS = Sensing(levels=255)


def device_named(text: str) -> Device:
    """From "64x80@12Hz", "pedar", "moticon@50Hz" and the like; insoles are read at 100 Hz where nothing is said."""
    found = re.fullmatch(r"(?:(\d+)x(\d+)|(pedar|moticon))(?:@(\d+(?:\.\d+)?)(?:Hz)?)?", text.strip(), re.IGNORECASE)
    if not found:
        raise FormatError(f"'{text}' is no pad: say rows x columns and a rate, as 64x80@12Hz, or pedar or moticon.")
    rows, columns, kind, rate = found.groups()
    device = Device(kind.lower(), float(rate or 100)) if kind else Device("grid", float(rate or 12), (int(rows), int(columns)))
    if not 1.0 <= device.rate <= 1000.0:
        raise FormatError(f"'{text}' reads its sensors {device.rate:g} times a second: use 1 to 1000.")
    if device.kind == "grid" and (min(device.grid) < 2 or max(device.grid) > 1000):
        raise FormatError(f"'{text}' has {device.grid[0]} x {device.grid[1]} sensors: use 2 to 1000 each way.")
    return device


def grid_layout(grid: tuple[int, int], cell: float = CELL) -> Layout:
    """A pad whose middle is the origin."""
    rows, columns = grid
    ahead, left = np.meshgrid((np.arange(rows) - (rows - 1) / 2) * cell, ((columns - 1) / 2 - np.arange(columns)) * cell, indexing="ij")
    count = rows * columns
    return Layout(np.stack([ahead.ravel(), left.ravel()], axis=1), np.full(count, cell**2), np.full(count, EITHER), grid)


def insole_layout(kind: str, size: tuple[float, float]) -> Layout:
    """A pair of insoles for soles of a size: length and width in m; first the left one's sensors."""
    insole = fitted(INSOLES[kind], *size)
    return both(insole.layout(LEFT), insole.layout(RIGHT))
