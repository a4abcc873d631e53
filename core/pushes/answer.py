"""Answer: what becomes of a clip that is pushed, in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, sin

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Vector
from ..balance_styles import known_styles
from ..balance_styles import scaled as scaled_style
from ..motion import Motion
from ..places import struck
from ..signals import smooth_step
from .adaptation import FADE_S, Way, foot_columns, homeward, laid, mixed, moments, sampled, scaled, stepwise, turned
from .catch import Stance, best
from .database import Database, frames_of, steps_of
from .leading import Led, landings, matched, moved, retimed, waiting, walked
from .onward import LED
from .ready import Ready
from .response import ANKLE, COLUMNS, FALL, IN_PLACE, LATE, RATE, ROOT, SPEED, STEPS, STRATEGIES
from .selection import Choice, Push, chosen, chosen_again, knows, strategies

JOIN_S = 0.3  # s in which the pose of a body that is pushed again goes over into the new response
LASTS_S = (JOIN_S + FADE_S, 10.0)  # s of a response, at least and at most
LIES_M = 0.03  # m over the floor, at least, that joints of a body are that falls
SOON_S = 2.0  # s in which a walker makes its next steps
STEP_M = 0.03  # m: a foot that comes down nearer to where it stood has not stepped


@dataclass(frozen=True, eq=False)
class Move:
    """On the ground: a turn (rad) about the world's vertical axis, and then a way (3,) m."""

    turn: float
    way: Array

    def places(self, points: Array) -> Array:
        """(..., 3) m, world: where points go."""
        return rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), self.turn), points) + self.way

    def of(self, roots: Array, rotations: Array) -> tuple[Array, Array]:
        """Roots (F, 3) and rotations (F, L, 4) of a motion that is moved."""
        turned = rotations.copy()
        turned[:, 0] = rotation.multiply(rotation.from_axis_angle((0.0, 0.0, 1.0), self.turn), rotations[:, 0])
        return self.places(roots), turned

    def back(self, vector: Vector) -> Vector:
        """A vector of the world as it was before the move."""
        x, y, z = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), -self.turn), np.array(vector)).tolist()
        return x, y, z

    def then(self, other: Move) -> Move:
        return Move(self.turn + other.turn, other.places(self.way))


NOWHERE = Move(0.0, np.zeros(3))


@dataclass(frozen=True, eq=False)
class Answer:
    """A clip that is pushed.

    Attributes:
        motion: the clip until the push, how it is taken, and the clip again, moved to where the body has come to; at the clip's rate.
        contacts: (F, 2) of it. strategy: one of ``STRATEGIES``. steps: how many caught the body when the response was simulated.
        places: (N, 4) foot, s after the push and m (world x, y) of the ankle of each of them.
        first, last: frames of the motion between which it is not the clip. clip_times: (F,) s of the clip at each frame.
        choice: the response. way: how it was laid on the clip. moved: the clip on which it was laid, by earlier pushes. home: the clip that comes
            after it, by all of them.
    """

    motion: Motion
    contacts: Bools
    strategy: str
    steps: int
    places: Array
    first: int
    last: int
    clip_times: Array
    choice: Choice
    way: Way
    moved: Move
    home: Move


def answer(database: Database, clip: Ready, time: float, part: str, force: Vector, seconds: float, before: Answer | None = None) -> Answer:
    """A clip with a push on it.

    Args:
        time: s of the clip. part: as in ``places.PARTS``. force: N, world, for ``seconds``.
        before: the answer to an earlier push on the clip, which is pushed again; then ``time`` is that of its motion.
    """
    size = clip.body.leg_length / database.body.leg_length
    first = _frame(clip, time, before)
    moved, (now, pace, moment, feet_now) = _moved(before, first), _now(before, clip, first)
    features = clip.features[clip.frame(moment)]
    given, height = _given(clip, moment, moved, np.array(force)[None] * seconds, size)[0], _height(clip, moment, part)
    led: list[Led] = []
    if now.any():
        choice = chosen_again(database, features, _sized(now, 1.0 / size), feet_now, given, height)
    else:
        choice, _, led = _taken(database, clip, moment, part, moved.back(force), seconds)
    way = _way(database, clip, choice, size, moment, now, pace, feet_now, led)
    times = database.responses[choice.number % len(database.responses)].steps[:, 1]
    steps = int((times > choice.frame / RATE).sum()) if choice.strategy == STEPS else 0
    return _whole(clip, choice, steps, way, first, now, moved, before)


