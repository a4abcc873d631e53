"""Adaptation: a response scaled and turned to a push, and laid on a clip (Yin 2007, section 4.5).

Only what makes it easier is done: a weaker push than the one that was simulated takes a smaller and quicker motion, and a push from a little further
round turns the motion with it. Feet that stand stay where they are; legs reach for them, and knees and elbows stay hinges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..feet.legs import STRAIGHT_KNEE
from ..motion import Motion
from ..ranges import held
from ..signals import runs, smooth_step, softened
from .ready import Ready
from .response import ANKLE, BALL, COLUMNS, ELBOW, FOOT, LATE, RATE, ROOT, SPEED, TOE, TURN, UPPER, mirrored

SWING_S = 0.1  # s: a foot that is in the air for less does not get anywhere
REACH_M = 0.001  # m by which a leg may be too short for a foot that stands
STAYS_S = 0.2  # s around a stance in which a foot turns as it is to stand
FLAT = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])  # of the columns of a foot, those in which it may differ from the clip while it stands
FADE_S = 0.4  # s in which what is left of a response goes over into the clip
SIDEWAYS = np.radians(10.0)  # rad from the sagittal plane, from which on a motion can be mixed with its mirror image


def scaled(frames: Array, scale: float, retimed: bool) -> tuple[Array, float]:
    """Frames (K, COLUMNS) of a response to a push that is ``scale`` (α ≤ 1) times as strong, and how many times as fast they are shown.

    ``retimed``: as equation 4.9 has it, smaller motions are also quicker: (1 − ε)(1 + ε/2) = α. Walkers keep the time of their steps.
    """
    less = 0.5 * ((1.0 + 8.0 * (1.0 - scale)) ** 0.5 - 1.0) if retimed else 1.0 - scale
    smaller = frames * (1.0 - less)
    smaller[:, SPEED] = frames[:, SPEED] * scale
    return smaller, 1.0 + 0.5 * less if retimed else 1.0


def turned(frames: Array, angle: float) -> Array:
    """Frames (K, COLUMNS) of a response that steps, turned about the vertical by ``angle`` (rad), as the push is (equation 4.10)."""
    c, s = np.cos(angle), np.sin(angle)
    found = frames.copy()
    for column in (ROOT.start, TURN.start, *range(BALL.start, BALL.stop, 3), *range(ANKLE.start, FOOT.stop, 3), SPEED.start):
        x, y = frames[:, column], frames[:, column + 1]
        found[:, column], found[:, column + 1] = c * x - s * y, s * x + c * y
    return found


def mixed(frames: Array, direction: float, wanted: float) -> Array:
    """Frames (K, COLUMNS) of a response in place to a push in ``direction`` (rad), mixed with its mirror image so that it is one to a push in the
    ``wanted`` direction, nearer to the sagittal plane (section 4.5.2); further from it nothing is done."""
    own, other = np.tan(direction), np.tan(wanted)
    if abs(np.sin(direction)) < np.sin(SIDEWAYS) or np.cos(direction) * np.cos(wanted) <= 0.0 or abs(other) >= abs(own):
        return frames
    share = 0.5 * (1.0 - other / own)
    return (1.0 - share) * frames + share * mirrored(frames)


@dataclass(frozen=True, eq=False)
class Way:
    """How a clip goes on after a push: n frames at the clip's rate.

    Attributes:
        times: (n,) s of the clip. columns: (n, COLUMNS) differences from it, in the heading frame of the push, m of the clip's body.
        contacts: (n, 2) whether the feet stand. heading: rad, of that frame.
        fell: whether it ends in a fall, and does not come back to the clip.
    """

    times: Array
    columns: Array
    contacts: Bools
    heading: float
    fell: bool


def sampled(frames: Array, contacts: Bools, moments: Array) -> Array:
    """(n, COLUMNS) of frames (K, COLUMNS) at ``moments`` (n,) in frames: smooth, but for the time, and without a sway of feet that stand.

    ``contacts``: (K, 2) whether they do."""
    last = len(frames) - 1
    moments = np.clip(moments, 0.0, last)
    at = np.minimum(moments.astype(int), max(last - 1, 0))
    after = np.minimum(at + 1, last)
    f = (moments - at)[:, None]
    around = np.concatenate([frames[:1], frames, frames[-1:]])
    slopes = 0.5 * (around[2:] - around[:-2])
    for foot in (0, 1):
        slopes[np.ix_(contacts[:, foot], foot_columns(foot))] = 0.0
    found = frames[at] + f * (frames[after] - frames[at])
    smooth = found + f * (1.0 - f) * ((1.0 - f) * (slopes[at] - frames[after] + frames[at]) - f * (slopes[after] - frames[after] + frames[at]))
    smooth[:, LATE] = found[:, LATE]
    return smooth


def foot_columns(foot: int) -> Ints:
    """The columns of the left (0) or right (1) foot."""
    return np.r_[ANKLE.start + 3 * foot:ANKLE.start + 3 * foot + 3, FOOT.start + 3 * foot:FOOT.start + 3 * foot + 3, TOE.start + foot]


def stepwise(columns: Array, contacts: Bools, begin: Array, fps: float) -> Array:
    """(n, COLUMNS) with feet that stay where they stand, as flat as in the clip: one value for each stance, and an even change from one to the next
    while a foot swings is added to how it swings. ``contacts``: (n, 2). ``begin``: (COLUMNS,) at the moment before the first frame."""
    found, swing = columns.copy(), SWING_S * fps
    for foot in (0, 1):
        own = foot_columns(foot)
        values = columns[:, own]
        # Stances: from when to when, and how far each is from what the foot does when it begins and when it ends. In the end it does that itself.
        marks = [(-1, 0, begin[own] * 0.0, begin[own] * 0.0)]
        for start, end in runs(contacts[:, foot]):
            # There is no time to go anywhere else before a stance that begins at once, or after one that ends with the way.
            goal = begin[own] if start < swing else values[-1] if end > len(values) - swing else values[(start + end) // 2] * FLAT
            found[start:end, own] = goal
            marks.append((start, end, goal - values[start], goal - values[end - 1]))
        marks.append((len(values) - 1, len(values), begin[own] * 0.0, begin[own] * 0.0))
        for (_, start, _, first), (end, _, last, _) in pairwise(marks):
            way = smooth_step((np.arange(start, end) - start + 1.0) / (end - start + 1.0))[:, None]
            found[start:end, own] = values[start:end] + (1.0 - way) * first + way * last
    return found


def laid(ready: Ready, way: Way) -> tuple[Motion, Array, Bools]:
    """The clip at way.times with the differences of ``way``, where its ankles are to be: (n, 2, 3) m, world, and whether the feet stand (n, 2): one
    that the leg does not reach yet, or no more, does not."""
    columns, frames = way.columns, len(way.times)
    roots, rotations, ankles, turns = ready.at(way.times)
    vectors = np.concatenate([columns[:, ROOT], columns[:, TURN], columns[:, ANKLE], columns[:, FOOT]], axis=1).reshape(frames, 6, 3)
    vectors = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), way.heading), vectors)
    swings = rotation.exp(np.concatenate([vectors[:, [1, 4, 5]], columns[:, BALL].reshape(frames, -1, 3)], axis=1))
    bends = rotation.hinge_angle(rotations[:, ready.elbows + ready.toes]) + np.concatenate([columns[:, ELBOW], columns[:, TOE]], axis=1)
    low, high = ready.body.limits[ready.elbows, 1].T
    # The legs follow from the feet; of the rest all but the elbows are ball joints.
    turned = [0, *ready.balls]
    rotations[:, turned] = np.concatenate(
        [rotation.multiply(swings[:, :1], rotations[:, :1]), rotation.multiply(rotations[:, ready.balls], swings[:, 3:])], axis=1)
    rotations[:, ready.elbows] = rotation.hinge(np.clip(bends[:, :2], low, high))
    turns = rotation.multiply(swings[:, 1:3], turns)
    ankles = ready.lifted(way.times, ankles + vectors[:, 2:4], turns, bends[:, 2:])
    moved = Motion(ready.motion.skeleton, ready.motion.fps, roots + vectors[:, 0], rotations)
    moved = ready.legs.reaching(moved, ankles, turns, bends[:, 2:])
    # Thighs and shins stay as they reach for the feet, and feet that stand as they stand.
    within, upper = held(moved.rotations, ready.body, ready.excess), ready.balls[:UPPER]
    near = np.stack([softened(stands.astype(float), STAYS_S * ready.motion.fps) for stands in way.contacts.T], axis=1)
    ends = [*ready.ankles, *ready.toes]
    stays = np.tile(np.where(way.contacts, 1.0, near), 2)
    moved.rotations[:, upper] = within[:, upper]
    moved.rotations[:, ends] = rotation.slerp(within[:, ends], moved.rotations[:, ends], stays)
    turns = moved.rotations[:, ready.legs.chain[-1]]
    for links in (*ready.legs.chain[-2::-1], [0]):
        turns = rotation.multiply(moved.rotations[:, links], turns)
    toes = rotation.hinge_angle(moved.rotations[:, ready.toes])
    higher = ready.lifted(way.times, ankles, turns, toes)
    if (higher > ankles).any():
        moved = ready.legs.reaching(moved, higher, turns, toes)
    hips = moved.root_positions[:, None] + rotation.rotate(moved.rotations[:, :1], ready.legs.hips)
    reached = np.linalg.norm(higher - hips, axis=-1) < ready.legs.distance(STRAIGHT_KNEE) + REACH_M
    return moved, higher, way.contacts & reached


def homeward(ready: Ready, way: Way) -> tuple[Way, float, Array]:
    """The way with an end at which the body is the clip, turned by an angle (rad) about the vertical and moved by a shift (3,) m, heading frame; both
    are returned, too. The turn is about the clip's pelvis at the way's last time."""
    turn = float(way.columns[-1, TURN][2])
    shift = way.columns[-1, ROOT] * (1.0, 1.0, 0.0)
    near = smooth_step(1.0 + (np.arange(len(way.times)) - len(way.times) + 1.0) / (FADE_S * ready.motion.fps))
    fading = slice(int(np.argmax(near > 0.0)), None)
    goal = np.zeros((len(way.times[fading]), COLUMNS))
    goal[:, [TURN.start + 2, FOOT.start + 2, FOOT.start + 5]] = turn
    goal[:, LATE] = way.columns[fading, LATE]
    roots, _, ankles, _ = ready.at(way.times[fading])
    arms = np.concatenate([roots[:, None], ankles], axis=1) - roots[-1]
    arms = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), -way.heading), arms)
    moves = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), turn), arms) - arms + shift
    goal[:, ROOT], goal[:, ANKLE] = moves[:, 0], moves[:, 1:].reshape(len(goal), 6)
    columns = way.columns.copy()
    columns[fading] += near[fading, None] * (goal - columns[fading])
    return replace(way, columns=columns), turn, shift


def moments(count: int, first: float, fps: float, pace: float, seconds: tuple[float, float]) -> Array:
    """(n,) frames of a response of ``count`` frames at which frames of a clip at ``fps`` show it: the first is ``first`` s after the push.

    ``pace``: times as fast as it was. seconds: that it lasts at least, as it ends, and at most."""
    length = min(max((count - 1) / RATE / pace, seconds[0]), seconds[1])
    return (first + np.arange(max(int(np.ceil((length - first) * fps)) + 1, 1)) / fps) * pace * RATE
