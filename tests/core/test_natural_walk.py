"""A walk as people's: the law that it needs, what it costs, and the gait that a search found for it."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from core import jobs, presets
from core.__main__ import main
from core.control.gait import GaitPose, load_gait
from core.jobs import make_job
from core.measure.gait import mean_heading
from core.measure.norms import norms_of, read_norms
from core.measure.span import steady
from core.measure.walking import figures, force_cycle, torque_ratio
from core.methods.gait import walk
from core.optimize.parameters import FEEDBACK, moved, parameters_of
from core.optimize.walking import FALL, WEIGHTS, below_a_fall, cost, outside, terms, turns_of
from tests.cases import quick

ENGINES = ("pybullet", "mujoco")


def walked(seconds=8.0, gait="walk", **changes):
    result = jobs.run(make_job({"gait": gait, "duration": seconds, "fps": 60.0, **changes}))
    assert "instead_of" not in result.outcome, "it walks itself, and not its refuge"
    return result


@pytest.fixture(scope="module", params=ENGINES)
def natural(request):
    """In stride: out of standing it is slower for some seconds."""
    return walked(engine=request.param, start="gait")


def with_states(gait, **changes):
    return replace(gait, states=tuple(replace(pose, **changes) for pose in gait.states))


@pytest.mark.parametrize(("speed", "engine"), quick(product((0.7, 0.8, 1.0, 1.5, 1.8, 2.0), ENGINES), (1.8, "mujoco"), (2.0, "pybullet")))
def test_a_commanded_speed_is_walked_as_people_do(speed, engine):
    result = walked(12.0, engine=engine, speed=speed)
    assert not result.outcome["fell"] and set(result.gaits[result.times > 4.0]) == {result.gait_names.index("walk")}
    going = steady(result)
    found = figures(going, norms_of(going))
    assert found["speed"] == pytest.approx(speed, rel=0.05)
    if 0.8 <= speed <= 1.8:
        assert min(found[f"{joint}_within_2sd"] for joint in ("hip", "knee", "ankle")) >= 0.85


def test_it_walks_as_people_do(natural):
    assert not natural.outcome["fell"]
    found = figures(steady(natural), None)
    assert 1.2 <= found["speed"] <= 1.35 and 105.0 <= found["cadence"] <= 121.0 and 0.6 <= found["step_length"] <= 0.72
    assert 0.08 <= found["step_width"] <= 0.13 and 0.15 <= found["double_support"] <= 0.26
    assert 0.0 < found["knee_at_strike"] <= 12.0 and found["push_off"] <= -10.0
    assert 1.0 <= found["first_hump"] <= 1.25 and 1.0 <= found["second_hump"] <= 1.25 and found["dip"] < 0.95 and found["peak_force"] < 1.35
    assert 0.025 < found["rise"] < 0.06 and found["slide"] < 0.008


@pytest.mark.parametrize("engine", ENGINES)
def test_it_keeps_its_heading_from_a_standing_start(engine):
    started = walked(9.0, engine=engine)
    faces = np.degrees(mean_heading(started))[60:-60]
    x, y = (started.root_positions[-1] - started.root_positions[180])[:2]
    assert np.abs(faces).max() < 5.0  # with the first steps
    assert np.abs(faces[120:]).max() < 2.0 and abs(np.degrees(np.arctan2(y, x))) < 2.0
    last = started.root_positions[-1] - started.root_positions[-121]
    assert started.gait_names[started.gaits[-1]] == "walk" and np.hypot(*last[:2]) / 2.0 > 1.15
    assert np.abs(started.root_positions[:, 1]).max() < 0.08


def test_its_joints_go_as_those_of_people(natural):
    found = figures(steady(natural), read_norms())
    assert found["hip_within_2sd"] > 0.95 and found["knee_within_2sd"] > 0.9 and found["ankle_within_2sd"] > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_it_walks_for_ten_minutes(engine):
    assert not walked(600.0, engine=engine).outcome["fell"]


@pytest.mark.slow
@pytest.mark.parametrize("body", [name for name in presets.names("bodies") if not presets.body(name).planar])
def test_it_walks_on_other_bodies(body):
    assert not walked(15.0, body=body).outcome["fell"]


def test_a_state_ends_when_the_hips_are_far_enough_ahead():
    gait = load_gait("walk")
    number = next(n for n, pose in enumerate(gait.states) if pose.ahead is not None)
    early = replace(gait, states=tuple(replace(pose, ahead=pose.ahead - 0.05) if n == number else pose for n, pose in enumerate(gait.states)))
    shares = []
    for one in (gait, early):
        result = walk(make_job({"gait": "walk", "duration": 4.0, "fps": 60.0, "start": "gait"}), gaits={"walk": one})
        shares.append((result.states == number).mean())
    assert shares[1] < 0.8 * shares[0]


def test_hips_turn_and_drop_as_the_gait_says():
    job, gait = make_job({"gait": "sturdy_walk", "duration": 6.0, "fps": 60.0}), load_gait("sturdy_walk")
    turns = []
    for changes in ({}, {"turn": (0.15, 0.0)}, {"drop": 0.1}):
        result = steady(walk(job, gaits={"sturdy_walk": replace(with_states(gait, **changes), variants=())}))
        turns.append(turns_of(result))
    plain, turned, dropped = turns
    assert turned["pelvis_turn"] > plain["pelvis_turn"] + 4.0
    assert dropped["pelvis_list"] > plain["pelvis_list"] + 2.0


def test_what_a_state_leaves_out_changes_nothing():
    plain = GaitPose(duration=0.1)
    assert plain.ahead is None and plain.turn == (0.0, 0.0) and plain.drop == 0.0
    assert {getattr(plain, name) for name in vars(plain) if name.endswith("_gain")} == {1.0}


def test_a_fall_costs_more_than_any_walk(natural):
    walk_cost = sum(terms(natural, {"speed": 1.25}, None).values())
    fallen = replace(natural, outcome={**natural.outcome, "fell": True, "fell_at": 7.9})
    at_once = replace(natural, outcome={**natural.outcome, "fell": True, "fell_at": 0.5})
    late, early = (sum(terms(result, {"speed": 1.25}, None).values()) for result in (fallen, at_once))
    assert walk_cost < 60.0 < FALL <= late < early


def test_the_worst_walk_costs_less_than_a_fall_and_worse_ones_more():
    costs = [float(missed @ missed) for missed in (below_a_fall(np.array([size, 1.0])) for size in (3.0, 17.0, 20.0, 50.0, 100.0))]
    assert costs[:2] == pytest.approx([10.0, 290.0]) and costs == sorted(costs) and 300.0 < costs[2] < costs[3] < costs[4] <= FALL


def test_each_term_can_be_left_out_and_weighed(natural):
    whole = terms(natural, {"speed": 1.25}, read_norms())
    for name in whole:
        rest = terms(natural, {"speed": 1.25, "without": [name]}, read_norms())
        assert name not in rest and sum(rest.values()) == pytest.approx(sum(whole.values()) - whole[name])
    heavy = terms(natural, {"speed": 1.25, "weights": {"ratio": 10 * WEIGHTS["ratio"]}}, read_norms())
    assert heavy["ratio"] == pytest.approx(10 * whole["ratio"])


def test_another_speed_costs(natural):
    speeds = [terms(natural, {"speed": speed}, None)["user"] for speed in (1.24, 1.5, 1.8)]
    assert speeds[0] < 1.0 < speeds[1] < speeds[2]


def test_what_is_between_two_bounds_costs_nothing():
    assert [outside(value, 0.9, 1.1, 0.1) for value in (0.8, 1.0, 1.3)] == pytest.approx([-1.0, 0.0, 2.0])


def test_shares_of_torques_and_the_cycle_of_force(natural):
    walking = steady(natural)
    assert torque_ratio(walking).sum() == pytest.approx(1.0)
    cycle = force_cycle(walking)
    assert cycle.shape == (101,) and cycle[20] > 0.6 and cycle[80] < 0.05


def test_everything_that_the_law_has_is_searched():
    data = presets.load("gaits", "walk")
    paths = {path for parameter in parameters_of(data, ("pelvis",), tied=FEEDBACK, style=("ease", "arm_swing")) for path in parameter.paths}
    assert ("states", 0, "swing_knee_gain") in paths and ("states", 2, "ahead") in paths and ("style", "ease") in paths
    assert ("states", 1, "turn", 1) in paths and ("states", 1, "drop") in paths
    found = parameters_of(data, tied=FEEDBACK, style=("ease",))
    far = moved(data, found, [100.0] * len(found))
    assert far["states"][0]["swing_knee_gain"] == 4.0 and far["style"]["ease"] == 0.2


@pytest.mark.slow
def test_the_command_writes_a_gait_of_the_cost_that_it_tells(tmp_path, capsys):
    place = tmp_path / "gait.json"
    main(["optimise", "--speed", "1.3", "--engines", "pybullet", "--generations", "1", "--population", "2", "--workers", "2", "-o", str(place)])
    told = json.loads(capsys.readouterr().out)
    gait = json.loads(place.read_text())
    assert gait["speed"] == 1.3 and gait["made_by"].startswith("python -m core")
    wish = {"speed": 1.3, "body": "average_man", "engines": ["pybullet"], "job": {"fps": 60}}
    assert cost(gait, "walk", wish) == pytest.approx(told["cost"], abs=0.01)


def test_the_command_refuses_in_a_sentence(tmp_path, capsys):
    assert main(["optimise", "--without", "beauty", "-o", str(tmp_path / "g.json")]) == 2
    assert "there is no term 'beauty'" in capsys.readouterr().err
    assert main(["optimise", "stand", "-o", str(tmp_path / "g.json")]) == 2
    assert "no walk of a body in 3D" in capsys.readouterr().err


@pytest.mark.parametrize("engine", quick(ENGINES, "mujoco"))
def test_it_feels_a_slope_that_nobody_has_announced(engine):
    ground = {"ground": {"type": "slope", "degrees": 6.0, "start": 4.0}}
    uphill = walked(12.0, engine=engine, **ground)
    assert not uphill.outcome["fell"] and uphill.root_positions[-1, 2] - uphill.root_positions[0, 2] > 0.5
    numb = load_gait("walk")
    numb = replace(numb, style=replace(numb.style, feels_slope=0.0))
    assert walk(make_job({"gait": "walk", "duration": 12.0, "engine": engine, **ground}), gaits={"walk": numb}).outcome["fell"]


def test_a_flat_floor_feels_flat(natural):
    numb = load_gait("walk")
    numb = replace(numb, style=replace(numb.style, feels_slope=0.0))
    job = make_job({"gait": "walk", "duration": 8.0, "fps": 60.0, "start": "gait", "engine": natural.job["engine"]})
    assert (walk(job, gaits={"walk": numb}).rotations == natural.rotations).all()
