"""The last pass over a planned motion: what trembles is smoothed, feet that stand are pinned to where they stand, contacts stay sharp."""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..body import Body
from ..measure.contacts import loaded
from ..motion import Motion
from ..reference import contacts, feet, lowpass, plant
from ..result import Result
from . import support

CALM_HZ, LIVELY_HZ = 7.0, 10.0  # a little more than what is left of a recording, and where someone runs or jumps …
LIVELY_S = 0.4  # … and so many s around that
FEWEST = 8  # frames, below which there is nothing to smooth
LEVEL = 1e-3  # m: ground that differs less than this is a floor
SUNK = 0.008  # m that planting may push a foot into the floor


def finished(result: Result, body: Body, planted: np.ndarray) -> Result:
    """``result`` with its motion smoothed and its feet planted, on a level floor; on other ground smoothed only. Changes it in place.

    ``planted``: (F, 2) whether the left and right foot stand in the clip, at the frames of the result.
    """
    motion = Motion(body.skeleton, result.fps, result.root_positions, rotation.make_continuous(result.rotations))
    if motion.frames < FEWEST:
        return result
    found = [stance for stance in contacts.find(body, motion) if stance.height == 0.0]
    standing = contacts.masks(found, motion.frames) | (planted[:motion.frames] & loaded(result))
    flies = support.lowest_points(body, *motion.world())[1][..., 2].min(axis=1) > support.NEAR + result.ground_heights.max(axis=1)
    smooth = lowpass.smoothed_by_pace(motion, CALM_HZ, LIVELY_HZ, feet.nearby(flies, LIVELY_S * motion.fps))
    if np.abs(result.ground_heights).max() < LEVEL and not len(result.object_names):
        # Feet that stand by how they move, and those that do because the clip wants it and they bear weight.
        stances = [contacts.Stance(foot, start, end) for foot in (0, 1) for start, end in feet.runs(standing[:, foot])]
        deep = _depths(body, plant.planted(body, smooth, stances))
        # A foot that lies on its side or on its toes, as of someone who gets up, is no foot to be planted.
        stances = [stance for stance in stances if deep[stance.start:stance.end, stance.foot].max() < SUNK]
        smooth = plant.planted(body, smooth, stances)
        result.penetrations[:] = _depths(body, smooth)
    result.root_positions, result.rotations = smooth.root_positions, smooth.rotations
    return result


def _depths(body: Body, motion: Motion) -> np.ndarray:
    """(F, 2) m that the soles are in the floor."""
    return np.maximum(0.0, -feet.soles(body, motion)[..., 2].min(axis=2))
