"""A body feels by how much a push changes its speed, and feels nothing where only the ground acts on it."""

import pytest

from core.control.felt import Felt
from core.control.walker import Walker
from core.jobs import make_job
from core.methods.gait import walk


@pytest.fixture
def felt(monkeypatch):
    """What a walker felt at each moment of control of the last job: s, and m/s along x and y."""
    told, act = [], Walker.torques

    def torques(walker, state):
        if not told or state.time < told[-1][0]:
            told[:] = []
            walker.test_felt = Felt(walker.body, 0.3)
        walker.test_felt.look(state)
        told.append((state.time, *walker.test_felt.change))
        return act(walker, state)

    monkeypatch.setattr(Walker, "torques", torques)
    return told


def test_steps_and_slopes_are_not_felt(felt, engine):
    ground = {"type": "slope", "degrees": 3.0, "start": -1.0}
    walk(make_job({"gait": "sturdy_walk", "duration": 2.0, "engine": engine, "start": "gait", "ground": ground}))
    assert max(max(abs(x), abs(y)) for _, x, y in felt) < 0.005


def test_a_push_is_felt_along_its_way(felt, engine):
    push = {"type": "push", "time": 1.0, "duration": 0.1, "part": "torso", "frame": "world", "force": [0.0, 200.0, 0.0]}
    result = walk(make_job({"gait": "sturdy_walk", "duration": 1.2, "engine": engine, "start": "gait", "events": [push]}))
    change = 200.0 * 0.1 / result.masses.sum()
    _, x, y = next(moment for moment in felt if moment[0] >= 1.1)
    assert abs(x) < 0.01 and 0.75 * change < y < change, "what was felt first is fading already"


def test_a_ball_is_felt_as_a_push_is(felt):
    ball = {"type": "ball", "time": 0.5, "mass": 4.0, "radius": 0.1, "frame": "heading", "position": [1.0, 0.0, 1.3], "velocity": [-5.0, 0.0, 1.0]}
    walk(make_job({"gait": "sturdy_walk", "duration": 1.2, "start": "gait", "events": [ball]}))
    assert min(x for _, x, _ in felt) < -0.1
