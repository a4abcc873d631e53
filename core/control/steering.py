"""Where to face and how fast to go: curves over time, a path on the ground, and the gains with which bodies are led there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import atan2, hypot
from typing import Any

from .. import presets
from ..rotation import wrap

Pair = tuple[float, float]

ROUND = 0.3  # m of a path, to both sides of a point, that its direction there is taken from
SPEED_S = 0.5  # s over which the speed along a path is taken


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
        look_ahead: m ahead on the path that the walker aims at.
        lead: s that it turns into a bend before it is there: a body goes where it faces only after a step.
        steer: rad that it turns back to the path for each metre off it, beyond what aiming ahead does. most_steer: rad that this is at most.
    """

    look_ahead: float
    lead: float
    steer: float
    most_steer: float


@dataclass(frozen=True)
class GaitSteering:
    """How a gait is brought to a speed, and changed into another one. A stride is two steps.

    Attributes:
        speed_gain: fraction of the last stride's error in speed that is added at each step to the speed that is aimed at.
        most_correction: m/s that the speed that is aimed at lies off the commanded one, at most.
        starting_steps: steps out of standing, in which it is slow by itself and not corrected: it would soon be much too fast.
        course: rad that the feet are set out to a side for each m/s that the last stride went there instead of ahead: where a body turns, it would
            go on as before for two seconds. most_aside: rad that this is at most.
        swing, lean: of a gait of one speed: rad that the swing hip goes back, and that the body leans forward, for each m/s that it is to go faster.
        stop_s: s of its way at full speed that a gait needs to come to a stand. refuge_stop_s: the same, by way of its refuge.
        run_stop_s: the same, of a run. running: v²/(g·leg length) from which on people run (Alexander 2003): 2 m/s on legs of 0.86 m.
        nearly: share of a speed that is as good as it, for a change between walk and run. patience: steps after which it changes anyway.
        blend_steps: steps over which the parameters of one gait turn into another's. dwell_steps: steps spent in a gait on the way to another one.
        stopping_blend_steps, stopping_dwell_steps: the same of a body that is played, and walks, and is told to stop: it is to do so at once.
        slowed: multiple of the speed of its gait, up to which it may stop at once: who comes out of a run goes faster.
        running_blend_steps, running_dwell_steps: of a body that is played, for a change between walk and run.
    """

    speed_gain: float
    most_correction: float
    starting_steps: int
    course: float
    most_aside: float
    swing: float
    lean: float
    stop_s: float
    refuge_stop_s: float
    run_stop_s: float
    running: float
    nearly: float
    patience: int
    blend_steps: int
    dwell_steps: int
    stopping_blend_steps: int
    stopping_dwell_steps: int
    slowed: float
    running_blend_steps: int
    running_dwell_steps: int


