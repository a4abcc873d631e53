"""A gait for what is far from where a search begins, by way of what lies between; and the benchmark that uses it."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest

from core import jobs, presets
from core.__main__ import main
from core.errors import FormatError
from core.feet.loads import loaded
from core.jobs import make_job
from core.measure.span import steady
from core.measure.walking import figures, rise
from core.optimize.continuation import FRICTION, SLOPE, SPEED, Continuation, Effort, leaned, way_to
from core.optimize.walking import FALL, WEIGHTS, cost, misses, wish_for
from tests.cases import quick

QUICK = {"seconds": 2.5, "engines": ["pybullet"]}


def slopes(wishes):
    return [wish["job"]["ground"]["degrees"] for wish in wishes]


def test_a_steep_slope_is_reached_in_steps():
    wish = wish_for(slope=12.0)
    assert slopes(way_to(wish, 1.25)) == pytest.approx([3.0, 6.0, 9.0, 12.0])
    assert slopes(way_to(wish_for(slope=-8.0), 1.25)) == pytest.approx([-8 / 3, -16 / 3, -8])
    assert way_to(wish, 1.25)[-1] == wish and wish["job"]["ground"]["degrees"] == 12.0


def test_so_are_little_friction_and_another_speed_and_all_at_once():
    icy = [wish["job"]["friction"] for wish in way_to(wish_for(friction=0.3), 1.25)]
    assert icy[-1] == 0.3 and icy[0] < 0.8 and all(a / b <= FRICTION for a, b in zip([0.8, *icy], icy, strict=False)) and len(icy) == 3
    speeds = [wish["speed"] for wish in way_to(wish_for(speed=1.8), 1.25)]
    assert speeds[-1] == 1.8 and np.all(np.diff([1.25, *speeds]) <= SPEED + 1e-9) and np.all(np.diff(speeds) > 0.0)
    both = way_to(wish_for(speed=0.9, slope=12.0, friction=0.5), 1.25)
    assert len(both) == 4 and both[0]["speed"] == pytest.approx(1.1625) and slopes(both)[0] == SLOPE and 0.5 < both[0]["job"]["friction"] < 0.8
    assert way_to(wish_for(speed=1.3), 1.25) == [wish_for(speed=1.3)]


def test_on_a_slope_the_flat_counts_for_less():
    steep, flat = wish_for(slope=9.0), wish_for()
    assert steep["weights"]["curves"] < 0.5 * WEIGHTS["curves"] and "weights" not in flat and "ground" not in flat["job"]
    assert steep["bands"]["thorax_lean"][1] > 9.0 and wish_for(slope=-8.0)["bands"]["thorax_lean"][0] < -3.0


def test_a_gait_that_leans_into_the_slope_climbs_where_the_same_falls():
    wish, gait = {**wish_for(slope=6.0), "seconds": 6.0}, presets.load("gaits", "walk")
    gait["style"]["feels_slope"] = 0.0
    assert cost(leaned(gait, math.radians(6.0)), "walk", wish) < FALL <= cost(gait, "walk", wish)


def test_at_rest_on_a_slope_the_feet_lie_on_it():
    for degrees in (-10.0, 10.0):
        for engine in ("pybullet", "mujoco"):
            result = jobs.run(make_job({"gait": "walk", "duration": 0.1, "fps": 60.0, "engine": engine,
                                        "ground": {"type": "slope", "degrees": degrees, "start": -5.0}}))
            assert result.penetrations.max() < 0.01 and loaded(result)[1:].any(axis=1).all()


def test_what_a_slope_raises_is_no_rise():
    flat, uphill = (jobs.run(make_job({"gait": "sturdy_walk", "duration": 6.0, "fps": 60.0,
                                       "ground": {"type": "slope", "degrees": degrees, "start": -1.0}})) for degrees in (0.0, 3.0))
    assert rise(uphill) == pytest.approx(rise(flat), abs=0.012)


@pytest.mark.slow
def test_it_goes_on_where_it_was_stopped(tmp_path):
    gait, part = presets.load("gaits", "walk"), tmp_path / "gait.part"
    wishes = [{**wish, **QUICK} for wish in way_to(wish_for(slope=4.0), 1.25)]
    effort, lines = Effort(generations=1, population=2), []

    def work(executor, command="the command"):
        return Continuation("walk", executor, effort, part, command, lines.append)

    with ThreadPoolExecutor(1) as executor:
        work(executor).find(gait, wishes[:1])  # stopped after the first step
        assert json.loads(part.read_text())["done"] == 1
        found, least = work(executor).find(gait, wishes)
        assert [line for line in lines if " of " in line] == ["1 of 1: +2.0°", "2 of 2: +4.0°"]
        part.unlink()
        whole, whole_least = work(executor).find(gait, wishes)
        assert whole == found and whole_least == least
        lines.clear()
        work(executor, "another command").find(gait, wishes[:1])
        assert lines[0] == "1 of 1: +2.0°"
        part.write_text("{}")
        with pytest.raises(FormatError, match="no unfinished search"):
            work(executor).find(gait, wishes)
        work(executor).forget()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("engine", ("pybullet", "mujoco"))
@pytest.mark.parametrize(("body", "seconds"), (("long_arm", 12.0), *(pytest.param(body, 60.0, marks=pytest.mark.slow)
                                                                    for body in presets.names("bodies/gaits"))))
def test_a_body_walks_by_the_gait_that_costs_it_the_least(body, seconds, engine):
    """Those of the paper's figure 8, without the help of a refuge."""
    gait = str(presets.FOLDER / "bodies" / "gaits" / f"{body}.json")
    result = jobs.run(make_job({"gait": gait, "body": body, "engine": engine, "duration": seconds, "fps": 60.0, "catches_itself": False}))
    assert not result.outcome["fell"] and "instead_of" not in result.outcome
    found = figures(steady(result), None)
    assert 0.9 < found["speed"] < 1.4 and found["slide"] < 0.01 and found["step_width"] > 0.05
    assert abs(result.root_positions[-1, 1]) < 0.05 * result.root_positions[-1, 0]


