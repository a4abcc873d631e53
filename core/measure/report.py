"""Everything measured of one Result, as a dict for machines and a sentence for people."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from .. import rotation
from ..feet import slide as skate
from ..kinematics import center_of_mass, sole_positions
from ..result import Result
from . import balance, gait, limits, norms
from .following import following
from .span import fall_frame, startup_frames, steady, upright
from .way import Hindrance, hindrance

DECIMALS = 4
PULLS_S = 0.1
"""Seconds between pushes of somebody who pulls on, at most."""
LOOK_BACK_S = 0.5
"""How long before a fall the character still faced where it was going."""
WALKED_M = 0.5
"""A character that travelled less stayed in place."""
RUNNING_FLIGHT = 0.05
"""Share of the time with both feet off the ground from which a walk is a run."""


def measure(result: Result, norms_path: str | Path | None = None) -> dict[str, Any]:
    """All measures, ready for JSON: plain rounded numbers, None where there is nothing to measure, units in the names.

    Frames after a fall are not measured. ``gait`` and ``norms`` are averages from ``measured_from_s`` on, which leaves the
    start-up out of a result that is long enough; all else counts every frame.
    """
    standing, walking = upright(result), steady(result)
    start_s = startup_frames(standing) / result.fps
    fall = fall_frame(result)
    return _plain({
        "frames": standing.frames,
        "duration_s": gait.duration(standing),
        "measured_from_s": start_s,
        "fell": fall is not None,
        "fell_at_s": None if fall is None else result.outcome["fell_at"],
        "fell_frame": fall,
        "fell_towards": None if fall is None else fall_direction(result),
        "pushes": push_count(result),
        "distance_m": gait.distance(standing),
        "path_m": gait.path_length(standing),
        "gait": gait.summary(walking, start_s),
        "skate": skate.summary(standing),
        "balance": balance.summary(standing),
        "limits": limits.summary(standing),
        "norms": norms.summary(walking, norms_path),
        "following": following(result),
        "hindered": _hindered(hindrance(result)),
        "cut_short": bool(result.outcome.get("cut_short")),
    })


def _hindered(found: Hindrance | None) -> dict[str, Any] | None:
    return None if found is None else {"how": found.how, "frame": found.frame, "after_m": found.meters, "by": found.by}


def fall_direction(result: Result) -> str:
    """Where the body went over its feet: "forward", "backward", "to the left" or "to the right", as the character faced."""
    standing = upright(result)
    before = max(0, standing.frames - 1 - round(LOOK_BACK_S * result.fps))
    # The mean lean since then: at the fall itself the legs may already have been flung under the body.
    lean = (center_of_mass(standing)[before:, :2] - sole_positions(standing)[before:, :, :2].mean(axis=1)).mean(axis=0)
    heading = rotation.heading(standing.rotations[before, 0])
    forward = lean @ gait.direction(heading)
    left = lean @ gait.direction(heading + math.pi / 2)
    if abs(forward) >= abs(left):
        return "forward" if forward >= 0 else "backward"
    return "to the left" if left > 0 else "to the right"


def got_up(result: Result) -> str:
    """What somebody did who fell and got up again, to end a sentence on the fall; "" of who lies."""
    done = result.outcome
    if "got_up" not in done:
        return ""
    return f", lay {done['lay_s']:.1f} s, got up {'' if done['got_up'] == 'planned' else 'without physics '}after {done['up_after_s']:.1f} s"


def push_count(result: Result) -> int:
    """How many of the job's pushes began before the end. Of a body that was played, those that follow each other at once are one pull."""
    end, played = gait.duration(upright(result)), result.job.get("played")
    pushes = [event for event in result.job.get("events", []) if event["type"] == "push" and event["time"] <= end]
    return sum(not played or n == 0 or push["time"] > pushes[n - 1]["time"] + pushes[n - 1]["duration"] + PULLS_S for n, push in enumerate(pushes))


def sentence(result: Result, report: dict[str, Any]) -> str:
    """What happened, in plain words."""
    return " ".join([_happened(result, report) + _instead(result), *result.outcome.get("notes", ())])


def _instead(result: Result) -> str:
    """A sentence more on a walk that is in the refuge of the gait that was asked for."""
    other = result.outcome.get("instead_of")
    if other is None:
        return ""
    when = "before it found its stride" if other["fell_at"] is None else f"at {other['fell_at']:.1f} s"
    return (f" It fell by itself {when} in '{other['gait']}' and goes in the sturdier '{other['refuge']}' instead"
            f"{', without the style' if other['styled'] else ''}: fit '{other['gait']}' to this body{' again' if other['fitted'] else ''}, as "
            "Fit to This Character does.")


def _happened(result: Result, report: dict[str, Any]) -> str:
    if report["following"] and "steps" not in result.outcome:
        return _followed(result, report)
    pushes = _plural(report["pushes"], "push", "pushes") if report["pushes"] else None
    if report["fell"]:
        after = f" after {pushes}" if pushes else ""
        tried = "; trying other gains changed nothing" if result.outcome.get("search") == "nothing" else ""
        cut = "; the rest was cut off, because the engine put in energy of its own" if report["cut_short"] else ""
        return f"Fell at {report['fell_at_s']:.1f} s (frame {report['fell_frame']}) {report['fell_towards']}{after}{got_up(result)}{tried}{cut}."
    phrases = [_travel(report)]
    if report["hindered"]:
        how, frame, meters, by = (report["hindered"][key] for key in ("how", "frame", "after_m", "by"))
        phrases = [f"Was {how} at frame {frame}, after {meters:.1f} m, by {_what(by)}"]
    if report["cut_short"]:
        phrases.append("its time was over before the clip's end")
    if report["gait"]["step_count"] and not report["hindered"] and report["skate"]["slide_mean_mm"] is not None:
        phrases.append(f"feet slid {report['skate']['slide_mean_mm']:.0f} mm a step")
    if pushes:
        phrases.append(f"took {pushes}")
    return "; ".join(phrases) + "."


def _followed(result: Result, report: dict[str, Any]) -> str:
    """Of a clip in which nobody counts steps, because one may lie or fly in it."""
    if report["fell"]:
        return f"{result.outcome['reason'].removesuffix('.')}{got_up(result)}."
    return f"Followed the clip for {round(report['duration_s'], 1):g} s, joints {100 * report['following']['joint_error_m']:.1f} cm off."


def _what(thing: str | None) -> str:
    return "what is in its way" if thing is None else f"'{thing}'"


def _travel(report: dict[str, Any]) -> str:
    walk = report["gait"]
    seconds = f"{round(report['duration_s'], 1):g} s"
    if not walk["step_count"]:
        return f"Stood for {seconds}"
    rate = "one step" if walk["cadence_steps_min"] is None else f"{walk['cadence_steps_min'] / 60:.1f} steps a second"
    if report["path_m"] < WALKED_M:
        return f"Stepped in place for {seconds}, {rate}"
    verb = "Ran" if walk["flight_ratio"] > RUNNING_FLIGHT else "Walked"
    return f"{verb} {report['path_m']:.1f} m in {seconds} at {walk['path_speed_m_s']:.2f} m/s, {rate}"


def times(count: int) -> str:
    """How often, in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _plain(value: Any) -> Any:
    """The same nested data as JSON knows it: rounded floats, None for what is not a number."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return round(float(value), DECIMALS) if math.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
