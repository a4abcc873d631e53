"""A gait's numbers as a vector that a search can move."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

from ..control.gait import BOUNDS

# How far a search looks at first, in the parameter's own unit.
SCALES = {"duration": 0.03, "torso": 0.08, "swing_hip": 0.15, "swing_knee": 0.2, "swing_ankle": 0.1, "stance_knee": 0.08,
          "stance_ankle": 0.1, "swing_toe": 0.1, "stance_toe": 0.1, "cd": 0.25, "cv": 0.08, "ankle_cd": 0.2, "ankle_cv": 0.1,
          "ahead": 0.03, "turn": 0.05, "drop": 0.04, "swing_hip_gain": 0.25, "swing_knee_gain": 0.25, "stance_knee_gain": 0.25,
          "swing_ankle_gain": 0.25, "stance_ankle_gain": 0.25, "toe_gain": 0.25}
STYLE = {"ease": (0.02, 0.0, 0.2), "ankle_ease": (0.02, 0.0, 0.2), "arm_swing": (0.15, 0.0, 2.0), "elbow": (0.1, 0.0, 1.5),
         "pelvis_share": (0.1, 0.0, 1.0), "level_head": (0.2, 0.0, 1.0)}  # how far it looks at first, and bounds
CORONAL = {"turn": 0.05, "swing_hip": 0.06, "cd": 0.2, "cv": 0.08, "ankle_cd": 0.2, "ankle_cv": 0.1}  # searched in the coronal plane too
GAIN_SCALE = 0.2  # in the logarithm
FEEDBACK = ("cd", "cv", "ankle_cd", "ankle_cv")  # of the balance: may be moved alike in all states
TIED = ("torso", "stance_ankle", "swing_toe", "stance_toe", *FEEDBACK)  # the same, with what the body stands on
# What ``halves`` moves: names, planes (0 sagittal, 1 coronal), and how far it looks at first.
FEW = (("torso", 0, 0.05), ("swing_hip", 0, 0.08), ("swing_knee", 0, 0.08), ("swing_ankle", 0, 0.06), ("stance_knee", 0, 0.05),
       ("stance_ankle", 0, 0.06), ("cd", 0, 0.08), ("cv", 0, 0.04), ("cd", 1, 0.08), ("cv", 1, 0.04), ("ankle_cd", 0, 0.06), ("ankle_cv", 0, 0.03),
       ("duration", 0, 0.02))


Path = tuple[str | int, ...]  # keys and places that lead to a number of a preset: ("states", 0, "cd", 1)


@dataclass(frozen=True)
class Parameter:
    """One direction of a search: numbers of a preset that move together. ``follows``: others that make up for that, by how much for each unit."""

    paths: tuple[Path, ...]
    scale: float
    low: float = -math.inf
    high: float = math.inf
    logarithmic: bool = False
    follows: tuple[tuple[Path, float], ...] = ()


def parameters_of(gait: dict[str, Any], gains: tuple[str, ...] = (), planar: bool = False, tied: tuple[str, ...] = (),
                  style: tuple[str, ...] = ()) -> list[Parameter]:
    """Every searchable number of a gait preset.

    ``gains`` names the joints whose kp, kd and limit may grow or shrink together. ``tied`` names what is moved alike in all
    states (``TIED``, ``FEEDBACK``): far fewer directions to search, for when a trial is expensive. ``style`` names options of the law.
    """
    groups: dict[tuple[Any, ...], Parameter] = {}

    def add(name: str, path: Path, scale: float) -> None:
        low, high = BOUNDS.get(name, (-math.inf, math.inf))
        key = (name, path[3:]) if name in tied else path
        paths = groups[key].paths if key in groups else ()
        groups[key] = Parameter((*paths, path), scale, low, high)

    for number, state in enumerate(gait["states"]):
        for name, scale in SCALES.items():
            if name not in state or (name in ("duration", "ahead") and not state[name]) or (planar and name.endswith("toe")):
                continue
            if not isinstance(state[name], list):
                add(name, ("states", number, name), scale)
                continue
            add(name, ("states", number, name, 0), scale)
            if name in CORONAL and not planar:
                add(name, ("states", number, name, 1), CORONAL[name])
    options = [Parameter((("style", name),), *STYLE[name]) for name in style]
    return [*groups.values(), *options, *(Parameter((("gains", name, 0),), GAIN_SCALE, logarithmic=True) for name in gains)]


def halves(gait: dict[str, Any]) -> list[Parameter]:
    """A few numbers of a gait preset, each moved alike in the states of either half of a step. So few directions that some hundred trials lead far:
    to a style, another body, a slope or a speed on which the gait itself falls."""
    states, found = gait["states"], []
    middle = (len(states) + 1) // 2
    for half in (range(middle), range(middle, len(states))):
        for name, plane, scale in FEW:
            low, high = BOUNDS.get(name, (-math.inf, math.inf))
            paths = tuple(("states", number, name, *((plane,) if isinstance(states[number][name], list) else ()))
                          for number in half if states[number].get(name) is not None)
            if paths:
                found.append(Parameter(paths, scale, low, high))
    return found


def moved(gait: dict[str, Any], parameters: list[Parameter], steps: list[float]) -> dict[str, Any]:
    """A copy of the gait with each parameter moved by its step, in units of its scale, and kept within its bounds."""
    result = copy.deepcopy(gait)

    def place_of(path: Path) -> tuple[Any, Any]:
        holder: Any = result
        for key in path[:-1]:
            holder = holder[key]
        return holder, path[-1]

    for parameter, step in zip(parameters, steps, strict=True):
        change = parameter.scale * step
        for path in parameter.paths:
            holder, last = place_of(path)
            if parameter.logarithmic:
                holder[:] = [value * math.exp(change) for value in holder]
            else:
                holder[last] = min(parameter.high, max(parameter.low, holder[last] + change))
        for path, share in parameter.follows:
            holder, last = place_of(path)
            holder[last] += share * change
    return result


def rounded(value: Any, digits: int = 4) -> Any:
    """The same data with its floats shortened, so that a preset is readable and what was measured is what is stored."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, dict):
        return {key: rounded(item, digits) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item, digits) for item in value]
    return value
