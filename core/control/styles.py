"""Styles: how a walk is walked otherwise — tired, proud, limping — as differences from the natural walk.

A style preset is JSON. Its differences are added to a gait times an amount, from 0 (the gait as it is) over 1 (the style) to 2 (a caricature):
so one style suits the natural walk at any speed and on any body. Arms and head follow an exaggeration all the way; trunk and legs, on which the
balance hangs, only part of it.

    description, made_by    what it is, and how it was found
    wish                    what was wanted of it, as ``optimize.walking`` takes it
    speed                   factor of the gait's speed
    load                    kg on the back
    step_width              m, added to a step width that is asked for
    every                   differences in every state, by the names of ``GaitPose``; of pairs a number means the sagittal one
    states                  differences in each state, in turn, beside those
    right                   differences in each state while the right leg stands, beside those: where the legs differ
    gains                   factors of the joints' gains
    style                   differences in ``Style``
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from .. import presets
from ..errors import JobError
from .gait import BOUNDS, GAINS, STYLE_BOUNDS, Gait, GaitPose, Style
from .pd import times

BEYOND = 0.3  # share of what an amount is above 1 that trunk and legs follow
NONE = "none"  # as a style's name: the gait as it is
Differences = dict[str, Any]  # by the name of a parameter: a number, a list of numbers, or such an object again


@dataclass(frozen=True)
class WalkStyle:
    """A style preset; see above. ``states`` hold what is in ``every``, too."""

    name: str
    states: tuple[Differences, ...]
    right: tuple[Differences, ...] = ()
    gains: dict[str, float] = field(default_factory=dict)
    style: Differences = field(default_factory=dict)
    speed: float = 1.0
    load: float = 0.0
    step_width: float = 0.0
    wish: dict[str, Any] = field(default_factory=dict)


def load_style(name: str) -> WalkStyle:
    """The style of a preset's name, or of the path of a style file."""
    return style_from_dict(presets.load("styles", name), Path(name).stem)


def style_from_dict(data: dict[str, Any], title: str) -> WalkStyle:
    """A style from a preset's data. Errors name the field."""
    known = ("description", "made_by", "wish", "speed", "load", "step_width", "every", "states", "right", "gains", "style")
    for key in data:
        if key not in known:
            raise JobError(f"Style '{title}' has no field '{key}'; known are {', '.join(known)}.")
    every, states, right = data.get("every", {}), data.get("states", []), data.get("right", [])
    if not isinstance(states, list) or not states or (right and len(right) != len(states)):
        raise JobError(f"Style '{title}': states must be a list of the differences in each state, and right, where it is there, one as long.")
    for differences in (every, *states, *right):
        _check(differences, {f.name for f in fields(GaitPose)}, f"Style '{title}': a state")
    _check(data.get("style", {}), {f.name for f in fields(Style)}, f"Style '{title}': style")
    _check(data.get("gains", {}), set(GAINS), f"Style '{title}': gains")
    whole = tuple(_sum(every, state) for state in states)
    return WalkStyle(title, whole, tuple(map(_sum, whole, right)), data.get("gains", {}),
                     data.get("style", {}), data.get("speed", 1.0), data.get("load", 0.0), data.get("step_width", 0.0), data.get("wish", {}))


def can_take(gait: Gait, style: WalkStyle) -> bool:
    """Whether a gait is a walk with the states that a style is a difference of. In a run only one leg carries at a time."""
    return gait.legs == "alternate" and not gait.planar and gait.style.share_load and len(gait.states) == len(style.states)


def held(amount: float) -> float:
    """How much of an amount trunk and legs follow, and what they carry."""
    return min(amount, 1.0 + BEYOND * (amount - 1.0))