def fates(database: Database, clip: Ready, time: float, part: str, impulses: Array, before: Answer | None = None) -> list[str]:
    """What becomes of the body after each of pushes (n, 3) N·s, world: one of ``STRATEGIES``. The rest as in ``answer``."""
    size = clip.body.leg_length / database.body.leg_length
    first = _frame(clip, time, before)
    now, _, moment, _ = _now(before, clip, first)
    given, height = _given(clip, moment, _moved(before, first), impulses, size) + _sized(now, 1.0 / size)[SPEED], _height(clip, moment, part)
    found = strategies(database, clip.features[clip.frame(moment)], [_push(one, height) for one in given])
    return [STRATEGIES[strategy] for strategy in found]


def held_by(database: Database, clip: Ready, time: float, part: str, force: Vector, seconds: float) -> tuple[bool, int]:
    """Of the answer to a push on a clip, as in ``answer``: whether it is one of a body that walks, and its ``Response.held_by``."""
    choice, held, _ = _taken(database, clip, time, part, force, seconds)
    return bool(database.index.walks[database.index.start[choice.number]]), held


def _taken(database: Database, clip: Ready, moment: float, part: str, force: Vector, seconds: float) -> tuple[Choice, int, list[Led]]:
    """The response to a push on the clip at ``moment`` (s), what holds the body, as ``Response.held_by`` has it, and the steps with which it catches
    itself, to which the response is to be led."""
    frame, size = clip.frame(moment), clip.body.leg_length / database.body.leg_length
    given, height = _given(clip, moment, NOWHERE, np.array(force)[None] * seconds, size)[0], _height(clip, moment, part)
    features, push = clip.features[frame], _push(given, height)
    choice = chosen(database, features, push)
    held = database.responses[choice.number % len(database.responses)].held_by
    if choice.strategy != STEPS:
        return choice, held, []
    if database.index.walks[database.index.start[choice.number]]:
        return choice, held, [one.sized(size) for one in _onward(database, clip, frame, given, height, size)]
    stance = Stance.of(clip, frame)
    held, found = best(stance, [scaled_style(style, clip.body) for style in known_styles()], held, force[:2], seconds, height * clip.body.leg_length)
    c, s = cos(stance.yaw), sin(stance.yaw)
    led = []
    for one in found.steps:
        x, y = (there - here for there, here in zip(one.place, stance.ankles[one.foot], strict=True))
        led.append(Led(one.foot, one.begin, one.land, np.array((c * x + s * y, c * y - s * x))))
    return (chosen(database, features, push, [one.sized(1.0 / size) for one in led]) if led else choice), held, led


def _onward(database: Database, clip: Ready, frame: int, given: Array, height: float, size: float) -> list[Led]:
    """The next steps of a walker, in the size of the database's."""
    near = clip.contacts[frame:frame + round(SOON_S * clip.motion.fps)]
    ends, feet = np.nonzero(near[1:] & ~near[:-1])
    if len(ends) < LED or feet[0] == feet[1]:
        return []
    nominal = ((ends[:LED] + 1) / clip.motion.fps / size**0.5).tolist()
    return database.walked.led(int(feet[0]), np.array([*given, height, nominal[0]]), nominal)


def known(database: Database, clip: Ready, time: float, before: Answer | None = None) -> bool:
    """Whether the database has anything to say of a push at ``time``, as in ``answer``."""
    _, _, moment, _ = _now(before, clip, _frame(clip, time, before))
    return knows(database, clip.features[clip.frame(moment)])


def _push(given: Array, height: float) -> Push:
    return Push(float(np.arctan2(given[1], given[0])), float(np.linalg.norm(given)), height)


def _given(clip: Ready, moment: float, moved: Move, impulses: Array, size: float) -> Array:
    """(n, 2) m/s, heading frame at ``moment`` (s of the clip, which is ``moved``), that pushes (n, 3) N·s, world, give a body as large as the
    database's."""
    back = rotation.from_axis_angle((0.0, 0.0, 1.0), -float(clip.headings[clip.frame(moment)]) - moved.turn)
    return rotation.rotate(back, impulses / clip.body.mass)[:, :2] / size**0.5


def _height(clip: Ready, moment: float, part: str) -> float:
    """Leg lengths over the ground, of what is struck."""
    at, (link, point) = clip.frame(moment), struck(clip.body, part)
    return float((clip.places[at, link] + rotation.rotate(clip.turns[at, link], point))[2]) / clip.body.leg_length


