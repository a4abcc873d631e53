"""How people's walk changes with its speed, and with the length of the legs.

Bodies of other sizes walk alike at the same dimensionless speed, v/√(g·L) (Alexander 2003): lengths go with the leg L, times with its root, angles
and forces over weight stay. So every speed is told as that of a leg of ``LEG`` metres which walks alike.
"""

from __future__ import annotations

import numpy as np

OWN_SPEED = 1.25  # m/s at which people with legs of LEG walk if nobody asks
LEG = 0.86  # m, hip to ankle, of the average man
GRAVITY = 9.81

# At speeds (m/s of a leg of LEG) what bands are multiplied by, or shifted by, from where they are at OWN_SPEED.
# Speeds of the five classes of Schwartz, Rozumalski and Trost 2008, from their dimensionless ones, and what they found there: the share of double
# support, the range of the pelvis's list and turn, and degrees of the knee at the strike and of the ankle at its push-off.
CLASSES = {"VerySlow": 0.172, "Slow": 0.290, "Free": 0.429, "Fast": 0.560, "VeryFast": 0.694}
_SPEEDS = (0.5, 0.84, OWN_SPEED, 1.63, 2.02)  # m/s, of CLASSES
FACTORS = {"double_support": (_SPEEDS, (1.89, 1.26, 1.0, 0.84, 0.74)), "pelvis_list": (_SPEEDS, (0.52, 0.73, 1.0, 1.34, 1.56)),
           "pelvis_turn": (_SPEEDS, (0.97, 0.78, 1.0, 1.44, 1.8)),
           # The centre of mass rises by 2.7 cm at 0.7 m/s and by 4.8 cm at 1.6 m/s (Orendurff et al. 2004).
           "rise": ((0.5, OWN_SPEED, 2.0), (0.57, 1.0, 1.43))}
# Both humps of the force grow with speed and the dip between them deepens (Andriacchi, Ogle and Galante 1977; Nilsson and Thorstensson 1989;
# Winter 1991): nearly level at 0.8 m/s, body weights of about 1.3, 0.6 and 1.2 at 1.8 m/s.
_FORCES = (0.5, 0.8, OWN_SPEED, 1.8, 2.0)
SHIFTS = {"first_hump": (_FORCES, (-0.1, -0.08, 0.0, 0.17, 0.24)), "dip": (_FORCES, (0.15, 0.11, 0.0, -0.19, -0.25)),
          "second_hump": (_FORCES, (-0.1, -0.08, 0.0, 0.07, 0.1)), "peak_force": (_FORCES, (-0.1, -0.08, 0.0, 0.17, 0.24)),
          "knee_at_strike": (_SPEEDS, (-1.0, -1.0, 0.0, 2.0, 3.0)), "push_off": (_SPEEDS, (10.0, 5.0, 0.0, -2.0, -2.0))}
LENGTHS = ("step_width", "rise")  # go with the leg

Band = tuple[float, float, float]
"""What a figure lies between, and by how much it may miss that for a cost of 1."""


def alike(speed: float, leg_length: float) -> float:
    """m/s at which a leg of ``LEG`` walks as one of ``leg_length`` m does at ``speed``."""
    return abs(speed) * (LEG / leg_length) ** 0.5


def band_at(name: str, band: Band, speed: float, leg_length: float = LEG) -> Band:
    """The band of a figure, given as it is at ``OWN_SPEED`` for legs of ``LEG``, at another speed (m/s) and of other legs (m)."""
    pace, size = alike(speed, leg_length), leg_length / LEG
    factor, shift = 1.0, 0.0
    if name == "cadence":
        # Step length over cadence is the same at all speeds that people choose (the walk ratio: Sekiya and Nagasaki 1998), so that both go with √v.
        factor = (pace / OWN_SPEED) ** 0.5 / size**0.5
    if name in FACTORS:
        factor = float(np.interp(pace, *FACTORS[name]))
    if name in SHIFTS:
        shift = float(np.interp(pace, *SHIFTS[name]))
    if name in LENGTHS:
        factor *= size
    low, high, miss = band
    return factor * low + shift, factor * high + shift, miss * (size if name in LENGTHS else 1.0)
