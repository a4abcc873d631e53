"""One job in one process: started, watched, cancelled. Needs neither Blender nor numpy.

Nothing here blocks the caller: threads listen to the process, and ``poll`` takes what has come in. The caller itself starts it, because
Blender crashes when a thread starts a process while Blender is at work.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import FootfallError
from .pythons import NO_WINDOW, WorkerError, WorkerPython, find_python

FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")  # other signals are crashes
RESULT = "result.npz"  # in a worker's folder; what is found on the way to it is beside it, RESULT.part


@dataclass(frozen=True)
class Pose:
    """A frame of the simulation as it goes: index, root (3,) in metres and rotations (links, 4) w, x, y, z, as in a Result."""

    frame: int
    root: list[float]
    rotations: list[list[float]]


@dataclass(frozen=True)
class Status:
    """Where a worker is: part done (0–1), seconds left (None: not known yet), poses that came in since the last time.

    When ``done``, there is either a ``result`` (the file) or an ``error`` (a sentence); after a cancel neither.
    """

    part: float
    left: float | None
    frames: list[Pose] = field(default_factory=list)
    done: bool = False
    error: str | None = None
    result: Path | None = None


_running: weakref.WeakSet[Worker] = weakref.WeakSet()


class Worker:
    """One job in one process. Starts at once; several can run side by side."""

    def __init__(self, job: dict, folder: Path, python: WorkerPython | None = None, command: Sequence[str] = ("simulate",)):
        """
        Args:
            job: as in ``core.job``.
            folder: for the files of this worker, which get a folder of their own in it.
            python: default: what ``find_python()`` finds.
            command: of ``python -m core``, with its options, that makes a result of a job.
        """
        self._job, self._parent, self._python, self._command = job, Path(folder), python, command
        self._lines: queue.SimpleQueue[dict] = queue.SimpleQueue()
        self._part = 0.0
        self._folder: Path | None = None
        self._process: subprocess.Popen | None = None
        self._thread: threading.Thread | None = None  # while a process runs, and after it
        self.go_on()

    def go_on(self) -> None:
        """Simulate, from where it was stopped if it was."""
        self._start(lambda job, result: (*self._command, job, "-o", result, "--stream"))

    def keep(self) -> None:
        """Make a result of what was found until it was stopped; ``poll`` tells when that is there."""
        self._start(lambda job, result: ("keep", result))

    def poll(self) -> Status:
        """Where it is now. Never blocks; a pose is given once."""
        done = self._thread is None or not self._thread.is_alive()  # asked first: what came in before the end is then in the queue
        poses = []
        while not self._lines.empty():
            line = self._lines.get()
            self._part, self._left = line["part"], line["left"]
            if "root" in line:  # a search for gains has no pose to show
                poses.append(Pose(line["frame"], line["root"], line["rotations"]))
        if not done or self._cancelled:
            return Status(self._part, self._left, poses, done=self._cancelled)
        if self._result:
            self._part, self._left = 1.0, 0.0
        return Status(self._part, self._left, poses, done=True, error=self._error, result=self._result)

    @property
    def has_part(self) -> bool:
        """Whether it has written down what it found so far, to ``keep`` or to ``go_on`` from."""
        return self._folder is not None and (self._folder / f"{RESULT}.part").is_file()

    def stop(self) -> None:
        """End the process; what it found so far stays."""
        self._cancelled = True
        if self._process:
            _kill(self._process)
            self._thread.join(5.0)

    def cancel(self) -> None:
        """End the process and remove its files. Harmless when it has ended by itself."""
        self.stop()
        self.remove()

    def remove(self) -> None:
        """Remove the files, the result too: it was read, or nobody wants it."""
        _running.discard(self)
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, command: Callable[[str, str], tuple[str, ...]]) -> None:
        """Run `python -m core` with what ``command`` makes of the paths of the job and the result."""
        self._cancelled, self._error, self._result, self._left = False, None, None, None
        self._process = self._thread = None
        _running.add(self)
        try:
            self._process = self._begin(command)
        except FootfallError as error:
            self._give_up(str(error))
        except OSError as error:
            self._give_up(f"The simulation cannot be started: {error.strerror or error} ({error.filename or self._parent}); free some space, "
                          "or choose another folder for temporary files in Blender's preferences.")
        else:
            self._thread = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
            self._thread.start()

    def _begin(self, command: Callable[[str, str], tuple[str, ...]]) -> subprocess.Popen:
        python = self._python or find_python()
        if self._folder is None:
            self._parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(prefix="footfall-", dir=self._parent))
        job = self._folder / "job.json"
        job.write_text(json.dumps(self._job), encoding="utf-8")
        # -P: the folder it runs in holds no modules. A session of its own: with what it may start, it can be ended at once.
        return subprocess.Popen(
            [python.executable, "-P", "-m", "core", *command(str(job), str(self._folder / RESULT))], env=python.environment(),
            cwd=self._folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
            start_new_session=True, creationflags=NO_WINDOW)

    def _listen(self, process: subprocess.Popen) -> None:
        """Take in what the process says until it ends, in a thread."""
        complaints: deque[str] = deque(maxlen=20)
        listener = threading.Thread(target=lambda: complaints.extend(line for line in process.stderr if line.strip()), daemon=True)
        listener.start()
        for line in process.stdout:
            if line.startswith("{\"part\""):
                self._lines.put(json.loads(line))
        code = process.wait()
        listener.join()
        if code == 0:
            self._result = self._folder / RESULT
        else:
            self._give_up(_reason(code, complaints[-1].strip() if complaints else ""))

    def _give_up(self, error: str) -> None:
        self._error = error
        if not self.has_part:
            self.remove()


def cancel_all() -> None:
    """End every worker: the add-on is disabled, or Blender quits."""
    for worker in list(_running):
        worker.cancel()


atexit.register(cancel_all)


def _kill(process: subprocess.Popen) -> None:
    if process.poll() is not None:
        return
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except ProcessLookupError:
        pass  # it ended in between


def _reason(code: int, complaint: str) -> str:
    """One sentence for a process that ended with this code; 2 means that its last line already is one."""
    if code == 2 and complaint:
        return complaint
    name = signal.Signals(-code).name if -code in signal.valid_signals() else ""
    if name in FROM_OUTSIDE:
        return f"The simulation was ended from outside ({name}) and nothing was changed; simulate again, with more memory free if this repeats."
    return (f"The simulation stopped unexpectedly ({name or complaint or f'code {code}'}) and nothing was changed; "
            "save the job and run it with `python -m core simulate` to see more.")
