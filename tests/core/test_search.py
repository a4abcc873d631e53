"""Searching, learning and changing gaits: small real runs."""

from __future__ import annotations

import copy
import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from core import presets
from core.control import transitions
from core.control.feedforward import BIN, LIMIT, Feedforward
from core.errors import JobError
from core.optimize.learning import learn
from core.optimize.parameters import FEW, TIED, halves, moved, parameters_of, rounded
from core.optimize.pushes import fallen_share, push_job, survived
from core.optimize.search import search


@pytest.fixture(scope="module")
def planar_walk() -> dict:
    return presets.load("gaits", "planar_walk")


def test_parameters_move_what_they_name(planar_walk):
    parameters = parameters_of(planar_walk, gains=("pelvis",), planar=True)
    for number, parameter in enumerate(parameters):
        steps = [0.0] * len(parameters)
        steps[number] = -0.1 if parameter.high < float("inf") and not parameter.logarithmic else 0.1
        changed = moved(planar_walk, parameters, steps)
        assert changed != planar_walk
        back = copy.deepcopy(changed)
        for path in parameter.paths:
            holder, original = back, planar_walk
            for key in path[:-1]:
                holder, original = holder[key], original[key]
            if parameter.logarithmic:
                holder[:] = original
            else:
                holder[path[-1]] = original[path[-1]]
        assert back == planar_walk


def test_tied_parameters_move_the_feedback_of_all_states_alike(planar_walk):
    free, tied = (parameters_of(planar_walk, planar=True, tied=tied) for tied in ((), TIED))
    assert len(tied) < len(free)
    index = next(i for i, p in enumerate(tied) if p.paths[0][2] == "cv")
    changed = moved(planar_walk, tied, [1.0 if i == index else 0.0 for i in range(len(tied))])
    shifts = {round(b["cv"][0] - a["cv"][0], 9) for a, b in zip(planar_walk["states"], changed["states"], strict=True)}
    assert len(shifts) == 1 and shifts != {0.0}


def test_few_numbers_move_alike_in_each_half_of_a_step():
    gait = presets.load("gaits", "walk")
    parameters = halves(gait)
    assert len(gait["states"]) == 4 and len(parameters) == 2 * len(FEW)
    there = moved(gait, parameters, [1.0] + (len(parameters) - 1) * [0.0])
    away = [after["torso"][0] - before["torso"][0] for before, after in zip(gait["states"], there["states"], strict=True)]
    assert away == pytest.approx([0.05, 0.05, 0.0, 0.0])
    last = parameters[len(FEW) - 1]  # the last state of a step has no duration: it ends when the foot strikes
    assert last.paths == (("states", 0, "duration"), ("states", 1, "duration")) and parameters[-1].paths == (("states", 2, "duration"),)


@pytest.mark.slow
def test_a_search_mends_a_spoilt_gait(planar_walk):
    spoilt = copy.deepcopy(planar_walk)
    for state in spoilt["states"]:
        state["cv"] = [0.0, 0.0]
        state["cd"] = [0.0, 0.0]
    wish = {"seconds": 4.0, "body": "planar_biped"}
    with ThreadPoolExecutor(1) as executor:
        best, cost = search(spoilt, "planar_walk", wish, executor, generations=4, population=6, sigma=1.0, seed=3)
    assert cost < 100.0, "no candidate stayed up for four seconds"
    assert best == rounded(best)


def test_a_stopped_search_goes_on_and_ends_where_one_ends_that_was_never_stopped(planar_walk, tmp_path):
    wish, seen, said = {"seconds": 0.5, "body": "planar_biped"}, [], []

    def go(generations, checkpoint=tmp_path / "x.search"):
        with ThreadPoolExecutor(1) as executor:
            return search(planar_walk, "planar_walk", wish, executor, generations=generations, population=4, seed=1, checkpoint=checkpoint,
                          report=lambda generation: seen.append(generation.number), say=said.append)

    go(1)
    resumed = go(3)
    assert seen == [1, 2, 3] and not said
    assert resumed == go(3, checkpoint=None)


