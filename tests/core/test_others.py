"""Other characters as moving obstacles."""

import math

import numpy as np
import pytest

from core import jobs, presets, rotation
from core.errors import JobError
from core.jobs import check, make_job
from core.motion import Motion
from core.others import Other, boxes, others
from core.physics import ENGINES
from tests.cases import quick

BALL = {"type": "moving", "name": "Ball", "fps": 10.0, "parts": [{"kind": "sphere", "size": [0.2], "center": [0.0, 0.0, 0.0]}]}


def rolling(height: float, speed: float, start: float = 3.0, seconds: float = 4.0) -> dict:
    """A ball that comes along −x, and cannot be held up."""
    times = np.arange(0.0, seconds, 0.1)
    return BALL | {"positions": [[[start - speed * time, 0.0, height]] for time in times], "rotations": [[[1.0, 0.0, 0.0, 0.0]]] * len(times)}


def coming(result, ahead: float, aside: float) -> dict:
    """Who walked ``result``, coming the other way."""
    body = presets.body(result.job["body"])
    positions, turns = Motion(body.skeleton, result.fps, result.root_positions, result.rotations).world()
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), math.pi)
    parts = [{"kind": shape.kind, "size": list(shape.size), "center": list(shape.center)} for shape in body.shapes]
    return {"type": "moving", "name": "Anna", "fps": result.fps, "parts": parts, "rotations": rotation.multiply(turn, turns).tolist(),
            "positions": (rotation.rotate(turn, positions) + [ahead, aside, 0.0]).tolist()}


def test_it_is_between_its_frames_and_stands_still_outside():
    ball = Other(rolling(1.0, 2.0))
    place, _, velocity, spin = ball.at(0.55)
    assert place[0] == pytest.approx([1.9, 0.0, 1.0]) and velocity[0] == pytest.approx([-2.0, 0.0, 0.0]) and not spin.any()
    place, _, velocity, _ = ball.at(99.0)
    assert place[0, 0] == pytest.approx(3.0 - 2.0 * 3.9) and not velocity.any()
    assert ball.at(-1.0)[0][0, 0] == 3.0


def test_boxes_are_not_others():
    box = {"size": [1, 1, 1], "position": [0, 0, 0]}
    assert boxes([box, rolling(1.0, 1.0)]) == [box] and [other.name for other in others([box, rolling(1.0, 1.0)])] == ["Ball"]


@pytest.mark.parametrize(("changes", "named"), [
    ({"name": 3}, "obstacles[0].name"), ({"fps": 0}, "obstacles[0].fps"), ({"parts": [{"kind": "cone", "size": [1], "center": [0, 0, 0]}]}, "kind"),
    ({"positions": [[[0, 0]]]}, "obstacles[0].positions"), ({"positions": "far"}, "obstacles[0].positions"),
    ({"rotations": [[[2.0, 0, 0, 0]]] * 40}, "obstacles[0].rotations"), ({"positions": [[[0, 0, 0]]]}, "as many"),
    ({"speed": 1}, "no field 'speed'")])
def test_mistakes_are_named(changes, named):
    with pytest.raises(JobError) as error:
        check({"obstacles": [rolling(1.0, 1.0) | changes]})
    assert named in str(error.value)


def test_a_method_that_does_not_feel_them_refuses_them():
    with pytest.raises(JobError, match="does not feel other characters"):
        check({"method": "retarget", "clips": ["walk.bvh"], "obstacles": [rolling(1.0, 1.0)]})


def test_a_bump_pushes_as_fast_as_the_other_comes(engine):
    result = jobs.run(make_job({"gait": "in_place", "duration": 2.5, "engine": engine, "obstacles": [rolling(1.2, 1.0, start=1.0)]}))
    # The middle of the ball is at −1.5 m at last, and nothing but the body was in its way.
    assert result.outcome["bumped_s"]["Ball"] == pytest.approx(0.7, abs=0.2)
    assert result.root_positions[-1, 0] < -0.3 and result.object_names == []


@pytest.mark.parametrize("engine", quick(ENGINES, "mujoco"))
def test_two_who_walk_towards_each_other_bump(engine):
    alone = jobs.run(make_job({"duration": 4.0, "start": "gait", "engine": engine}))
    met = jobs.run(make_job({"duration": 4.0, "start": "gait", "engine": engine, "obstacles": [coming(alone, 4.0, 0.0)]}))
    passed = jobs.run(make_job({"duration": 4.0, "start": "gait", "engine": engine, "obstacles": [coming(alone, 4.0, 1.0)]}))
    assert "Anna" in met.outcome["bumped_s"] and met.root_positions[:, 0].max() < 2.2
    assert "bumped_s" not in passed.outcome and np.abs(passed.root_positions - alone.root_positions).max() < 0.05