@pytest.mark.parametrize(("seconds", "engine"), quick(product((10.0, 60.0), ("pybullet", "mujoco")), (10.0, "mujoco")))
@pytest.mark.parametrize(("gait", "floor", "speed"), (("uphill_walk", {"ground": {"type": "slope", "degrees": 12.0, "start": -1.0}}, 0.85),
                                                      ("downhill_walk", {"ground": {"type": "slope", "degrees": -8.0, "start": -1.0}}, 1.0),
                                                      ("icy_walk", {"friction": 0.3}, 0.8)), ids=("uphill", "downhill", "ice"))
def test_the_gait_for_a_floor_walks_on_it(gait, floor, speed, engine, seconds):
    result = jobs.run(make_job({"gait": gait, "duration": seconds, "fps": 60.0, "engine": engine, **floor}))
    assert not result.outcome["fell"] and result.gait_names == [gait]
    assert figures(steady(result), None)["speed"] > speed and figures(steady(result), None)["slide"] < 0.01


@pytest.mark.slow
def test_least_squares_may_follow(tmp_path, capsys):
    place = tmp_path / "gait.json"
    main(["optimise", "--engines", "pybullet", "--rounds", "1", "--trials", "2", "--workers", "2", "-o", str(place)])
    told = json.loads(capsys.readouterr().out)
    assert "generation" not in told and place.is_file() and [path.name for path in tmp_path.iterdir()] == ["gait.json"]


def test_a_wanted_step_says_what_the_cadence_is():
    result = jobs.run(make_job({"gait": "walk", "duration": 6.0, "fps": 60.0}))
    plain, wanted = (len(misses(result, wish, None)["steps"]) for wish in ({}, {"step_length": 0.5}))
    assert wanted == plain - 1


class TestBenchmark:
    def test_rows_that_are_there_are_not_done_again(self, tmp_path):
        from benchmarks import table, walking

        place = tmp_path / "rows.jsonl"
        table.add(place, {"section": "pushes", "walker": "natural", "direction": [1, 0], "force_n": 60.0})
        options = type("Options", (), {"output": place, "quick": False})
        bench = walking.Bench(options, None)
        assert bench.missing("pushes", [{"walker": "natural", "direction": [1, 0]}, {"walker": "natural", "direction": [0, 1]}]) == [
            {"section": "pushes", "walker": "natural", "direction": [0, 1]}]
        assert len(bench.missing("speeds", [{"walker": "natural", "direction": [1, 0]}])) == 1

    @pytest.mark.slow
    def test_a_walk_and_a_fall_as_rows(self):
        from benchmarks import walking

        walks = walking.measured(({"gait": "walk", "start": "gait", "duration": 8.0}, None))
        assert walks["fell_at_s"] is None and 1.1 < walks["speed"] < 1.4 and len(walks["within_2sd"]) == 3
        push = {"type": "push", "time": 1.0, "duration": 0.4, "part": "torso", "frame": "world", "force": [0.0, 900.0, 0.0]}
        falls = walking.measured(({"gait": "walk", "duration": 8.0, "events": [push]}, None))
        assert 1.0 < falls["fell_at_s"] < 4.0
        shown = walking.readable([{"section": "speeds", "commanded": 1.0, **walks}, {"section": "speeds", "commanded": 2.0, **falls}])
        assert shown.startswith("speeds\ncommanded") and len(shown.splitlines()) == 4
