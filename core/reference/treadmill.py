"""Treadmill: clips that walk or run in place, as games have them. While a foot stands, it goes backward at the speed of the walk."""

from __future__ import annotations

import numpy as np

from .. import feet
from ..arrays import Array
from ..body import Body
from ..motion import Motion

# Metres over its lowest place up to which the ball of a foot is down.
DOWN = 0.04
# m/s, and share of its own speed, by which feet that stand may differ from the belt.
STEADY, STEADY_SHARE = 0.25, 0.2
# m/s: a slower belt is the sliding of feet that are to stand.
SLOWEST = 0.3
# Shares of the clip: some foot goes with the belt for more than the first, each foot for more than the second; feet that stand still do so for less
# than the third.
CARRIED, EACH, STILL = 0.25, 0.08, 0.1
# Frames that are compared, at most: more say no more.
MOST = 1500


def belt(body: Body, motion: Motion) -> Array:
    """(2,) m/s, world: how the ground goes under the feet of a clip that walks in place; 0 where it stands still, as in most clips."""
    positions, _ = motion.world()
    balls = positions[:, [feet.link(body, "toes", foot) for foot in (0, 1)]]
    moving = feet.velocities(balls, motion.fps)[..., :2]
    down = balls[..., 2] < balls[..., 2].min(axis=0) + DOWN
    known = moving[down]
    known = known[:: max(1, len(known) // MOST)]
    reach = np.maximum(STEADY, STEADY_SHARE * np.linalg.norm(known, axis=1))
    alike = np.linalg.norm(known[:, None] - known[None], axis=-1) < reach[:, None]
    found = known[alike[np.argmax(alike.sum(axis=1))]].mean(axis=0)
    speed = float(np.linalg.norm(found))
    with_it = down & (np.linalg.norm(moving - found, axis=-1) < max(STEADY, STEADY_SHARE * speed))
    still = down & (np.linalg.norm(moving, axis=-1) < STEADY)
    steady = with_it.any(axis=1).mean() > CARRIED and with_it.mean(axis=0).min() > EACH and still.any(axis=1).mean() < STILL
    return found if speed > SLOWEST and steady else np.zeros(2)


def over_ground(motion: Motion, ground: Array) -> Motion:
    """The motion as it goes over ground that stands still, where it has gone over a belt with the velocity ``ground`` (2,) m/s."""
    return motion.displace(np.outer(np.arange(motion.frames) / motion.fps, [*-ground, 0.0]))
