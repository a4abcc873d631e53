"""Work on a Dask cluster: every command that takes --dask gives with it what it gives without; what goes wrong there is one sentence."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import presets
from core.__main__ import main
from core.context import Context
from core.control.transitions import direct
from core.errors import JobError, SimulationError
from core.jobs import make_job
from core.methods.plan import task_of
from core.methods.track import tracked
from core.optimize.transitions import direct_changes
from core.plan.follow import follow
from core.result import Result
from core.search.gains import trial
from tests import clips

distributed = pytest.importorskip("distributed", reason="Dask's 'distributed' is not installed")

ROOT = Path(__file__).resolve().parents[2]
WALK, KICK = str(clips.path_of("walk")), str(clips.path_of("kick"))


def local_cluster(workers: int) -> Any:
    """Workers that are processes of their own and talk by TCP, as on other machines."""
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, protocol="tcp://", dashboard_address=":0")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Any]:
    """Two workers that run in another folder than the tests: files must be found from there, too."""
    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", str(ROOT))
    patch.chdir(tmp_path_factory.mktemp("elsewhere"))
    with local_cluster(2) as found:
        patch.chdir(ROOT)
        yield found
    patch.undo()


@pytest.fixture
def both(cluster, capsys):
    """Runs a command without Dask and with it. Gives what it printed, or refuses if the cluster had no part in it."""
    def run(*arguments: object) -> tuple[dict[str, Any], dict[str, Any]]:
        printed = []
        for options in ([], ["--dask", cluster.scheduler_address]):
            before = cluster.scheduler.transition_counter
            assert main([*map(str, arguments), *options]) == 0
            assert (cluster.scheduler.transition_counter > before) == bool(options)
            (line,) = capsys.readouterr().out.splitlines()
            printed.append(json.loads(line))
        return printed[0], printed[1]

    return run


def same(one: Result, other: Result) -> bool:
    return np.array_equal(one.rotations, other.rotations) and np.array_equal(one.root_positions, other.root_positions)


def test_a_plan(cluster):
    task = task_of(make_job({"method": "plan", "clips": [KICK], "quality": "draft", "duration": 0.3, "fps": 60.0}))
    shared, alone = follow(task, Context(dask=cluster.scheduler_address)), follow(task, Context(workers=1))
    assert same(shared, alone)


def test_a_batch(both, tmp_path, monkeypatch):
    """Also of files that are named as they are seen from here."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gait.json").write_text(json.dumps(presets.load("gaits", "run")))
    (tmp_path / "jobs").mkdir()
    for name, job in {"walk": {"duration": 0.2}, "own": {"duration": 0.2, "gait": "../gait.json"}}.items():
        (tmp_path / "jobs" / f"{name}.json").write_text(json.dumps(job))
    alone, shared = both("batch", "jobs", "-o", "results")
    assert alone == shared and shared["failed"] == 0
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["own.npz", "walk.npz"]


@pytest.mark.slow
def test_variations_of_a_hit(both, tmp_path, monkeypatch):
    monkeypatch.chdir(clips.path_of("walk").parent)
    alone, shared = both("hit", "walk.bvh", "--at", 0.3, "--force", "60,0,0", "--response", "flinch", "--duration", 0.8, "--variations", 2,
                         "-o", tmp_path / "hit.npz")
    assert alone == shared and len(shared["variations"]) == 2 and shared["failed"] == 0


