"""Stances: when each foot carries weight, told by how low and how slow the sole is.

A foot rolls over its sole, so what counts is the part of it that is down: at the strike the heel is low and slow while the toes still
fly, at toe-off it is the other way round. The height of a point is compared with its own height while the foot stands still, because
soles of recordings are off by a centimetre here and there. Toes may even creep up while they rest: they leave the floor when they move. Where
both feet seem to be off the floor for a moment, the centre of mass tells whether the person flies: only then does it fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..kinematics import GRAVITY
from ..motion import Motion
from ..signals import runs
from . import sole

# A point of the sole is slow below this speed (m/s), or below this share of the greatest speed of its foot within so many seconds: in a run feet
# land faster.
SLOW, SLOW_SHARE = 0.35, 0.15
NEARBY_S = 0.6
# Seconds over which that speed is measured.
SPEED_WINDOW_S = 0.03
# Metres: a sole on the floor is no higher than LOW; a point is down when it is no more than DOWN above its own height while the foot stands.
LOW, DOWN = 0.05, 0.012
# Toes rest while they move over the floor slower than REST and upwards slower than RISE (m/s). While they rest, and have crept up by no more than
# CREEP (metres), the foot stands on.
CREEP, REST, RISE = 0.03, 0.3, 0.12
# Metres that a point of the sole may be above the lowest one and be down: the heel of someone on tiptoe is not.
UNEVEN = 0.03
# Seconds: no swing of a person is shorter than the first, no stance shorter than the second.
SHORTEST_SWING_S, SHORTEST_STANCE_S = 0.05, 0.08
# Between two stances a foot has swung if that took this long (seconds), or if it got this far (metres, to the side or up).
SWING_S, SWING_M = 0.15, 0.03
# A foot that rests above the floor stands on a step if the other one swings past it for so long (seconds) and the hip is above it by this share of
# the leg's length. A foot that is only held up does neither.
PASSING_S, HIP_SHARE = 0.1, 0.5
# A person with no foot down for no longer than this (seconds), whose centre of mass falls with less than this share of gravity, does not fly: the
# toes that were last on the floor still carry, for walkers drag them. In the flights of a run it falls with more than half of gravity.
DRAG_S, FALL_SHARE = 0.1, 0.45
# Seconds over which the speed of that fall is measured.
FALL_WINDOW_S = 0.1


@dataclass(frozen=True)
class Stance:
    """A foot stands.

    Attributes:
        foot: 0 left, 1 right.
        start, end: frames: it stands from ``start`` until before ``end``.
        height: metres over the floor; 0 unless it stands on a step.
        stays: where planting puts the foot: where it is at ``start``, to become level little by little, because a clip goes over into this motion; or
            else where it is while it is flattest.
    """

    foot: int
    start: int
    end: int
    height: float = 0.0
    stays: bool = False


def find(body: Body, motion: Motion) -> list[Stance]:
    """All stances in order of time. The motion has a level floor at 0 and soles that are level in stance."""
    soles = sole.soles(body, _with_straight_toes(body, motion))
    pace = sole.speeds(soles, motion.fps, SPEED_WINDOW_S)
    resting = _resting_toes(body, soles, motion.fps)
    slow = pace < np.stack([_slow_limit(pace[:, foot], motion.fps) for foot in (0, 1)], axis=1)[:, :, None]
    hips = motion.world()[0][:, [sole.link(body, "thigh", foot) for foot in (0, 1)], 2]
    stances = []
    for foot in (0, 1):
        heights = soles[:, foot, :, 2]
        low = _stances(foot, heights, slow[:, foot] & (heights < LOW), pace[:, foot], resting[:, foot], motion.fps)
        stances += low
        free = slow[:, foot] & (heights > LOW)
        for stance in low:
            free[stance.start:stance.end] = False
        swings = ~np.any(slow[:, 1 - foot], axis=1)
        for stance in _stances(foot, heights, free, pace[:, foot], resting[:, foot], motion.fps, elevated=True):
            inside = slice(stance.start, stance.end)
            above = (hips[inside, foot] - stance.height).min() > HIP_SHARE * body.leg_length
            # Nobody gets from the floor onto a step without a swing: a foot that does is still on the floor.
            swung = not any(stance.start <= other.end and other.start <= stance.end for other in low)
            if above and swung and swings[inside].sum() >= PASSING_S * motion.fps:
                stances.append(stance)
    joined = [_joined([stance for stance in stances if stance.foot == foot], soles[:, foot], motion.fps) for foot in (0, 1)]
    return carried(body, motion, sorted(joined[0] + joined[1], key=lambda stance: (stance.start, stance.foot)))


def carried(body: Body, motion: Motion, stances: Sequence[Stance]) -> list[Stance]:
    """The stances, prolonged where toes are dragged: if no foot is down for a moment and the body does not fall, the stance before lasts until the
    other foot lands."""
    positions, orientations = motion.world()
    lowest = sole.sole_positions(body, positions, orientations)[..., 2].min(axis=2)
    centres = positions + rotation.rotate(orientations, body.com_offsets)
    climb = sole.velocities(np.einsum("l,fld->fd", body.masses / body.mass, centres), motion.fps, FALL_WINDOW_S)[:, 2]
    gaps = dict(runs(~np.any(masks(stances, motion.frames), axis=1)))
    prolonged = []
    for stance in stances:
        lasting = stance
        start, end = stance.end, gaps.get(stance.end, stance.end)
        landing = {other.foot for other in stances if other.start == end}
        if start < end <= start + DRAG_S * motion.fps and landing == {1 - stance.foot} and lowest[start:end, stance.foot].max() < LOW:
            fall = (climb[start - 1] - climb[end]) * motion.fps / (end - start + 1)
            lasting = replace(stance, end=end) if fall < FALL_SHARE * GRAVITY else stance
        prolonged.append(lasting)
    return prolonged


def notes(stances: Sequence[Stance]) -> list[str]:
    """A sentence on feet that stand higher than the floor."""
    heights = sorted({round(stance.height, 2) for stance in stances if stance.height > 0.0})
    if not heights:
        return []
    listed = ", ".join(f"{height:.2f}" for height in heights)
    return [f"Feet also stand {listed} m above the floor, on stairs or boxes: left at that height."]


def masks(stances: Sequence[Stance], frames: int) -> Bools:
    """(F, 2) whether the left and right foot stand."""
    contacts = np.zeros((frames, 2), dtype=bool)
    for stance in stances:
        contacts[stance.start:stance.end, stance.foot] = True
    return contacts


def _with_straight_toes(body: Body, motion: Motion) -> Motion:
    """The motion with toes in line with their feet: toe joints are the least reliable of a recording, and stiff soles roll off too."""
    rotations = motion.rotations.copy()
    rotations[:, [sole.link(body, "toes", foot) for foot in (0, 1)]] = (1.0, 0.0, 0.0, 0.0)
    return replace(motion, rotations=rotations)


def _resting_toes(body: Body, soles: Array, fps: float) -> Bools:
    """(F, 2, P) whether points (F, 2, P, 3) of the soles are at the ball or the toes and neither slide nor rise."""
    moving = sole.velocities(soles, fps)
    ahead = np.stack([sole.sole_of(body, foot)[1][:, 0] > 0.0 for foot in (0, 1)])
    return ahead & (np.linalg.norm(moving[..., :2], axis=-1) < REST) & (moving[..., 2] < RISE)


def _stances(
    foot: int, heights: Array, candidates: Bools, pace: Array, resting: Bools, fps: float, elevated: bool = False
) -> list[Stance]:
    """Stances of one foot, whose sole has P points.

    A foot lands when it is as low as it will stand: it may come down slowly. It leaves when its toes no longer rest either.

    Args:
        heights: (F, P) metres over the floor.
        candidates: (F, P) which points may be down.
        pace: (F, P) m/s.
        resting: (F, P) which points are toes that rest.
        elevated: whether it stands on a step.
    """
    found = []
    for start, end in runs(_without_chatter(np.any(candidates, axis=1), fps)):
        span = slice(start, end)
        still = np.argsort(pace[span].mean(axis=1))[: max(1, (end - start) // 3)]
        own = np.median(heights[span][still], axis=0)
        own = np.minimum(own, own.min() + UNEVEN)
        down = np.any(candidates[span] & (heights[span] < own + DOWN), axis=1)
        height = float(own.min()) if elevated else 0.0
        rests = np.any(candidates[span] & resting[span] & (heights[span] < own + CREEP), axis=1)
        padded = np.zeros((2, len(heights)), dtype=bool)
        padded[:, span] = down, down | rests
        standing, carrying = (_without_chatter(on, fps) for on in padded)
        for first, last in runs(standing):
            standing[first:last + int(np.argmin(np.append(carrying[last:], False)))] = True
        found += [Stance(foot, first, last, height) for first, last in runs(standing)]
    return found


def _joined(stances: list[Stance], soles: Array, fps: float) -> list[Stance]:
    """Stances of one foot with soles (F, P, 3), without the gaps in which it twitched but did not swing."""
    joined: list[Stance] = []
    for stance in sorted(stances, key=lambda stance: stance.start):
        last = joined[-1] if joined else None
        if last and last.height == stance.height and stance.start - last.end < SWING_S * fps:
            gap = soles[last.end - 1:stance.start + 1]
            if np.linalg.norm(gap - gap[0], axis=-1).min(axis=1).max() < SWING_M:
                joined[-1] = replace(last, end=stance.end)
                continue
        joined.append(stance)
    return joined


def _slow_limit(pace: Array, fps: float) -> Array:
    """(F,) m/s below which a point of the sole with speeds (F, P) is slow: a share of the greatest speed nearby of the slowest point."""
    swing = pace.min(axis=1)
    reach = int(NEARBY_S * fps)
    padded = np.pad(swing, reach, mode="edge")
    nearby = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    return np.maximum(SLOW, SLOW_SHARE * nearby)


def _without_chatter(on: Bools, fps: float) -> Bools:
    """(F,) whether a foot stands, with swings that are too short filled and then stances that are too short dropped.

    A stance that the start or the end of the clip cuts off is kept. A swing that the end cuts off is filled all the same: a foot that leaves with
    the last few frames does not swing any more. So is one at the start that is shorter than the time over which speeds are measured.
    """
    on, frames = on.copy(), len(on)
    for start, end in runs(~on):
        if end - start < (SHORTEST_SWING_S if start > 0 else SPEED_WINDOW_S) * fps:
            on[start:end] = True
    for start, end in runs(on):
        if end - start < SHORTEST_STANCE_S * fps and start > 0 and end < frames:
            on[start:end] = False
    return on
