"""The balance of a walk by itself: its feedback, moved about the stride that it has."""

import json

import numpy as np
import pytest

from core import presets
from core.__main__ import main
from core.control.gait import make_gait
from core.jobs import make_job
from core.methods.gait import walk
from core.optimize.feedback import feedback_parameters, usual_hips
from core.optimize.parameters import moved

PUSH = {"type": "push", "time": 4.0, "duration": 0.4, "part": "torso", "frame": "world", "force": [75.0, 0.0, 0.0]}


@pytest.fixture(scope="module")
def data():
    return presets.load("gaits", "walk")


@pytest.fixture(scope="module")
def usual(data):
    return usual_hips(data, "walk", {"engine": "mujoco"})


def walked(data, **wish):
    return walk(make_job({"gait": "walk", "engine": "mujoco", "catches_itself": False, **wish}), gaits={"walk": make_gait(data, "walk")})


def speed(result, first, last):
    return float(np.diff(result.root_positions[[round(first * result.fps), round(last * result.fps)], 0])[0] / (last - first))


def test_hips_are_behind_the_foot_at_first_and_ahead_of_it_at_last(usual):
    forward = usual[:, 0, 0]
    assert usual.shape == (4, 2, 2) and (np.diff(forward) > 0.0).all() and forward[0] < -0.1 and forward[-1] > 0.1
    assert (usual[:, 0, 1] > 1.0).all() and (usual[:, 1, 0] < 0.0).all()  # m/s ahead, and inward of the left foot


@pytest.mark.slow
def test_more_feedback_about_the_usual_stride_leaves_the_walk_as_it_is_where_plain_feedback_changes_it(data, usual):
    parameters = feedback_parameters(data, usual)
    assert len(parameters) == 32 and len({parameter.paths for parameter in parameters}) == 32
    steps = [1.0 if parameter.paths[0] == ("states", 3, "cv", 0) else 0.0 for parameter in parameters]
    about = moved(data, parameters, steps)
    plain = json.loads(json.dumps(data))
    plain["states"][3]["cv"][0] = about["states"][3]["cv"][0]
    before, kept, changed = (speed(walked(gait, duration=6.0, start="gait"), 3.0, 6.0 - 0.1) for gait in (data, about, plain))
    assert kept == pytest.approx(before, abs=0.04) and abs(changed - before) > abs(kept - before)


def test_walk_does_not_go_on_faster_after_a_push_from_behind(data):
    """What the feedback of the stance ankle in the second state is for: without it, the walk leaps on at 1.6 m/s."""
    result = walked(data, duration=9.0, start="gait", events=[PUSH])
    assert not result.outcome["fell"] and speed(result, 7.0, 8.9) == pytest.approx(speed(result, 1.0, 3.9), abs=0.12)
    without = json.loads(json.dumps(data))
    without["states"][1]["ankle_cv"][0] -= 0.25
    without["states"][1]["stance_ankle"][0] -= 0.25 * (1.14 - data["speed"])
    assert speed(walked(without, duration=9.0, start="gait", events=[PUSH]), 7.0, 8.9) > 1.45


@pytest.mark.slow
def test_optimise_feedback(tmp_path, capsys):
    place = tmp_path / "sturdier.json"
    main(["optimise", "--feedback", "--engines", "mujoco", "--pushes", "0.5", "--rounds", "1", "--trials", "2", "--workers", "1", "-o", str(place)])
    found, before = json.loads(place.read_text()), presets.load("gaits", "walk")
    assert found["made_by"].startswith("python -m core optimise --feedback") and found["variants"] == before["variants"]
    assert "round 1: best " in capsys.readouterr().err
