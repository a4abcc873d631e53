"""Segment masses, centres of mass and inertias of the human body.

Source: P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters", J. Biomechanics 29(9), 1996, table 4:
mass in % of body mass; centre of mass in % of segment length from its proximal (or upper) end; radii of gyration about the
sagittal (forward), transverse (leftward) and longitudinal axes in % of segment length; mean lengths in mm for a stature of
1741 mm (male) and 1735 mm (female). Widths and the ankle height, which that table lacks, are D. A. Winter's fractions of
stature (Biomechanics and Motor Control of Human Movement, fig. 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Array


@dataclass(frozen=True)
class Segment:
    """One row of the table. Fractions, not percent; ``length`` is a fraction of stature."""

    mass: float
    center: float
    radii: tuple[float, float, float]
    length: float


def _rows(stature: float, table: dict[str, tuple[float, ...]]) -> dict[str, Segment]:
    return {
        name: Segment(mass / 100, center / 100, (sagittal / 100, transverse / 100, longitudinal / 100), length / stature)
        for name, (mass, center, sagittal, transverse, longitudinal, length) in table.items()
    }


# The head is measured from the vertex to the mid-gonion, the upper trunk from suprasternale to xyphion, the middle trunk
# to the omphalion, the lower trunk to the mid-hip, the foot from the heel to the tip of the toes.
SEGMENTS: dict[str, dict[str, Segment]] = {
    "male": _rows(1741, {
        "head": (6.94, 59.76, 36.2, 37.6, 31.2, 203.3),
        "upper_trunk": (15.96, 29.99, 71.6, 45.4, 65.9, 170.7),
        "middle_trunk": (16.33, 45.02, 48.2, 38.3, 46.8, 215.5),
        "lower_trunk": (11.17, 61.15, 61.5, 55.1, 58.7, 145.7),
        "upper_arm": (2.71, 57.72, 28.5, 26.9, 15.8, 281.7),
        "forearm": (1.62, 45.74, 27.6, 26.5, 12.1, 268.9),
        "hand": (0.61, 79.00, 62.8, 51.3, 40.1, 86.2),
        "thigh": (14.16, 40.95, 32.9, 32.9, 14.9, 422.2),
        "shin": (4.33, 44.59, 25.5, 24.9, 10.3, 434.0),
        "foot": (1.37, 44.15, 25.7, 24.5, 12.4, 258.1),
    }),
    "female": _rows(1735, {
        "head": (6.68, 58.94, 33.0, 35.9, 31.8, 200.2),
        "upper_trunk": (15.45, 20.77, 74.6, 50.2, 71.8, 142.5),
        "middle_trunk": (14.65, 45.12, 43.3, 35.4, 41.5, 205.3),
        "lower_trunk": (12.47, 49.20, 43.3, 40.2, 44.4, 181.5),
        "upper_arm": (2.55, 57.54, 27.8, 26.0, 14.8, 275.1),
        "forearm": (1.38, 45.59, 26.1, 25.7, 9.4, 264.3),
        "hand": (0.56, 74.74, 53.1, 45.4, 33.5, 78.0),
        "thigh": (14.78, 36.12, 36.9, 36.4, 16.2, 368.5),
        "shin": (4.81, 44.16, 27.1, 26.7, 9.3, 432.3),
        "foot": (1.29, 40.14, 29.9, 27.9, 13.9, 228.3),
    }),
}
HEAD_AND_NECK = {"male": 242.9 / 1741, "female": 243.7 / 1735}  # vertex to cervicale
TRUNK = {"male": 603.3 / 1741, "female": 614.8 / 1735}  # cervicale to mid-hip
# Fractions of stature.
ANKLE_HEIGHT = 0.039
HIP_SPACING = 0.100  # between the hip joint centres
SHOULDER_SPACING = 0.228  # between the shoulder joint centres
FOOT_WIDTH = 0.055


@dataclass(frozen=True)
class Mass:
    """A rigid piece: kg, centre of mass (3,) metres, principal moments (3,) kg·m² about it along the link axes."""

    mass: float
    center: Array
    inertia: Array


def segment_mass(segment: Segment, body_mass: float, start: Array, end: Array) -> Mass:
    """The table's segment laid from ``start`` to ``end`` (3,) metres; ``start`` is the end from which the table measures the centre of mass."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(end - start))
    mass = segment.mass * body_mass
    sagittal, transverse, longitudinal = (mass * (radius * length) ** 2 for radius in segment.radii)
    along = np.argmax(np.abs(end - start))
    # A segment that lies along x (the foot) turns its longitudinal axis forward and its sagittal one up.
    inertia = (longitudinal, transverse, sagittal) if along == 0 else (sagittal, transverse, longitudinal)
    return Mass(mass, start + segment.center * (end - start), np.array(inertia))


def combine(pieces: list[Mass]) -> Mass:
    """Several pieces as one rigid link; products of inertia are dropped (the pieces lie along one axis)."""
    mass = sum(piece.mass for piece in pieces)
    center = sum((piece.mass * piece.center for piece in pieces), np.zeros(3)) / mass
    inertia = np.zeros(3)
    for piece in pieces:
        away = piece.center - center
        inertia += piece.inertia + piece.mass * (away @ away - away**2)
    return Mass(mass, center, inertia)
