"""What people walk by, as a cost (Wang, Fleet and Hertzmann 2009, section 4.1), and what is known of people's walk beyond that.

A cost is a sum of named terms, each with its weight; any of them can be left out. A term is a sum of squares of what is missed. Most misses are 0
within a tolerance (eq. 3), so that none is polished at the cost of the others. A fall costs more than the worst walk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..control.gait import Gait, make_gait
from ..errors import SimulationError
from ..feet.loads import loaded
from ..jobs import make_job
from ..kinematics import angular_momentum, center_of_mass, joint_angles, link_poses, velocity
from ..measure import gait
from ..measure.by_speed import LEG, Band, band_at
from ..measure.norms import Norm, curves, leg_of, norms_at, norms_of
from ..measure.span import steady
from ..measure.walking import LEAST_SD, deviations, figures, torque_ratio
from ..methods.gait import walk
from ..result import Result

RATIO = np.array((0.43, 0.04, 0.53))  # people's shares of hip, knee and ankle in the squared torques (Novacheck 1998, as Wang has them)
FALL = 1000.0  # a fall at the end; at once it is twice that
UNMEASURED = 500.0  # a walk of less than two strides
BAD = 300.0  # cost of a walk from which on it grows ever more slowly, so that it stays below that of a fall
# The paper's tolerances (its section 4.1), and its weights below, but for those that were raised where other terms are new.
SPEED_OFF, STEP_OFF, TIME_OFF, MOMENTUM, HEAD_OFF = 0.025, 0.025, 0.025, 0.05, 0.1  # m/s, m, s, s⁻², m/s
WEIGHTS = {"user": 400.0, "velocity": 400.0, "landing": 20.0, "symmetry": 100.0, "momentum": 10.0, "head": 100.0, "power": 1e-5, "ratio": 1.0,
           "curves": 10.0, "push_off": 1.0, "force": 1.0, "steps": 1.0, "pelvis": 0.3, "smoothness": 1.0, "slide": 2.0, "posture": 1.0,
           "heading": 0.5, "drift": 0.5, "targets": 1.0, "ordeals": 30.0}
FLAT_HEAD = 0.1  # rad
CURVE_LIMIT = 4.0  # standard deviations, from which on a point of a curve costs no more
# What people's walks lie between at their own speed: [least, most, by how much it may miss for a cost of 1].
BANDS = {"cadence": (107.0, 118.0, 3.0), "step_width": (0.085, 0.125, 0.01), "double_support": (0.16, 0.25, 0.02), "knee_at_strike": (0.0, 10.0, 3.0)}
FORCES = {"first_hump": (1.02, 1.2, 0.05), "dip": (0.68, 0.9, 0.05), "second_hump": (1.02, 1.2, 0.05), "peak_force": (1.0, 1.28, 0.05)}
PELVIS = {"rise": (0.032, 0.055, 0.005), "pelvis_turn": (6.0, 14.0, 3.0), "pelvis_list": (5.0, 13.0, 3.0), "thorax_turn": (3.0, 10.0, 3.0)}
POSTURE = {"thorax_lean": (-1.0, 6.0, 2.0), "head_lean": (-4.0, 4.0, 2.0)}  # degrees ahead, on average
RATIO_OFF = 0.05  # that a share of the torques may be off; so much more costs 1
PUSH_OFF = {"push_off": (-40.0, -14.0, 3.0)}  # degrees that the ankle is to reach
SLIDE = (0.002, 0.003)  # m a step, and the miss that costs 1
HEADING = (1.0, 1.0)  # degrees off the course in each of the first seconds, and the miss that costs 1
DRIFT = (0.04, 0.08)  # m/s to a side in each of the first seconds, and the miss that costs 1
LOST = 0.6  # m/s off what is commanded, from which on a body is as good as fallen
PUSHED_FROM, PUSH_EVERY = 4.0, 3.0  # s
LEVELS = (0.6, 1.0)  # of pushes, one after the other
# N for 0.4 s, (forward, left): what the best of Wang's walks take (their Table 1). On one engine those to one side, on the other those to the other.
PUSHES = {"pybullet": ((75.0, 0.0), (0.0, 200.0)), "mujoco": ((-120.0, 0.0), (0.0, -200.0))}
# On a slope people's curves and forces are others than on the flat: what is known of the flat counts for less, by the slope (degrees) at which it
# counts for nothing, but never for less than a share. Per degree uphill the trunk leans and the knee that lands bends by so many degrees more.
FLAT_TERMS, FLAT_UNTIL, FLAT_LEAST = ("ratio", "curves", "push_off", "force", "steps", "pelvis", "smoothness"), 12.0, 0.2
SLOPE_LEAN, SLOPE_KNEE = 0.5, 2.0
JOLTS = 1.3  # times the angular accelerations of people's mean curves, above which legs are jerky


def beyond(value: float, tolerance: float) -> float:
    """What of a value is beyond a tolerance: its square is the thresholded quadratic (eq. 3), without its jump."""
    return math.copysign(max(0.0, abs(value) - tolerance), value)


def outside(value: float, low: float, high: float, miss: float) -> float:
    """0 between two bounds, else how far beyond them it is, in units of ``miss``."""
    return max(0.0, value - high) / miss - max(0.0, low - value) / miss


def bands_at(speed: float, leg_length: float = LEG) -> dict[str, Band]:
    """All bands of people who walk at ``speed`` m/s on legs of ``leg_length`` m."""
    return {name: band_at(name, band, speed, leg_length) for name, band in {**BANDS, **FORCES, **PELVIS, **POSTURE, **PUSH_OFF}.items()}


def wish_for(body: str | dict[str, Any] = "average_man", speed: float | None = None, step_length: float | None = None, slope: float | None = None,
             friction: float | None = None, pushes: float = 0.0, engines: Sequence[str] = ("pybullet",),
             without: Sequence[str] = ()) -> dict[str, Any]:
    """A wish, as ``all_misses`` takes it: for a body, a speed (m/s), a step length (m), a slope (degrees, up is positive), a friction, and pushes of
    a level (1: as the best published walks take them). What is None is left to the search."""
    job: dict[str, Any] = {"fps": 60}
    wish: dict[str, Any] = {"body": body, "engines": list(engines), "job": job, "without": list(without), "keep": 0.0}
    wish |= {name: value for name, value in (("speed", speed), ("step_length", step_length)) if value is not None}
    if friction is not None:
        job["friction"] = friction
    if slope:
        job |= {"ground": {"type": "slope", "degrees": slope, "start": -1.0}, "slope_adaptation": False}
        share = max(FLAT_LEAST, 1.0 - abs(slope) / FLAT_UNTIL)
        wish["weights"] = {name: share * WEIGHTS[name] for name in FLAT_TERMS}
        (low, high, off), (least, most, miss) = POSTURE["thorax_lean"], BANDS["knee_at_strike"]
        wish["bands"] = {"thorax_lean": (low + min(0.0, SLOPE_LEAN * slope), high + max(0.0, SLOPE_LEAN * slope), off),
                         "knee_at_strike": (least, most + max(0.0, SLOPE_KNEE * slope), miss)}
    if pushes:
        wish["ordeals"] = [pushed(engine, pushes) for engine in engines]
    return wish


def pushed(engine: str, level: float) -> dict[str, Any]:
    """Settings of a walk that is pushed ever harder, up to a level (1: as the best published walks take it)."""
    forces = [(level * share * x, level * share * y, 0.0) for share in LEVELS for x, y in PUSHES[engine]]
    events = [{"type": "push", "time": PUSHED_FROM + PUSH_EVERY * n, "duration": 0.4, "part": "torso", "frame": "world", "force": list(force)}
              for n, force in enumerate(forces)]
    return {"engine": engine, "duration": PUSHED_FROM + PUSH_EVERY * len(forces), "events": events}


def people_for(result: Result, wish: dict[str, Any]) -> dict[str, Norm]:
    """The curves that a walk is judged by: of people at the speed that is wanted, else at the one that it has."""
    return norms_at(wish["speed"], leg_of(result)) if "speed" in wish else norms_of(steady(result))


def misses(result: Result, wish: dict[str, Any], norms: dict[str, Norm] | None) -> dict[str, Array]:
    """What a walk misses, by term: the sum of a term's squares is its cost.

    Args:
        wish: "speed" m/s and "step_length" m, where they are wanted; "without": names of terms; "weights": other weights by name;
            "bands": other bands by name, as in ``bands_at``; "targets": bands of any of the figures, for what is wanted beside these.
        norms: curves of people, where they are at hand.
    """
    if result.outcome["fell"]:
        return {"failure": np.array([math.sqrt(FALL * (2.0 - result.outcome["fell_at"] / float(result.job["duration"])))])}
    steadily = steady(result)
    found = figures(steadily, norms)
    if not found:
        return {"failure": np.array([math.sqrt(UNMEASURED)])}
    com_speed = (center_of_mass(steadily)[-1] - center_of_mass(steadily)[0]) / gait.duration(steadily)
    effort = float((steadily.torques**2).sum(axis=(1, 2)).mean()) * 70.0 / float(steadily.masses.sum())
    bands = {**bands_at(wish.get("speed", found["speed"]), leg_of(result)), **wish.get("bands", {})}
    judged = {name: band for name, band in BANDS.items() if name != "cadence" or "step_length" not in wish}  # the wanted step says it
    found |= turns_of(steadily)

    def out_of(group: dict[str, Any]) -> list[float]:
        return [outside(found[name], *bands[name]) for name in group]

    missed = {
        "user": [beyond(found[name] - wish[name], off) for name, off in (("speed", SPEED_OFF), ("step_length", STEP_OFF)) if name in wish],
        "velocity": [beyond(float(com_speed[1]), SPEED_OFF)],
        "landing": [math.sqrt(scuffed(steadily))],
        "symmetry": _asymmetry(steadily),
        "momentum": [beyond(_spin_rate(steadily), MOMENTUM**0.5)],
        "head": [beyond(float(_head(steadily).std()) ** 0.5, HEAD_OFF**0.5), math.sqrt(0.012 * _head_turned(steadily))],
        "power": [math.sqrt(effort if "speed" in wish else effort / max(found["speed"], 0.1))],
        "ratio": [beyond(share, RATIO_OFF) / RATIO_OFF for share in torque_ratio(steadily) - RATIO],
        "push_off": out_of(PUSH_OFF),
        "force": out_of(FORCES),
        "steps": out_of(judged),
        "pelvis": out_of(PELVIS),
        "posture": out_of(POSTURE),
        "targets": [outside(found[name], *band) for name, band in wish.get("targets", {}).items()],
        "slide": [outside(found["slide"], 0.0, *SLIDE)],
        "heading": [outside(float(off), -HEADING[0], *HEADING) for off in headings(result)],
        "drift": [outside(float(off), -DRIFT[0], *DRIFT) for off in strays(result, 0.0, min(5, int(gait.duration(result))))[:, 1]],
    }
    if norms:
        off = np.array([deviations(curve, norms[joint], joint == "hip", LEAST_SD) for joint, curve in curves(steadily).items()])
        missed["curves"] = (np.clip(off, -CURVE_LIMIT, CURVE_LIMIT) / math.sqrt(off.size)).ravel().tolist()
        missed["smoothness"] = _jolts(steadily, norms)
    weights = {**WEIGHTS, **wish.get("weights", {})}
    return {name: math.sqrt(weights[name]) * np.array(values) for name, values in missed.items() if name not in wish.get("without", ())}


def terms(result: Result, wish: dict[str, Any], norms: dict[str, Norm] | None) -> dict[str, float]:
    """The weighted terms of a walk's cost, as ``misses`` has them."""
    return {name: float(values @ values) for name, values in misses(result, wish, norms).items()}


