"""A search for a style: what is wanted of it beside staying on its feet, on more than one body and in both engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import presets
from ..control.gait import Gait, load_gait
from ..control.styles import difference, gait_data, load_style, style_from_dict, styled
from ..errors import SimulationError
from ..job import Job
from ..jobs import make_job
from ..measure.span import steady
from ..measure.walking import figures
from ..methods.gait import walk
from .walking import outside, turns_of

SECONDS = 12.0
# Bodies and engines in turn, in stride and out of a stand; a walk that needs its refuge in stride is none.
TRIALS: tuple[dict[str, Any], ...] = ({"body": "average_man", "engine": "pybullet", "start": "gait", "catches_itself": False},
                                      {"body": "average_woman", "engine": "mujoco", "start": "gait", "catches_itself": False},
                                      {"body": "tall", "engine": "mujoco", "start": "rest"},
                                      {"body": "short", "engine": "pybullet", "start": "rest"})
FELL, ERRED = 20.0, 45.0  # cost of a trial with a fall at its end (twice that at once), and of one that found no stride
REFUGE = 15.0  # of one that is in its refuge all the time
SET_OFF_S = 4.0  # s in which it may be there
SLIDE = (0.006, 0.006)  # m a step, and the miss that costs 1
MOST = 9.0  # that one miss costs


def start_of(style: str, gait: str) -> dict[str, Any]:
    """The data of a gait in a style, for a search to begin with. Where the legs differ, what they differ by stays as the style has it."""
    data = gait_data(styled(load_gait(gait), load_style(style), 1.0))
    return {key: value for key, value in data.items() if key != "right"}


def found_style(data: dict[str, Any], style: str, gait: str) -> dict[str, Any]:
    """The style preset whose full amount leads from a gait to the data that a search has found."""
    before = presets.load("styles", style)
    kept: dict[str, Any] = {key: before[key] for key in ("description", "wish", "load", "step_width", "right") if key in before}
    return {**kept, **difference(data, gait_data(load_gait(gait)))}


def cost(data: dict[str, Any], name: str, wish: dict[str, Any]) -> float:
    """Cost of a styled gait's data: how much its trials miss the style's targets and slide, on average; a fall costs more.

    Args:
        name: of the gait. wish: that of the style ("targets": by figure of a walk the least, the most and the miss that costs a quarter), with
            "style": its name, and "seconds" of each trial.
    """
    style = style_from_dict(found_style(data, wish["style"], name), "found")
    styled_gait, seconds = styled(load_gait(name), style, 1.0), float(wish.get("seconds", SECONDS))
    jobs = [make_job({"gait": name, "style": wish["style"], "duration": seconds, "fps": 60, **trial}) for trial in TRIALS]
    return sum(_trial(job, styled_gait, wish) for job in jobs) / len(jobs)


def _trial(job: Job, gait: Gait, wish: dict[str, Any]) -> float:
    try:
        result = walk(job, gaits={gait.name: gait})
    except SimulationError:
        return ERRED
    if result.outcome["fell"]:
        return FELL * (2.0 - result.outcome["fell_at"] / job.duration)
    other = np.array(result.gait_names)[result.gaits] != gait.name
    found = REFUGE * float(other[result.times > SET_OFF_S].mean()) if job.duration > SET_OFF_S else 0.0
    measured = figures(steady(result), None)
    if not measured:
        return FELL + found
    measured |= turns_of(steady(result))
    off = [outside(measured[figure], low, high, 2.0 * miss) for figure, (low, high, miss) in wish.get("targets", {}).items()]
    off.append(outside(measured["slide"], 0.0, *SLIDE))
    return found + sum(min(MOST, one**2) for one in off)
