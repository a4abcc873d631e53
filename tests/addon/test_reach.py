"""Legs of a character that reach for where the simulated feet are."""

import numpy as np
from footfall.blender_addon.rig.reach import reach

from core import rotation

HIP, LEFT = np.array([[0.0, 0.0, 0.9]]), np.array([[0.0, 1.0, 0.0]])


def leg(bent: float, aside: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Knee and ankle, (1, 3) each, of a leg under HIP whose knee is bent by ``bent`` and turned out by ``aside`` rad."""
    out = rotation.from_axis_angle((0.0, 0.0, 1.0), aside)
    thigh = rotation.from_axis_angle((0.0, 1.0, 0.0), -0.5 * bent)
    shin = rotation.from_axis_angle((0.0, 1.0, 0.0), 0.5 * bent)
    knee = HIP + rotation.rotate(out, rotation.rotate(thigh, (0.0, 0.0, -0.45)))
    return knee, knee + rotation.rotate(out, rotation.rotate(shin, (0.0, 0.0, -0.43)))


def reached(knee: np.ndarray, ankle: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knee and ankle after it."""
    thigh, shin = reach(HIP, knee, ankle, goal, LEFT)
    there = HIP + rotation.rotate(thigh, knee - HIP)
    return there, there + rotation.rotate(shin, ankle - knee)


def test_the_ankle_comes_to_its_place_and_the_knee_points_where_it_did():
    for bent in (0.02, 0.3, 1.2):
        for aside in (-0.4, 0.0, 0.5):
            knee, ankle = leg(bent, aside)
            goal = ankle + (0.05, -0.03, 0.06)
            there, foot = reached(knee, ankle, goal)
            assert np.abs(foot - goal).max() < 1e-4
            middle = 0.5 * (HIP + foot)
            if bent > 0.1:
                assert ((there - middle) @ (knee - 0.5 * (HIP + ankle)).T).item() > 0.0, "the knee does not go through the leg"
            assert there[0, 0] > middle[0, 0], "a knee bends to the front"


def test_a_foot_that_is_in_its_place_changes_nothing():
    for bent in (-0.05, 0.0, 0.4):
        knee, ankle = leg(bent)
        for turn in reach(HIP, knee, ankle, ankle, LEFT):
            assert np.linalg.norm(rotation.log(turn)) < 0.02 * (bent == 0.0) + 1e-7


def test_a_leg_is_not_torn_out():
    knee, ankle = leg(0.3)
    goal = ankle + (0.0, 0.0, -0.5)
    there, foot = reached(knee, ankle, goal)
    assert np.abs(np.linalg.norm(foot - there) - 0.43) < 1e-9
    assert np.linalg.norm(foot - HIP) < 0.88
    assert np.linalg.norm(np.cross(foot - HIP, goal - HIP)) < 1e-9, "it points there"
