"""Rises: whether somebody in a recording lies and then gets up, and when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..signals import runs
from .reference import Reference

# Leg lengths: a person whose pelvis and head are lower lies. Standing heights of the pelvis: a person whose pelvis is higher is up.
LOW, HEAD_LOW, UP = 0.35, 0.5, 0.75
# A person who is up stands once the head is at this fraction of its greatest height then, and the pelvis is slower than this (m/s).
TALL, SLOW_M_S = 0.95, 0.35


@dataclass(frozen=True)
class Rise:
    """Frames of a reference: a person lies from the first one until before the second one, and stands from the third one on."""

    lies: int
    rises: int
    stands: int


def rise_of(reference: Reference) -> Rise | None:
    """The last time that the person lies before standing up for good; None where nobody does that."""
    body, motion = reference.body, reference.motion
    heights = motion.world()[0][..., 2]
    pelvis, head = heights[:, 0], heights[:, body.names.index("head")]
    low = np.flatnonzero(pelvis < UP * body.standing_height)
    up = int(low[-1]) + 1 if len(low) else 0
    lying = [span for span in runs((pelvis < LOW * body.leg_length) & (head < HEAD_LOW * body.leg_length)) if span[1] <= up]
    if not lying or up == motion.frames:
        return None
    slow = np.linalg.norm(np.gradient(motion.root_positions, axis=0), axis=1) * motion.fps < SLOW_M_S
    quiet = np.flatnonzero((slow & (head > TALL * head[up:].max()) & reference.contacts.all(axis=1))[up:])
    return Rise(*lying[-1], up + int(quiet[0]) if len(quiet) else motion.frames - 1)
