"""Answer: what becomes of a clip that is pushed, in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Vector
from ..body import Body
from ..motion import Motion
from ..places import struck
from .adaptation import Way, homeward, laid, mixed, moments, sampled, scaled, stepwise, turned
from .database import Database, frames_of
from .response import ANKLE, COLUMNS, FALL, IN_PLACE, LATE, RATE, ROOT, STEPS, STRATEGIES, features
from .selection import Choice, Push, chosen, chosen_again

JOIN_S = 0.3  # s in which the pose of a body that is pushed again goes over into the new response
LONGEST_S = 10.0  # s of a response


@dataclass(frozen=True, eq=False)
class Answer:
    """A clip that is pushed.

    Attributes:
        motion: the clip until the push, how it is taken, and the clip again, moved to where the body has come to; at the clip's rate.
        contacts: (F, 2) of it. strategy: one of ``STRATEGIES``. steps: how many caught the body.
        places: (steps, 5) foot, s after the push, m (world x, y) and heading (rad) of each step.
        first, last: frames of the motion between which it is not the clip. clip_times: (F,) s of the clip at each frame.
        choice: the response. way: how it was laid on the clip.
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


def answer(database: Database, body: Body, clip: Motion, contacts: Bools, time: float, part: str, force: Vector, seconds: float,
           before: Answer | None = None) -> Answer:
    """The clip with a push on it.

    Args:
        clip: on body.skeleton, with planted feet. contacts: (F, 2) whether its feet stand. time: s of the clip.
        part: as in ``places.PARTS``. force: N, world, for ``seconds``.
        before: the answer to an earlier push, which is pushed again; then ``time`` is that of its motion, and clip and contacts are those it was
            made of.
    """
    size = body.leg_length / database.body.leg_length
    first = int(time * clip.fps + 1e-6)
    now, moment, feet_now = _now(before, contacts, first, clip.fps)
    heading = float(rotation.heading(clip.sample(moment)[1][0]))
    given = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), -heading), np.array(force) * seconds / body.mass)[:2] / size**0.5
    place = (before.motion if before else clip).sample(first / clip.fps)
    link, point = struck(body, part)
    places, turns = body.skeleton.forward_kinematics(*place)
    height = float((places[link] + rotation.rotate(turns[link], point))[2]) / body.leg_length
    pose = features(body, clip, moment)
    if before is None or not now.any():
        choice = chosen(database, pose, Push(float(np.arctan2(given[1], given[0])), float(np.linalg.norm(given)), height))
    else:
        choice = chosen_again(database, pose, _sized(now, 1.0 / size), feet_now, given, height)
    way = _way(database, clip, contacts, choice, size, moment, heading, now, feet_now)
    return _whole(database, body, clip, contacts, choice, way, first, before)


def _now(before: Answer | None, contacts: Bools, first: int, fps: float) -> tuple[Array, float, Bools]:
    """How the body differs from the clip when the push comes (COLUMNS,), s of the clip then, and which feet stand (2,)."""
    if before is None:
        return np.zeros(COLUMNS), first / fps, contacts[min(first, len(contacts) - 1)]
    at = first - before.first - 1
    if 0 <= at < len(before.way.times):
        return before.way.columns[at], float(before.way.times[at]), before.contacts[first]
    first = min(first, len(before.clip_times) - 1)
    return np.zeros(COLUMNS), float(before.clip_times[first]), before.contacts[first]


def _sized(columns: Array, factor: float) -> Array:
    """(..., COLUMNS) for a body that is larger by a factor: lengths and times go with it (dynamic similarity)."""
    found = columns.copy()
    found[..., ROOT] *= factor
    found[..., ANKLE] *= factor
    found[..., LATE] *= factor**0.5
    return found


def _way(database: Database, clip: Motion, contacts: Bools, choice: Choice, size: float, moment: float, heading: float, now: Array,
         feet_now: Bools) -> Way:
    """How the clip goes on from ``moment`` (s of it)."""
    index = database.index
    frames, stands = frames_of(database, choice.number)
    walks = bool(index.walks[index.start[choice.number]])
    frames, pace = scaled(frames, choice.scale, retimed=not walks)
    if choice.strategy == IN_PLACE:
        frames = mixed(frames, float(index.directions[choice.number]), float(index.directions[choice.number]) + choice.turn)
    else:
        frames = turned(frames, choice.turn)
    frames, pace = _sized(frames, size), pace / size**0.5
    at = choice.frame + moments(len(frames) - choice.frame, 1.0 / clip.fps, clip.fps, pace, LONGEST_S)
    columns = sampled(frames, at)
    since = (at - choice.frame) / RATE / pace
    columns = columns + _joining(now - frames[choice.frame], since, feet_now)
    times = moment + since - (columns[:, LATE.start] - now[LATE.start])
    fell = choice.strategy == FALL
    if walks and not fell:
        held = contacts[np.clip(np.round(times * clip.fps).astype(int), 0, len(contacts) - 1)]
    else:
        held = stands[np.clip(np.round(at).astype(int), 0, len(stands) - 1)]
    return Way(times, columns, held, heading, fell)


