"""What a foot presses on when it stands flat: heel, outer edge, ball, great toe and lesser toes, as spots of a sole.

Places on a sole are shares: ``along`` from the back of the heel (0) to the tips of the toes (1), ``outward`` from the middle line to the outer edge
(1) and to the inner one (−1). So one footprint fits feet of all lengths and widths, left and right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array

# Along and outward, how far it reaches along and across (one sigma of a bell), how hard. Fitted to the mean footprint of people who walk barefoot;
# tests/core/test_pressure_pad.py compares.
PARTS = {
    "heel": (0.126, -0.02, 0.073, 0.30, 1.00),
    "outer edge": (0.60, 0.62, 0.098, 0.24, 0.30),
    "middle of the ball": (0.70, 0.12, 0.042, 0.34, 0.67),
    "front of the ball": (0.765, -0.09, 0.036, 0.25, 0.86),
    "inner ball": (0.742, -0.64, 0.045, 0.16, 0.58),
    "great toe": (0.913, -0.68, 0.035, 0.16, 0.82),
    "lesser toes": (0.925, 0.0, 0.025, 0.22, 0.27),
}
ROWS, COLUMNS = 40, 14  # spots along and across: about 7 mm apart, finer than the sensors of a pad
FAINT = 0.01  # of the hardest spot: what is pressed less is not touched


@dataclass(frozen=True, eq=False)
class Footprint:
    """N spots of a sole: ``along`` and ``outward`` (N,) as above, ``hardness`` (N,), whose sum is 1."""

    along: Array
    outward: Array
    hardness: Array


def footprint() -> Footprint:
    """The spots that a foot touches when it stands flat."""
    rows, columns = (np.arange(ROWS) + 0.5) / ROWS, (np.arange(COLUMNS) + 0.5) * 2 / COLUMNS - 1
    along, outward = (grid.ravel() for grid in np.meshgrid(rows, columns, indexing="ij"))
    hardness = pressed(along, outward)
    touched = hardness > FAINT * hardness.max()
    return Footprint(along[touched], outward[touched], hardness[touched] / hardness[touched].sum())


def pressed(along: Array, outward: Array) -> Array:
    """(...) how hard a flat foot presses at places (...) of its sole; the heel's middle is about 1."""
    return np.sum([hard * np.exp(-0.5 * ((along - x) / length) ** 2 - 0.5 * ((outward - y) / width) ** 2)
                   for x, y, length, width, hard in PARTS.values()], axis=0)
