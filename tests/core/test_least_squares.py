"""Least squares: a point where many numbers are small, from trials that are a little different every time."""

import numpy as np
import pytest

from core.search.least_squares import least_squares

GENERATOR = np.random.default_rng(3)
SLOPES, GOAL = GENERATOR.standard_normal((80, 12)), 0.4 * GENERATOR.standard_normal(12)


def bent(point):
    """(80,) misses that vanish at the goal, and do not change evenly on the way there."""
    off = SLOPES @ (point - GOAL)
    return off + 0.02 * off**2


def test_it_finds_the_point_where_nothing_is_missed():
    found = least_squares(lambda points: [bent(point) for point in points], np.zeros(12), 0.06, 24, rounds=12)
    assert found.cost < 1e-3 and found.point == pytest.approx(GOAL, abs=1e-2)


def test_chance_in_the_trials_is_evened_out():
    chance = np.random.default_rng(1)
    found = least_squares(lambda points: [bent(point) + 0.1 * chance.standard_normal(80) for point in points], np.zeros(12), 0.06, 24, rounds=12)
    assert np.linalg.norm(found.point - GOAL) < 0.1 * np.linalg.norm(GOAL)


def test_trials_that_fail_are_left_out_and_never_taken():
    def walled(points):
        return [np.array([100.0]) if point[0] > 0.5 else bent(point) for point in points]

    found = least_squares(walled, np.full(12, 0.3), 0.1, 24, rounds=10)
    assert found.cost < 0.1 * float(bent(np.full(12, 0.3)) @ bent(np.full(12, 0.3))) and found.point[0] <= 0.5


def test_the_same_search_finds_the_same():
    one, again = (least_squares(lambda points: [bent(point) for point in points], np.zeros(12), 0.06, 24, rounds=3) for _ in range(2))
    assert np.array_equal(one.point, again.point) and one.number == 3


def test_each_round_is_told():
    told = []
    least_squares(lambda points: [bent(point) for point in points], np.zeros(12), 0.06, 8, rounds=4, report=told.append)
    costs = [one.cost for one in told]
    assert [one.number for one in told] == [1, 2, 3, 4] and costs == sorted(costs, reverse=True)
