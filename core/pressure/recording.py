"""A recording of foot pressure, of whatever device: where its sensors are, and what each of them felt.

Frames: a pad lies on the floor, x ahead and y to the left of who stands on it. An insole has a frame of its own foot: x from the heel (0) to the
toes, y to the left of the foot's middle line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import Array, Ints

LEFT, RIGHT, EITHER = 0, 1, -1  # which foot a sensor is under; on a pad, whichever stands there


@dataclass(frozen=True, eq=False)
class Layout:
    """Where sensors are.

    Attributes:
        centres: (S, 2) m. areas: (S,) m². feet: (S,) LEFT, RIGHT or EITHER.
        grid: rows and columns where the sensors are those of a pad, row after row from the back to the front, each from left to right; else None.
    """

    centres: Array
    areas: Array
    feet: Ints
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class Recording:
    """What sensors felt.

    Attributes:
        device: as people call it. times: (T,) s from the first frame on, rising.
        pressures: (T, S) Pa; NaN where a sensor says nothing. Of a device that is not calibrated (``calibrated`` False): counts above no load.
        forces: (T, 2) N on the left and right foot where the device tells them itself; else None.
        faults: what is wrong with it, a sentence each.
        notes: what else the file says, by name.
    """

    device: str
    layout: Layout
    times: Array
    pressures: Array
    calibrated: bool = True
    forces: Array | None = None
    faults: tuple[str, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Frames a second."""
        return (len(self.times) - 1) / float(self.times[-1] - self.times[0]) if len(self.times) > 1 else 0.0

    def felt(self, foot: int) -> Array:
        """(T,) N, or counts, of all sensors under a foot."""
        under = self.layout.feet == foot
        return np.nansum(self.pressures[:, under] * (self.layout.areas[under] if self.calibrated else 1.0), axis=1)
