"""Where the sensors of insoles are whose files do not say it: models, good to some per cent of area and some millimetres of place.

All are in shares of the insole's length: how far ahead of the heel's end, and how far to the inner side of the middle line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .recording import LEFT, Layout

# Metres of one European size (a Paris point), which counts the length of the insole.
EUROPEAN_SIZE = 0.02 / 3.0
# Area of an insole in squares of its length: that of most feet and shoes within some per cent.
AREA = 0.238
# Of an insole, in shares of its length: ahead of the heel's end, then the inner and the outer edge from the middle line, both outwards.
OUTLINE = np.array([
    (0.00, 0.030, 0.030), (0.03, 0.075, 0.075), (0.08, 0.100, 0.100), (0.15, 0.108, 0.110), (0.30, 0.098, 0.118), (0.45, 0.092, 0.128),
    (0.60, 0.118, 0.145), (0.70, 0.142, 0.155), (0.78, 0.150, 0.150), (0.86, 0.142, 0.128), (0.93, 0.118, 0.090), (0.98, 0.080, 0.045),
    (1.00, 0.040, 0.010),
])
# Novel pedar: sensors a row, from the heel to the toes, each row numbered from the inner to the outer side; all of them have the same area.
PEDAR_ROWS = (5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 4)
# European size of pedar's insoles by the letters that their type begins with, and how much wider than others they are.
PEDAR_SIZES = {"u": (34.5, 1.0), "v": (36.5, 1.0), "w": (38.5, 1.0), "x": (40.5, 1.0), "y": (42.5, 1.0), "z": (44.5, 1.0), "a": (47.0, 1.0),
               "uw": (34.5, 1.13), "vw": (36.5, 1.13), "xw": (40.5, 1.13)}
# Moticon OpenGo: ahead of the heel, to the inner side, share of the area. Found from recordings: with these the sensors' pressures give the force
# and the centre of pressure that the device itself writes down.
MOTICON = np.array([
    (0.10, 0.04, 0.060), (0.08, -0.06, 0.054), (0.23, 0.03, 0.065), (0.21, -0.07, 0.064), (0.37, 0.02, 0.064), (0.35, -0.09, 0.063),
    (0.58, 0.08, 0.088), (0.49, -0.13, 0.089), (0.76, 0.09, 0.077), (0.74, 0.02, 0.061), (0.73, -0.04, 0.061), (0.71, -0.10, 0.062),
    (0.67, -0.15, 0.050), (0.91, 0.06, 0.049), (0.91, -0.03, 0.061), (0.86, -0.10, 0.032),
])
# Of the insoles that Moticon calls size 0: European; each number after it is two of them larger.
MOTICON_SIZE_0 = 30.5
# Stappone: sensors a row, numbered as those of pedar. This is schematic, an arrangement of our own: the true places of its twelve sensors are others.
STAPPONE_ROWS = (2, 2, 2, 3, 3)
USUAL_SIZE = 42.0  # European, where a file does not tell it


@dataclass(frozen=True, eq=False)
class Insole:
    """Of either foot. length: m. places: (S, 2) m ahead of the heel's end, and to the inner side. areas: (S,) m²."""

    length: float
    places: Array
    areas: Array

    def layout(self, foot: int) -> Layout:
        inwards = -1.0 if foot == LEFT else 1.0  # y is to the left; the inner side of a left foot is its right
        return Layout(self.places * (1.0, inwards), self.areas, np.full(len(self.areas), foot))


def pedar(size: float, width: float = 1.0) -> Insole:
    """Novel's 99 sensors in an insole of a European size, ``width`` times as wide as usual."""
    return _in_rows(PEDAR_ROWS, size, width)


def moticon(size: float, width: float = 1.0) -> Insole:
    """Moticon's 16 sensors in an insole of a European size, ``width`` times as wide as usual."""
    length = size * EUROPEAN_SIZE
    return Insole(length, length * MOTICON[:, :2] * (1.0, width), width * AREA * length * length * MOTICON[:, 2] / MOTICON[:, 2].sum())


def stappone(size: float) -> Insole:
    """Stappone's 12 sensors in an insole of a European size: a scheme."""
    return _in_rows(STAPPONE_ROWS, size)


def fitted(model: Callable[[float, float], Insole], length: float, width: float) -> Insole:
    """The insole of a model, as ``pedar``, that is as long (m), and where it is widest as wide (m), as a sole."""
    _, inner, outer = _edges()
    return model(length / EUROPEAN_SIZE, width / (length * float((inner + outer).max())))


def in_a_line(count: int, size: float) -> Insole:
    """Sensors whose places nobody knows: from the heel to the toes, as they are numbered."""
    length = size * EUROPEAN_SIZE
    places = np.stack([length * (np.arange(count) + 0.5) / count, np.zeros(count)], axis=1)
    return Insole(length, places, np.full(count, AREA * length * length / count))


def both(left: Layout, right: Layout) -> Layout:
    """The sensors of two insoles, or of two places on one pad, one after the other."""
    return Layout(np.concatenate([left.centres, right.centres]), np.concatenate([left.areas, right.areas]), np.concatenate([left.feet, right.feet]))


def _in_rows(rows: tuple[int, ...], size: float, width: float = 1.0) -> Insole:
    """Sensors of one area in rows, from the heel to the toes, each row from the inner to the outer side."""
    length = size * EUROPEAN_SIZE
    ahead, inner, outer = _edges()
    covered = np.concatenate([[0.0], np.cumsum((inner + outer)[:-1])])
    covered /= covered[-1]
    # Sensors of one size: rows are closer together where the foot is wide.
    counts = np.array(rows)
    middles = np.interp((np.cumsum(counts) - 0.5 * counts) / counts.sum(), covered, ahead)
    places = [(middle, width * ((1.0 - share) * np.interp(middle, ahead, inner) - share * np.interp(middle, ahead, outer)))
              for middle, count in zip(middles, counts, strict=True) for share in (np.arange(count) + 0.5) / count]
    total = width * AREA * length * length
    return Insole(length, length * np.array(places), np.full(counts.sum(), total / counts.sum()))


def _edges() -> tuple[Array, Array, Array]:
    """(1001,) each, in shares of the length: ahead of the heel's end, and from an insole's middle line to its inner and its outer edge."""
    ahead = np.linspace(0.0, 1.0, 1001)
    inner, outer = (np.interp(ahead, OUTLINE[:, 0], OUTLINE[:, column]) for column in (1, 2))
    wider = AREA / float(np.mean(inner + outer))
    return ahead, wider * inner, wider * outer
