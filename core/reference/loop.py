"""Loops: the frames of a clip that repeat best, and a clip that repeats them for as long as one likes."""

from __future__ import annotations

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
    motion = _closed(reference.motion, cycle)
    length = cycle.end - cycle.start
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
    long = Motion(motion.skeleton, motion.fps, np.concatenate(roots), rotation.make_continuous(np.concatenate(rotations)))
    stances = _repeated(reference.stances, cycle, length, count)
    long = plant.planted(reference.body, lowpass.smoothed(long, SEAM_HZ), stances)
    note = f"Frames {cycle.start}–{cycle.end} were repeated {count} times."
    return replace(reference, motion=long, stances=stances, fragments=fragments.cut(long, stances), notes=[*reference.notes, note])


def _closed(motion: Motion, cycle: Cycle) -> Motion:
    """The frames of the cycle, ``end`` included, bent so that the last pose is the first one, but for place and heading."""
    span = slice(cycle.start, cycle.end + 1)
    share = (np.arange(cycle.end + 1 - cycle.start) / (cycle.end - cycle.start) - 0.5)[:, None]  # from −1/2 to 1/2
    roots, rotations = motion.root_positions[span].copy(), motion.rotations[span].copy()
    roots[:, 2:] -= share * (roots[-1, 2] - roots[0, 2])
    # The pelvis may go on turning: only its tilt has to come back.
    facing = rotation.from_axis_angle((0.0, 0.0, 1.0), poses.heading(motion)[span])
    rotations[:, 0] = rotation.multiply(rotation.conjugate(facing), rotations[:, 0])
    missing = rotation.log(rotation.multiply(rotation.conjugate(rotations[0]), rotations[-1]))
    rotations = rotation.multiply(rotations, rotation.exp(-share[..., None] * missing))
    rotations[:, 0] = rotation.multiply(facing, rotations[:, 0])
    return replace(motion, root_positions=roots, rotations=rotation.make_continuous(rotation.normalize(rotations)))


def _repeated(stances: Sequence[Stance], cycle: Cycle, length: int, count: int) -> list[Stance]:
    """The stances of ``count`` cycles, those that a seam cuts in two put together again."""
    repeated: list[Stance] = []
    for turn in range(count):
        for stance in stances:
            start, end = max(stance.start, cycle.start), min(stance.end, cycle.end)
            if start < end:
                shift = turn * length - cycle.start
                repeated.append(replace(stance, start=start + shift, end=end + shift))
    joined: list[Stance] = []
    for foot in (0, 1):
        own = sorted((stance for stance in repeated if stance.foot == foot), key=lambda stance: stance.start)
        for stance in own:
            last = joined[-1] if joined and joined[-1].foot == foot else None
            if last and stance.start - last.end <= 2:
                joined[-1] = replace(last, end=stance.end)
            else:
                joined.append(stance)
    return sorted(joined, key=lambda stance: (stance.start, stance.foot))