def _frame(clip: Ready, time: float, before: Answer | None) -> int:
    """The frame of the motion that is pushed at ``time`` (s), the last one where it is over before that."""
    motion = before.motion if before else clip.motion
    return min(int(time * motion.fps + 1e-6), motion.frames - 1)


def _moved(before: Answer | None, first: int) -> Move:
    """By how much the clip has been moved by the frame ``first`` of a push."""
    if before is None:
        return NOWHERE
    return before.moved if first <= before.last else before.home


def _now(before: Answer | None, clip: Ready, first: int) -> tuple[Array, Array, float, Bools]:
    """How the body differs from the clip when the push comes (COLUMNS,), how quickly that changes (COLUMNS,) 1/s, s of the clip then, and which feet
    stand (2,)."""
    if before is None:
        return np.zeros(COLUMNS), np.zeros(COLUMNS), first / clip.motion.fps, clip.contacts[first]
    at = first - before.first - 1
    now, earlier = (before.way.columns[k] if 0 <= k < len(before.way.times) else np.zeros(COLUMNS) for k in (at, at - 1))
    return now, (now - earlier) * clip.motion.fps if now.any() else np.zeros(COLUMNS), float(before.clip_times[first]), before.contacts[first]


def _sized(columns: Array, factor: float) -> Array:
    """(..., COLUMNS) for a body that is larger by a factor: lengths and times go with it (dynamic similarity)."""
    found = columns.copy()
    found[..., ROOT] *= factor
    found[..., ANKLE] *= factor
    found[..., LATE] *= factor**0.5
    return found


def _way(database: Database, clip: Ready, choice: Choice, size: float, moment: float, now: Array, pace_now: Array, feet_now: Bools,
         led: list[Led]) -> Way:
    """How the clip goes on from ``moment`` (s of it), with its steps where they are ``led``; the other arguments are as ``_now`` gives them."""
    index, fps = database.index, clip.motion.fps
    frames, stands = frames_of(database, choice.number)
    walks = bool(index.walks[index.start[choice.number]])
    direction, fell = float(index.directions[choice.number]), choice.strategy == FALL
    frames, pace = scaled(frames, choice.scale, retimed=not (walks or led))
    frames = mixed(frames, direction, direction + choice.turn) if choice.strategy == IN_PLACE else turned(frames, choice.turn)
    frames, pace = _sized(frames, size), pace / size**0.5
    own = [] if not led else walked(frames, stands, steps_of(database, choice.number)) if walks else landings(frames, stands)
    if pairs := matched(own[:len(steps_of(database, choice.number))], led):
        at = retimed(pairs, len(frames), fps, pace, LASTS_S[0])
        columns = moved(pairs, own[len(pairs):], sampled(frames, stands, at), at)
        if walks:
            columns[:, LATE.start] = waiting(pairs, frames[:, LATE.start], columns[:, LATE.start], at, fps, pace)
    else:
        at = choice.frame + moments(len(frames) - choice.frame, 1.0 / fps, fps, pace, LASTS_S)
        columns = sampled(frames, stands, at)
    since = np.arange(1, len(at) + 1) / fps
    off, faster = now - frames[choice.frame], np.zeros(COLUMNS)
    if now.any():
        faster = pace_now - (columns[0] - frames[choice.frame]) * fps
    columns = columns + _joining(off, faster, since, feet_now)
    times = moment + since - (columns[:, LATE.start] - now[LATE.start])
    held = clip.stands(times) if walks and not fell else _stands(stands, at)
    return Way(times, columns, held, float(clip.headings[clip.frame(moment)]), fell)


def _stands(contacts: Bools, at: Array) -> Bools:
    """(n, 2) whether the feet stand at ``at`` (n,) in frames, by contacts (K, 2) of these: a foot has to come to its place before it does."""
    last = len(contacts) - 1
    return contacts[np.minimum(at.astype(int), last)] & contacts[np.minimum(np.ceil(at).astype(int), last)]


def _joining(off: Array, faster: Array, since: Array, feet_now: Bools) -> Array:
    """(n, COLUMNS) to add to a response that begins ``off`` (COLUMNS,) from how the body is, and ``faster`` (COLUMNS,) 1/s slower than it, ``since``
    (n,) s ago. Its joints go over into the response; it stays where its feet stand, and goes on from there."""
    u = np.minimum(since / JOIN_S, 1.0)[:, None]
    faster = faster.copy()
    for foot in (0, 1):
        if feet_now[foot]:
            faster[foot_columns(foot)] = 0.0
    fade = 1.0 - u**2 * (3.0 - 2.0 * u)
    added = fade * off + JOIN_S * u * (1.0 - u) ** 2 * faster
    standing = [off[ANKLE][3 * foot:3 * foot + 3] for foot in (0, 1) if feet_now[foot]] or [off[ROOT]]
    shift = np.mean(standing, axis=0) * (1.0, 1.0, 0.0)
    for column in (ROOT.start, ANKLE.start, ANKLE.start + 3):
        added[:, column:column + 3] += (1.0 - fade) * shift
    added[:, LATE] = off[LATE]
    return added


