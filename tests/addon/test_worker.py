"""The worker: real processes, ended in every way there is."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from footfall.blender_addon.pythons import WorkerPython, find_python, forget_python
from footfall.blender_addon.worker import Status, Worker
from footfall.core.result import Result

LONG = {"duration": 3000}


def wait(running: Worker, seconds: float = 60.0, until=lambda status: status.done) -> tuple[Status, list]:
    """Poll as a panel does, to its end or to what is waited for; every pose that came in."""
    poses, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        status = running.poll()
        poses += status.frames
        if until(status):
            return status, poses
        time.sleep(0.02)
    raise AssertionError(f"Still at {status.fraction:.0%} after {seconds:g} s.")


def start(folder: Path) -> Worker:
    """A worker that has begun to simulate something long."""
    running = Worker(LONG, folder)
    status, _ = wait(running, until=lambda status: status.done or status.frames)
    assert not status.done, status.error
    return running


def is_alive(process: subprocess.Popen) -> bool:
    return process.poll() is None


def is_there(pid: int) -> bool:
    """Whether someone else's process lives; one that nobody has buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_job_becomes_a_result_with_poses_on_the_way(tmp_path):
    running = Worker({"duration": 2.0, "fps": 50}, tmp_path)
    status, poses = wait(running)
    assert status.error is None and status.fraction == 1.0 and status.left == 0.0
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
    assert time.monotonic() - began < 10.0
    assert not is_alive(running._process) and list(tmp_path.iterdir()) == []
    status = running.poll()
    assert status.done and status.error is None and status.result is None
    running.cancel()


def test_cancel_at_once(tmp_path):
    running = Worker(LONG, tmp_path)
    running.cancel()
    assert running.poll().done and not is_alive(running._process) and list(tmp_path.iterdir()) == []


def test_there_are_no_threads(tmp_path, monkeypatch):
    """Blender crashes with them now and then."""
    started = []
    monkeypatch.setattr(threading.Thread, "start", started.append)
    forget_python()
    running = Worker({"duration": 0.2}, tmp_path, find_python())
    status, _ = wait(running)
    running.remove()
    assert status.fraction == 1.0 and not started


def test_a_poll_does_not_wait_for_who_is_silent(half_way):
    """For a minute: a poll that waited would take that long."""
    began = time.monotonic()
    for _ in range(1000):
        assert not half_way.poll().done
    assert time.monotonic() - began < 30.0
    half_way.cancel()


def test_who_is_not_listened_to_for_a_while_loses_nothing(half_way):
    """What it says goes far beyond what a pipe holds."""
    (half_way._folder / "talk").touch()
    half_way.stop()
    (half_way._folder / "hurry").touch()
    half_way.go_on()
    time.sleep(1.0)
    status, poses = wait(half_way)
    assert status.result.read_text() == "10" and [pose.frame for pose in poses] == list(range(3000))
    half_way.remove()


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
    one, other = Worker({"duration": 1.0, "gait": "sturdy_walk"}, tmp_path), Worker({"duration": 1.0, "gait": "run"}, tmp_path)
    results = [Result.load(wait(running)[0].result) for running in (one, other)]
    assert [result.gait_names for result in results] == [["sturdy_walk"], ["run"]]
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
    while is_there(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_there(pid)


# As the core does with a long job: it writes down how far it is, goes on from there, and makes a result of it when asked to.
LONG_CORE = """
import json, pathlib, sys, time
result = pathlib.Path(sys.argv[2 if sys.argv[1] == "keep" else 4])
unfinished = pathlib.Path(f"{result}.part")
done = int(unfinished.read_text()) if unfinished.is_file() else 0
if sys.argv[1] == "keep":
    result.write_text(str(done))
    sys.exit()
if (result.parent / "talk").exists():
    for frame in range(3000):
        print(json.dumps({"fraction": 0.5, "left": None, "doing": "", "frame": frame, "root": [0.0] * 3, "rotations": [[1.0, 0.0, 0.0, 0.0]] * 15}))
for done in range(done, 10):
    unfinished.write_text(str(done))
    print(json.dumps({"fraction": done / 10, "left": 10 - done, "doing": f"round {done}"}), flush=True)
    time.sleep(0.01 if done != 5 or (result.parent / "hurry").exists() else 60)
result.write_text("10")
unfinished.unlink()
"""


@pytest.fixture
def half_way(tmp_path) -> Worker:
    """A worker that has come half way, and would take a minute there."""
    running = worker_of(tmp_path, LONG_CORE)
    wait(running, until=lambda status: status.fraction == 0.5)
    return running


def worker_of(folder: Path, program: str) -> Worker:
    """A worker whose core is this program."""
    (folder / "core").mkdir()
    (folder / "core" / "__main__.py").write_text(program)
    return Worker({}, folder / "work", WorkerPython(sys.executable, "3", (str(folder),), ()))


def test_a_last_word_need_not_be_a_whole_line(tmp_path):
    running = worker_of(tmp_path, "import sys; sys.stderr.write('First.\\nThe knee is missing.'); sys.exit(2)")
    assert wait(running)[0].error == "The knee is missing."


@pytest.mark.skipif(os.name == "nt", reason="needs a session of its own")
def test_who_crashes_leaves_no_workers_of_its_own(tmp_path):
    running = worker_of(tmp_path, "import os, subprocess, sys\n"
                                  "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
                                  f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\nos.abort()")
    assert "SIGABRT" in wait(running)[0].error
    pid, end = int((tmp_path / "pid").read_text()), time.monotonic() + 10
    while is_there(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_there(pid)


def test_what_was_found_before_a_stop_can_be_kept(half_way, tmp_path):
    assert half_way.has_unfinished
    half_way.stop()
    status = half_way.poll()
    assert status.done and status.result is None and status.error is None and half_way.has_unfinished and not is_alive(half_way._process)
    half_way.keep()
    assert wait(half_way)[0].result.read_text() == "5"
    half_way.remove()
    assert list((tmp_path / "work").iterdir()) == []


def test_a_stopped_worker_goes_on_from_where_it_was(half_way):
    half_way.stop()
    (half_way._folder / "hurry").touch()
    half_way.go_on()
    status, _ = wait(half_way)
    assert status.result.read_text() == "10" and status.fraction == 1.0 and not half_way.has_unfinished
    half_way.remove()


def test_a_long_job_that_is_killed_can_be_kept_too(half_way):
    os.kill(half_way._process.pid, signal.SIGKILL)
    assert "ended from outside (SIGKILL)" in wait(half_way)[0].error and half_way.has_unfinished
    half_way.keep()
    assert wait(half_way)[0].result.read_text() == "5"
    half_way.remove()


def test_a_cancel_half_way_leaves_nothing(half_way, tmp_path):
    half_way.cancel()
    assert not half_way.has_unfinished and list((tmp_path / "work").iterdir()) == []
