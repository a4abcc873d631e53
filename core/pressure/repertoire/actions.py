"""What people do on a pad, as scores: each begins and ends in quiet standing, so that they can follow each other.

Timings and sizes are those of people who were looked at; nothing was copied from recordings.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...kinematics import GRAVITY
from .perform import USUAL_LEG
from .score import EASE, Leap, Mark, Place, Score, Swing, Via

QUIET = 0.4  # s of quiet standing before and after an action
Places = tuple[Place, Place]
Poses = tuple[tuple[float, dict[str, float]], ...]

GUARD = {"arm ahead.L": 0.75, "arm out.L": 0.25, "elbow.L": 1.9, "arm twist.L": -0.25, "arm ahead.R": 0.6, "arm out.R": 0.25, "elbow.R": 2.0,
         "arm twist.R": -0.25}


def stance(apart: float, ahead: float = 0.0) -> Places:
    """Feet so far apart, the left one so far ahead; the one behind is turned out more."""
    left, right = (Place(side * ahead / 2, side * apart / 2, 0.08 + 0.3 * apart + 0.4 * max(0.0, -side * ahead)) for side in (1.0, -1.0))
    return left, right


def stand(places: Places, seconds: float, loads: tuple[tuple[float, float], ...] = ()) -> Score:
    """Quiet standing, in which weight may go slowly from foot to foot."""
    return Score(seconds, places, loads=loads)


def step(places: Places, direction: str, size: float, foot: int = 1) -> Score:
    """A step of so many leg lengths "forward", "back", "left" or "right", and the other foot follows. ``foot``: goes first, forward and back."""
    ahead, left = {"forward": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}[direction]
    first = foot if ahead else 0 if left > 0 else 1
    name = f"side step {direction}" if left else f"step {direction}"
    size = min(size, 0.72) if left else size  # legs reach no further without a hop
    air = 0.38 + 0.24 * size
    lifts, lands = QUIET + 0.5, QUIET + 0.5 + air
    follows = lands + 0.32
    ends = follows + air + 0.04

    def there(of: int) -> Place:
        return replace(places[of], ahead=places[of].ahead + ahead * size, left=places[of].left + left * size)

    lands_on = {1.0: -0.3 * min(1.0, size + 0.3), -1.0: 0.35, 0.0: 0.08}[ahead]
    swings = (Swing(first, lifts, lands, there(first), 0.08 + 0.05 * size, rolls_off=0.3, rolls_on=lands_on,
                    takes=0.62 + 0.1 * size * abs(left), settles=0.3 - 0.1 * size * abs(left)),
              Swing(1 - first, follows, ends, there(1 - first), 0.08 + 0.06 * size, shift=0.4, rolls_off=0.25 + 0.4 * size * (ahead > 0),
                    rolls_on=-0.05 * ahead, settles=0.45))
    swung, still = "LR"[1 - first], "LR"[first]  # the arm of the other side goes with the foot
    aside = -left if left else 0.0
    out = {f"arm ahead.{swung}": 0.04 + 0.35 * size * abs(ahead) * ahead, f"arm ahead.{still}": 0.04 - 0.25 * size * ahead,
           "arm out.L": 0.13 + 0.25 * size * abs(left), "arm out.R": 0.13 + 0.25 * size * abs(left),
           "elbow.L": 0.3 + 0.3 * size, "elbow.R": 0.3 + 0.3 * size,
           "sink": 0.012 + (0.24 * abs(left) + 0.13 * abs(ahead)) * size**2, "trunk pitch": 0.03 + 0.07 * size * ahead,
           "trunk roll": 0.04 * aside * size,
           "pelvis yaw": 0.12 * size * ahead * (1.0 if first == 1 else -1.0), "trunk yaw": -0.12 * size * ahead * (1.0 if first == 1 else -1.0)}
    halfway = {name: 0.5 * (value + EASE[name]) for name, value in out.items()}
    poses: Poses = ((QUIET + 0.1, _ease(*out)), (lands - 0.04, out), (follows + 0.5 * air, halfway), (ends + 0.35, _ease(*out)))
    return Score(ends + 0.5 + QUIET, places, swings, poses=poses, marks=(Mark(name, QUIET, ends + 0.3),))


def kick(places: Places, height: float, foot: int = 1) -> Score:
    """A kick straight ahead whose ankle gets so many leg lengths high."""
    if foot == 0:
        return kick(_mirrored(places), height, 1).mirrored()
    own, other = places[1], places[0]
    lifts = QUIET + 0.42
    hip = other.left - 0.2
    high = max(0.0, height - 0.35)
    reach = 0.96 * float(np.sqrt(0.9 - min(0.8, (height - 1.0) ** 2)))  # with a leg that is nearly straight
    via = (Via(0.26, other.ahead + 0.12, hip + 0.02, 0.34 + 0.25 * height, 0.7),
           Via(0.46, other.ahead + reach, hip + 0.08, height, 0.45),
           Via(0.66, other.ahead + 0.3, hip + 0.02, 0.3 + 0.25 * height, 0.55))
    lands = lifts + 1.08
    back = 0.12 + 0.28 * high
    poses: Poses = (
        (QUIET, {}),
        (lifts + 0.2, {"trunk pitch": 0.1, "pelvis yaw": 0.1, "arm ahead.L": 0.5, "arm ahead.R": -0.1, "elbow.L": 1.2, "elbow.R": 0.7, "sink": 0.03}),
        (lifts + 0.46, {"trunk pitch": 0.12 - back, "pelvis pitch": -0.5 * back, "pelvis yaw": 0.32, "trunk yaw": -0.3, "arm ahead.L": 0.9,
                        "arm out.L": 0.35, "elbow.L": 1.0, "arm ahead.R": -0.45, "arm out.R": 0.4, "elbow.R": 0.5, "sink": 0.02}),
        (lifts + 0.7, {"trunk pitch": 0.08, "pelvis pitch": 0.0, "pelvis yaw": 0.1, "trunk yaw": -0.1, "arm ahead.L": 0.55, "arm ahead.R": -0.1,
                       "elbow.L": 1.0, "elbow.R": 0.7, "sink": 0.03}),
        (lands + 0.35, _ease("trunk pitch", "pelvis pitch", "pelvis yaw", "trunk yaw", "arm ahead.L", "arm out.L", "arm ahead.R", "arm out.R",
                             "elbow.L", "elbow.R", "sink")))
    swing = Swing(1, lifts, lands, own, via=via, shift=0.42, rolls_off=0.55, rolls_on=0.15)
    return Score(lands + 0.5 + QUIET, places, (swing,), poses=_begun(poses), marks=(Mark("kick right", QUIET, lands + 0.3),))


def lunge(places: Places, size: float, depth: float, foot: int = 1) -> Score:
    """A long step ahead with one foot, down on both knees, and back."""
    if foot == 0:
        return lunge(_mirrored(places), size, depth, 1).mirrored()
    own = places[1]
    lifts = QUIET + 0.42
    lands = lifts + 0.4 + 0.14 * size
    low = lands + 0.25 + 0.5 * depth
    leaves = low + 0.3 + 0.5 * depth
    ends = leaves + 0.42 + 0.1 * size
    rear = 0.35 + 1.2 * depth
    swings = (Swing(1, lifts, lands, replace(own, ahead=own.ahead + size), 0.12, shift=0.42, rolls_on=-0.3, takes=0.72, settles=0.3),
              Swing(1, leaves, ends, own, 0.12, shift=0.3, rolls_off=-0.25, rolls_on=0.3, settles=0.4))
    poses: Poses = (
        (QUIET, {}),
        (lifts + 0.22, {"trunk pitch": 0.14, "arm ahead.L": 0.6, "arm ahead.R": -0.42, "elbow.L": 0.75, "elbow.R": 0.55}),
        (lands, {"arm ahead.L": 0.6, "arm ahead.R": -0.42, "sink": 0.05 + 0.35 * depth, "heel.L": 0.4 * rear}),
        (low, {"sink": 0.08 + depth, "trunk pitch": 0.12, "heel.L": rear, "arm ahead.L": 0.45, "arm ahead.R": 0.1, "elbow.L": 0.7, "elbow.R": 0.6,
               "arm out.L": 0.2, "arm out.R": 0.2, "knee out.L": 0.0}),
        (leaves, {"sink": 0.06 + 0.25 * depth, "trunk pitch": 0.1, "heel.L": 0.4 * rear, "arm ahead.L": 0.25, "arm ahead.R": -0.05}),
        (ends - 0.1, {"heel.L": 0.0}),
        (ends + 0.3, _ease("sink", "trunk pitch", "heel.L", "arm ahead.L", "arm ahead.R", "elbow.L", "elbow.R", "arm out.L", "arm out.R")))
    return Score(ends + 0.5 + QUIET, places, swings, poses=_begun(poses), marks=(Mark("lunge right", QUIET, ends + 0.25),))


def punches(places: Places, count: int, hard: float = 1.0) -> Score:
    """Straight punches, left and right in turn, out of a guard; the weight goes with them."""
    every = 0.85
    first = QUIET + 0.9
    poses: list[tuple[float, dict[str, float]]] = [(QUIET, {}), (first - 0.35, {**GUARD, "sink": 0.06, "trunk pitch": 0.1})]
    loads: list[tuple[float, float]] = [(first - 0.3, 0.5)]
    marks = []
    for number in range(count):
        side, turn = ("L", -1.0) if number % 2 == 0 else ("R", 1.0)
        starts = first + number * every
        hits, back = starts + 0.24, starts + 0.52
        poses += [(starts, {**GUARD, "sink": 0.06, "trunk yaw": -0.08 * turn, "pelvis yaw": -0.05 * turn, "trunk pitch": 0.1}),
                  (hits, {f"arm ahead.{side}": 1.5, f"arm out.{side}": 0.02, f"elbow.{side}": 0.2, f"arm twist.{side}": 0.1,
                          "trunk yaw": 0.38 * turn * hard, "pelvis yaw": 0.22 * turn * hard, "trunk pitch": 0.16, "sink": 0.085,
                          f"heel.{side}": 0.12 * hard}),
                  (back, {**GUARD, "sink": 0.06, "trunk yaw": 0.0, "pelvis yaw": 0.0, "trunk pitch": 0.1, f"heel.{side}": 0.0})]
        toward = 0.22 * hard * turn  # the right hand pushes off with the right foot
        loads += [(starts, 0.5 - 0.3 * toward), (hits, 0.5 + toward), (back + 0.1, 0.5)]
        marks.append(Mark("punch", starts, back))
    ends = first + count * every
    poses += [(ends + 0.5, _ease(*GUARD, "sink", "trunk pitch"))]
    return Score(ends + 0.6 + QUIET, places, loads=tuple(loads), poses=tuple(poses[1:]), marks=tuple(marks))


def squat(places: Places, depth: float) -> Score:
    """Down by so many leg lengths, arms ahead, and up."""
    down, up = QUIET + 0.2 + 0.75, QUIET + 0.2 + 0.75 + 0.15
    ends = up + 0.8
    heels = max(0.0, depth - 0.5) * 1.5
    low = {"sink": depth, "trunk pitch": 0.15 + 0.5 * depth, "pelvis pitch": 0.1 + 0.4 * depth, "arm ahead.L": 1.35, "arm ahead.R": 1.35,
           "elbow.L": 0.2, "elbow.R": 0.2, "knee out.L": 0.15, "knee out.R": 0.15, "heel.L": heels, "heel.R": heels, "weight ahead": 0.06}
    poses: Poses = ((QUIET, {}), (down, low), (up, low), (ends, _ease(*low)))
    return Score(ends + 0.2 + QUIET, places, poses=_begun(poses), marks=(Mark("squat", QUIET, ends),))


def jump(places: Places, air: float) -> Score:
    """A jump straight up that lasts so many s in the air."""
    lifts = QUIET + 0.85
    lands = lifts + air
    fast = GRAVITY * air / 2

    def rise(after: float) -> float:
        return (fast * after - GRAVITY * after**2 / 2) / USUAL_LEG

    swings = tuple(
        Swing(foot, lifts, lands, places[foot], shift=0.0, rolls_off=0.75, rolls_on=0.45,
              via=tuple(Via(share * air, places[foot].ahead, places[foot].left, rise(share * air), 0.75 if share < 0.6 else 0.6)
                        for share in (0.04, 0.12, 0.3, 0.5, 0.7, 0.88, 0.96)))
        for foot in (0, 1))
    low = {"trunk pitch": 0.45, "pelvis pitch": 0.2, "arm ahead.L": -0.6, "arm ahead.R": -0.6, "elbow.L": 0.4, "elbow.R": 0.4}
    high = {"trunk pitch": 0.0, "pelvis pitch": 0.0, "arm ahead.L": 1.6, "arm ahead.R": 1.6, "arm out.L": 0.2, "arm out.R": 0.2, "elbow.L": 0.7,
            "elbow.R": 0.7}
    poses: Poses = ((QUIET, {}), (lifts - 0.32, low), (lifts + 0.3 * air, high),
             (lands + 0.2, {"trunk pitch": 0.35, "pelvis pitch": 0.15, "arm ahead.L": 0.5, "arm ahead.R": 0.5, "arm out.L": 0.3, "arm out.R": 0.3}),
             (lands + 0.75, _ease(*low, *high)))
    return Score(lands + 0.85 + QUIET, places, swings, poses=_begun(poses), leaps=(Leap(lifts, lands),), marks=(Mark("jump", QUIET, lands + 0.75),))


def one_leg(places: Places, seconds: float, height: float = 0.3, foot: int = 1) -> Score:
    """One foot is lifted and held for so many s; ``foot``: the one in the air."""
    if foot == 0:
        return one_leg(_mirrored(places), seconds, height, 1).mirrored()
    own, other = places[1], places[0]
    lifts = QUIET + 0.6
    up, down = 0.6, 0.6 + seconds
    lands = lifts + down + 0.6
    air = tuple(Via(after, (own.ahead + other.ahead) / 2 + 0.12, own.left + 0.03, height, 0.25) for after in (up, down))
    out = {"arm out.L": 0.35, "arm out.R": 0.45, "elbow.L": 0.5, "elbow.R": 0.5, "trunk roll": -0.03, "pelvis roll": -0.02}
    poses: Poses = ((QUIET, {}), (lifts + 0.5, out), (lifts + down, out), (lands + 0.3, _ease(*out)))
    swing = Swing(1, lifts, lands, own, via=air, shift=0.6, rolls_off=0.3, rolls_on=0.1, settles=0.5)
    return Score(lands + 0.6 + QUIET, places, (swing,), poses=_begun(poses), marks=(Mark("stand on left leg", QUIET, lands + 0.3),))


def march(places: Places, steps: int, height: float = 0.3) -> Score:
    """Steps on the spot, with knees that come up."""
    return _striding(places, steps, 0.0, height, 0.58, "march")


def walk(places: Places, steps: int, size: float = 0.7) -> Score:
    """So many steps ahead from standing, and a last one to stand again."""
    return _striding(places, steps, size, 0.1, 0.56, "walk")


def _striding(places: Places, steps: int, size: float, height: float, every: float, name: str) -> Score:
    lifts, foot = QUIET + 0.5, 1
    at = list(places)
    swings: list[Swing] = []
    poses: list[tuple[float, dict[str, float]]] = [(QUIET, {})]
    for number in range(steps):
        last = number == steps - 1
        far = at[1 - foot].ahead + (0.0 if last else size)
        to = replace(places[foot], ahead=far + (places[foot].ahead - places[1 - foot].ahead) * (size == 0.0 or last), left=0.8 * places[foot].left)
        air = 0.4
        via = () if size else (Via(0.5 * air, places[foot].ahead + 0.1, places[foot].left * 0.9, height, 0.4),)
        swings.append(Swing(foot, lifts, lifts + air, to, height, via, shift=0.5 if number == 0 else 0.2, rolls_off=0.35 + 0.4 * size,
                            rolls_on=0.2 if size == 0.0 else -0.05 if last else -0.32, takes=0.5 if last else 0.8,
                            settles=0.45 if last else every - air))
        side, back = "LR"[1 - foot], "LR"[foot]
        swing = 0.28 + 0.1 * (size == 0.0)
        turn = (1.0 if foot == 1 else -1.0) * (0.12 if size else 0.04)
        poses.append((lifts + (0.8 if size else 0.5) * air,
                      {f"arm ahead.{side}": 0.04 + swing, f"arm ahead.{back}": -0.04 - 0.6 * swing, f"elbow.{side}": 0.55, f"elbow.{back}": 0.35,
                       "pelvis yaw": turn, "trunk yaw": -1.6 * turn, "trunk pitch": 0.06, "sink": 0.02 + 0.03 * (size > 0)}))
        at[foot] = to
        lifts += every
        foot = 1 - foot
    ends = swings[-1].lands
    poses.append((ends + 0.4, _ease("arm ahead.L", "arm ahead.R", "elbow.L", "elbow.R", "pelvis yaw", "trunk yaw", "trunk pitch", "sink")))
    return Score(ends + 0.55 + QUIET, places, tuple(swings), poses=_begun(tuple(poses)), marks=(Mark(name, QUIET, ends + 0.3),))


def shift(places: Places, side: int, far: float = 0.9, holds: float = 0.3) -> Score:
    """The weight goes to one foot, so much of it, stays and comes back; no foot leaves the floor."""
    if side == 1:
        return shift(_mirrored(places), 0, far, holds).mirrored()
    there = QUIET + 0.65
    back = there + holds + 0.6
    out = {"pelvis roll": -0.05, "trunk roll": 0.06, "arm out.L": 0.2, "arm out.R": 0.16}
    poses: Poses = ((QUIET, {}), (there, out), (there + holds, out), (back, _ease(*out)))
    loads = ((QUIET, 0.5), (there, far), (there + holds, far), (back, 0.5))
    return Score(back + QUIET, places, loads=loads, poses=_begun(poses), marks=(Mark("shift left", QUIET, back),))


def shift_forward(places: Places, far: float = 0.22, holds: float = 0.3) -> Score:
    """The weight goes to the balls of the feet, by so many lengths of a foot."""
    there = QUIET + 0.65
    back = there + holds + 0.6
    out = {"weight ahead": far, "trunk pitch": 0.1, "arm ahead.L": -0.08, "arm ahead.R": -0.08}
    poses: Poses = ((QUIET, {}), (there, out), (there + holds, out), (back, _ease(*out)))
    return Score(back + QUIET, places, poses=_begun(poses), marks=(Mark("shift forward", QUIET, back),))


def _ease(*names: str) -> dict[str, float]:
    return {name: EASE[name] for name in names}


def _begun(poses: Poses) -> Poses:
    """Poses whose first one, which is empty, holds at ease all that is held later."""
    return ((poses[0][0], _ease(*(name for _, pose in poses for name in pose))), *poses[1:])


def _mirrored(places: Places) -> Places:
    return replace(places[1], left=-places[1].left), replace(places[0], left=-places[0].left)


def airtime(height: float) -> float:
    """s in the air of a jump so many m high."""
    return 2.0 * float(np.sqrt(2.0 * height / GRAVITY))
