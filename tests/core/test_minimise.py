"""CMA-ES over a plain function: limits, goals, and checkpoints that go on exactly where a search was stopped."""

from __future__ import annotations

import itertools
import json
import sys
import time

import numpy as np
import pytest

from core.errors import FormatError, JobError
from core.search import checkpoint as checkpoints
from core.search.checkpoint import Checkpoint, key_of
from core.search.minimise import minimise

START = np.array([1.0, -0.5, 2.0, 0.3])


def valley(point: np.ndarray) -> float:
    """A narrow bent valley whose floor is lowest, 0, at (1, 1, 1, 1)."""
    return float(np.sum(100.0 * (point[1:] - point[:-1] ** 2) ** 2 + (1.0 - point[:-1]) ** 2))


def costs_of(points, _generation):
    return map(valley, points)


def same(a, b) -> bool:
    """Bit for bit."""
    return a.point.tobytes() == b.point.tobytes() and a.cost == b.cost and a.middle.tobytes() == b.middle.tobytes() and a.generations == b.generations


def test_a_search_finds_the_floor_of_a_valley():
    found = minimise(costs_of, START, 0.5)
    assert found.cost < 1e-9 and np.allclose(found.point, 1.0, atol=1e-4)
    assert found.cost == valley(found.point)


@pytest.mark.parametrize("stops", [(1,), (40,), (3, 4, 30, 77)])
def test_a_search_that_was_stopped_ends_where_one_ends_that_was_not(tmp_path, stops):
    whole = minimise(costs_of, START, 0.5, generations=120, seed=5)
    path, evaluated = tmp_path / "x.search", []

    def counted(points, generation):
        np.random.seed(0)  # noqa: NPY002 - what others draw has no say
        evaluated.append(generation)
        return costs_of(points, generation)

    for generations in (*stops, 120):
        found = minimise(counted, START, 0.5, generations=generations, seed=5, checkpoint=Checkpoint(path, {}))
    assert same(found, whole)
    assert evaluated == list(range(1, 121)), "a generation was worked out twice, or none"
    # One that is asked for fewer generations ends with those, and leaves the others where they are kept.
    fewer = minimise(counted, START, 0.5, generations=40, seed=5, checkpoint=Checkpoint(path, {}))
    assert same(fewer, minimise(costs_of, START, 0.5, generations=40, seed=5))
    assert same(minimise(counted, START, 0.5, generations=120, seed=5, checkpoint=Checkpoint(path, {})), whole) and len(evaluated) == 120


def test_a_search_that_was_killed_within_a_generation_goes_on(tmp_path):
    whole, checkpoint = minimise(costs_of, START, 0.5, generations=10), Checkpoint(tmp_path / "x.search", {})

    def killed(points, generation):
        for number, point in enumerate(points):
            if (generation, number) == (7, 3):
                raise KeyboardInterrupt
            yield valley(point)

    with pytest.raises(KeyboardInterrupt):
        minimise(killed, START, 0.5, generations=10, checkpoint=checkpoint)
    assert same(minimise(costs_of, START, 0.5, generations=10, checkpoint=checkpoint), whole)
    assert [file.name for file in tmp_path.iterdir()] == ["x.search"]


def test_what_does_not_fit_is_begun_anew_and_said(tmp_path, monkeypatch):
    path, said = tmp_path / "x.search", []

    def go(depends_on, **options):
        evaluated = []
        minimise(lambda points, generation: evaluated.append(generation) or costs_of(points, generation), START, options.pop("spread", 0.5),
                 generations=2, checkpoint=Checkpoint(path, depends_on, said.append), **options)
        return len(evaluated)

    assert go({"clip": "a", "table": {"x": (1, 2)}}) == 2
    assert go({"clip": "a", "table": {"x": (1, 2)}}) == 0 and not said
    assert go({"clip": "b", "table": {"x": (1, 3)}}) == 2
    assert said.pop() == f"'{path}' is of a search with another clip and another table: the search begins anew."
    assert go({"clip": "b", "table": {"x": (1, 3)}}, seed=2) == 2 and "another seed:" in said.pop()
    monkeypatch.setattr(checkpoints, "VERSION", "0.0.0")
    assert go({"clip": "b", "table": {"x": (1, 3)}}, seed=2) == 2 and "another version:" in said.pop()
    data = json.loads(path.read_text())
    data["generations"][1]["points"] = "0" * 16  # as another version of cma would have drawn them
    path.write_text(json.dumps(data))
    assert go({"clip": "b", "table": {"x": (1, 3)}}, seed=2) == 2 and "draws other points" in said.pop()
    assert not said and key_of(path)["clip"] == "b" and key_of(tmp_path / "none") == {}