def _joining(off: Array, since: Array, feet_now: Bools) -> Array:
    """(n, COLUMNS) to add to a response that begins ``off`` (COLUMNS,) from how the body is, ``since`` (n,) s ago. Its joints go over into the
    response; it stays where its feet stand, and goes on from there."""
    fade = 1.0 - np.minimum(since / JOIN_S, 1.0)[:, None] ** 2 * (3.0 - 2.0 * np.minimum(since / JOIN_S, 1.0)[:, None])
    added = fade * off
    standing = [off[ANKLE][3 * foot:3 * foot + 3] for foot in (0, 1) if feet_now[foot]] or [off[ROOT]]
    shift = np.mean(standing, axis=0) * (1.0, 1.0, 0.0)
    for column in (ROOT.start, ANKLE.start, ANKLE.start + 3):
        added[:, column:column + 3] += (1.0 - fade) * shift
    added[:, LATE] = off[LATE]
    return added


def _whole(database: Database, body: Body, clip: Motion, contacts: Bools, choice: Choice, way: Way, first: int, before: Answer | None) -> Answer:
    """The clip, or what an earlier push made of it, until frame ``first``, the way, and the rest of the clip."""
    base, own = (before.motion, before.contacts) if before else (clip, contacts)
    past = before.clip_times[:first + 1] if before else np.arange(first + 1) / clip.fps
    begin = before.way.columns[first - before.first - 1] if before and 0 <= first - before.first - 1 < len(before.way.times) else np.zeros(COLUMNS)
    turn, shift = 0.0, np.zeros(3)
    if not way.fell:
        way, turn, shift = homeward(body, clip, way)
        way = replace(way, columns=stepwise(way.columns, way.contacts, begin))
    taken = laid(body, clip, way)
    rest = np.arange(way.times[-1] + 1.0 / clip.fps, clip.duration, 1.0 / clip.fps) if not way.fell else np.zeros(0)
    roots, rotations = clip.sample(rest)
    around = rotation.from_axis_angle((0.0, 0.0, 1.0), turn)
    pivot = clip.sample(way.times[-1])[0]
    roots = pivot + rotation.rotate(around, roots - pivot) + rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), way.heading), shift)
    rotations = rotations.copy()
    rotations[:, 0] = rotation.multiply(around, rotations[:, 0])
    motion = Motion(clip.skeleton, clip.fps, np.concatenate([base.root_positions[:first + 1], taken.root_positions, roots]),
                    np.concatenate([base.rotations[:first + 1], taken.rotations, rotations]))
    stands = np.concatenate([own[:first + 1], way.contacts, contacts[np.clip(np.round(rest * clip.fps).astype(int), 0, len(contacts) - 1)]])
    places = _places(body, motion, way, first) if choice.strategy == STEPS else np.zeros((0, 5))
    return Answer(motion, stands, STRATEGIES[choice.strategy], len(places), places, first, first + len(way.times),
                  np.concatenate([past, way.times, rest]), choice, way)


def _places(body: Body, motion: Motion, way: Way, first: int) -> Array:
    """(N, 5) of the steps on the way, as ``Answer.places`` has them."""
    rows = []
    for foot in (0, 1):
        link = body.names.index(("foot.L", "foot.R")[foot])
        for frame in np.flatnonzero(way.contacts[1:, foot] & ~way.contacts[:-1, foot]) + 1:
            pose = slice(first + 1 + frame, first + 2 + frame)
            positions, turns = body.skeleton.forward_kinematics(motion.root_positions[pose], motion.rotations[pose])
            rows.append((foot, (frame + 1) / motion.fps, *positions[0, link, :2], float(rotation.heading(turns[0, link]))))
    return np.array(sorted(rows, key=lambda row: row[1])).reshape(-1, 5)