def scuffed(walk: Result) -> float:
    """Share of the time in which the foot that swings touches the ground before its landing: the stubbed toes of eq. 6."""
    on, swing = loaded(walk), 1 - walk.stance
    rows = np.arange(walk.frames)
    return float((on[rows, swing] & (walk.states > 0) & (walk.states < walk.states.max())).mean())


def _asymmetry(walk: Result) -> list[float]:
    """Between left and right steps: s and m beyond what is let pass (eq. 8)."""
    steps = gait.steps(walk)
    left, right = (np.mean([(step.time, step.length) for step in steps if step.foot == foot], axis=0) for foot in (0, 1))
    time, length = (left - right).tolist()
    return [beyond(time, TIME_OFF), beyond(length, STEP_OFF)]


def _spin_rate(walk: Result) -> float:
    """1/s: root mean square of how fast the angular momentum about the vertical changes, over mass, speed and height of the body (eq. 9)."""
    com = center_of_mass(walk)
    speed = max(0.1, float(np.linalg.norm(com[-1, :2] - com[0, :2])) / gait.duration(walk))
    rate = velocity(angular_momentum(walk)[:, 2], walk.fps) / (float(walk.masses.sum()) * speed * float(com[:, 2].mean()))
    return float(np.sqrt(np.mean(rate**2)))


