"""Belt: a hit on a clip that walks in place. Physics has the body walk over ground that stands still; here it is put back onto its treadmill."""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import rotation
from ..arrays import Array
from ..motion import Motion
from ..result import Result
from ..signals import local_fit, smooth_step
from .settings import STUMBLE

PACE_S = 0.3  # s over which the speed of a body that falls is measured


def ground_of(motion: Motion, ground: Array, heading: float) -> Array:
    """(2,) m/s, the ground's velocity under a clip that was turned so that it begins with ``heading`` (rad), as ``Motion.facing`` does it."""
    turned = heading - float(rotation.heading(motion.rotations[0, 0]))
    return _turned(ground, np.array(turned))


def on_belt(result: Result, clip: Motion, ground: Array) -> Result:
    """The result as it is on a belt with velocity ``ground`` (2,) m/s. ``clip``: the motion over still ground that it came of; result.clip_times are
    its times.

    The belt goes on as before the hit. Once the body walks as in the clip again, the belt turns with it, so that it stays where it is. Under a body
    that falls it stops as the body does.
    """
    way = _way(result, clip, ground)
    shift = np.concatenate([np.zeros((1, 2)), np.cumsum(0.5 * (way[1:] + way[:-1]), axis=0) / result.fps])
    shift = np.concatenate([shift, np.zeros((result.frames, 1))], axis=1)
    moved = dataclasses.replace(result, root_positions=result.root_positions + shift, foot_cops=result.foot_cops + shift[:, None],
                                reference_positions=result.reference_positions + shift[:, None])
    moved.outcome |= {"treadmill_m_s": round(float(np.linalg.norm(ground)), 3),
                      "end_position_m": [round(float(value), 4) for value in moved.root_positions[-1]]}
    return moved


def _way(result: Result, clip: Motion, ground: Array) -> Array:
    """(F, 2) m/s of the belt at each frame."""
    times, begin = result.times, result.outcome["hit_s"][0]
    if result.outcome["fell"]:
        speed = float(np.linalg.norm(ground))
        pace = local_fit(result.root_positions[:, :2], result.fps, PACE_S, 1, 1) @ (-ground / speed) / speed
        share = np.where(times <= begin, 1.0, np.clip(pace, 0.0, 1.0))
        return np.minimum.accumulate(share)[:, None] * ground
    facing = rotation.heading(clip.sample(result.clip_times[-1])[1][0])
    turn = float(rotation.wrap(rotation.heading(result.rotations[-1, 0]) - facing))
    back = begin + (result.outcome.get("recovered_after_s") or 0.0)
    return _turned(ground, turn * smooth_step((times - back) / STUMBLE.fade_s))


def _turned(ground: Array, angles: Array) -> Array:
    """(..., 2) the vector (2,) turned by angles (...) rad."""
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * ground[0] - s * ground[1], s * ground[0] + c * ground[1]], axis=-1)
