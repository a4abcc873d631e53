"""Who falls by itself in a gait that has a refuge, because the gait is none for its body, walks in the refuge from the beginning."""

import json

import numpy as np
import pytest

from core.context import Context
from core.control.gait import whole_data
from core.jobs import make_job, run
from core.measure.report import measure, sentence
from core.presets import load


def limping():
    """The data of the natural walk, with legs that bear nobody: it falls as soon as it comes into its stride."""
    data = whole_data(load("gaits", "walk"))
    return data | {"gains": {joint: [0.05 * gain[0], *gain[1:]] for joint, gain in data["gains"].items()}, "variants": []}


JOB = {"gait": "walk", "fits": {"walk": limping()}, "duration": 5.0, "engine": "pybullet"}


def told(result):
    return sentence(result, measure(result))


@pytest.fixture(scope="module")
def caught():
    fractions = []
    result = run(make_job(JOB), Context(progress=lambda fraction, _, doing: fractions.append((fraction, doing))))
    return result, fractions


def test_who_falls_by_itself_goes_in_the_refuge_from_the_beginning(caught):
    result, _ = caught
    assert not result.outcome["fell"] and set(result.gait_names) == {"sturdy_walk"} and result.frames == 151
    alone = run(make_job(JOB | {"gait": "sturdy_walk", "fits": {}}))
    assert np.array_equal(result.rotations, alone.rotations)


def test_it_says_so_and_names_the_way_out(caught):
    result, _ = caught
    fell_at = result.outcome["instead_of"]["fell_at"]
    assert 0.5 < fell_at < 4.0
    assert told(result).endswith(f" It fell by itself at {fell_at:.1f} s in 'walk' and goes in the sturdier 'sturdy_walk' instead: "
                                 "fit 'walk' to this body again, as Fit to This Character does.")


def test_the_same_job_gives_the_same_result(caught):
    result, _ = caught
    again = run(make_job(result.job))
    assert result.job == make_job(JOB).to_dict() == again.job and result.outcome == again.outcome
    assert np.array_equal(result.rotations, again.rotations) and np.array_equal(result.root_positions, again.root_positions)


def test_progress_says_what_is_left(caught):
    result, fractions = caught
    fell = result.outcome["instead_of"]["fell_at"] / 5.0
    first = [fraction for fraction, doing in fractions if doing == "Simulating 5 s of the gait 'walk'"]
    second = [fraction for fraction, doing in fractions if doing == "Simulating 5 s of the gait 'sturdy_walk', as 'walk' fell"]
    assert len(first) + len(second) == len(fractions)
    assert first[-1] == pytest.approx(fell, abs=0.02)
    assert second[0] == pytest.approx(fell / (1.0 + fell), abs=0.02) and second[-1] == pytest.approx(1.0) and second == sorted(second)


def test_who_is_not_to_catch_itself_falls():
    result = run(make_job(JOB | {"catches_itself": False}))
    assert result.outcome["fell"] and "instead_of" not in result.outcome


PUSH = {"type": "push", "time": 0.5, "duration": 0.1, "force": [0.0, 50.0, 0.0]}
BALL = {"type": "ball", "time": 0.5, "position": [3.0, 0.0, 1.0], "velocity": [-6.0, 0.0, 1.0]}


@pytest.mark.parametrize("event", (PUSH, BALL), ids=("push", "ball"))
def test_a_fall_after_a_blow_is_kept(event):
    result = run(make_job(JOB | {"events": [event]}))
    assert result.outcome["fell"] and "instead_of" not in result.outcome


def test_a_blow_after_the_fall_happens_in_the_refuge():
    result = run(make_job(JOB | {"events": [PUSH | {"time": 3.5}]}))
    assert not result.outcome["fell"] and result.outcome["instead_of"]["gait"] == "walk" and measure(result)["pushes"] == 1


def test_a_fall_over_a_box_is_kept():
    result = run(make_job(JOB | {"fits": {}, "obstacles": [{"size": [0.3, 3.0, 0.35], "position": [1.6, 0.0, 0.175]}]}))
    assert result.outcome["fell"] and "instead_of" not in result.outcome


def test_a_fit_of_the_gait_is_tried_first():
    fitted = whole_data(load("gaits", "sturdy_walk")) | {"refuge": "sturdy_walk"}
    holds = run(make_job(JOB | {"duration": 4.0, "fits": {"walk": fitted}}))
    assert not holds.outcome["fell"] and "instead_of" not in holds.outcome and holds.gait_names == ["sturdy_walk", "walk"]


def test_who_has_no_fit_is_told_to_make_one(limp):
    falls = run(make_job({"gait": limp, "duration": 4.0, "engine": "pybullet"}))
    assert not falls.outcome["instead_of"]["fitted"] and told(falls).endswith("fit 'limp' to this body, as Fit to This Character does.")


@pytest.fixture
def limp(tmp_path):
    """The same in a file."""
    place = tmp_path / "limp.json"
    place.write_text(json.dumps(limping()))
    return str(place)


def test_who_finds_no_stride_begins_in_the_stride_of_the_refuge(limp):
    result = run(make_job({"gait": limp, "start": "gait", "duration": 2.0, "engine": "pybullet"}))
    assert not result.outcome["fell"] and result.outcome["instead_of"]["fell_at"] is None
    assert np.linalg.norm(result.root_positions[3] - result.root_positions[0]) > 0.05
    assert "It fell by itself before it found its stride in 'limp'" in told(result)


def test_a_gait_that_it_changes_into_is_caught_too(limp):
    later = run(make_job({"gait": "sturdy_walk", "duration": 4.0, "engine": "pybullet", "events": [{"type": "gait", "time": 1.0, "gait": limp}]}))
    assert not later.outcome["fell"] and later.outcome["instead_of"]["gait"] == "limp" and later.gait_names == ["sturdy_walk"]


def test_a_style_is_left_out(limp):
    styled = run(make_job({"gait": limp, "duration": 4.0, "engine": "pybullet", "style": "tired"}))
    assert not styled.outcome["fell"] and "'sturdy_walk' instead, without the style" in told(styled)


def test_who_goes_in_the_refuge_because_its_legs_collide_begins_in_the_stride_of_that():
    colliding = JOB | {"start": "gait", "self_collision": True, "duration": 0.5}
    result, alone = run(make_job(colliding)), run(make_job(colliding | {"gait": "sturdy_walk"}))
    assert "instead_of" not in result.outcome and np.array_equal(result.rotations, alone.rotations)
