"""The worker: real processes, ended in every way there is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footfall.blender_addon import worker
from footfall.blender_addon.worker import Status, Worker, WorkerError, WorkerPython, find_python
from footfall.core.result import Result

LONG = {"duration": 3000}


def wait(running: Worker, seconds: float = 60.0, until=lambda status: status.done) -> tuple[Status, list]:
    """Poll as a panel does, to its end or to what is waited for; every pose that came in."""
    poses, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        status = running.poll()
        assert time.perf_counter() - began < 0.05
        poses += status.frames
        if until(status):
            return status, poses
        time.sleep(0.02)
    raise AssertionError(f"Still at {status.part:.0%} after {seconds:g} s.")


def start(folder: Path) -> Worker:
    """A worker that has begun to simulate something long."""
    running = Worker(LONG, folder)
    status, _ = wait(running, until=lambda status: status.done or status.frames)
    assert not status.done, status.error
    return running


def is_alive(process: subprocess.Popen) -> bool:
    return process.poll() is None


def test_a_job_becomes_a_result_with_poses_on_the_way(tmp_path):
    running = Worker({"duration": 2.0, "fps": 50}, tmp_path)
    status, poses = wait(running)
    assert status.error is None and status.part == 1.0 and status.left == 0.0
    result = Result.load(status.result)
    assert result.frames == 101 and result.outcome["fell"] is False
    frames = [pose.frame for pose in poses]
    assert len(frames) > 3 and frames == sorted(set(frames)) and frames[0] == 0
    for pose in poses:
        assert pose.root == pytest.approx(result.root_positions[pose.frame], abs=1e-5)
        assert pose.rotations == pytest.approx(result.rotations[pose.frame], abs=1e-5)
    running.remove()
    assert list(tmp_path.iterdir()) == []


def test_the_time_left_is_known_soon_and_falls(tmp_path):
    running = Worker({"duration": 20.0}, tmp_path)
    lefts, end = [], time.monotonic() + 60
    while not (status := running.poll()).done and time.monotonic() < end:
        lefts += [status.left] if status.left is not None else []
        time.sleep(0.02)
    assert lefts and lefts[-1] < lefts[0]
    running.remove()


def test_cancel_ends_the_process_and_leaves_nothing(tmp_path):
    running = start(tmp_path)
    began = time.monotonic()
    running.cancel()
    assert time.monotonic() - began < 1.0
    assert not is_alive(running._process) and list(tmp_path.iterdir()) == []
    status = running.poll()
    assert status.done and status.error is None and status.result is None
    running.cancel()


def test_cancel_before_it_has_started(tmp_path):
    running = Worker(LONG, tmp_path)
    running.cancel()
    assert running.poll().done
    running._thread.join(60)
    assert running._process is None or not is_alive(running._process)
    assert list(tmp_path.iterdir()) == []


def test_killed_from_outside_is_one_sentence(tmp_path):
    running = start(tmp_path)
    os.kill(running._process.pid, signal.SIGKILL)
    status, _ = wait(running, 5)
    assert status.error.startswith("The simulation was ended from outside (SIGKILL)") and status.error.endswith(".") and "\n" not in status.error
    assert status.result is None and list(tmp_path.iterdir()) == []


def test_a_crash_is_one_sentence(tmp_path):
    running = start(tmp_path)
    os.kill(running._process.pid, signal.SIGSEGV)
    status, _ = wait(running, 5)
    assert "stopped unexpectedly (SIGSEGV)" in status.error and list(tmp_path.iterdir()) == []


def test_two_at_once_do_not_meet(tmp_path):
    one, other = Worker({"duration": 1.0, "gait": "walk"}, tmp_path), Worker({"duration": 1.0, "gait": "run"}, tmp_path)
    results = [Result.load(wait(running)[0].result) for running in (one, other)]
    assert [result.gait_names for result in results] == [["walk"], ["run"]]
    one.remove()
    assert other.poll().result.is_file()
    other.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_bad_job_says_what_the_core_says(tmp_path):
    status, _ = wait(Worker({"gait": "moonwalk"}, tmp_path))
    assert status.error.startswith("There is no gait 'moonwalk'") and list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of a file")
def test_a_result_that_cannot_be_written_says_so(tmp_path):
    import resource

    # As on a full disk: the job can be written, the result cannot.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        running = Worker({"duration": 1.0}, tmp_path)
        wait(running, until=lambda status: status.done or running._process)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    status, _ = wait(running)
    assert status.error.startswith("Could not write '") and "free some space" in status.error and list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    status, _ = wait(Worker(LONG, tmp_path / "file"))
    assert status.error.startswith("The simulation cannot be started: ") and "file" in status.error


def test_a_worker_ends_with_the_process_that_started_it(tmp_path):
    program = f"""
import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r}); import conftest, time
from footfall.blender_addon.worker import Worker
running = Worker({LONG}, {str(tmp_path)!r})
while not running.poll().frames: time.sleep(0.02)
print(running._process.pid, flush=True)
"""
    pid = int(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True).stdout)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert list(tmp_path.iterdir()) == []


def test_a_worker_whose_parent_was_killed_ends_too(tmp_path):
    program = f"""
import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r}); import conftest, os, signal, time
from footfall.blender_addon.worker import Worker
running = Worker({LONG}, {str(tmp_path)!r})
while not running.poll().frames: time.sleep(0.02)
print(running._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    pid = int(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60).stdout)
    end = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < end and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]


def test_find_python_finds_one_that_simulates_and_remembers_it():
    worker.forget_python()
    found = find_python()
    assert isinstance(found, WorkerPython) and tuple(map(int, found.version.split("."))) >= (3, 11, 0)
    began = time.perf_counter()
    assert find_python() is found and time.perf_counter() - began < 0.01


def test_python_status_does_not_wait():
    worker.forget_python()
    began = time.perf_counter()
    assert worker.python_status() is None and time.perf_counter() - began < 0.05
    assert find_python() == worker.python_status()


@pytest.mark.parametrize("script, says", [
    (None, "cannot be started"), ("#!/bin/sh\necho hello\n", "is not a Python that works"),
    ("#!/bin/sh\necho '{\"version\": \"3.9.1\", \"missing\": \"is older than Python 3.11\"}'\n", "is older than Python 3.11")],
    ids=["missing", "something else", "old"])
@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_chosen_python_that_does_not_do_is_named(tmp_path, script, says):
    chosen = tmp_path / "python3"
    if script:
        chosen.write_text(script)
        chosen.chmod(0o755)
    with pytest.raises(WorkerError) as caught:
        find_python(str(chosen))
    text = str(caught.value)
    assert str(chosen) in text and says in text and "preferences" in text and text.endswith(".") and "\n" not in text


def test_a_python_without_the_packages_says_which_is_missing(tmp_path, monkeypatch):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.setattr(worker, "_packages", lambda: ())
    with pytest.raises(WorkerError, match="cannot import numpy"):
        find_python(str(bare / ("Scripts/python.exe" if os.name == "nt" else "bin/python")))
