"""Stances: when each foot carries weight, told by how low and how slow the sole is.

A foot rolls over its sole, so what counts is the part of it that is down: at the strike the heel is low and slow while the toes still
fly, at toe-off it is the other way round. Heights are compared with those of the same point while the same stance stands still, for
soles of recordings are off by a centimetre here and there. Toes may even creep up while they rest: they leave when they move. Where both
feet seem to be off the floor for a moment, the centre of mass tells whether someone flies: only then it falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..motion import Motion
from ..signals import runs
from . import sole

# A point of the sole is slow below this speed (m/s), or this part of the greatest speed of its foot nearby: in a run feet land faster.
SLOW, SLOW_SHARE = 0.35, 0.15
NEARBY_S = 0.6
# Seconds over which that speed is measured.
SPEED_WINDOW_S = 0.03
# Metres: no stance on the floor is higher than LOW; within a stance a point is down when it is this close to its own height.
LOW, DOWN = 0.05, 0.012
# Toes that rest do not leave, even where their joint has crept up since, by no more than so many metres: they move no faster than the first
# speed over the floor and the second upwards, m/s.
CREEP, REST, RISE = 0.03, 0.3, 0.12
# Points of the sole rest at most this much higher than the lowest one (metres): the heel of someone on tiptoe is not down.
UNEVEN = 0.03
# No swing of a person is shorter than the first, no stance than the second; seconds.
CHATTER_S = (0.05, 0.08)
# Between two stances a foot has swung if that took this long (seconds), or took it this far (metres, to the side or up).
SWING_S, SWING_M = 0.15, 0.03
# A foot that rests above the floor stands on a step if the other one swings past for so long (seconds) and the hip is above it by this
# part of the leg: one that is held up does neither.
PASSING_S, HIP_SHARE = 0.1, 0.5
# Someone with no foot down for no longer than this (seconds) whose centre of mass falls by less than this part of gravity does not fly but
# is carried by the toes that were last on the floor: walkers drag them. In the flights of runs it falls by more than half of it.
DRAG_S, FALL_SHARE, GRAVITY = 0.1, 0.45, 9.81
# Seconds over which the speed of that fall is measured.
FALL_WINDOW_S = 0.1


@dataclass(frozen=True)
class Stance:
    """A foot (0 left, 1 right) stands from frame ``start`` until before ``end``, ``height`` metres over the floor (0 unless on a step).

    ``stays``: whether it stands where it is at ``start`` (of a motion that something goes over into: it becomes level little by little); if not, where it is while it is flattest.
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
        swings = ~slow[:, 1 - foot].any(axis=1)
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
    """The stances; one that is followed by a moment without a foot down in which the body does not fall lasts until the other lands."""
    positions, orientations = motion.world()
    lowest = sole.sole_positions(body, positions, orientations)[..., 2].min(axis=2)
    centres = positions + rotation.rotate(orientations, body.com_offsets)
    climb = sole.velocities(np.einsum("l,fld->fd", body.masses / body.mass, centres), motion.fps, FALL_WINDOW_S)[:, 2]
    gaps = dict(runs(~masks(stances, motion.frames).any(axis=1)))
    until = []
    for stance in stances:
        start, end = stance.end, gaps.get(stance.end, stance.end)
        landing = {other.foot for other in stances if other.start == end}
        if start < end <= start + DRAG_S * motion.fps and landing == {1 - stance.foot} and lowest[start:end, stance.foot].max() < LOW:
            fall = (climb[start - 1] - climb[end]) * motion.fps / (end - start + 1)
            stance = replace(stance, end=end) if fall < FALL_SHARE * GRAVITY else stance
        until.append(stance)
    return until


def notes(stances: Sequence[Stance]) -> list[str]:
    """A sentence on feet that stand higher than the floor."""
    heights = sorted({round(stance.height, 2) for stance in stances if stance.height > 0.0})
    if not heights:
        return []
    listed = ", ".join(f"{height:.2f}" for height in heights)
    return [f"Feet also stand {listed} m above the floor, on stairs or boxes: left at that height."]


def masks(stances: Sequence[Stance], frames: int) -> Array:
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


def _resting_toes(body: Body, soles: Array, fps: float) -> Array:
    """(F, 2, P) whether points (F, 2, P, 3) of the soles are at the ball or the toes and neither slide nor rise."""
    moving = sole.velocities(soles, fps)
    ahead = np.stack([sole.sole_of(body, foot)[1][:, 0] > 0.0 for foot in (0, 1)])
    return ahead & (np.linalg.norm(moving[..., :2], axis=-1) < REST) & (moving[..., 2] < RISE)


def _stances(foot: int, heights: Array, candidates: Array, pace: Array, resting: Array, fps: float,
             elevated: bool = False) -> list[Stance]:
    """Stances of one foot from heights (F, P) and speeds (F, P) of its sole, candidates (F, P): which points may be down, and whether they
    are resting (F, P).

    A foot lands when it is as low as the stance: it may come down slowly. It leaves when its toes no longer rest either.
    """
    found = []
    for start, end in runs(_without_chatter(candidates.any(axis=1), fps)):
        span = slice(start, end)
        still = np.argsort(pace[span].mean(axis=1))[: max(1, (end - start) // 3)]
        own = np.median(heights[span][still], axis=0)
        own = np.minimum(own, own.min() + UNEVEN)
        down = (candidates[span] & (heights[span] < own + DOWN)).any(axis=1)
        height = float(own.min()) if elevated else 0.0
        stays = (candidates[span] & resting[span] & (heights[span] < own + CREEP)).any(axis=1)
        padded = np.zeros((2, len(heights)), dtype=bool)
        padded[:, span] = down, down | stays
        standing, staying = (_without_chatter(on, fps) for on in padded)
        for first, last in runs(standing):
            standing[first:last + int(np.argmin(np.append(staying[last:], False)))] = True
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


def _without_chatter(on: Array, fps: float) -> Array:
    """(F,) with gaps filled and then contacts dropped that are too short, except where the clip cuts them off.

    A gap that the end of the clip cuts off is filled all the same: a foot that leaves with the last few frames does not swing any more.
    So is one at its start that is no longer than speeds take to be measured.
    """
    on, frames = on.copy(), len(on)
    gap, stance = (seconds * fps for seconds in CHATTER_S)
    for start, end in runs(~on):
        if end - start < (gap if start > 0 else SPEED_WINDOW_S * fps):
            on[start:end] = True
    for start, end in runs(on):
        if end - start < stance and start > 0 and end < frames:
            on[start:end] = False
    return on