@pytest.mark.slow
def test_a_search_for_a_gait(both, tmp_path, monkeypatch):
    """Of a gait file that is named as it is seen from here."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(json.dumps(presets.load("gaits", "planar_walk")))
    alone, shared = both("tune", "mine.json", "--for", '{"seconds": 0.5, "keep": 0}', "--generations", 2, "--population", 3, "-o", "tuned.json")
    assert alone == shared and presets.read_json(tmp_path / "tuned.json")["states"] != presets.load("gaits", "planar_walk")["states"]


@pytest.mark.slow
def test_a_table_of_pushes(both, tmp_path):
    """Of a gait that is too weak to walk: so it takes no time."""
    weak = presets.load("gaits", "sturdy_walk")
    weak["gains"] = {name: [value / 10 for value in gains] for name, gains in weak["gains"].items()}
    (tmp_path / "weak.json").write_text(json.dumps(weak))
    alone, shared = both("pushes", tmp_path / "weak.json", "--resolution", 100)
    assert alone == shared and [row["force_n"] for row in shared["pushes"]] == [0.0] * 8


def test_a_balance_map(both):
    alone, shared = both("balance-map", "--directions", 1, "--most", 40, "--step", 40)
    assert alone == shared and shared["limits_N"] == {"0": 40.0}


@pytest.mark.slow
def test_an_ablation(both, monkeypatch):
    monkeypatch.chdir(clips.path_of("walk").parent)
    alone, shared = both("ablation", "walk.bvh", "--seconds", 0.2)
    assert alone == shared and len(shared["rows"]) == 6


@pytest.mark.slow
def test_changes_of_gait(cluster):
    """They are those that are stored with the presets."""
    gaits = ["sturdy_walk", "fast_walk"]
    with Context(dask=cluster.scheduler_address).executor() as (executor, count):
        assert count == 2
        assert direct_changes(gaits, executor) == {gait: [other for other in direct()[gait] if other in gaits] for gait in gaits}


@pytest.mark.slow
def test_a_search_for_gains(cluster, tmp_path, capsys):
    """It ends by the clock, elsewhere each time: what its trials cost is compared."""
    push = {"type": "push", "time": 0.1, "duration": 0.4, "force": [0.0, 900.0, 0.0]}
    job = make_job({"method": "track", "clips": [WALK], "duration": 0.5, "events": [push]})
    trials = [job.having(gains={**job.settings.gains, "clearance": clearance}) for clearance in (0.01, 0.05)]
    with Context(dask=cluster.scheduler_address).executor() as (executor, _):
        assert list(executor.map(partial(trial, tracked), trials)) == [trial(tracked, job) for job in trials]
    before = cluster.scheduler.transition_counter
    assert main(["track", WALK, "--push", "0.1,0,900", "--duration", "1.5", "--tune", "1", "--no-store-gains", "--dask", cluster.scheduler_address,
                 "-o", str(tmp_path / "track.npz")]) == 0
    assert json.loads(capsys.readouterr().out)["fell"] is True and cluster.scheduler.transition_counter > before


# -- what goes wrong -------------------------------------------------------------------------------------------------------


def test_a_scheduler_that_is_not_there(tmp_path, capsys):
    assert main(["follow", KICK, "--dask", "tcp://127.0.0.1:9", "-o", str(tmp_path / "kick.npz")]) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("No Dask scheduler answers at 'tcp://127.0.0.1:9'") and sentence.endswith("check the address, or leave --dask out.")


def test_workers_of_another_version(cluster, monkeypatch):
    monkeypatch.setattr("core.workers.VERSION", "0.0.1")
    with pytest.raises(JobError, match=r"^The Dask worker at '.*' has Footfall .*: install Footfall 0\.0\.1 on all workers\.$"), \
            Context(dask=cluster.scheduler_address).executor():
        pass


def test_workers_of_a_cluster_that_die(cluster, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)  # by default a task kills four workers before it is given up
    context = Context(dask=cluster.scheduler_address)
    with pytest.raises(SimulationError, match=r"^Workers of the Dask cluster at '.*' have died .*\.$"), context.executor() as (executor, _):
        executor.submit(os._exit, 1).result()


def test_a_cluster_that_goes_away(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with local_cluster(1) as cluster:
        context, closing = Context(dask=cluster.scheduler_address), threading.Timer(1.0, cluster.close)
        closing.start()
        with pytest.raises(SimulationError, match=r"^The Dask cluster at '.*' has gone away .*\.$"), context.executor() as (executor, _):
            executor.submit(time.sleep, 60).result()
        closing.join()
