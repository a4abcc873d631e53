"""The last pass over a planned motion: trembling is smoothed, feet that stand are pinned to where they stand, and contacts stay sharp."""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import feet, rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import pin, plant, stances
from ..feet.loads import bearing, loaded
from ..motion import Motion
from ..reference import lowpass
from ..result import Result
from ..signals import nearby, runs
from . import support

CALM_HZ, LIVELY_HZ = 7.0, 10.0  # cutoff, a little higher than for recordings; where the body runs or jumps it is the higher one …
LIVELY_S = 0.4  # … and so many s before and after that
MOVES_M_S = 0.05  # m/s of every point of the sole, from which on a foot moves along the floor
RESTS = ("pelvis", "torso", "head", "thigh", "shin")  # what a body that does not stand rests on
FEWEST = 8  # frames: a shorter motion is not smoothed


def finished(result: Result, body: Body, planted: Bools, joins: bool) -> Result:
    """``result`` with its motion smoothed and its feet planted, on a level floor; on other ground smoothed only.

    ``planted``: (F, 2) whether the left and right foot are to be planted where they bear weight, at the frames of the result.
    ``joins``: whether the result continues a clip.
    """
    motion = Motion(body.skeleton, result.fps, result.root_positions, rotation.make_continuous(result.rotations))
    if motion.frames < FEWEST:
        return result
    found = [stance for stance in stances.find(body, motion) if stance.height == 0.0]
    # Feet stand that move as feet do that stand, and those that are to be planted and bear weight.
    standing = stances.masks(found, motion.frames) | (planted[:motion.frames] & loaded(result))
    links, spots = support.lowest_points(body, *motion.world())
    low = spots[..., 2] - result.ground_heights.max(axis=1)[:, None]
    flies = low.min(axis=1) > support.NEAR
    # Feet of a body that lies, sits or kneels are left to physics: pinned to the floor they would draw the rest of the body into it.
    rests = np.isin(links, [i for i, name in enumerate(body.names) if name.startswith(RESTS)])
    standing &= (low[:, rests].min(axis=1) > support.NEAR)[:, None]
    smooth = lowpass.smoothed_by_pace(motion, CALM_HZ, LIVELY_HZ, nearby(flies, LIVELY_S * motion.fps))
    if not pin.on_a_floor(result):
        return dataclasses.replace(result, root_positions=smooth.root_positions, rotations=smooth.rotations)
    if joins:
        return pin.moved(result, body, pin.pinned_after(body, smooth, standing))
    steps = _steps(feet.soles(body, smooth), standing & ~bearing(result), smooth.fps, plant.LONGEST_CORRECTION * body.leg_length)
    firm = [stances.Stance(foot, start, end) for foot in (0, 1) for start, end in runs((standing & ~steps)[:, foot])
            if end - start >= pin.SHORTEST_S * smooth.fps or start == 0 or end == smooth.frames]
    return pin.moved(result, body, pin.pinned(body, smooth, firm, steps))


def _steps(soles: Array, light: Bools, fps: float, far: float) -> Bools:
    """(F, 2) whether feet make a step though they seem to stand: those that carry little, ``light`` (F, 2), and move along the floor by more than
    ``far`` metres. ``soles``: (F, 2, P, 3) m."""
    pace = np.linalg.norm(feet.velocities(soles, fps)[..., :2], axis=-1).min(axis=2)
    places, steps = soles[..., :2].mean(axis=2), np.zeros(light.shape, dtype=bool)
    for foot in (0, 1):
        for start, end in runs(light[:, foot] & (pace[:, foot] > MOVES_M_S)):
            steps[start:end, foot] = np.linalg.norm(places[end - 1, foot] - places[start, foot]) > far
    return steps