def _head(walk: Result) -> Array:
    """(F,) m/s of the head, forward."""
    positions, _ = link_poses(walk)
    head = positions[:, walk.link_names.index("head"), :2]
    ahead = (head[-1] - head[0]) / max(1e-6, float(np.linalg.norm(head[-1] - head[0])))
    return np.asarray(velocity(head, walk.fps) @ ahead)


def _head_turned(walk: Result) -> float:
    """Share of the time in which the head is not level and ahead."""
    _, orientations = link_poses(walk)
    turned = rotation.log(orientations[:, walk.link_names.index("head")])
    return float((np.linalg.norm(turned, axis=1) > FLAT_HEAD).mean())


def turns_of(walk: Result) -> dict[str, float]:
    """Degrees, from end to end, of pelvis and thorax about the vertical and to the sides, in the world; and how far thorax and head lean ahead."""
    _, orientations = link_poses(walk)
    ranges = {}
    for name, link in (("pelvis", 0), ("thorax", walk.link_names.index("torso"))):
        left = rotation.rotate(orientations[:, link], np.array((0.0, 1.0, 0.0)))
        ranges[f"{name}_turn"] = np.degrees(np.unwrap(np.arctan2(-left[:, 0], left[:, 1])))
        ranges[f"{name}_list"] = np.degrees(np.arcsin(left[:, 2]))
    turns = {name: float(np.subtract(*np.quantile(values, (0.97, 0.03)))) for name, values in ranges.items()}
    for name, part in (("thorax", "torso"), ("head", "head")):
        up = rotation.rotate(orientations[:, walk.link_names.index(part)], np.array((0.0, 0.0, 1.0))).mean(axis=0)
        turns[f"{name}_lean"] = float(np.degrees(np.arctan2(up[0], up[2])))
    return turns


