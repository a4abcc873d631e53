"""Fade: one walk or run becomes another, where no recording shows how (Sok, Kim and Lee 2007, section 5.3).

Both are retimed so that their footfalls coincide: a step goes with a step of the same foot, which is what dynamic time warping finds in the paper.
Then one fades out while the other fades in. What is blended is how the pelvis goes on from frame to frame, not where it is: so speeds and turns
blend. Feet that slide are planted afterwards, when the clip is prepared.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from .. import rotation
from ..arrays import Array
from ..errors import JobError
from ..formats import Clip
from ..motion import Motion
from ..reference import Reference, find_cycle, looped, prepare
from ..signals import smooth_step

BEFORE, AFTER = 4, 4  # steps that the first one goes before it fades, and the second one after


def faded(one: Reference, other: Reference, foot: int, steps: int) -> tuple[Reference, float]:
    """The loop of one clip as it becomes that of another over so many ``steps``, the first of them on ``foot`` (0 left, 1 right); and the s at which
    that begins."""
    count = BEFORE + steps + AFTER
    marks = [_footfalls(each, foot if BEFORE % 2 == 0 else 1 - foot, count) for each in (one, other)]
    shares = np.clip((np.arange(count) + 0.5 - BEFORE) / steps, 0.0, 1.0)  # of the second one, in the middle of each step
    lasts = [(1.0 - share) * (a1 - a0) + share * (b1 - b0)
             for share, a0, a1, b0, b1 in zip(shares, marks[0][1], marks[0][1][1:], marks[1][1], marks[1][1][1:], strict=False)]
    times = [0.0, *accumulate(lasts)]
    first, second = (motion.warp(footfalls, times) for motion, footfalls in marks)
    begins, ends = times[BEFORE], times[BEFORE + steps]
    weight = smooth_step((np.arange(first.frames) / first.fps - begins) / (ends - begins))
    return prepare(Clip(_blended(first, second, weight), f"{one.name} to {other.name}"), one.body), begins


def _footfalls(reference: Reference, foot: int, count: int) -> tuple[Motion, list[float]]:
    """A clip's loop, and the s at which ``count`` steps of it begin, and the last one ends; the first of them on ``foot``."""
    cycle = find_cycle(reference)
    long = looped(reference, cycle, 3 + count // cycle.half_cycles)
    steps = [fragment for fragment in long.fragments if fragment.kind in ("left", "right") and fragment.whole]
    first = next((number for number, step in enumerate(steps) if step.stance == foot), len(steps))
    if len(steps) <= first + count:
        raise JobError(f"'{reference.name}' cannot fade: it has no {count} steps in turn, even when it is repeated.")
    return long.motion, [step.start / long.motion.fps for step in steps[first:first + count + 1]]


def _blended(one: Motion, other: Motion, weight: Array) -> Motion:
    """Frame by frame, ``weight`` (F,) of the other one."""
    def gone(motion: Motion) -> tuple[Array, Array, Array]:
        headings = np.unwrap(rotation.heading(motion.rotations[:, 0]))
        level = motion.rotations.copy()
        level[:, 0] = rotation.multiply(_about_up(-headings), level[:, 0])
        way = rotation.rotate(_about_up(-headings[:-1]), np.diff(motion.root_positions, axis=0))
        return level, way[:, :2], np.diff(headings)

    share = weight[:, None]
    (pose, way, turn), (other_pose, other_way, other_turn) = gone(one), gone(other)
    headings = np.concatenate([[0.0], np.cumsum(turn + weight[1:] * (other_turn - turn))])
    way = np.pad(way + share[1:] * (other_way - way), ((0, 0), (0, 1)))
    roots = np.concatenate([np.zeros((1, 3)), np.cumsum(rotation.rotate(_about_up(headings[:-1]), way), axis=0)])
    roots[:, 2] = one.root_positions[:, 2] + weight * (other.root_positions[:, 2] - one.root_positions[:, 2])
    rotations = rotation.slerp(pose, other_pose, share)
    rotations[:, 0] = rotation.multiply(_about_up(headings), rotations[:, 0])
    return Motion(one.skeleton, one.fps, roots, rotation.make_continuous(rotations))


def _about_up(angles: Array) -> Array:
    """Turns by (F,) rad."""
    return rotation.from_axis_angle((0.0, 0.0, 1.0), angles)