def _whole(clip: Ready, choice: Choice, steps: int, way: Way, first: int, now: Array, moved: Move, before: Answer | None) -> Answer:
    """The clip, or what an earlier push made of it, until frame ``first``, the way, and the rest of the clip, both ``moved``."""
    fps = clip.motion.fps
    base, stood, past = ((before.motion, before.contacts, before.clip_times) if before
                         else (clip.motion, clip.contacts, np.arange(clip.motion.frames) / fps))
    rest, home = np.zeros(0), NOWHERE
    if not way.fell:
        way, turn, shift = homeward(clip, way)
        pivot = clip.at(way.times[-1:])[0][0]
        along = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), way.heading), shift)
        home = Move(turn, pivot + along - Move(turn, np.zeros(3)).places(pivot))
        way = replace(way, columns=stepwise(way.columns, way.contacts, now, fps))
        rest = way.times[-1] + np.arange(1, max(int((clip.motion.duration - way.times[-1]) * fps + 1e-6), 0) + 1) / fps
    taken, ankles, stands = laid(clip, way)
    if now.any():
        taken = _going_on(clip, way, now, base, first, moved, taken)
    if way.fell:  # who falls another way than it was simulated lies on other limbs
        low = taken.world()[0][..., 2].min(axis=1)
        taken = taken.displace(np.maximum(0.0, LIES_M - low)[:, None] * (0.0, 0.0, 1.0))
    roots, rotations, _, _ = clip.at(rest)
    home = home.then(moved)
    parts = [(base.root_positions[:first + 1], base.rotations[:first + 1]), moved.of(taken.root_positions, taken.rotations),
             home.of(roots, rotations)]
    motion = Motion(clip.motion.skeleton, fps, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    places = _places(way, moved.places(ankles), fps)[:steps]
    return Answer(motion, np.concatenate([stood[:first + 1], stands, clip.stands(rest)]), STRATEGIES[choice.strategy], steps, places,
                  first, first + len(way.times), np.concatenate([past[:first + 1], way.times, rest]), choice, way, moved, home)


def _going_on(clip: Ready, way: Way, now: Array, base: Motion, first: int, moved: Move, taken: Motion) -> Motion:
    """What was taken, with what frame ``first`` of ``base`` has besides ``now`` (COLUMNS,), as legs that have eased, fading."""
    at = float(way.times[0]) - 1.0 / clip.motion.fps + float(way.columns[0, LATE.start] - now[LATE.start])
    start, _, _ = laid(clip, Way(np.array([at]), now[None], way.contacts[:1], way.heading, way.fell))
    roots, rotations = moved.of(start.root_positions, start.rotations)
    left = 1.0 - smooth_step(np.arange(1, taken.frames + 1) / clip.motion.fps / JOIN_S)
    on = left > 0.0
    turns = rotation.log(rotation.multiply(rotation.conjugate(rotations[0, 1:]), base.rotations[first, 1:]))
    joints = taken.rotations.copy()
    joints[on, 1:] = rotation.multiply(joints[on, 1:], rotation.exp(left[on, None, None] * turns))
    away = (base.root_positions[first] - roots[0]) * (0.0, 0.0, 1.0)
    return replace(taken, root_positions=taken.root_positions + left[:, None] * away, rotations=joints)


def _places(way: Way, ankles: Array, fps: float) -> Array:
    """(N, 4) of the steps on the way, as ``Answer.places`` has them, from where its ankles are (n, 2, 3)."""
    rows = [(foot, (frame + 2) / fps, *ankles[frame + 1, foot, :2]) for foot in (0, 1)
            for frame in np.flatnonzero(way.contacts[1:, foot] & ~way.contacts[:-1, foot])
            if np.linalg.norm((ankles[frame + 1, foot] - ankles[frame - np.argmax(way.contacts[frame::-1, foot]), foot])[:2]) > STEP_M]
    return np.array(sorted(rows, key=lambda row: row[1])).reshape(-1, 4)
