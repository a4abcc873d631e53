"""A search for a style: what is wanted of it beside staying on its feet, at its full amount and exaggerated, on more than one body."""

from __future__ import annotations

from typing import Any

from .. import presets
from ..control.gait import load_gait
from ..control.styles import difference, gait_data, load_style, style_from_dict, styled
from ..errors import SimulationError
from ..jobs import make_job
from ..measure.norms import read_norms
from ..methods.gait import walk
from .walking import FALL, terms

# What people's usual walk is known by, which a style may leave.
USUAL = ("curves", "push_off", "force", "steps", "pelvis", "posture", "smoothness", "ratio", "momentum", "head", "power", "symmetry")
SECONDS = 8.0
# It is to be right at its full amount, and to stay on its feet when it is exaggerated.
TRIALS: tuple[dict[str, Any], ...] = ({"exaggerate": 1.0, "body": "average_man", "engine": "pybullet"},
                                      {"exaggerate": 1.5, "body": "average_woman", "engine": "mujoco", "step_width": 0.12})


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
    """Cost of a styled gait's data: the terms of ``walking``, less those of people's usual walk; a fall costs more.

    Args:
        name: of the gait. wish: that of the style, with "style": its name, and "seconds" of each trial.
    """
    style = style_from_dict(found_style(data, wish["style"], name), "found")
    natural, norms, seconds = load_gait(name), read_norms(), float(wish.get("seconds", SECONDS))
    wanted = {**wish, "without": [*USUAL, *wish.get("without", ())]}
    found = 0.0
    for number, trial in enumerate(TRIALS):
        job = make_job({"gait": name, "style": wish["style"], "duration": seconds, "fps": 60, **trial})
        try:
            result = walk(job, gaits={name: styled(natural, style, trial["exaggerate"])})
        except SimulationError:
            return FALL * (2.0 + len(TRIALS))
        if result.outcome["fell"]:
            return FALL * (1.0 + len(TRIALS) - number - result.outcome["fell_at"] / seconds)
        if trial["exaggerate"] == 1.0:
            found += sum(terms(result, wanted, norms).values())
    return found
