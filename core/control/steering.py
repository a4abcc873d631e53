"""Where to face and how fast to go: curves over time, a path on the ground, and the gains with which bodies are led there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, hypot
from typing import Any

from .. import presets

Pair = tuple[float, float]


@dataclass(frozen=True)
class FacingLimits:
    """How the direction that a walker is to face moves towards the one that is commanded.

    Attributes:
        fastest: rad/s that it moves at most. furthest: rad that it runs ahead of the body at most.
    """

    fastest: float
    furthest: float


@dataclass(frozen=True)
class PathGains:
    """How a path is followed.

    Attributes:
        look_ahead: m ahead on the path that the walker faces.
        steer: rad that it turns back to the path for each metre off it, and most_steer: rad that this is at most.
    """

    look_ahead: float
    steer: float
    most_steer: float


@dataclass(frozen=True)
class GaitSteering:
    """How a gait is brought to a speed, and changed into another one. A stride is two steps.

    Attributes:
        speed_gain: fraction of the last stride's error in speed that is added at each step to the speed that is aimed at.
        most_correction: m/s that the speed that is aimed at lies off the commanded one, at most.
        swing, lean: of a gait of one speed: rad that the swing hip goes back, and that the body leans forward, for each m/s that it is to go faster.
        blend_steps: steps over which the parameters of one gait turn into another's. dwell_steps: steps spent in a gait on the way to another one.
    """

    speed_gain: float
    most_correction: float
    swing: float
    lean: float
    blend_steps: int
    dwell_steps: int


@dataclass(frozen=True)
class ImitationSteering:
    """The same for the imitation of a recording. Pairs are (forward, to the side)."""

    speed_gain: Pair
    most_correction: Pair
    lean: float


@dataclass(frozen=True)
class PlanCosts:
    """What a plan of steps from several clips costs: for a metre by which poses jump where clips meet, for a m/s off the wanted speed, for a radian
    off the wanted heading, for a radian turned beyond what the clips do, and for a step."""

    seam: float
    speed: float
    heading: float
    turn: float
    step: float


@dataclass(frozen=True)
class TrackingSteering:
    """How a body that tracks recordings is led. It is steered once a step, so that it must not aim at a point too near on a path.

    Attributes:
        turn_gain: fraction of the missing turn that a step makes up for. most_turn: rad that a step is turned beyond what the clip does, at most.
        lead: multiple of a step's turn by which the way of the body is turned from the beginning of the step.
        speed_gain: fraction of the speed that the last stride lost that is won back with each step. most_lost: fraction of a step's length that this
            adds, at most.
        loop_speeds, spliced_speeds: the lowest and the highest speed, over the clip's own, of a loop of one clip, and of steps from several.
        foresight: steps that are planned ahead. costs: of such plans.
    """

    path: PathGains
    turn_gain: float
    most_turn: float
    lead: float
    speed_gain: float
    most_lost: float
    loop_speeds: Pair
    spliced_speeds: Pair
    foresight: int
    costs: PlanCosts


def _with_tuples(data: dict[str, Any]) -> dict[str, Any]:
    """The same with tuples in place of JSON's lists."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


_PRESET = presets.read_json(presets.FOLDER / "steering.json")
FACING = FacingLimits(**_PRESET["facing"])
PATH_GAINS = PathGains(**_PRESET["path"])
GAIT_STEERING = GaitSteering(**_PRESET["gait"])
IMITATION_STEERING = ImitationSteering(**_with_tuples(_PRESET["imitation"]))
TRACKING_STEERING = TrackingSteering(**_with_tuples(_PRESET["tracking"]) | {
    "path": PathGains(**_PRESET["tracking"]["path"]), "costs": PlanCosts(**_PRESET["tracking"]["costs"])})


def curve_value(points: Sequence[Pair], time: float) -> float:
    """Piecewise linear, held at both ends."""
    if time <= points[0][0]:
        return points[0][1]
    for (t0, v0), (t1, v1) in pairwise(points):
        if time < t1:
            return v0 + (v1 - v0) * (time - t0) / (t1 - t0)
    return points[-1][1]


class PathFollower:
    """Pure pursuit: face the point a little ahead of the nearest one on a polyline, never going back along it."""

    def __init__(self, points: Sequence[Pair], gains: PathGains = PATH_GAINS):
        self._gains = gains
        # A point given twice has no direction; a path of one place only leads on along x.
        points = [point for n, point in enumerate(points) if n == 0 or tuple(point) != tuple(points[n - 1])]
        if len(points) == 1:
            points.append((points[0][0] + 1e-3, points[0][1]))
        self._points = points
        self._lengths = [hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in pairwise(points)]
        self._reached = 0.0  # metres along the path

    @property
    def finished(self) -> bool:
        return self._reached >= sum(self._lengths) - 1e-6

    def _at(self, along: float) -> Pair:
        for ((ax, ay), (bx, by)), length in zip(pairwise(self._points), self._lengths, strict=True):
            if along <= length and length > 0:
                return (ax + (bx - ax) * along / length, ay + (by - ay) * along / length)
            along -= length
        # Beyond the end: straight on, so that the last stretch is walked in its own direction.
        (ax, ay), (bx, by) = self._points[-2], self._points[-1]
        length = max(self._lengths[-1], 1e-9)
        return (bx + (bx - ax) / length * along, by + (by - ay) / length * along)

    def heading(self, x: float, y: float) -> float:
        """Direction (rad) to walk from (x, y)."""
        onward = [self._reached + 0.05 * ahead for ahead in range(11)]  # half a metre of the path
        self._reached = min(onward, key=lambda along: self._away(along, x, y))
        (px, py), (tx, ty) = self._at(self._reached), self._at(self._reached + self._gains.look_ahead)
        # A walker's path lags behind its facing in a bend and would settle outside: steer harder the farther it is off.
        along_x, along_y = tx - px, ty - py
        aside = ((x - px) * along_y - (y - py) * along_x) / max(hypot(along_x, along_y), 1e-9)  # positive: right of the path
        most = self._gains.most_steer
        return atan2(ty - y, tx - x) + max(-most, min(most, self._gains.steer * aside))

    def _away(self, along: float, x: float, y: float) -> float:
        """m from (x, y) to the point ``along`` m on the path."""
        px, py = self._at(along)
        return hypot(px - x, py - y)
