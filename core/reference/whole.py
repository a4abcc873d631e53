"""Whole cycles: clips that end as they begin, as games have them: one stride of a walk or a run, or someone who stands and breathes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from .. import feet, rotation
from ..arrays import Array, Bools
from ..body import Body
from ..formats import Clip
from ..motion import Motion
from ..retarget import retarget
from ..signals import runs
from . import fragments, poses, treadmill
from .loop import chained, closed
from .reference import Reference, prepare

# Metres, as a mean over the joints, up to which the ends of a clip are alike.
ALIKE = 0.03
# Where the clip begins again, its moves from frame to frame change by no more than this many times as much as they do elsewhere.
ONWARD = 2.0
# Share of the fastest of them by which the end may miss the beginning, where the clip leaves out the last pose because it is the first one.
MISSED = 0.5
# An ankle swings while it is faster over the ground than this (m/s), and than this share of its greatest speed.
SWING, SWING_SHARE = 0.35, 0.4
# Radians from the first to the last pose, up to which a clip is meant to go straight on; whoever stands is, as feet that stand cannot turn on and on.
STRAIGHT, STANDING = np.radians(6.0), np.radians(20.0)
# Metres that joints of someone who stands quietly move around the pelvis, at most.
QUIET = 0.15


@dataclass(frozen=True)
class Whole:
    """A motion that begins again after ``frames`` of it.

    Attributes:
        seam: metres between its ends, as a mean over the joints.
        kind: "steps": the feet step in turn; "stands": both feet stand, and the body is quiet; "other": anything else, as a kick.
    """

    frames: int
    seam: float
    kind: str


def find_whole(body: Body, motion: Motion, ground: Array) -> Whole | None:
    """How a motion on body.skeleton begins again; None where its ends are not alike. ``ground``: (2,) m/s, velocity of the ground."""
    if motion.frames < 4:
        return None
    places = poses.places(body, motion)
    moves = np.diff(places, axis=0)
    fastest = float(np.linalg.norm(moves, axis=1).max())
    change = float(np.linalg.norm(np.diff(moves, axis=0), axis=1).max())
    again = float(np.linalg.norm(places[-1] - places[0]))
    missed = float(np.linalg.norm(places[-1] + 0.5 * (moves[0] + moves[-1]) - places[0]))
    if missed < min(again, MISSED * fastest):
        frames, seam, apart = motion.frames, missed, 2
    else:
        frames, seam, apart = motion.frames - 1, again, 1
    if seam > ALIKE or np.linalg.norm(moves[-1] - moves[0]) > max(ONWARD * apart * change, ALIKE / motion.fps):
        return None
    return Whole(frames, seam, _kind(body, motion, ground, places))


def gone_round(clip: Clip, body: Body, seconds: float, *, repair: bool = False, which: str = "usual") -> Reference:
    """A clip on a body, over ground that stands still. Where it ends as it begins, it goes round for ``seconds`` or more. ``which`` clips do so:
    "usual", those that step, or stand quietly; "any"; or "none"."""
    found: list[tuple[Array, Whole | None]] = []

    def made(body: Body, motion: Motion) -> Motion:
        ground, whole = _seen(body, motion, which)
        found.append((ground, whole))
        # One round more at each end, so that what is looked for there is found as in the others.
        long = rounds(motion, whole, math.ceil(seconds * motion.fps / whole.frames) + 2) if whole else motion
        return treadmill.over_ground(long, ground)

    reference = prepare(clip, body, repair=repair, made=made)
    ground, whole = found[0]
    notes = [*reference.notes, *_notes(ground, whole, clip.motion.fps)]
    if whole is None:
        return replace(reference, ground=ground, notes=notes)
    period = whole.frames / clip.motion.fps
    return replace(_from(reference, period, reference.motion.duration - period), ground=ground, period=period, goes_on=True, notes=notes)


def _from(reference: Reference, start: float, end: float) -> Reference:
    """The reference from ``start`` until ``end`` (s)."""
    motion = reference.motion.slice(start, end)
    first = round(start * motion.fps)
    stances = [replace(stance, start=max(stance.start - first, 0), end=min(stance.end - first, motion.frames)) for stance in reference.stances
               if stance.end > first and stance.start - first < motion.frames]
    return replace(reference, motion=motion, stances=stances, fragments=fragments.cut(motion, stances))


def seen_in(clip: Clip, body: Body) -> list[str]:
    """Sentences on a clip that goes round, or that walks in place."""
    return _notes(*_seen(body, retarget(clip, body), "usual"), clip.motion.fps)


def _seen(body: Body, motion: Motion, which: str) -> tuple[Array, Whole | None]:
    """The velocity of the ground, and how the motion goes round, if it is to; ``which`` as above."""
    ground = treadmill.belt(body, motion)
    whole = find_whole(body, motion, ground) if which != "none" else None
    return ground, None if whole and whole.kind == "other" and which != "any" else whole


def _notes(ground: Array, whole: Whole | None, fps: float) -> list[str]:
    speed = float(np.linalg.norm(ground))
    place = f" in place, as on a treadmill at {speed:.1f} m/s" if speed > 0.0 else ""
    if whole:
        return [f"It ends as it begins: one round of {whole.frames / fps:.2f} s{place}."]
    return [f"It steps{place}."] if place else []


def rounds(motion: Motion, whole: Whole, count: int) -> Motion:
    """The motion ``count`` times, going on. What does not meet at the seam is spread evenly over it."""
    most = STANDING if whole.kind == "stands" else STRAIGHT
    return chained(closed(_straight(_with_last(motion) if whole.frames == motion.frames else motion, most)), count)


def _straight(motion: Motion, most: float) -> Motion:
    """The motion, which turns by no more than ``most`` (rad) from its first frame to its last, without that: many rounds would lead in a circle."""
    facing = poses.heading(motion)
    turned = float(facing[-1] - facing[0])
    if abs(turned) > most:
        return motion
    back = rotation.from_axis_angle((0.0, 0.0, 1.0), -turned * np.linspace(0.0, 1.0, motion.frames))
    rotations = motion.rotations.copy()
    rotations[:, 0] = rotation.multiply(back, rotations[:, 0])
    moves = rotation.rotate(back[1:], np.diff(motion.root_positions, axis=0))
    roots = motion.root_positions[0] + np.concatenate([np.zeros((1, 3)), np.cumsum(moves, axis=0)])
    return replace(motion, root_positions=roots, rotations=rotations)


def _with_last(motion: Motion) -> Motion:
    """The motion with its first pose once more as the last one, as far on as it goes from one frame to the next."""
    facing = poses.heading(motion)
    onward, turned = (0.5 * (values[1] - values[0] + values[-1] - values[-2]) for values in (motion.root_positions, facing))
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), facing[-1] + turned - facing[0])
    rotations = motion.rotations[0].copy()
    rotations[0] = rotation.multiply(turn, rotations[0])
    root = (motion.root_positions[-1] + onward) * (1.0, 1.0, 0.0) + motion.root_positions[0] * (0.0, 0.0, 1.0)
    return replace(motion, root_positions=np.concatenate([motion.root_positions, [root]]),
                   rotations=rotation.make_continuous(np.concatenate([motion.rotations, [rotations]])))


def _kind(body: Body, motion: Motion, ground: Array, places: Array) -> str:
    ankles = motion.world()[0][:, [feet.link(body, "foot", foot) for foot in (0, 1)]]
    speeds = np.linalg.norm(feet.velocities(ankles, motion.fps) - [*ground, 0.0], axis=-1)
    if speeds.max() < SWING:
        strays = np.linalg.norm((places - places.mean(axis=0)).reshape(motion.frames, -1, 3), axis=-1) * np.sqrt(places.shape[1] / 3)
        return "stands" if strays.max() < QUIET else "other"
    swings = sorted(swing for foot in (0, 1) for swing in _swings(speeds[:, foot] > max(SWING, SWING_SHARE * speeds[:, foot].max()), foot))
    in_turn = len(swings) % 2 == 0 and all(one != other for (_, one), (_, other) in zip(swings, swings[1:] + swings[:1], strict=True))
    return "steps" if swings and in_turn else "other"


def _swings(on: Bools, foot: int) -> list[tuple[float, int]]:
    """The middle frame of each time that a foot swings, in a round that has no beginning and no end, with the foot."""
    if on.all() or not on.any():
        return []
    first = int(np.argmin(on))
    return [((first + 0.5 * (start + end)) % len(on), foot) for start, end in runs(np.roll(on, -first))]