def headings(walk: Result, seconds: int = 5) -> Array:
    """(S,) degrees: the mean heading of the pelvis in each of the first seconds, off what was commanded."""
    turned = np.degrees(np.unwrap(rotation.heading(walk.rotations[:, 0])) - walk.headings)
    return np.array([turned[(walk.times >= second) & (walk.times < second + 1.0)].mean() for second in range(min(seconds, int(gait.duration(walk))))])


def _jolts(walk: Result, norms: dict[str, Norm]) -> list[float]:
    """How much more than people's hip, knee and ankle jerk."""
    angles = np.degrees(joint_angles(walk, "yxz")[:, :, 1])
    jolts, cycle = [], gait.stride_time(walk)
    for joint, link in (("hip", "thigh"), ("knee", "shin"), ("ankle", "foot")):
        usual = np.diff(norms[joint].mean, 2).std() * (100.0 / cycle) ** 2
        own = [np.diff(angles[:, walk.link_names.index(f"{link}.{side}")], 2).std() * walk.fps**2 for side in "LR"]
        jolts.append(max(0.0, float(np.mean(own)) / usual - JOLTS))
    return jolts


def cost(data: dict[str, Any], name: str, wish: dict[str, Any]) -> float:
    """Cost of a gait preset's data under a wish: the sum of the squares of what its trials miss."""
    missed = all_misses(data, name, wish)
    return float(missed @ missed)


