"""What people run by, as a cost: what ``walking`` has for every gait, with the figures of people who run.

A run differs from a walk in what is wanted: flight instead of double support, one hump of force, a knee that bends on landing and folds in swing.
The figures are those of Novacheck 1998 ("The biomechanics of running") and of Fukuchi, Fukuchi and Duarte 2017 (28 runners at 2.5, 3.5 and
4.5 m/s); the curves (presets/people.json) are typical values set down from knowledge and rounded, copied from no data set.

A trial that falls tells as many numbers as one that holds, so that a search by least squares sees which way is better before any holds.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..control.gait import make_gait
from ..errors import SimulationError
from ..jobs import make_job
from ..kinematics import joint_angles
from ..measure import gait
from ..measure.by_speed import LEG, Band, alike
from ..measure.norms import curves, leg_of, run_norms_at
from ..measure.span import steady, upright
from ..measure.walking import figures as walking_figures
from ..methods.gait import walk
from ..result import Result
from . import walking
from .walking import outside

# At 2.5 and at 3.5 m/s of a leg of LEG: [least, most] at each, and by how much it may miss for a cost of 1.
SPEEDS = (2.5, 3.5)
BANDS = {
    "cadence": ((156.0, 166.0), (162.0, 173.0), 3.0),
    "flight": ((0.26, 0.32), (0.32, 0.39), 0.02),
    "peak_force": ((2.1, 2.45), (2.2, 2.55), 0.1),
    "knee_at_strike": ((11.0, 22.0), (11.0, 22.0), 2.0),
    "knee_in_stance": ((34.0, 44.0), (38.0, 48.0), 3.0),
    "knee_in_swing": ((83.0, 95.0), (92.0, 110.0), 3.0),
    "push_off": ((-26.0, -12.0), (-30.0, -15.0), 3.0),
    "thorax_lean": ((3.0, 9.0), (4.0, 9.0), 1.0),
    "head_lean": ((-5.0, 6.0), (-5.0, 6.0), 2.0),
    "step_width": ((0.04, 0.08), (0.035, 0.075), 0.01),
    "rise": ((0.06, 0.1), (0.055, 0.095), 0.01),
    "pelvis_turn": ((5.0, 20.0), (5.0, 24.0), 3.0),
    "pelvis_list": ((4.0, 16.0), (4.0, 18.0), 3.0),
    "thorax_turn": ((8.0, 28.0), (8.0, 32.0), 3.0),
    "arm_swing": ((35.0, 75.0), (40.0, 85.0), 6.0),
    "elbow": ((80.0, 105.0), (80.0, 105.0), 5.0),
}
LENGTHS = ("step_width", "rise")  # go with the leg
STANCE, PUSH_OFF, SWING = slice(5, 31), slice(25, 56), slice(50, 91)  # % of the cycle: the knee gives, the ankle pushes, the knee folds
FIGURES = 8.0  # weight of each figure
ON_FEET = 80.0  # cost of each second that it lies
STRAY = 0.5  # m/s off what is commanded, that costs 1
# What is known of walks alone; and how many numbers each other term has, of trials of ``SECONDS``.
WALKS_ONLY = ("landing", "ratio", "push_off", "force", "steps", "pelvis", "posture", "targets", "head")
SECONDS = 7
SIZES = {"user": 1, "velocity": 1, "symmetry": 2, "momentum": 1, "power": 1, "slide": 1, "heading": 5, "drift": 5, "curves": 606, "smoothness": 3}
WEIGHTS = {"user": 300.0, "velocity": 100.0, "symmetry": 100.0, "momentum": 3.0, "power": 2e-6, "slide": 5.0, "heading": 0.5, "drift": 0.5,
           "curves": 6.0, "smoothness": 1.0, "ordeals": 30.0}
FAR = 4.0  # misses of a figure, from which on it costs ever less more
TERMS = (*SIZES, "figures", "on_feet")  # that can be left out
UNKNOWN = 6.0  # what each number is, of a run too short to be measured
PUSH = 60.0  # N for 0.2 s, to a side and ahead: what a run takes in its ordeals
PUSHED_AT = (3.0, 5.0)  # s


def bands_at(speed: float, leg_length: float = LEG) -> dict[str, Band]:
    """All bands of people who run at ``speed`` m/s on legs of ``leg_length`` m."""
    share, size = float(np.interp(alike(speed, leg_length), SPEEDS, (0.0, 1.0))), leg_length / LEG
    bands = {}
    for name, (slow, fast, miss) in BANDS.items():
        by = size if name in LENGTHS else size**-0.5 if name == "cadence" else 1.0
        low, high = (by * (a + share * (b - a)) for a, b in zip(slow, fast, strict=True))
        bands[name] = (low, high, by * miss)
    return bands


def figures(result: Result) -> dict[str, float]:
    """Of a run without its start; degrees, body weights, m, s. What cannot be measured is left out: without two strides all."""
    found = walking_figures(result, None)
    if not found:
        return {}
    angles, joints = curves(result), np.degrees(joint_angles(result, "yxz")[:, :, 1])
    shoulders, elbows = (joints[:, [result.link_names.index(f"{link}.{side}") for side in "LR"]] for link in ("upper_arm", "forearm"))
    return {
        **found, **walking.turns_of(result),
        "flight": float(gait.support(result)["flight_ratio"]),
        "knee_in_stance": float(angles["knee"][:, STANCE].max(axis=1).mean()),
        "knee_in_swing": float(angles["knee"][:, SWING].max(axis=1).mean()),
        "push_off": float(angles["ankle"][:, PUSH_OFF].min(axis=1).mean()),
        "arm_swing": float(np.subtract(*np.quantile(shoulders, (0.97, 0.03), axis=0)).mean()),
        "elbow": float(-elbows.mean()),
    }


def wish_for(speed: float, body: str | dict[str, Any] = "average_man", pushes: float = 0.0, engines: Sequence[str] = ("pybullet", "mujoco"),
             without: Sequence[str] = ()) -> dict[str, Any]:
    """A wish, as ``all_misses`` takes it: for a speed (m/s), a body, and pushes of a level (1: ``PUSH``)."""
    wish: dict[str, Any] = {"speed": speed, "body": body, "engines": list(engines), "without": list(without), "keep": 0.0, "job": {"fps": 100}}
    if pushes:
        wish["ordeals"] = [pushed(engine, pushes) for engine in engines]
    return wish


def pushed(engine: str, level: float) -> dict[str, Any]:
    """Settings of a run that is pushed, on one engine to one side and ahead, on the other to the other side and back."""
    sign = 1.0 if engine == "pybullet" else -1.0
    forces = zip(PUSHED_AT, ([0.0, sign * level * PUSH, 0.0], [sign * level * PUSH, 0.0, 0.0]), strict=True)
    return {"engine": engine, "events": [{"type": "push", "time": time, "duration": 0.2, "part": "torso", "frame": "world", "force": force}
                                         for time, force in forces]}


def misses(result: Result, wish: dict[str, Any]) -> dict[str, Array]:
    """What a run misses, by term: the sum of a term's squares is its cost. Always as many numbers, also of a run that falls.

    Args:
        wish: "speed" m/s; "without": names of terms; "bands": other bands by name, as in ``bands_at``.
    """
    standing = upright(result)
    going = dataclasses.replace(standing, outcome={**result.outcome, "fell": False})
    weights = {**walking.WEIGHTS, **WEIGHTS, **wish.get("weights", {})}
    norms = run_norms_at(wish["speed"], leg_of(result))
    judged = {"speed": wish["speed"], "weights": weights, "without": WALKS_ONLY}
    known = walking.misses(going, judged, norms) if going.frames > 2 * result.fps else {}
    found = {} if "failure" in known else figures(steady(going)) if known else {}
    bands = {**bands_at(wish["speed"], leg_of(result)), **wish.get("bands", {})}
    missed = {name: _filled(known.get(name), size, math.sqrt(weights[name]) * UNKNOWN / math.sqrt(size)) for name, size in SIZES.items()}
    off = np.array([outside(found[name], *band) if found else UNKNOWN for name, band in bands.items()])
    missed["figures"] = math.sqrt(FIGURES) * FAR * np.arcsinh(off / FAR)
    lies = np.clip(np.arange(1, SECONDS + 1) - standing.frames / result.fps, 0.0, 1.0) if result.outcome["fell"] else np.zeros(SECONDS)
    missed["on_feet"] = math.sqrt(ON_FEET) * lies
    return {name: values for name, values in missed.items() if name not in wish.get("without", ())}


def _filled(values: Array | None, size: int, rest: float) -> Array:
    """As many numbers as ``size``, with ``rest`` in place of those that are missing."""
    values = np.zeros(0) if values is None else np.where(np.isfinite(values[:size]), values[:size], rest)
    return np.concatenate((values, np.full(size - len(values), rest)))


def terms(result: Result, wish: dict[str, Any]) -> dict[str, float]:
    """The weighted terms of a run's cost, as ``misses`` has them."""
    return {name: float(values @ values) for name, values in misses(result, wish).items()}


