"""Workers on this machine, and progress as a person sees it."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.context import Context
from core.errors import JobError, SimulationError
from core.progress import percents

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("workers", [0, -1])
def test_less_than_one_worker_is_refused(workers):
    with pytest.raises(JobError, match=rf"^--workers is {workers}; at least 1 is needed\.$"):
        Context(workers=workers)


def test_a_process_that_dies_is_one_sentence():
    with pytest.raises(SimulationError, match=r"^A worker process has died .* fewer --workers\.$"), Context(workers=1).executor() as (executor, _):
        executor.submit(os._exit, 1).result()


@pytest.mark.skipif(sys.platform == "win32", reason="processes are asked for by their number as on Linux and macOS")
def test_workers_end_when_who_they_work_for_is_killed():
    program = "\n".join((
        "import time",
        "from core.context import Context",
        "if __name__ == '__main__':",
        "    with Context(workers=2).executor() as (executor, _):",
        "        tasks = [executor.submit(time.sleep, seconds) for seconds in (0.2, 600)]",
        "        tasks[0].result()",
        "        print(*executor._processes, flush=True)",
        "        time.sleep(600)"))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    workers = [int(word) for word in process.stdout.readline().split()]
    assert len(workers) == 2 and all(map(_runs, workers))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    until = time.monotonic() + 20.0
    while any(map(_runs, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(_runs, workers))


def _runs(number: int) -> bool:
    """Whether there is a process of that number, which is no zombie."""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True).stdout.strip()
    return bool(shown) and not shown.startswith("Z")


def test_progress_is_a_line_where_the_next_five_percent_are_done():
    shown = io.StringIO()
    progress = percents(shown)
    for fraction in (0.0, 0.001, 0.07, 0.09, 0.33, 0.34, 0.36, 1.0):
        progress(fraction, None)
    assert [line.split(" %")[0].strip() for line in shown.getvalue().splitlines()] == ["0", "7", "33", "36", "100"]
