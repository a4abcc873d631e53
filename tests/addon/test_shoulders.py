"""Clavicles that follow the arms."""

from itertools import pairwise

import numpy as np
import pytest
from footfall.blender_addon.rig.shoulders import SHARE, follow
from footfall.core import rotation

DOWN = np.array([[0.0, 0.0, -1.0]])


def turn(axis, degrees: float) -> np.ndarray:
    return rotation.from_axis_angle([axis], np.radians([degrees]))


def test_a_clavicle_goes_with_the_trunk_where_the_arm_does():
    trunk = rotation.multiply(turn((0, 0, 1), 70.0), turn((1, 0, 0), 20.0))
    assert follow(trunk, trunk, DOWN) == pytest.approx(trunk, abs=1e-12)


def test_a_clavicle_takes_a_share_of_what_the_arm_is_raised():
    raised = follow(rotation.identity((1,)), turn((1, 0, 0), -90.0), DOWN)
    assert np.linalg.norm(rotation.log(raised)) == pytest.approx(SHARE)
    assert rotation.rotate(raised, np.array([0.0, 1.0, 0.0]))[0, 2] < 0.0 < rotation.rotate(raised, np.array([0.0, -1.0, 0.0]))[0, 2]


def test_a_clavicle_does_not_care_how_the_arm_is_twisted_and_never_jumps():
    assert follow(rotation.identity((1,)), turn((0, 0, 1), 130.0), DOWN) == pytest.approx(rotation.identity((1,)), abs=1e-12)
    around = [follow(rotation.identity((1,)), turn((1, 0, 0), degrees), DOWN) for degrees in range(0, 361, 5)]
    steps = [np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(one), other))) for one, other in pairwise(around)]
    assert max(steps) < SHARE * np.radians(5.5)
