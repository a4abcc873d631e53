"""Loops: the frames of a clip that repeat best, and a clip that repeats them for as long as one likes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from .. import rotation
from ..arrays import Array
from ..errors import JobError
from ..feet import plant
from ..feet.stances import Stance
from ..motion import Motion
from ..signals import smooth_step
from . import fragments, lowpass, poses
from .reference import Reference

# Metres of seam that count as much against a cycle as lying at the very start or end of the clip, and as a speed that varies by all of itself.
OFF_MIDDLE, UNSTEADY = 0.01, 0.1
# Seconds of a stride that the search looks for where a clip has no two whole half cycles.
STRIDE_S = (0.4, 2.5)
# Metres of seam, as a mean over the joints, up to which the ends of a stride are alike.
LARGEST_SEAM = 0.2
# Hz of the low-pass filter that takes the kinks out of the seams.
SEAM_HZ = 9.0
# Seconds after the end of a clip in which what goes on there becomes steady.
STEADY_S = 0.1


@dataclass(frozen=True)
class Cycle:
    """Frames ``start`` until before ``end`` repeat, frame ``end`` being like ``start``.

    Attributes:
        half_cycles: how many steps it has, an even number.
        seam: metres between the two ends, as a mean over the joints.
    """

    start: int
    end: int
    half_cycles: int
    seam: float


def find_cycle(reference: Reference) -> Cycle:
    """The best loop: an even number of steps in turn, from strike to strike of the same foot, with the least seam, steady, near the middle.

    In a clip of hardly a stride it may start anywhere.
    """
    rows = poses.features(reference.body, reference.motion)
    steps = reference.fragments
    found = []
    for first in range(len(steps)):
        for last in range(first + 1, len(steps), 2):
            if not _in_turn(steps[first:last + 1]):
                break
            found.append((steps[first].start, steps[last].end, last - first + 1))
    found = found or _strides(reference, rows)
    if not found:
        raise JobError(f"'{reference.name}' cannot be looped: it has no two steps in turn.")
    start, end, count = min(found, key=lambda span: _badness(reference.motion, rows, *span[:2]))
    return Cycle(start, end, count, float(np.linalg.norm(rows[start] - rows[end])))


def _in_turn(steps: Sequence[fragments.Fragment]) -> bool:
    """Whether these are whole half cycles, left and right in turn."""
    walking = all(step.whole and step.kind in ("left", "right") for step in steps)
    return walking and all(one.stance != other.stance for one, other in pairwise(steps))


def _strides(reference: Reference, rows: Array) -> list[tuple[int, int, int]]:
    """(start, end, 2) of every stride, in a short clip of nothing but steps, whose ends are alike: each foot strikes once between them."""
    motion = reference.motion
    if any(step.kind not in ("left", "right") for step in reference.fragments):
        return []
    strikes = np.zeros((motion.frames, 2), dtype=int)
    for stance in reference.stances:
        if stance.start > 0:
            strikes[stance.start, stance.foot] = 1
    before = np.cumsum(strikes, axis=0)
    shortest, longest = (int(seconds * motion.fps) for seconds in STRIDE_S)
    found = []
    for start in range(motion.frames):
        ends = np.arange(start + shortest, min(start + longest, motion.frames - 1) + 1)
        ends = ends[np.all(before[ends] - before[start] == 1, axis=1)] if len(ends) else ends
        if len(ends):
            seams = poses.distances(rows[start], rows[ends])
            if seams.min() < LARGEST_SEAM:
                found.append((start, int(ends[np.argmin(seams)]), 2))
    return found


def _badness(motion: Motion, rows: Array, start: int, end: int) -> float:
    """How bad frames ``start`` to ``end`` would be as a cycle, in metres: their seam, and what counts like one."""
    middle = abs(0.5 * (start + end) / motion.frames - 0.5)
    thirds = np.linspace(start, end, 4).astype(int)
    way = np.linalg.norm(np.diff(motion.root_positions[thirds, :2], axis=0), axis=1) / np.diff(thirds) * motion.fps
    unsteady = np.ptp(way) / max(way.max(), 0.1)
    return float(np.linalg.norm(rows[start] - rows[end]) + OFF_MIDDLE * middle + UNSTEADY * unsteady)


def looped(reference: Reference, cycle: Cycle, count: int) -> Reference:
    """A reference that does ``cycle`` ``count`` times, walking on. What does not meet at the seam is spread evenly over the cycle."""
    length = cycle.end - cycle.start
    long = chained(closed(_piece(reference.motion, cycle.start, cycle.end + 1)), count)
    stances = _repeated(reference.stances, cycle, length, count)
    long = plant.planted(reference.body, lowpass.smoothed(long, SEAM_HZ), stances)
    note = f"Frames {cycle.start}–{cycle.end} were repeated {count} times."
    return replace(reference, motion=long, stances=stances, fragments=fragments.cut(long, stances), notes=[*reference.notes, note], goes_on=True,
                   begins=cycle.start / long.fps, period=length / long.fps)


def last_stride(reference: Reference) -> Cycle | None:
    """The stride at the very end of a clip that ends walking, which can be repeated from there on; None where it ends otherwise."""
    steps, last = reference.fragments, reference.motion.frames - 1
    if any(step.kind not in ("left", "right") for step in steps[-3:]) or not steps:
        return None
    rows = poses.features(reference.body, reference.motion)
    shortest, longest = (int(seconds * reference.motion.fps) for seconds in STRIDE_S)
    starts = np.arange(max(0, last - longest), max(0, last - shortest + 1))
    strikes = [np.array([stance.start for stance in reference.stances if stance.foot == foot and stance.start > 0]) for foot in (0, 1)]
    starts = np.array([start for start in starts if all(((own > start) & (own <= last)).sum() == 1 for own in strikes)], dtype=int)
    if not len(starts):
        return None
    seams = poses.distances(rows[last], rows[starts])
    best = int(np.argmin(seams))
    return Cycle(int(starts[best]), last, 2, float(seams[best])) if seams[best] < LARGEST_SEAM else None


def walking_on(reference: Reference, stride: Cycle, seconds: float) -> Reference:
    """The reference, ``seconds`` long or longer: after its end its last stride is repeated. What does not meet there fades within a step."""
    motion, last = reference.motion, reference.motion.frames - 1
    if motion.duration >= seconds:
        return replace(reference, goes_on=True)
    length = stride.end - stride.start
    count = math.ceil((seconds - motion.duration) * motion.fps / length) + 1
    on = chained(closed(_piece(motion, stride.start, stride.end + 1)), count)
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), poses.heading(motion)[last] - poses.heading(on)[0])
    roots = rotation.rotate(turn, on.root_positions - on.root_positions[0]) + on.root_positions[0] * (0.0, 0.0, 1.0)
    rotations = on.rotations.copy()
    rotations[:, 0] = rotation.multiply(turn, rotations[:, 0])
    share = 1.0 - smooth_step(2.0 * np.arange(on.frames) / length)[:, None]
    roots[:, :2] += motion.root_positions[last, :2]
    roots[:, 2:] += share * (motion.root_positions[last, 2] - roots[0, 2])
    missing = rotation.log(rotation.multiply(rotation.conjugate(rotations[0]), motion.rotations[last]))
    rotations = rotation.normalize(rotation.multiply(rotations, rotation.exp(share[..., None] * missing)))
    long = replace(motion, root_positions=np.concatenate([motion.root_positions[:last], roots]),
                   rotations=rotation.make_continuous(np.concatenate([motion.rotations[:last], rotations])))
    again = [replace(stance, start=stance.start + last, end=stance.end + last) for stance in _repeated(reference.stances, stride, length, count)]
    stances = _together([*reference.stances, *again])
    # The clip itself is planted already, and stays as it is.
    steady = plant.planted(reference.body, lowpass.smoothed(long, SEAM_HZ), stances)
    long = long.blend(steady, smooth_step((np.arange(long.frames) - last) / (STEADY_S * motion.fps)))
    note = f"After its end its last stride, from {stride.start / motion.fps:.2f} s on, is repeated."
    return replace(reference, motion=long, stances=stances, fragments=fragments.cut(long, stances), notes=[*reference.notes, note], goes_on=True)


def _piece(motion: Motion, start: int, end: int) -> Motion:
    """Frames ``start`` until before ``end``."""
    return replace(motion, root_positions=motion.root_positions[start:end], rotations=motion.rotations[start:end])


def closed(motion: Motion) -> Motion:
    """The motion bent so that its last pose is its first one, but for place and heading."""
    share = (np.arange(motion.frames) / (motion.frames - 1) - 0.5)[:, None]  # from −1/2 to 1/2
    roots, rotations = motion.root_positions.copy(), motion.rotations.copy()
    roots[:, 2:] -= share * (roots[-1, 2] - roots[0, 2])
    # The pelvis may go on turning: only its tilt has to come back.
    facing = rotation.from_axis_angle((0.0, 0.0, 1.0), poses.heading(motion))
    rotations[:, 0] = rotation.multiply(rotation.conjugate(facing), rotations[:, 0])
    missing = rotation.log(rotation.multiply(rotation.conjugate(rotations[0]), rotations[-1]))
    rotations = rotation.multiply(rotations, rotation.exp(-share[..., None] * missing))
    rotations[:, 0] = rotation.multiply(facing, rotations[:, 0])
    return replace(motion, root_positions=roots, rotations=rotation.make_continuous(rotation.normalize(rotations)))


def chained(motion: Motion, count: int) -> Motion:
    """A closed motion ``count`` times, each from where and how the one before has ended; its last frame is left out, being the next one's first."""
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), poses.heading(motion)[-1] - poses.heading(motion)[0])
    away = motion.root_positions[-1] - motion.root_positions[0]
    roots, rotations = [], []
    place, facing = motion.root_positions[0], rotation.identity()
    for _ in range(count):
        roots.append(place + rotation.rotate(facing, motion.root_positions[:-1] - motion.root_positions[0]))
        turned = motion.rotations[:-1].copy()
        turned[:, 0] = rotation.multiply(facing, turned[:, 0])
        rotations.append(turned)
        place = place + rotation.rotate(facing, away)
        facing = rotation.multiply(turn, facing)
    return replace(motion, root_positions=np.concatenate(roots), rotations=rotation.make_continuous(np.concatenate(rotations)))


def _repeated(stances: Sequence[Stance], cycle: Cycle, length: int, count: int) -> list[Stance]:
    """The stances of ``count`` cycles, those that a seam cuts in two put together again."""
    repeated: list[Stance] = []
    for turn in range(count):
        for stance in stances:
            start, end = max(stance.start, cycle.start), min(stance.end, cycle.end)
            if start < end:
                shift = turn * length - cycle.start
                repeated.append(replace(stance, start=start + shift, end=end + shift))
    return _together(repeated)


def _together(stances: Sequence[Stance]) -> list[Stance]:
    """The stances, those of a foot that follow on each other put together."""
    joined: list[Stance] = []
    for foot in (0, 1):
        own = sorted((stance for stance in stances if stance.foot == foot), key=lambda stance: stance.start)
        for stance in own:
            last = joined[-1] if joined and joined[-1].foot == foot else None
            if last and stance.start - last.end <= 2:
                joined[-1] = replace(last, end=max(last.end, stance.end))
            else:
                joined.append(stance)
    return sorted(joined, key=lambda stance: (stance.start, stance.foot))
