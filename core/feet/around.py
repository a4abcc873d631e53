"""Legs that go around each other, in a motion that was simulated with legs that pass through each other, or with thinner ones.

What is changed is small and smooth (see ``pair``). A foot that stands is displaced as a whole and does not slide; on anything but a floor it stays.
Legs that pass through each other a little may also each keep to its own side, and where they cross, the one that swings may go around the other one
in front of it or behind it: all are tried, and the easiest one is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..motion import Motion
from ..result import Result
from ..signals import nearby, runs
from .loads import loaded
from .pair import DOWN, Pair
from .pin import on_a_floor

THROUGH = 0.008  # m that legs may be in each other before other ways around are tried
BESIDE_S = 0.9  # s before and after a moment at which legs are in each other, that are changed with it
RISE_S = 0.2  # s in which a foot gets to where it is tried
FIRST = 0.4  # of the work, before other ways are tried
WAYS = ((0, 0.25), (0, -0.25), (1, 0.25), (1, -0.25))  # a foot, and m that it goes ahead of where it was, to be tried


def around(body: Body, result: Result, kept: Bools | None = None, tell: Callable[[float], None] = lambda _: None) -> Result:
    """A motion whose legs go around each other. Who falls is left alone, and so are frames that are ``kept``, (F,). ``tell``: is told how much is
    done, 0 to 1."""
    if result.outcome["fell"] or body.planar:
        return result
    motion = Motion(body.skeleton, result.fps, result.root_positions, rotation.make_continuous(result.rotations))
    standing = np.stack([nearby(foot, 1) for foot in loaded(result).T], axis=1)
    legs = Pair.of(body, motion, standing, np.zeros(motion.frames, dtype=bool) if kept is None else kept, on_a_floor(result))
    tell(0.0)
    change, cost = legs.searched(legs.nothing)
    if not change.any():
        return result
    tell(0.5 * FIRST)
    beside, less = legs.searched(legs.own_sides)
    change = beside if less < cost else change
    begun = 0  # frame from which on it was not yet tried to cross otherwise
    while crossings := [run for run in runs(nearby(legs.gaps(change) < -THROUGH, RISE_S * motion.fps)) if run[0] >= begun]:
        start, begun = crossings[0]
        tell(FIRST + (1.0 - FIRST) * start / motion.frames)
        change = _otherwise(legs, change, start, begun)
    return replace(result, root_positions=result.root_positions - np.outer(change[:, DOWN], (0.0, 0.0, 1.0)), rotations=legs.bent(change))


def _otherwise(legs: Pair, change: Array, start: int, end: int) -> Array:
    """The change (F, 7) with another way around on the frames from ``start`` to before ``end``, if there is an easier one."""
    fps = legs.motion.fps
    first, last = max(0, int(start - BESIDE_S * fps)), min(len(change), int(np.ceil(end + BESIDE_S * fps)))
    some, now = legs.part(first, last), change[first:last]
    best, least = some.searched(now, now)  # again, as what was changed before may have made room
    rise = np.interp(np.arange(first, last), [start - RISE_S * fps, start, end - 1, end - 1 + RISE_S * fps], [0.0, 1.0, 1.0, 0.0])
    for foot, ahead in WAYS:
        way = rise.copy()
        for begin, stop in runs(some.stands[:, foot]):
            way[begin:stop] = way[begin:stop].mean()
        other = now.copy()
        other[:, 3 * foot:3 * foot + 2] += ahead * way[:, None] * some.ahead
        found, cost = some.searched(other, now)
        if cost < least:
            best, least = found, cost
    return np.concatenate([change[:first], best, change[last:]])