def styled(gait: Gait, style: WalkStyle, amount: float) -> Gait:
    """The gait, and each of its variants, with so much of a style; as it is where the amount is 0."""
    if not amount:
        return gait
    if not can_take(gait, style):
        raise JobError(f"'{gait.name}' cannot be walked in the style '{style.name}': it has other states than the walk; choose the gait walk.")
    arms, amount = amount, held(amount)
    states = _moved_all(gait.states, style.states, amount)
    right = _moved_all(gait.poses(1), style.right or style.states, amount) if style.right or gait.right else ()
    gains = {**gait.gains, **{name: times(gait.gains[name], factor**amount) for name, factor in style.gains.items()}}
    return replace(gait, states=states, right=right, gains=gains, style=_moved(gait.style, style.style, arms, STYLE_BOUNDS),
                   speed=gait.speed * style.speed**amount, variants=tuple(styled(variant, style, arms) for variant in gait.variants))


def gait_data(gait: Gait) -> dict[str, Any]:
    """A gait without its variants as a preset's data, which a search can move."""
    data: dict[str, Any] = json.loads(json.dumps(asdict(replace(gait, variants=()))))
    del data["name"], data["variants"]
    return data if gait.right else {key: value for key, value in data.items() if key != "right"}


def difference(found: dict[str, Any], natural: dict[str, Any]) -> dict[str, Any]:
    """The fields of a style preset that lead from one gait's data to another's. What is equal is left out."""
    def less(one: Any, other: Any) -> Any:
        if isinstance(one, dict):
            parts = {name: less(value, other[name]) for name, value in one.items()}
            return {name: part for name, part in parts.items() if part not in (None, {})} or None
        if isinstance(one, list):
            row = [less(v, w) or 0.0 for v, w in zip(one, other, strict=True)]
            return row if any(row) else None
        return None if one == other or isinstance(one, (bool, str)) or one is None else round(one - other, 4)

    states = [less(one, other) or {} for one, other in zip(found["states"], natural["states"], strict=True)]
    fields_ = {"speed": round(found["speed"] / natural["speed"], 4), "states": states, "style": less(found["style"], natural["style"]) or {},
               "gains": {name: round(gain[0] / natural["gains"][name][0], 4) for name, gain in found["gains"].items()
                         if gain != natural["gains"][name]}}
    if "right" in found:
        fields_["right"] = [less(one, other) or {} for one, other in zip(found["right"], found["states"], strict=True)]
    return fields_


def _moved_all(poses: tuple[GaitPose, ...], differences: tuple[Differences, ...], amount: float) -> tuple[GaitPose, ...]:
    return tuple(_moved(pose, by, amount, BOUNDS) for pose, by in zip(poses, differences, strict=True))


def _moved(part: Any, differences: Differences, amount: float, bounds: dict[str, tuple[float, float]]) -> Any:
    """A pose, or a style, moved by an amount of the differences, and kept within bounds."""
    return replace(part, **{name: _value(name, getattr(part, name), by, amount, bounds) for name, by in differences.items()})


def _value(name: str, value: Any, by: Any, amount: float, bounds: dict[str, tuple[float, float]]) -> Any:
    if value is None:
        return None
    if is_dataclass(value):
        return _moved(value, by, amount, bounds)
    if isinstance(value, tuple):
        pair = by if isinstance(by, list) else [by, 0.0]
        return tuple(_value(name, one, more, amount, bounds) for one, more in zip(value, pair, strict=True))
    low, high = bounds.get(name, (-2.0, 2.0))
    # What is beyond a bound already may stay there.
    return max(min(low, value), min(max(high, value), value + amount * by))


def _sum(one: Differences, other: Differences) -> Differences:
    """Both differences, one after the other."""
    def pair(value: Any) -> list[float]:
        return value if isinstance(value, list) else [value, 0.0]

    both = {**one, **other}
    for name in one.keys() & other.keys():
        a, b = one[name], other[name]
        both[name] = [x + y for x, y in zip(pair(a), pair(b), strict=True)] if isinstance(a, list) or isinstance(b, list) else a + b
    return both


def _check(differences: object, known: set[str], where: str) -> None:
    if not isinstance(differences, dict):
        raise JobError(f"{where} is {differences!r}; allowed is an object of differences by name.")
    for name in differences:
        if name not in known:
            raise JobError(f"{where} has no parameter '{name}'; known are {', '.join(sorted(known))}.")
