"""From where a hit body has come to stand back into its clip."""

import numpy as np
import pytest

from core import feet, presets, rotation
from core.hit.gather import gathered
from core.hit.settings import GATHER
from core.motion import Motion

FPS, FRAMES, START = 30.0, 160, 10
UP = 0.004  # m, of an ankle that is lifted


@pytest.fixture(scope="module")
def body():
    return presets.body("average_man")


def standing(body, degrees=0.0):
    """Who stands still, turned."""
    turns = rotation.identity((FRAMES, len(body.names)))
    turns[:, 0] = rotation.from_axis_angle((0.0, 0.0, 1.0), np.radians(degrees))
    return Motion(body.skeleton, FPS, np.tile([0.0, 0.0, body.standing_height], (FRAMES, 1)), turns)


def back(body, degrees, stays=0):
    """The feet (F, 2, 3) m and where they point (F, 2) rad, of a body that stood turned about one foot and goes back to its clip; both motions."""
    clip, there, ankles = standing(body), standing(body, degrees), [feet.link(body, "foot", foot) for foot in (0, 1)]
    away = (clip.world()[0] - there.world()[0])[:, ankles[stays]]
    found = gathered(body, there.displace(away), clip, START)
    places, turns = found.world()
    return places[:, ankles], rotation.heading(turns[:, ankles]), found, clip


@pytest.mark.parametrize("degrees, stays", [(-30.0, 0), (80.0, 1), (-100.0, 0), (170.0, 1)])
def test_who_was_turned_turns_back_with_one_foot_on_the_ground(body, degrees, stays):
    places, _, found, clip = back(body, degrees, stays)
    lifted = places[..., 2] - places[0, :, 2] > UP
    assert lifted.any(axis=0).all() and not lifted.all(axis=1).any()
    speeds = np.linalg.norm(np.diff(places[..., :2], axis=0), axis=-1) * FPS
    assert speeds[~(lifted[1:] | lifted[:-1])].max() < 0.12  # m/s, in the frame in which it leaves
    assert np.abs(found.root_positions[-1] - clip.root_positions[-1]).max() < 1e-9
    assert np.abs(np.diff(found.rotations, axis=0)).max() < 0.1  # no pose jumps


def test_no_foot_points_far_from_the_other_one(body):
    _, facing, _, _ = back(body, 100.0)
    assert np.abs(rotation.wrap(facing[:, 0] - facing[:, 1])).max() < np.radians(60.0)


def test_a_foot_that_stands_right_is_not_lifted_for_a_little_turn(body):
    places, _, found, clip = back(body, np.degrees(GATHER.little) - 1.0)
    assert np.ptp(places[:, 0, 2]) < 1e-6
    assert np.abs(found.rotations[-1] - clip.rotations[-1]).max() < 1e-9
