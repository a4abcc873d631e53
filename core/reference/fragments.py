"""Fragments: a clip cut where feet land. A half cycle lasts from the strike of one foot to the strike of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import feet
from ..arrays import Bools
from ..feet.stances import Stance, masks
from ..motion import Motion
from ..signals import runs

KINDS = ("left", "right", "both", "flight")
# Both feet down for longer than this (seconds) with hips slower than this (m/s) is standing, not the double support of a step.
STANDING_S, STANDING_SPEED = 0.3, 0.35
# In the air for longer than this is a jump, not the flight of a run; seconds.
JUMP_S = 0.25
# Two feet that land within this time land together; seconds.
TOGETHER_S = 0.1


@dataclass(frozen=True)
class Fragment:
    """Frames ``start`` until before ``end`` of a Reference.

    Attributes:
        kind: "left" or "right": a half cycle on that foot; "both": standing on both; "flight": a jump.
        stance: the foot that carries, 0 left, 1 right; standing or in flight the one that landed last.
        trailing_off: frame on which the other foot leaves the floor; None if it was off before, or stays.
        stance_off: frame on which the stance foot leaves the floor, in this fragment (a run) or a later one; None if it stays to the end.
        whole: False where the clip begins or ends in the middle of it.
    """

    start: int
    end: int
    kind: str
    stance: int
    trailing_off: int | None
    stance_off: int | None
    whole: bool

    @property
    def frames(self) -> int:
        return self.end - self.start


def cut(motion: Motion, stances: Sequence[Stance]) -> list[Fragment]:
    """All fragments in order; they cover the clip without gaps."""
    frames, fps = motion.frames, motion.fps
    contacts = masks(stances, frames)
    pace = feet.speeds(motion.root_positions * (1.0, 1.0, 0.0), fps)
    special = {}
    for start, end in runs(np.all(contacts, axis=1)):
        if end - start > STANDING_S * fps and np.median(pace[start:end]) < STANDING_SPEED:
            special[start] = (end, "both")
    for start, end in runs(~np.any(contacts, axis=1)):
        if end - start > JUMP_S * fps:
            special[start] = (end, "flight")
    marks = [*_marks(special, stances, frames, TOGETHER_S * fps), frames]
    strikes = {stance.start for stance in stances if stance.start > 0}
    fragments = []
    for start, end in pairwise(marks):
        kind = special[start][1] if start in special else None
        stance = _carrying(stances, contacts, start, end)
        cut_off = (start == 0 and 0 not in strikes) or end == frames
        trailing_off, stance_off = _off(contacts[:, 1 - stance], start, end), _off(contacts[:, stance], start, frames)
        fragments.append(Fragment(start, end, kind or KINDS[stance], stance, trailing_off, stance_off, not cut_off))
    return fragments


def _marks(special: dict[int, tuple[int, str]], stances: Sequence[Stance], frames: int, together: float) -> list[int]:
    """Frames on which fragments start: the first one, the start and the end of standing and jumps, and every strike between those.

    A strike closer than ``together`` frames to another mark is no step of its own: two feet land, or leave, at once.
    """
    marks, inside = {0}, np.zeros(frames, dtype=bool)
    for start, (end, _) in special.items():
        inside[start + 1:end] = True
        marks.add(start)
    # Standing may go over into a jump, or a jump into standing, with one foot a little before the other.
    for end, _ in special.values():
        if end < frames and not any(0 <= mark - end < together for mark in marks):
            marks.add(end)
    for strike in sorted(stance.start for stance in stances):
        near = any(abs(strike - mark) < together for mark in marks if mark > 0)
        if strike > 0 and not inside[strike] and not near:
            marks.add(strike)
    return sorted(marks)


def _carrying(stances: Sequence[Stance], contacts: Bools, start: int, end: int) -> int:
    """The foot that landed last by ``start``, among those that stand then; failing that the one that stands most of the time."""
    standing = [stance for stance in stances if stance.start <= start < stance.end]
    if standing:
        return max(standing, key=lambda stance: (stance.start, stance.end)).foot
    if contacts[start:end].any():
        return int(np.argmax(contacts[start:end].sum(axis=0)))
    earlier = [stance for stance in stances if stance.start <= start]
    return earlier[-1].foot if earlier else 0


def _off(contact: Bools, start: int, end: int) -> int | None:
    """The first frame from ``start`` on, before ``end``, on which a foot with contact (F,) has left the floor after standing."""
    span = contact[start:end]
    if not span.any():
        return None
    first = int(np.argmax(span))
    left = np.flatnonzero(~span[first:])
    return start + first + int(left[0]) if len(left) else None