@pytest.mark.slow
def test_a_checkpoint_of_another_search_is_not_gone_on_with(planar_walk, tmp_path):
    path = tmp_path / "x.search"

    wish = {"seconds": 0.3, "body": "planar_biped"}

    def go(gait=planar_walk, wish=wish, **options):
        seen, said = [], []
        with ThreadPoolExecutor(1) as executor:
            found = search(gait, "planar_walk", wish, executor, generations=1, **{"population": 3, **options}, checkpoint=path,
                           report=lambda generation: seen.append(generation.number), say=said.append)
        return found, len(seen), said

    first, *_ = go()
    kept = path.read_text()
    assert go() == (first, 0, [])
    other_gait = copy.deepcopy(planar_walk)
    other_gait["states"][0]["cd"][0] += 0.01
    for change, name in (({"gait": other_gait}, "gait"), ({"wish": {**wish, "speed": 1.0}}, "wish"), ({"seed": 2}, "seed"),
                         ({"population": 5}, "population"), ({"sigma": 0.4}, "spread"), ({"gains": ("pelvis",)}, "gains"), ({"tied": TIED}, "tied")):
        path.write_text(kept)
        _, evaluated, said = go(**change)
        assert evaluated == 1 and len(said) == 1, name
        assert said[0].startswith(f"'{path}' is of a search with another ") and said[0].endswith(": the search begins anew.")
        assert f"another {name}" in said[0]


def test_feedforward_learns_what_comes_again_and_no_more_than_its_limit():
    memory = Feedforward(10, rate=0.1, lead=2 * BIN)
    for _ in range(400):
        memory.at(0, 2.5 * BIN)  # between two rows; learned two rows earlier
        memory.add("back", (5.0 - (memory.tables["back"][0][0] if memory.tables else 0.0), 0.0, 1000.0), limit=100.0)
    assert memory.tables["back"][0][0] == memory.tables["back"][1][0] == pytest.approx(5.0, abs=0.01)
    assert memory.tables["back"][0][2] == pytest.approx(LIMIT * 100.0)
    assert memory.tables["back"][10] == [0.0, 0.0, 0.0], "the other half of the cycle has learned too"
    assert Feedforward.from_dict(memory.to_dict()).to_dict() == memory.to_dict()


def test_feedforward_gives_what_lies_between_its_rows():
    memory = Feedforward(3, {"elbow.L": [[0.0], [4.0], [4.0], [0.0], [0.0], [0.0]]})
    memory.at(0, 0.25 * BIN)
    assert memory.add("elbow.L", 0.5, limit=100.0) == pytest.approx(1.5)
    memory.at(0, 99.0)
    assert memory.add("elbow.L", 0.0, limit=100.0) == pytest.approx(4.0)


@pytest.mark.slow
def test_learning_in_the_shortest_time_gives_a_table_and_figures(planar_walk):
    table, figures = learn(planar_walk, "planar_walk", 20.0, "planar_biped")
    assert Feedforward.from_dict(table).tables and all(map(math.isfinite, figures.values()))


@pytest.mark.slow
def test_learning_quiets_the_planar_trunk(planar_walk):
    _, figures = learn(planar_walk, "planar_walk", 100.0, "planar_biped", gain=0.6)
    assert figures["trunk_swing_before_deg"] > 2.5
    assert figures["trunk_swing_after_deg"] < 0.6


def test_a_push_trial_is_lost_when_the_push_is_absurd(planar_walk):
    data = presets.load("gaits", "sturdy_walk")
    job = push_job("sturdy_walk", (0, 1), 1000.0, "repeated", seconds=8.0)
    passed, fraction = survived(data, "sturdy_walk", job)
    assert not passed and 0.4 < fraction < 1.0


@pytest.mark.slow
def test_a_stronger_volley_fells_more():
    data = presets.load("gaits", "sturdy_walk")
    mild, hard = fallen_share(data, "sturdy_walk", 0.3), fallen_share(data, "sturdy_walk", 3.0)
    assert mild == 0.0
    assert 0.3 < hard <= 1.0


def test_a_route_goes_through_gaits_that_follow_each_other(monkeypatch):
    monkeypatch.setattr(transitions, "direct", lambda: {"a": ["b"], "b": ["c", "a"], "c": ["d"], "d": []})
    assert transitions.route("a", "d") == ["b", "c", "d"]
    assert transitions.route("a", "a") == []
    assert transitions.route("mine", "a") == ["a"]
    with pytest.raises(JobError, match="no way from 'd' to 'a'"):
        transitions.route("d", "a")
