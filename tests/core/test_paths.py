"""Walks along paths with bends of 2 m radius: how far they get off, and what they do at the end."""

import math

import numpy as np
import pytest

from core import jobs
from core.jobs import make_job
from core.physics import ENGINES
from core.rotation import heading
from tests.cases import quick

RADIUS = 2.0


def path(*pieces: tuple[float, float], step: float = 0.1) -> list:
    """Points of pieces, each so many metres long and turning by so many radians."""
    x = y = facing = 0.0
    points = [(0.0, 0.0)]
    for length, turn in pieces:
        count = round(length / step)
        for _ in range(count):
            facing += turn / count / 2
            x, y = x + length / count * math.cos(facing), y + length / count * math.sin(facing)
            facing += turn / count / 2
            points.append((x, y))
    return points


def bend(turn: float) -> tuple[float, float]:
    return (RADIUS * abs(turn), turn)


CURVES = {
    "circle": path(bend(2 * math.pi)),
    "corner": path((2.0, 0.0), bend(-math.pi / 2), (3.0, 0.0)),
    "s-bend": path((2.0, 0.0), bend(math.pi / 2), bend(-math.pi), bend(math.pi / 2), (2.0, 0.0)),
    "u-turn": path((2.0, 0.0), bend(math.pi), (3.0, 0.0)),
    "slalom": [(x, 0.8 * math.sin(0.79 * x)) for x in np.arange(0.0, 12.05, 0.1)],
}
CASES = [(curve, body) for curve in CURVES for body in ("average_man", "short", "overweight")]


def walked(points: list, **job):
    return jobs.run(make_job({"path": points, "start": "gait", **job}))


def length(points: list) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def off(result, points: list) -> np.ndarray:
    """(F,) m from the pelvis to the nearest point of the path."""
    return np.linalg.norm(result.root_positions[:, None, :2] - np.array(points), axis=-1).min(axis=1)


@pytest.mark.parametrize(("curve", "body"), quick(CASES, ("circle", "average_man")))
def test_the_walk_keeps_to_its_curve(engine, curve, body):
    points = CURVES[curve]
    result = walked(points, body=body, engine=engine, duration=0.9 * length(points))
    assert not result.outcome["fell"]
    assert off(result, points).max() < 0.3


@pytest.mark.xfail(reason="not reached: 0.8 m off, wanted are 0.3 m")
@pytest.mark.parametrize("engine", quick(ENGINES, "pybullet"))
def test_legs_that_collide_keep_to_it_too(engine):
    result = walked(CURVES["u-turn"], engine=engine, duration=9.0, self_collision=True)
    assert not result.outcome["fell"] and off(result, CURVES["u-turn"]).max() < 0.3


@pytest.mark.parametrize("gait", ["backward", "sideways_left"])
def test_who_goes_backward_or_aside_faces_so_that_it_goes_along_the_path(gait):
    points = CURVES["corner"]
    result = walked(points, gait=gait, duration=8.0)
    assert not result.outcome["fell"] and off(result, points).max() < 0.3
    gone = result.root_positions[-1, :2] - result.root_positions[0, :2]
    facing = float(heading(result.rotations[30, 0]))
    assert np.linalg.norm(gone) > 1.0 and abs(math.remainder(facing - (math.pi if gait == "backward" else -math.pi / 2), 2 * math.pi)) < 0.5


@pytest.mark.parametrize("engine", quick(ENGINES, "pybullet"))
def test_it_stops_at_the_end_if_it_is_asked_to(engine):
    points = CURVES["corner"]
    result = walked(points, at_end="stop", duration=14.0, engine=engine)
    assert not result.outcome["fell"] and result.gait_names[result.gaits[-1]] == "stand"
    assert np.linalg.norm(result.root_positions[-1, :2] - points[-1]) < 0.3
    assert np.ptp(result.root_positions[-30:], axis=0).max() < 0.02


@pytest.mark.parametrize("engine", quick(ENGINES, "mujoco"))
def test_else_it_walks_on(engine):
    points = CURVES["corner"]
    result = walked(points, duration=11.0, engine=engine)
    beyond = result.root_positions[-1, :2] - points[-1]
    assert beyond[1] < -0.8 and abs(beyond[0]) < 0.3  # the path ends towards −y
