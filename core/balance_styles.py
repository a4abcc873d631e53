"""Styles: in which ways a standing body keeps its balance (Yin 2007, chapter 6). The law that goes by them is in ``control.balance``; where a step
lands is in ``footholds``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import exp, pi
from typing import Any

from . import presets
from .body import Body

FEW = 2  # steps in which a push may be taken without looking for a style that needs fewer
LONGEST_REACH, FURTHEST_TURN = 0.95, 0.5 * pi  # leg lengths and rad: the most that a varied style may reach and turn


@dataclass(frozen=True)
class BalanceStyle:
    """The gains, weights and limits with which a body keeps its balance. Of two numbers the first is a stiffness, 1/s², the second a damping, 1/s.

    Attributes:
        capture: 1/s, how fast the capture point is driven back.
        height, joint, swing, trunk: of the hips' height, of joints, of a foot that swings, and of the trunk in the world.
        w_com, w_trunk: weights of the tasks of the capture point and of the trunk on two feet. w_falling, w_upright: the same in a step.
        w_height, w_joint, w_swing: weights of the tasks of the hips' height, of the joints and of a foot that swings.
        lean: rad that the trunk leans, at which it is kept upright twice as firmly.
        late: m that the capture point is beyond the feet, at which a step begins.
        swing_s: s that a step takes. land_s: s that both feet stand between two steps, at least. lift: m that the foot is lifted.
        further: fraction of the way to the capture point that a step goes beyond it.
        reach: leg lengths of a step, at most. across: leg lengths of a step across the other foot, at most.
        apart: m between the ankles, at least. bow: m that a foot goes around the other one. still: m/s, below which the body is quiet.
        sidestep: the first step is not made by the leg that the push unloads, which might have to cross the other one, but by the other leg, out to
            the side.
        turn: rad by which a long step turns the body to where it falls, at most.
        careful: whether joints are kept in their ranges. Near the limit of balance it helps not to care.
    """

    capture: float
    height: tuple[float, float]
    joint: tuple[float, float]
    swing: tuple[float, float]
    trunk: tuple[float, float]
    w_com: float
    w_height: float
    w_trunk: float
    w_joint: float
    w_swing: float
    w_falling: float
    w_upright: float
    lean: float
    late: float
    swing_s: float
    land_s: float
    lift: float
    further: float
    reach: float
    across: float
    apart: float
    bow: float
    still: float
    sidestep: bool = False
    turn: float = 0.0
    careful: bool = True

    def scaled(self, factor: float) -> BalanceStyle:
        """For a leg that is longer by a factor: lengths grow with it, times with its root (dynamic similarity)."""
        pace = factor**0.5
        lengths: dict[str, Any] = {name: factor * getattr(self, name) for name in ("late", "lift", "apart", "bow")}
        times: dict[str, Any] = {name: pace * getattr(self, name) for name in ("swing_s", "land_s", "still")}
        pairs = {name: getattr(self, name) for name in ("height", "joint", "swing", "trunk")}
        gains: dict[str, Any] = {name: (stiffness / factor, damping / pace) for name, (stiffness, damping) in pairs.items()}
        return replace(self, **lengths, **times, **gains, capture=self.capture / pace)

    def varied(self, logs: Mapping[str, float]) -> BalanceStyle:
        """Each number times e to the power of what ``logs`` has under its name (see ``VARIED``). A damping goes with the root of its stiffness,
        except that of the height, which has a name of its own."""
        changes: dict[str, Any] = {}
        for name in logs.keys() - {HEIGHT_DAMPING}:
            value, factor = getattr(self, name), exp(logs[name])
            if isinstance(value, tuple):
                changes[name] = (factor * value[0], (exp(logs[HEIGHT_DAMPING]) if name == "height" else factor**0.5) * value[1])
            else:
                changes[name] = factor * value
        changes["reach"], changes["turn"] = min(changes["reach"], LONGEST_REACH), min(changes["turn"], FURTHEST_TURN)
        return replace(self, **changes)


HEIGHT_DAMPING = "height damping"
FIXED = ("w_joint", "still", "apart", "bow", "across", "lift", "sidestep", "careful")  # what no search changes; some of it is room that feet need
VARIED = (*(field.name for field in fields(BalanceStyle) if field.name not in FIXED), HEIGHT_DAMPING)  # what a search may change


def variations() -> dict[str, Any]:
    """How styles are varied where none of the known ones holds. "most": how many variations are tried; "parents": of how many of the best styles;
    "spread": standard deviation of the logarithms of their numbers; "seed": of the random numbers."""
    return _preset()["variations"]


def known_styles() -> list[BalanceStyle]:
    """The styles of the preset, for a body whose legs are as long as "leg_length" (m) of the preset. All of them are tried."""
    return [_style(data) for data in _preset()["styles"]]


def scaled(style: BalanceStyle, body: Body) -> BalanceStyle:
    """A style of the preset for a body."""
    return style.scaled(body.leg_length / _preset()["leg_length"])


def _style(data: dict[str, Any]) -> BalanceStyle:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return BalanceStyle(**values)


@lru_cache(maxsize=1)
def _preset() -> dict[str, Any]:
    return presets.read_json(presets.FOLDER / "balance.json")
