"""What the push database says of hits, in words; and whether what was simulated then is like that."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, degrees, pi

import numpy as np

from ..core.result import Result
from ..core.rotation import wrap
from .reaction import Outlook, walks

NUMBERS = ("no step", "one step", "two steps", "three steps", "four steps", "five steps")
WAYS = ("forward", "to its left", "backward", "to its right")  # quarters, from ahead on
AFTER_S = 1.0  # s after the hit, when one sees where the body goes
GOES_M = 0.08  # m, of a body that goes somewhere
OTHER_WAY = np.radians(60.0)  # rad between two ways that are not the same


@dataclass(frozen=True)
class Forecast:
    """What is expected of a hit.

    Attributes:
        strategy: one of ``STRATEGIES``. steps: that catch the body; None of a walker, who steps anyway.
        way: (2,) m that the body has gone beside the clip ``AFTER_S`` after the hit, ``facing`` (rad) how the clip faces then; job's axes.
        only: whether there is no other hit.
    """

    strategy: str
    steps: int | None
    way: tuple[float, float]
    facing: float
    only: bool

    @property
    def words(self) -> str:
        """As in "two steps, to its left"."""
        return " ".join([self.doing + ("," if self.where else ""), self.where]).strip()

    @property
    def doing(self) -> str:
        if self.strategy == "fall":
            return "falls"
        if self.steps is None:
            return "walks on" if self.strategy == "in place" else "catches itself and walks on"
        return "stays in place" if self.strategy == "in place" else counted(self.steps)

    @property
    def where(self) -> str:
        return where(self.way, self.facing) if self.strategy != "in place" else ""


def counted(steps: int) -> str:
    return NUMBERS[steps] if steps < len(NUMBERS) else f"{steps} steps"


def where(way: tuple[float, float], facing: float) -> str:
    """As seen by the character; empty of a way too short."""
    if np.hypot(*way) < GOES_M:
        return ""
    return WAYS[round(float(wrap(atan2(way[1], way[0]) - facing)) / (0.5 * pi)) % 4]


def forecast_of(outlook: Outlook | None) -> Forecast | None:
    """Of the chosen hit; None where nothing is known of it."""
    one = outlook.answer if outlook else None
    if one is None:
        return None
    clip = outlook.clip
    frame = min(one.first + round(AFTER_S * one.motion.fps), one.motion.frames - 1)
    roots, *_ = clip.ready.at(one.clip_times[frame:frame + 1])
    away = (one.motion.root_positions[frame] - roots[0])[:2]
    return Forecast(one.strategy, None if walks(clip, one) else one.steps, (float(away[0]), float(away[1])),
                    float(clip.ready.headings[one.first]), len(outlook.hits) == 1)


def against(forecast: Forecast | None, result: Result) -> str:
    """A sentence more for the report, where what was simulated is not what was expected; empty where it is, or nobody knows."""
    if forecast is None or not forecast.only or "hit_s" not in result.outcome:
        return ""
    fell, steps = bool(result.outcome["fell"]), _steps(result)
    if fell != (forecast.strategy == "fall"):
        expected = "a fall" if not fell else "that it stays up"
        return f" The preview expected {expected}; it {'fell' if fell else 'stayed up'}."
    if not fell and forecast.steps is not None and steps != forecast.steps:
        return f" The preview expected {counted(forecast.steps)}; it took {counted(steps)}."
    frame = min(round((result.outcome["hit_s"][0] + AFTER_S) * result.fps), result.frames - 1)
    way = (result.root_positions[frame] - result.clip_roots[frame])[:2]
    if min(np.hypot(*way), np.hypot(*forecast.way)) < GOES_M:
        return ""
    off = abs(float(wrap(atan2(way[1], way[0]) - atan2(forecast.way[1], forecast.way[0]))))
    if off < OTHER_WAY:
        return ""
    went, expected = where((float(way[0]), float(way[1])), forecast.facing), where(forecast.way, forecast.facing)
    return f" The preview expected it to go {expected}; it went {went}, {degrees(off):.0f}° from there."


def _steps(result: Result) -> int:
    """How many steps caught a body that stands."""
    return 0 if result.outcome["response"] == "flinch" else int(result.outcome.get("recovery_steps") or 0)
