"""Catch: with which steps a standing body catches itself after a push, foretold in about a millisecond.

The law is the one by which a simulation keeps its balance (``control.balance``): when it steps, with which foot, where to (``footholds``), and how
long that takes. What it moves is a reduced body: a point mass as high as the centre of mass on its soles, and a flywheel, the trunk, which a push
above the centre of mass turns and the hips turn back. The few numbers in which that differs from a whole body are in presets/catch.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, sin

import numpy as np

from .. import presets, rotation
from ..balance_styles import FEW, BalanceStyle
from ..body import Body
from ..footholds import bowed, foothold, growth, stepping, turning
from ..hull import Area, Point, hull
from .ready import Ready

GRAVITY = 9.81  # m/s²
STEP_S = 0.02  # s of a step of the reduced body
REACTS_S = 0.15  # s after the beginning of a push, from when on the body may step
INSIDE = 0.85  # fraction of the sole's length and width in which the ground can press
QUIET_S, LONGEST_S = 0.25, 2.5  # s that a body is slow before it is caught, and s in which it must be
MOST = FEW + 1  # steps; who needs more is not caught
STRIDE_S = 0.05  # s before and after a moment, from which a velocity is taken


@dataclass(frozen=True)
class Losses:
    """How a whole body differs from the reduced one.

    Attributes:
        inertia: of the trunk, as a fraction of that of the whole mass at the height of its centre. damping: factor of that of the trunk's law.
        lever: factor of the height over the centre of mass at which a push strikes. lag: s in which the pressure under the feet follows.
        eager: factor of how far the pressure goes for the capture point in a step. room: factor of the length and width of the soles within which
            it goes. heel: m of a sole that bears nothing, behind.
        late: s by which feet land after their time. share: of the way to the foothold that they come.
    """

    inertia: float
    damping: float
    lever: float
    lag: float
    eager: float
    room: float
    heel: float
    late: float
    share: float


@lru_cache(maxsize=1)
def losses() -> Losses:
    return Losses(**presets.read_json(presets.FOLDER / "catch.json")["losses"])


@dataclass(frozen=True)
class Stance:
    """A body that stands; places are m on the ground, (x, y), world, yaws rad.

    Attributes:
        mass: kg. leg: m, its length. com, velocity, height: m and m/s of its centre of mass, and m that it is over the ground.
        ankles, feet: where the left and right foot are, and where they point. yaw: where the body faces.
        soles: corners of the left and right sole, m from the ankle, along the foot. ahead: m from an ankle to the middle of the sole.
    """

    mass: float
    leg: float
    com: Point
    velocity: Point
    height: float
    ankles: tuple[Point, Point]
    feet: tuple[float, float]
    yaw: float
    soles: tuple[tuple[Point, ...], tuple[Point, ...]]
    ahead: float

    @classmethod
    def of(cls, ready: Ready, frame: int) -> Stance:
        """A clip as it stands at a frame."""
        body, near = ready.body, round(STRIDE_S * ready.motion.fps)
        first, last = max(frame - near, 0), min(frame + near, ready.motion.frames - 1)
        at = [first, frame, last]
        coms = np.einsum("l,fld->fd", body.masses / body.mass, ready.places[at] + rotation.rotate(ready.turns[at], body.com_offsets))
        x, y, z = coms[1].tolist()
        u, v, _ = ((coms[2] - coms[0]) * ready.motion.fps / max(last - first, 1)).tolist()
        (lx, ly, _), (rx, ry, _) = ready.places[frame, ready.ankles].tolist()
        left, right = rotation.heading(ready.turns[frame, ready.ankles]).tolist()
        soles, ahead = _soles(body)
        return cls(body.mass, body.leg_length, (x, y), (u, v), z, ((lx, ly), (rx, ry)), (left, right), float(ready.headings[frame]), soles, ahead)


@lru_cache(maxsize=8)
def _of_sides(names: tuple[str, ...], sole_links: tuple[int, ...]) -> tuple[list[int], list[int]]:
    left, right = ([i for i, link in enumerate(sole_links) if names[link].endswith(side)] for side in "LR")
    return left, right


def _soles(body: Body) -> tuple[tuple[tuple[Point, ...], tuple[Point, ...]], float]:
    """The corners of both soles flat on the ground, and how far their middle is ahead of the ankle, as ``Stance`` has them."""
    toes = [body.names.index(f"toes.{side}") for side in "LR"]
    points = body.sole_points[:, :2] + np.where(np.isin(body.sole_links, toes)[:, None], body.offsets[body.sole_links, :2], 0.0)
    left, right = (tuple((x, y) for x, y in points[own].tolist()) for own in _of_sides(tuple(body.names), tuple(body.sole_links.tolist())))
    return (left, right), 0.5 * float(points[:, 0].min() + points[:, 0].max())


@dataclass(frozen=True)
class Step:
    """A step: foot (0 left, 1 right), s after the push at which it begins and lands, m (x, y) of the ankle then, and rad that the foot points to."""

    foot: int
    begin: float
    land: float
    place: Point
    yaw: float


@dataclass(frozen=True)
class Caught:
    """How a push was taken: the steps, and whether the body is quiet in the end."""

    steps: tuple[Step, ...]
    quiet: bool


def best(stance: Stance, styles: list[BalanceStyle], likely: int, force: Point, seconds: float, height: float) -> tuple[int, Caught]:
    """The number of the style in which a simulation would hold, and what becomes of the body in it. The rest as in ``caught``.

    The first style has held six of seven bodies that do not need many steps in it. Where they would, it is the one that is ``likely``, as it has held
    in a push like this one, or one of the others, whichever catches the body in a few steps; else the one that needs fewest."""
    found: tuple[tuple[bool, int], int, Caught] | None = None
    for number in dict.fromkeys((0, likely, *range(len(styles)))):
        one = caught(stance, styles[number], force, seconds, height)
        if len(one.steps) <= (FEW if number else MOST) and (one.quiet or not number):
            return number, one
        cost = not one.quiet, len(one.steps)
        if found is None or cost < found[0]:
            found = cost, number, one
    assert found is not None
    return found[1:]


def caught(stance: Stance, style: BalanceStyle, force: Point, seconds: float, height: float, given: Losses | None = None) -> Caught:
    """A body that is pushed as it stands. ``style``: for a body of its size. ``force``: N, (x, y), for ``seconds``, at a ``height`` (m)."""
    return _Falling(stance, style, given or losses()).taken(force, seconds, height)


class _Falling:
    """A reduced body, while it catches itself."""

    def __init__(self, stance: Stance, style: BalanceStyle, given: Losses) -> None:
        self.stance, self.style, self.given = stance, style, given
        self.ankles, self.feet = list(stance.ankles), list(stance.feet)
        self.pressed = [_within(corners, given.room * INSIDE, given.heel) for corners in stance.soles]
        self.seen = [_within(corners, INSIDE, 0.0) for corners in stance.soles]
        self.yaw, self.turns = stance.yaw, (0.0, 0.0)
        self.foot: int | None = None  # that swings, with what follows
        self.begin, self.origin, self.goal, self.bow = 0.0, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)
        (lx, ly), (rx, ry), c, s = self._sole(0), self._sole(1), cos(self.yaw), sin(self.yaw)
        x, y = stance.com[0] - 0.5 * (lx + rx), stance.com[1] - 0.5 * (ly + ry)
        self.stands = (x * c + y * s, y * c - x * s)  # m (forward, left) of the centre of mass from the middle between the feet, at first
        self.steps: list[Step] = []
        self._ground()

    def _sole(self, foot: int) -> Point:
        (x, y), yaw = self.ankles[foot], self.feet[foot]
        return x + self.stance.ahead * cos(yaw), y + self.stance.ahead * sin(yaw)

    def _ground(self) -> None:
        """What the feet that stand make of the ground: the area in which the capture point is safe, the one in which they press, and the middle."""
        standing = [foot for foot in (0, 1) if foot != self.foot]
        self.safe, self.pressing = (Area([point for foot in standing for point in _placed(corners[foot], self.ankles[foot], self.feet[foot])])
                                    for corners in (self.seen, self.pressed))
        x, y = (sum(values) / len(standing) for values in zip(*map(self._sole, standing), strict=True))
        if len(standing) == 2:
            c, s = cos(self.yaw), sin(self.yaw)
            x, y = x + c * self.stands[0] - s * self.stands[1], y + s * self.stands[0] + c * self.stands[1]
        self.middle = (x, y)

    def taken(self, force: Point, seconds: float, height: float) -> Caught:
        stance, style, given = self.stance, self.style, self.given
        (x, y), (u, v), mass = stance.com, stance.velocity, stance.mass
        pace = (GRAVITY / stance.height) ** 0.5
        inertia = given.inertia * stance.height**2  # of the trunk, m², for each kg of the body
        firm, damping = style.trunk[0], given.damping * style.trunk[1]
        lever, back = given.lever * (height - stance.height) / inertia, inertia / stance.height
        gain, follows = 1.0 + style.capture / pace, STEP_S / (STEP_S + given.lag)
        lean_x = lean_y = turn_x = turn_y = 0.0
        (px, py), time, moved = self.middle, 0.0, 0.0
        while time < LONGEST_S and len(self.steps) <= MOST:
            share = min(max((seconds - time) / STEP_S, 0.0), 1.0) / mass
            fx, fy = share * force[0], share * force[1]
            seen = (x + u / pace, y + v / pace)
            near = self.safe.nearest(seen)
            over = hypot(seen[0] - near[0], seen[1] - near[1])
            self._decide(time, seen, near, over, pace)
            (mx, my), go = self.middle, gain
            if self.foot is not None:
                go *= given.eager
            elif self.steps and over == 0.0:
                # The capture point is between feet that may be far apart: the body goes to their middle without haste.
                slow = min(1.0, style.still / style.capture / max(hypot(seen[0] - mx, seen[1] - my), 1e-9))
                mx, my = seen[0] + slow * (mx - seen[0]), seen[1] + slow * (my - seen[1])
            wx, wy = self.pressing.nearest((mx + go * (seen[0] - mx), my + go * (seen[1] - my)))
            px, py = px + follows * (wx - px), py + follows * (wy - py)
            hips_x, hips_y = firm * lean_x + damping * turn_x, firm * lean_y + damping * turn_y
            turn_x, turn_y = turn_x + STEP_S * (fx * lever - hips_x), turn_y + STEP_S * (fy * lever - hips_y)
            lean_x, lean_y = lean_x + STEP_S * turn_x, lean_y + STEP_S * turn_y
            u, v = u + STEP_S * (pace * pace * (x - px) + fx + back * hips_x), v + STEP_S * (pace * pace * (y - py) + fy + back * hips_y)
            x, y, time = x + STEP_S * u, y + STEP_S * v, time + STEP_S
            if over > 0.0 or self.foot is not None or time < seconds + REACTS_S or hypot(u, v) > style.still:
                moved = time
            elif time > moved + QUIET_S:
                break
        return Caught(tuple(self.steps), time > moved + QUIET_S)

    def _decide(self, time: float, seen: Point, near: Point, over: float, pace: float) -> None:
        """Land, go on with a step, or begin one. ``seen``: the capture point, which is ``over`` m beyond ``near``, the nearest point of the feet."""
        style, stance = self.style, self.stance
        if self.foot is not None:
            left = self.begin + style.swing_s - time
            begun, ended = self.turns
            self.yaw = stance.yaw + begun + min(max(1.0 - left / style.swing_s, 0.0), 1.0) * (ended - begun)
            if left + self.given.late < 0.5 * STEP_S:
                self._land(time + left + self.given.late)
            elif left > 0.25 * style.swing_s:
                way = self.bow[0] * cos(self.yaw) + self.bow[1] * sin(self.yaw)
                self.goal = self._foothold(self.foot, seen, near, growth(pace, left), way)
        elif time > REACTS_S - 1e-9 and over > style.late and time > (self.steps[-1].land + style.land_s if self.steps else 0.0) - 1e-9:
            foot = stepping(self._sole(0), self._sole(1), seen, style.sidestep and not self.steps)
            turn = turning(style, stance.leg, self.middle, seen, over, self.yaw) if style.turn else 0.0
            self.turns = (self.turns[1], self.turns[1] + turn)
            goal = self._foothold(foot, seen, self._sole(1 - foot), growth(pace, style.swing_s), abs(turn))
            self.foot, self.begin, self.origin, self.goal = foot, time, self.ankles[foot], goal
            self.bow = bowed(foot, self.origin, goal, self.ankles[1 - foot], self.yaw, style.bow)
            self._ground()

    def _foothold(self, foot: int, seen: Point, near: Point, grow: float, way: float) -> Point:
        stance = self.stance
        return foothold(self.style, stance.leg, foot, seen, near, grow, self.ankles[1 - foot], self.yaw, stance.ahead, way)

    def _land(self, time: float) -> None:
        foot, (x, y), (gx, gy) = self.foot, self.origin, self.goal
        assert foot is not None
        self.ankles[foot] = (x + self.given.share * (gx - x), y + self.given.share * (gy - y))
        self.feet[foot] = self.stance.feet[foot] + self.turns[1]
        self.yaw, self.foot = self.stance.yaw + self.turns[1], None
        self.steps.append(Step(foot, self.begin, time, self.ankles[foot], self.feet[foot]))
        self._ground()


def _within(corners: tuple[Point, ...], size: float, heel: float) -> list[Point]:
    """Corners of a sole drawn towards their middle, to ``size`` of their distance from it, those behind it by ``heel`` m more."""
    mx, my = (sum(values) / len(corners) for values in zip(*corners, strict=True))
    return hull([(mx + size * (x - mx) + (heel if x < mx else 0.0), my + size * (y - my)) for x, y in corners])


def _placed(corners: list[Point], ankle: Point, yaw: float) -> list[Point]:
    """Corners of a sole on the ground, of a foot with its ankle there that points to ``yaw``."""
    c, s = cos(yaw), sin(yaw)
    return [(ankle[0] + c * x - s * y, ankle[1] + s * x + c * y) for x, y in corners]