@dataclass(frozen=True)
class RefugeLimits:
    """When a walker takes refuge in a sturdier gait, and for how long.

    Attributes:
        push: over √(g·leg length), by which pushes must have changed its speed. felt_s: s in which it forgets most of a push.
        forward, aside: the same, that the hips gain in a step over the last one on the same leg: from there on it is thrown.
        over_sway: multiple of its sway in the last steps by which it must be thrown off, where it sways much by itself. most_sway: what this is at
            most, as a multiple of ``forward`` and ``aside``. forgets: share of the sway that still counts a step later.
        sharp: rad/s of a turn, from which on it goes in the refuge.
        calm: as aside, by which the end of a step may differ from one in the gait that it left, for it to come back.
        least_steps, most_steps: in the refuge, after it was thrown. first_steps: in the refuge, out of a stand.
        slip: the same, by which it goes aside in a step, from where on it stays there for so many ``straight_steps`` after it. most_aside: steps of
            which this is so, at most.
        returning_steps: out of the refuge, with hips that are still low. toes_up: rad by which the swing foot is lifted in the first of them, less
            in each after it.
    """

    push: float
    felt_s: float
    forward: float
    aside: float
    over_sway: float
    most_sway: float
    forgets: float
    sharp: float
    calm: float
    least_steps: int
    most_steps: int
    first_steps: int
    slip: float
    straight_steps: int
    most_aside: int
    returning_steps: int
    toes_up: float


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
REFUGE = RefugeLimits(**_PRESET["refuge"])
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
    """Pure pursuit with foresight: aim at the point a little ahead of the nearest one on a polyline, and turn with the path as it will be when the
    body has followed. Never goes back along it."""

    def __init__(self, points: Sequence[Pair], gains: PathGains = PATH_GAINS, speed: float = 0.0):
        """``speed``: m/s at the start."""
        self._gains = gains
        # A point given twice has no direction; a path of one place only leads on along x.
        points = [point for n, point in enumerate(points) if n == 0 or tuple(point) != tuple(points[n - 1])]
        if len(points) == 1:
            points.append((points[0][0] + 1e-3, points[0][1]))
        self._points = points
        self._marks = [0.0, *accumulate(hypot(bx - ax, by - ay) for (ax, ay), (bx, by) in pairwise(points))]  # m along the path of each point
        self._reached = 0.0  # metres along the path
        self._seen: tuple[float, float] | None = None  # s, and m along the path, at the last look
        self._speed = speed  # m/s along the path, low-passed

    @property
    def left(self) -> float:
        """m of the path that are left."""
        return self._marks[-1] - self._reached

    @property
    def finished(self) -> bool:
        return self.left <= 1e-6

    def heading(self, x: float, y: float, time: float | None = None) -> float:
        """Direction (rad) to walk from (x, y), at ``time`` (s) if somebody looks often enough to have a speed. At the start, at 0 s, it is
        that of the path itself."""
        gains = self._gains
        onward = [self._reached + 0.05 * ahead for ahead in range(11)]  # half a metre of the path
        self._reached = min(onward, key=lambda along: self._away(along, x, y))
        (px, py), (tx, ty) = self._at(self._reached), self._at(self._reached + gains.look_ahead)
        along_x, along_y = tx - px, ty - py
        aside = ((x - px) * along_y - (y - py) * along_x) / max(hypot(along_x, along_y), 1e-9)  # positive: right of the path
        self._take_in(time)
        most = gains.most_steer
        # The point ahead lies where the path bends to; the body must face where it bends to later, because it goes there later.
        early = wrap(self._direction(self._reached + gains.lead * self._speed) - atan2(along_y, along_x)) if time else 0.0
        back = max(-most, min(most, gains.steer * aside))
        return atan2(ty - y, tx - x) + early + back

    def _take_in(self, time: float | None) -> None:
        """The speed along the path since the last look."""
        before, self._seen = self._seen, None if time is None else (time, self._reached)
        if before and self._seen and self._seen[0] > before[0]:
            seconds = self._seen[0] - before[0]
            self._speed += min(1.0, seconds / SPEED_S) * ((self._reached - before[1]) / seconds - self._speed)

    def _direction(self, along: float) -> float:
        """rad of the path around the point ``along`` m on it; corners are rounded."""
        (ax, ay), (bx, by) = self._at(max(0.0, along - ROUND)), self._at(along + ROUND)
        return atan2(by - ay, bx - ax)

    def _at(self, along: float) -> Pair:
        """The point ``along`` m on the path. Beyond the end: straight on, so that the last stretch is walked in its own direction."""
        number = min(max(bisect_right(self._marks, along) - 1, 0), len(self._points) - 2)
        (ax, ay), (bx, by) = self._points[number], self._points[number + 1]
        fraction = (along - self._marks[number]) / max(self._marks[number + 1] - self._marks[number], 1e-9)
        return (ax + (bx - ax) * fraction, ay + (by - ay) * fraction)

    def _away(self, along: float, x: float, y: float) -> float:
        """m from (x, y) to the point ``along`` m on the path."""
        px, py = self._at(along)
        return hypot(px - x, py - y)