def all_misses(data: dict[str, Any], name: str, wish: dict[str, Any]) -> Array:
    """What a gait preset's data misses in its trials under a wish, one after the other; one number where it falls in one that is no ordeal.

    Args:
        wish: that of ``misses`` with "body", "job" (settings of the trials), "seconds" of each, "engines", "trials": settings in which they
            differ, each with what else is wished of it ("wish"), and "ordeals": settings of walks that are only to hold on, such as of one that is
            pushed.
    """
    seconds, gaits = float(wish.get("seconds", 8.0)), {name: make_gait(data, name)}
    trials = [{"engine": engine, **trial} for trial in wish.get("trials", [{}]) for engine in wish.get("engines", ["pybullet"])]
    usual = {"gait": name, "duration": seconds, "body": wish.get("body", "average_man"), "catches_itself": False,  # a gait is judged by itself
             **wish.get("job", {})}
    missed: list[Array] = []
    for number, trial in enumerate(trials):
        wanted = {**wish, **trial.pop("wish", {})}
        try:
            result = walk(make_job({**usual, **trial}), gaits=gaits)
        except SimulationError:
            return np.array([math.sqrt(FALL * (2.0 + len(trials)))])
        if result.outcome["fell"]:
            return np.array([math.sqrt(FALL * (1.0 + len(trials) - number - result.outcome["fell_at"] / seconds))])
        missed += [values / math.sqrt(len(trials)) for values in misses(result, wanted, people_for(result, wanted)).values()]
    weight = {**WEIGHTS, **wish.get("weights", {})}["ordeals"]
    for ordeal in wish.get("ordeals", ()):
        off = off_course({**usual, **ordeal}, gaits).ravel()
        missed.append(math.sqrt(weight / (len(off) * len(wish["ordeals"]))) * off)
    return below_a_fall(np.concatenate(missed))


def off_course(settings: dict[str, Any], gaits: dict[str, Gait]) -> Array:
    """(S, 2) how far off what is commanded a walk is in each second, forward and to the left: 1 where it is lost, and after a fall. One that recovers
    slowly is known from one that hardly strays, so that a search sees which way is better long before none falls."""
    job = make_job(settings)
    seconds = int(job.duration)
    try:
        result = walk(job, gaits=gaits)
    except SimulationError:
        return np.ones((seconds, 2))
    off = np.ones((seconds, 2))
    held = min(seconds, int(result.outcome["fell_at"] - 0.5)) if result.outcome["fell"] else seconds
    speed = gaits[job.settings.gait].speed * math.sqrt(leg_of(result) / LEG) if job.speed is None else job.speed[0][1]
    off[:held] = np.clip(strays(result, speed, held) / LOST, -1.0, 1.0)
    return off


def strays(result: Result, speed: float, seconds: int) -> Array:
    """(S, 2) m/s that the pelvis went faster than ``speed``, and to the left, in each of the first seconds, as the commanded heading has it."""
    marks = np.minimum(np.arange(seconds + 1) * result.fps, result.frames - 1).round().astype(int)
    x, y = np.diff(result.root_positions[marks, :2], axis=0).T
    facing = np.array([result.headings[first:last].mean() for first, last in pairwise(marks.tolist())])
    return np.column_stack((x * np.cos(facing) + y * np.sin(facing) - speed, y * np.cos(facing) - x * np.sin(facing)))


def below_a_fall(missed: Array) -> Array:
    """What a walk misses, scaled so that it costs less than any fall: else a search that may choose between a bad walk and a fall would fall."""
    whole = float(missed @ missed)
    if whole <= BAD:
        return missed
    room = FALL - BAD
    return missed * math.sqrt((BAD + room * (1.0 - math.exp((BAD - whole) / room))) / whole)