def cost(data: dict[str, Any], name: str, wish: dict[str, Any]) -> float:
    """Cost of a gait preset's data under a wish: the sum of the squares of what its trials miss."""
    missed = all_misses(data, name, wish)
    return float(missed @ missed)


def all_misses(data: dict[str, Any], name: str, wish: dict[str, Any]) -> Array:
    """What a gait preset's data misses in its trials under a wish, one after the other.

    Args:
        wish: that of ``misses`` with "body", "job" (settings of the trials), "engines", "trials": settings in which they differ, each with what else
            is wished of it ("wish"), and "ordeals": settings of runs that are only to hold on, such as of one that is pushed.
    """
    gaits = {name: make_gait(data, name)}
    usual = {"gait": name, "duration": SECONDS, "body": wish.get("body", "average_man"), "catches_itself": False, **wish.get("job", {})}
    trials = [{"engine": engine, **trial} for trial in wish.get("trials", [{}]) for engine in wish["engines"]]
    missed: list[Array] = []
    for trial in trials:
        wanted = {**wish, **trial.pop("wish", {})}
        try:
            result = walk(make_job({**usual, **trial}), gaits=gaits)
        except SimulationError:
            return np.array([math.sqrt(walking.FALL * (2.0 + len(trials)))])
        missed += [values / math.sqrt(len(trials)) for values in misses(result, wanted).values()]
    for ordeal in wish.get("ordeals", ()):
        off = walking.off_course({**usual, **ordeal}, gaits).ravel()
        missed.append(math.sqrt(WEIGHTS["ordeals"] / (len(off) * len(wish["ordeals"]))) * off)
    return np.concatenate(missed)
