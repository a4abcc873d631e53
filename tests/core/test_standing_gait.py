"""The gait *stand*: it keeps its balance, by steps where it must, and other gaits go before it and after it."""

from itertools import product

import numpy as np
import pytest

from core import jobs
from core.jobs import make_job
from core.physics import ENGINES
from tests.cases import quick

PUSHES = [(300.0, 0.0), (0.0, 300.0), (-300.0, 0.0), (0.0, -300.0), (200.0, 200.0)]  # N forward and to the left


def stood(seconds: float = 4.0, **job):
    return jobs.run(make_job({"gait": "stand", "duration": seconds, **job}))


def push(forward: float, left: float, time: float = 0.8) -> dict:
    return {"type": "push", "time": time, "duration": 0.2, "force": [forward, left, 0.0]}


@pytest.mark.parametrize("engine", quick(ENGINES, "mujoco"))
def test_it_stands_still(engine):
    result = stood(2.0, start="gait", engine=engine)
    assert not result.outcome["fell"] and result.outcome["steps"] == 0
    assert np.ptp(result.root_positions, axis=0).max() < 0.01


@pytest.mark.parametrize(("engine", "push_n"), quick(product(ENGINES, PUSHES), ("pybullet", (300.0, 0.0))))
def test_it_takes_pushes_in_a_step_or_two(engine, push_n):
    result = stood(5.0, events=[push(*push_n)], engine=engine)
    assert not result.outcome["fell"] and 1 <= result.outcome["steps"] <= 3
    assert np.linalg.norm(np.diff(result.root_positions[-10:], axis=0), axis=1).max() * result.fps < 0.1  # it stands again


@pytest.mark.parametrize("engine", quick(ENGINES, "mujoco"))
def test_a_small_push_moves_no_foot(engine):
    result = stood(3.0, events=[push(100.0, 0.0)], engine=engine)
    assert not result.outcome["fell"] and result.outcome["steps"] == 0


@pytest.mark.parametrize(("engine", "mass"), quick(product(ENGINES, (1.0, 5.0)), ("pybullet", 1.0), ("mujoco", 5.0)))
def test_a_ball_does_not_fell_it(engine, mass):
    ball = {"type": "ball", "time": 0.3, "mass": mass, "position": [2.0, 0.0, 1.2], "velocity": [-8.0, 0.0, 1.2]}
    result = stood(3.0, events=[ball], engine=engine)
    assert not result.outcome["fell"]
    assert np.ptp(result.object_positions[:, 0, 0]) > 1.5  # it was hit


@pytest.mark.slow
def test_what_nobody_could_take_is_a_fall():
    result = stood(2.5, events=[push(1500.0, 0.0, 0.2)])
    assert result.outcome["fell"] and result.outcome["fell_at"] < 1.9


@pytest.mark.parametrize("engine", quick(ENGINES, "pybullet"))
def test_it_is_left_and_come_back_to(engine):
    changes = [{"type": "gait", "time": time, "gait": gait} for time, gait in ((0.5, "walk"), (5.0, "stand"))]
    result = stood(12.0, events=[*changes, push(150.0, 0.0, 10.5)], engine=engine)
    assert not result.outcome["fell"]
    names = [result.gait_names[number] for number in result.gaits]
    assert names[0] == names[-1] == "stand" and "walk" in names
    assert result.root_positions[-1, 0] > 2.0


@pytest.mark.slow
def test_the_same_push_gives_the_same_steps():
    first, second = (stood(3.0, events=[push(0.0, 350.0)]) for _ in range(2))
    assert np.array_equal(first.rotations, second.rotations) and np.array_equal(first.root_positions, second.root_positions)
