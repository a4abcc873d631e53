"""A folder of jobs at once, and a simulation that is watched while it runs."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from core.result import Result

REPOSITORY = Path(__file__).resolve().parents[2]


def core(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "core", *map(str, arguments)], capture_output=True, text=True, cwd=REPOSITORY, timeout=120)


def test_batch_runs_every_job_and_says_which_cannot_be_run(tmp_path):
    for name, job in {"walk": {"duration": 0.5}, "run": {"duration": 0.5, "gait": "run"}, "bad": {"gait": "moonwalk"}}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(job))
    done = core("batch", tmp_path, "-o", tmp_path / "out" / "results", "--workers", 2)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    (line,) = done.stdout.splitlines()
    said = {Path(row["job"]).stem: row for row in json.loads(line)["jobs"]}
    assert json.loads(line)["failed"] == 1
    assert said["walk"]["fell"] is False and said["run"]["gait"] == "run" and "moonwalk" in said["bad"]["error"]
    assert sorted(path.name for path in (tmp_path / "out" / "results").iterdir()) == ["run.npz", "walk.npz"]


def test_batch_of_an_empty_folder_is_one_sentence(tmp_path):
    done = core("batch", tmp_path, "-o", tmp_path)
    assert done.returncode == 2 and done.stderr == f"There is no job (*.json) in '{tmp_path}'.\n"


def test_a_stream_shows_frames_of_the_result_and_ends_with_the_outcome(tmp_path):
    (tmp_path / "job.json").write_text(json.dumps({"duration": 2.0}))
    done = core("simulate", tmp_path / "job.json", "-o", tmp_path / "result.npz", "--stream")
    *lines, outcome = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0 and outcome["result"] == str(tmp_path / "result.npz") and "%" not in done.stderr
    result = Result.load(tmp_path / "result.npz")
    poses = [line for line in lines if "root" in line]  # the last lines only say what is done
    assert len(poses) > 2 and poses[0]["frame"] == 0 and poses[0]["left"] is None and lines[-1]["left"] >= 0
    for pose in poses:
        np.testing.assert_allclose(pose["root"], result.root_positions[pose["frame"]], atol=1e-6)
        np.testing.assert_allclose(pose["rotations"], result.rotations[pose["frame"]], atol=1e-6)
    done = [line["fraction"] for line in lines]
    assert done == sorted(done) and done[0] >= 0 and done[-1] <= 1


def test_a_stream_that_nobody_listens_to_ends(tmp_path):
    (tmp_path / "job.json").write_text(json.dumps({"duration": 3000}))
    process = subprocess.Popen([sys.executable, "-m", "core", "simulate", tmp_path / "job.json", "-o", tmp_path / "result.npz", "--stream"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert process.stdout.readline()
    process.stdout.close()
    assert process.wait(20) == 1 and "Traceback" not in process.stderr.read()
