"""Scene: what physics made of a hit, beside the clip as it would have been, and how much room there is for acting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ... import feet, rotation
from ...arrays import Array
from ...body import Body
from ...kinematics import velocity
from ...motion import Motion
from ...result import Result
from ...signals import smooth_step, softened
from ..flinch import Hit

CHANGED = np.radians(0.5)  # rad: joints that are turned by less are as in the clip
RISES_S, FADES_S = 0.12, 0.5  # s in which acting sets in after a hit, and in which it is over before the body is the clip again
FALLS = (0.62, 0.9)  # of the pelvis's height at the hit: who falls acts no more below the first, and fully above the second
GRAVITY = 9.81
FAR_M = 0.12  # m that a body would go before it comes to rest, from which on it is well out of balance
CAUGHT, CAUGHT_S = 0.25, 0.25  # of that, below which a body has caught itself, and s after a hit from which on it may have
FELT_S, SMOOTH_S = 0.45, 0.08  # s in which that is felt no more, and over which it is evened


@dataclass(frozen=True, eq=False)
class Scene:
    """F frames of a body with L links.

    Attributes:
        motion: as physics has it. clip: the clip at the same frames, where it was recorded.
        hits: in order of time. delay: s before the body reacts.
        first, back: the frame of the first hit, and the one from which on the body is as in the clip for good; F where it never is.
        weight: (F,) from 0 to 1, how much of the acting there is; 0 until the hit, when the body is back, and near the ground.
        fell: whether it fell.
    """

    body: Body
    motion: Motion
    clip: Motion
    hits: Sequence[Hit]
    delay: float
    first: int
    back: int
    weight: Array
    fell: bool

    @classmethod
    def of(cls, body: Body, result: Result, clip: Motion, times: Array, hits: Sequence[Hit], delay: float) -> Scene:
        """``clip``: as ``Result.clip_times`` has its times. ``times``: (F,) s, these without jumps."""
        fps = result.fps
        motion = Motion(body.skeleton, fps, result.root_positions, rotation.make_continuous(result.rotations))
        own = clip.sample(result.clip_times)[1][:, 1:]
        changed = np.flatnonzero((np.abs((own * motion.rotations[:, 1:]).sum(axis=-1)) < np.cos(0.5 * CHANGED)).any(axis=1))
        first = int(min(hit.time for hit in hits) * fps + 1e-6)
        back = max(int(changed[-1]) + 1 if len(changed) else 0, first + 1)
        frames = np.arange(motion.frames)
        weight = smooth_step((frames - first) / (RISES_S * fps)) * smooth_step((back - frames) / (FADES_S * fps))
        fell = bool(result.outcome["fell"])
        if fell:
            heights = motion.root_positions[:, 2] / motion.root_positions[first, 2]
            weight = np.minimum.accumulate(np.where(frames < first, 1.0, smooth_step((heights - FALLS[0]) / (FALLS[1] - FALLS[0])))) * weight
        beside = Motion(body.skeleton, fps, *clip.sample(times))
        return cls(body, motion, beside, sorted(hits, key=lambda hit: hit.time), delay, first, back, weight, fell)

    @property
    def fps(self) -> float:
        return self.motion.fps

    @property
    def times(self) -> Array:
        """(F,) s."""
        return np.arange(self.motion.frames) / self.fps

    def link(self, name: str) -> int:
        return self.body.names.index(name)

    def since(self, hit: Hit) -> Array:
        """(F,) s since the body has noticed a hit."""
        return self.times - hit.time - self.delay

    @cached_property
    def unbalance(self) -> Array:
        """(F, 2) where the body falls, forward and left as it faces: how far it would go before it comes to rest, beside what it does in the clip; of
        length 1 for a body that is well out of balance. Who has caught itself feels it for a while, and is in balance from then on, until it is hit
        again."""
        one, other = (_carried(self.body, motion) for motion in (self.motion, self.clip))
        away = (one - other) / FAR_M * (np.arange(len(one)) > self.first)[:, None]
        away = away / np.maximum(1.0, np.linalg.norm(away, axis=1, keepdims=True))
        fades, caught = np.exp(-1.0 / (FELT_S * self.fps)), False
        for frame, time in enumerate(self.times[1:], start=1):
            now, before = np.hypot(*away[frame]), fades * away[frame - 1]
            caught = not any(0.0 <= time - hit.time < hit.seconds + CAUGHT_S for hit in self.hits) and (caught or now < CAUGHT)
            if caught or now < np.hypot(*before):
                away[frame] = before
        smooth = np.stack([softened(way, SMOOTH_S * self.fps) for way in away.T], axis=1)
        return self.weight[:, None] * smooth


def level(motion: Motion) -> Array:
    """(F, 4) how the body faces: turns about the vertical."""
    return rotation.from_axis_angle((0.0, 0.0, 1.0), rotation.heading(motion.rotations[:, 0]))


def center(body: Body, motion: Motion) -> Array:
    """(F, 3) m, world, the centre of mass."""
    positions, turns = motion.world()
    coms = positions + rotation.rotate(turns, body.com_offsets)
    return np.asarray(np.einsum("l,fld->fd", body.masses / body.masses.sum(), coms))


def between_feet(body: Body, motion: Motion) -> Array:
    """(F, 3) m, world, the middle between the ankles, on the ground."""
    ankles = motion.world()[0][:, [feet.link(body, "foot", foot) for foot in (0, 1)]]
    return np.asarray(ankles.mean(axis=1) * (1.0, 1.0, 0.0))


def _carried(body: Body, motion: Motion) -> Array:
    """(F, 2) m from the centre of mass to the capture point, forward and left."""
    com = center(body, motion)
    away = velocity(com, motion.fps) * (com[:, 2:] / GRAVITY) ** 0.5
    return np.asarray(rotation.rotate(rotation.conjugate(level(motion)), away)[:, :2])
