"""One job in one process: started, watched, cancelled. Needs neither Blender nor numpy.

Nothing here blocks the caller but ``find_python``, where no Python is given, and ``stop`` and ``cancel``, which see the process out. There are
no threads: Blender crashes with them now and then. ``poll`` takes what has come in; a process that is not polled waits when it has said much.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..core import lifeline
from ..core.errors import FootfallError
from .pipe import Pipe
from .pythons import NO_WINDOW, WorkerPython, find_python

FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")  # other signals are crashes
RESULT = "result.npz"  # in a worker's folder
STOP = ".stop"  # after its name: a file that asks for it now, see ``core.commands.listen``
UNFINISHED = f"{RESULT}.part"  # beside it: what long work has found on the way to it


@dataclass(frozen=True)
class Pose:
    """A frame of the simulation as it goes: index, root (3,) in metres and rotations (links, 4) w, x, y, z, as in a Result. felt: s, of
    ``time.monotonic``, at which feet that are listened to were like that."""

    frame: int
    root: list[float]
    rotations: list[list[float]]
    felt: float | None = None


@dataclass(frozen=True)
class Status:
    """Where a worker is: fraction done (0–1), seconds left (None: not known yet), what it does, poses that came in since the last time.

    When ``done``, there is either a ``result`` (the file) or an ``error`` (a sentence); after a cancel neither.
    """

    fraction: float
    left: float | None
    doing: str = ""
    frames: list[Pose] = field(default_factory=list)
    done: bool = False
    error: str | None = None
    result: Path | None = None
    heard: dict[str, int] = field(default_factory=dict)  # of a device that is listened to: how many packets came, and how many did not
    played: dict = field(default_factory=dict)  # of a body that is played: how it goes, see ``core.commands.play``


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
        self._fraction, self._doing, self._heard, self._played = 0.0, "", {}, {}
        self._folder: Path | None = None
        self._process: subprocess.Popen | None = None  # while it runs, and after it
        self.go_on()

    def go_on(self) -> None:
        """Simulate, from where it was stopped if it was."""
        self._start(lambda job, result: (*self._command, job, "-o", result, "--stream"))

    def keep(self) -> None:
        """Make a result of what was found until it was stopped; ``poll`` tells when that is there."""
        self._start(lambda job, result: ("keep", result))

    def poll(self) -> Status:
        """Where it is now. Never blocks; a pose is given once."""
        poses = self._listen()
        if self._result:
            self._fraction, self._left = 1.0, 0.0
        done = bool(self._cancelled or self._result or self._error)
        error, result = (None, None) if self._cancelled else (self._error, self._result)
        return Status(self._fraction, self._left, self._doing, poses, done, error, result, self._heard, self._played)

    def tell(self, command: dict) -> None:
        """Say something to work that listens. Never waits: what a process does not take in any more is lost, and so is that process."""
        if self._process and self._process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                self._process.stdin.write(json.dumps(command).encode() + b"\n")

    @property
    def has_unfinished(self) -> bool:
        """Whether it has written down what it found so far, to ``keep`` or to ``go_on`` from."""
        return self._folder is not None and (self._folder / UNFINISHED).is_file()

    def stop(self) -> None:
        """End the process; what it found so far stays."""
        self._cancelled = True
        if self._process:
            _kill(self._process)
            self._hang_up()

    def end(self) -> None:
        """Let work that would go on for as long as it may come to its end; ``poll`` tells when its result is there."""
        if self._folder:
            (self._folder / f"{RESULT}{STOP}").touch()

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
        self._process = None
        _running.add(self)
        try:
            self._process = self._begin(command)
        except FootfallError as error:
            self._give_up(str(error))
        except OSError as error:
            self._give_up(f"The simulation cannot be started: {error.strerror or error} ({error.filename or self._parent}); free some space, "
                          "or choose another folder for temporary files in Blender's preferences.")
        else:
            self._said, self._complained, self._complaint = Pipe(self._process.stdout), Pipe(self._process.stderr), ""

    def _begin(self, command: Callable[[str, str], tuple[str, ...]]) -> subprocess.Popen:
        python = self._python or find_python()
        if self._folder is None:
            self._parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(prefix="footfall-", dir=self._parent))
        job = self._folder / "job.json"
        job.write_text(json.dumps(self._job), encoding="utf-8")
        # -P: the folder it runs in holds no modules. A session of its own: with what it may start, it can be ended at once. Its input is the
        # lifeline, open for as long as this process lives.
        process = subprocess.Popen(
            [python.executable, "-P", "-m", "core", *command(str(job), str(self._folder / RESULT))], cwd=self._folder,
            env=python.environment() | lifeline.ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            start_new_session=True, creationflags=NO_WINDOW)
        if os.name != "nt":
            os.set_blocking(process.stdin.fileno(), False)
        return process

    def _listen(self) -> list[Pose]:
        """Take in what the process has said; when it has ended, how."""
        if self._process is None or self._said.closed:
            return []
        code, poses = self._process.poll(), []  # asked first: what it said before its end is then there to read
        for line in self._said.lines():
            if line.startswith("{\"fraction\""):
                said = json.loads(line)
                # Work that goes on after a stop begins with nothing, until it has found where it was.
                self._fraction, self._left, self._doing = max(self._fraction, said["fraction"]), said["left"], said["doing"]
                if "root" in said:  # a search for gains has no pose to show
                    poses.append(Pose(said["frame"], said["root"], said["rotations"], said.get("felt")))
                self._heard, self._played = said.get("heard", self._heard), said.get("played", self._played)
        self._complaint = next(filter(None, map(str.strip, reversed(self._complained.lines()))), self._complaint)
        if code is not None and self._said.quiet and self._complained.quiet:
            self._hang_up()
            if code == 0:
                self._result = self._folder / RESULT
            else:
                _kill_group(self._process)  # its own workers do not notice that it is gone
                self._give_up(_reason(code, self._complained.rest.strip() or self._complaint))
        return poses

    def _hang_up(self) -> None:
        self._process.stdin.close()
        self._said.close()
        self._complained.close()

    def _give_up(self, error: str) -> None:
        self._error = error
        if not self.has_unfinished:
            self.remove()


def cancel_all() -> None:
    """End every worker: the add-on is disabled, or Blender quits."""
    for worker in list(_running):
        worker.cancel()


atexit.register(cancel_all)


def _kill(process: subprocess.Popen) -> None:
    """And what it has started."""
    if process.poll() is None:
        _kill_group(process)
        process.kill()  # where the group could not be
        with contextlib.suppress(subprocess.TimeoutExpired):  # not even now: then nobody waits for it
            process.wait(5.0)


def _kill_group(process: subprocess.Popen) -> None:
    # Nobody may be left, or only the dead, which macOS does not allow to be killed.
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, creationflags=NO_WINDOW, timeout=5.0,
                           check=False)


def _reason(code: int, complaint: str) -> str:
    """One sentence for a process that ended with this code; 2 means that its last line already is one."""
    if code == 2 and complaint:
        return complaint
    name = signal.Signals(-code).name if -code in signal.valid_signals() else ""
    if name in FROM_OUTSIDE:
        return f"The simulation was ended from outside ({name}) and nothing was changed; simulate again, with more memory free if this repeats."
    return (f"The simulation stopped unexpectedly ({name or complaint or f'code {code}'}) and nothing was changed; "
            "save the job and run it with `python -m core simulate` to see more.")
