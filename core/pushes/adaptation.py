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
from ..ranges import joints_held, nearest
from ..signals import envelope, runs, smooth_step, softened
from .ready import Ready
from .response import ANKLE, BALL, COLUMNS, ELBOW, FOOT, LATE, RATE, ROOT, SPEED, TOE, TURN, UPPER, mirrored

SWING_S = 0.1  # s: a foot that is in the air for less does not get anywhere
REACH_M = 0.001  # m by which a leg may be too short for a foot that stands
STAYS_S = 0.2  # s around a stance in which a foot turns as it is to stand
FLAT = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])  # of the columns of a foot, those in which it may differ from the clip while it stands
FADE_S = 0.4  # s in which what is left of a response goes over into the clip
LOWEST_M, LOWER_S = 0.15, 0.12  # m that a pelvis comes down so that legs reach their feet, at most, and s over which it does
LITTLE = np.radians(1.0)  # rad that ankles may be beyond their ranges
BEGINS_S = 0.15  # s after a push from when on a body may differ from the way it was laid on
EASE_S = 0.08  # s over which legs turn and heels rise for that, and times as far as ankles are beyond their ranges that heels rise
SHARE, AROUND, ROLLS = 2.5, 1.3, np.radians(15.0)  # the same of legs that turn; and rad that a pelvis rolls, at most
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
    roots = roots + vectors[:, 0]
    eases = _eases(frames, ready.motion.fps)
    roots[:, 2] -= eases * lowering(ready, roots, rotations[:, :1], ankles, way.contacts)
    moved = Motion(ready.motion.skeleton, ready.motion.fps, roots, rotations)
    moved = ready.legs.reaching(moved, ankles, turns, bends[:, 2:])
    moved, ankles, turns, bends[:, 2:] = eased(ready, moved, ankles, turns, bends[:, 2:], eases)
    # Thighs and shins stay as they reach for the feet, and feet that stand as they stand.
    some = [*ready.balls[:UPPER], *ready.ankles, *ready.toes]
    within = joints_held(moved.rotations[:, some], ready.body.limits[some], ready.excess[some])
    near = np.stack([softened(stands.astype(float), STAYS_S * ready.motion.fps) for stands in way.contacts.T], axis=1)
    ends = [*ready.ankles, *ready.toes]
    stays = np.tile(np.where(way.contacts, 1.0, near), 2)
    moved.rotations[:, ready.balls[:UPPER]] = within[:, :UPPER]
    moved.rotations[:, ends] = rotation.slerp(within[:, UPPER:], moved.rotations[:, ends], stays)
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


def lowering(ready: Ready, roots: Array, pelvis: Array, ankles: Array, contacts: Bools) -> Array:
    """(n,) m by which a pelvis at ``roots`` (n, 3), turned by ``pelvis`` (n, 1, 4), is to be lower so that legs reach the ankles (n, 2, 3) of feet
    that stand (n, 2)."""
    away = ankles - roots[:, None] - rotation.rotate(pelvis, ready.legs.hips)
    room = np.sqrt(np.maximum(ready.legs.distance(STRAIGHT_KNEE) ** 2 - (away[..., :2] ** 2).sum(axis=-1), 0.0))
    drop = np.where(contacts, np.maximum(-away[..., 2] - room, 0.0), 0.0).max(axis=1)
    return envelope(np.minimum(drop, LOWEST_M), LOWER_S * ready.motion.fps) if drop.any() else drop


def _eases(frames: int, fps: float) -> Array:
    """(n,) how much a body may differ from the way it was laid on, from 0 to 1: not where it begins and ends."""
    since = np.arange(1, frames + 1) / fps
    return smooth_step(since / BEGINS_S) * smooth_step((frames / fps - since) / FADE_S)


def eased(ready: Ready, motion: Motion, ankles: Array, turns: Array, toes: Array, eases: Array) -> tuple[Motion, Array, Array, Array]:
    """A motion whose feet are at ``ankles`` (n, 2, 3) m, with ``turns`` (n, 2, 4), world, and ``toes`` (n, 2) rad, with hips and ankles in their
    ranges as far as that goes, and these: the pelvis rolls for legs that are far apart, a leg turns about itself to where its foot points, and a heel
    rises before the shin leans further over the foot. ``eases``: (n,) how much of that is done."""
    thighs, _, feet = ready.legs.chain
    both = [*thighs, *feet]
    limits, own = ready.body.limits[both], ready.excess[both]
    angles = nearest(motion.rotations[:, both], limits)
    over = eases[:, None, None] * (np.maximum(angles - limits[..., 1] - own, 0.0) - np.maximum(limits[..., 0] - own - angles, 0.0))
    if np.abs(over[:, :2, 0]).max() < LITTLE and np.abs(over[:, 2:, 1:]).max() < LITTLE:
        return motion, ankles, turns, toes
    fades = EASE_S * ready.motion.fps
    wanted = np.column_stack([AROUND * over[:, 2:, 2], SHARE * np.maximum(-over[:, 2:, 1], 0.0), np.clip(over[:, :2, 0].sum(axis=1), -ROLLS, ROLLS)])
    changes = eases[:, None] * np.stack([softened(values, fades) if values.any() else values for values in wanted.T], axis=1)
    on = changes.any(axis=1)  # the others stay as they are
    round_, rise, roll = changes[:, :2], changes[:, 2:4], rotation.from_axis_angle((1.0, 0.0, 0.0), changes[on, 4])
    some = replace(motion, root_positions=motion.root_positions[on], rotations=motion.rotations[on])
    back = rotation.conjugate(roll)
    some.rotations[:, 0] = rotation.multiply(some.rotations[:, 0], roll)
    some.rotations[:, ready.balls[0]] = rotation.multiply(back, some.rotations[:, ready.balls[0]])  # the trunk stays as it is
    some.rotations[:, thighs] = rotation.multiply(
        rotation.multiply(back[:, None], some.rotations[:, thighs]), rotation.from_axis_angle((0.0, 0.0, 1.0), round_[on]))
    ankles, turns, toes, rotations = ankles.copy(), turns.copy(), toes - rise, motion.rotations.copy()
    balls = ankles[on] + rotation.rotate(turns[on], ready.to_toes)
    turns[on] = rotation.multiply(turns[on], rotation.hinge(rise[on]))
    ankles[on] = balls - rotation.rotate(turns[on], ready.to_toes)
    rotations[on] = ready.legs.reaching(some, ankles[on], turns[on], toes[on]).rotations
    return replace(motion, rotations=rotations), ankles, turns, toes


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