@pytest.mark.parametrize("content", ["", "{}", '{"what": "a gait"}', "[1]", '{"what": "Footfall search", "key": {}}', "\x80\x04\x95 a pickle"])
def test_a_file_that_is_no_checkpoint_is_refused_and_stays(tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(FormatError, match="is no checkpoint of a search: delete it, or choose another file"):
        minimise(costs_of, START, 0.5, generations=1, checkpoint=Checkpoint(path, {}))
    assert path.read_text(encoding="latin-1") == content


def test_a_folder_that_cannot_be_written_to_is_found_before_the_work(tmp_path):
    with pytest.raises(JobError, match="cannot be written"):
        minimise(lambda *_: pytest.fail("it has begun"), START, 0.5, generations=1, checkpoint=Checkpoint(tmp_path / "none" / "x.search", {}))


def test_the_start_competes_unless_its_cost_is_known():
    floor = np.ones(4)
    assert minimise(costs_of, floor, 0.5, generations=3).cost == 0.0
    known = minimise(costs_of, floor, 0.5, generations=3, start_cost=0.0)
    assert known.cost == 0.0 and (known.point == floor).all()
    assert minimise(costs_of, floor, 0.5, generations=3, start_cost=np.inf).cost > 0.0


def test_it_ends_with_the_first_best_point_that_is_good_enough():
    tried = []

    def good_enough(point, cost):
        assert cost == valley(point)
        tried.append(cost)
        return cost < 1.0

    found = minimise(costs_of, START, 0.5, start_cost=valley(START), better=good_enough)
    assert tried == sorted(tried, reverse=True) and len(set(tried)) == len(tried), "some were not better"
    assert found.cost == tried[-1] < 1.0 <= tried[-2]


def test_a_checkpoint_with_a_point_that_is_good_enough_needs_no_more_work(tmp_path):
    checkpoint = Checkpoint(tmp_path / "x.search", {})
    first = minimise(costs_of, START, 0.5, better=lambda _, cost: cost < 1.0, checkpoint=checkpoint)
    again = minimise(lambda *_: pytest.fail("it has gone on"), START, 0.5, better=lambda _, cost: cost < 1.0, checkpoint=checkpoint)
    assert same(first, again)


def test_the_time_cuts_a_generation_off_and_its_best_point_counts(tmp_path):
    checkpoint, reports = Checkpoint(tmp_path / "x.search", {}), []

    def slow(points, generation):
        for number, point in enumerate(points):
            if generation == 3 and number == 2:
                time.sleep(0.5)
                yield -1.0
            yield valley(point)

    found = minimise(slow, START, 0.5, seconds=0.5, checkpoint=checkpoint, report=reports.append)
    assert found.cost == -1.0 and found.generations == 2
    assert [generation.number for generation in reports] == [1, 2, 3] and len(reports[-1].costs) == 3 and reports[-1].fraction == 1.0
    assert same(minimise(costs_of, START, 0.5, generations=5, checkpoint=checkpoint), minimise(costs_of, START, 0.5, generations=5))


def test_reports_say_how_far_it_is():
    reports = []
    minimise(costs_of, START, 0.5, generations=4, population=6, report=reports.append)
    assert [report.fraction for report in reports] == pytest.approx([0.25, 0.5, 0.75, 1.0])
    assert all(len(report.costs) == 6 for report in reports)
    assert [report.best_cost for report in reports] == list(itertools.accumulate((min(report.costs) for report in reports), min))


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(JobError, match="Searching needs the package 'cma': install it with pip install cma"):
        minimise(costs_of, START, 0.5, generations=1)
