"""The worker: the Python it runs in, and one job in one process, started, watched, cancelled. Needs neither Blender nor numpy.

Nothing here blocks the caller but ``find_python``: a Worker does its waiting in a thread, and ``poll`` takes what has come in.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import FootfallError
from . import bundle

OLDEST = (3, 11)
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would open a console
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")  # other signals are crashes
RESULT = "result.npz"  # in a worker's folder; what is found on the way to it is beside it, RESULT.part
PROBE_SECONDS = 30.0  # a cold disk takes its time over the first import
PROBE = f"""
import json, sys
sys.path = [path for path in sys.path if path]  # the folder it runs in holds no modules
said = {{"version": ".".join(map(str, sys.version_info[:3])), "missing": None, "engines": []}}
def why_not(name):
    try:
        __import__(name)
        return "cannot be used"
    except Exception as error:
        return (str(error).strip() or repr(error)).splitlines()[-1]
if sys.version_info < {OLDEST}:
    said["missing"] = "is older than Python {OLDEST[0]}.{OLDEST[1]}"
else:
    try:
        import numpy
    except Exception:
        said["missing"] = f"cannot import numpy ({{why_not('numpy')}})"
    else:
        from core.physics import ENGINES, engines
        said["engines"] = engines()
        if not said["engines"]:
            said["missing"] = f"has no physics engine ({{'; '.join(f'{{name}}: {{why_not(name)}}' for name in ENGINES)}})"
print(); print(json.dumps(said))
"""
NEEDED = f"numpy and {' or '.join(bundle.ENGINES.values())}"


class WorkerError(FootfallError):
    """No Python can run the simulation."""


@dataclass(frozen=True)
class WorkerPython:
    """A Python that was seen to import what the simulation needs, with ``paths`` as its PYTHONPATH; ``engines`` as in a job."""

    executable: str
    version: str
    paths: tuple[str, ...]
    engines: tuple[str, ...]

    def check_engine(self, engine: str) -> None:
        """A WorkerError where it has no such engine; "auto" is always there."""
        if engine not in ("auto", *self.engines):
            there = " and ".join(bundle.ENGINES[name] for name in self.engines)
            raise WorkerError(f"{bundle.ENGINES[engine]} is not there to simulate with: Python {self.version} ({self.executable}) has {there}; "
                              "set Engine to Automatic in Footfall's preferences, or choose another Python there.")

    def environment(self) -> dict[str, str]:
        return _environment(self.paths)


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


class _Search(threading.Thread):
    """A search for a Python; ``found`` is its outcome."""

    def __init__(self, preferred: str):
        super().__init__(daemon=True)
        self.preferred, self.found = preferred, None
        self.start()

    def run(self) -> None:
        try:
            self.found = _first_that_works(self.preferred)
        except WorkerError as error:
            self.found = error


_searches: dict[str, _Search] = {}
_lock = threading.Lock()


def find_python(preferred: str = "") -> WorkerPython:
    """The Python for workers, found once; the first time takes a fraction of a second, a few seconds where none will do.

    Args:
        preferred: path of the user's own choice; if given, no other is tried.
    Raises:
        WorkerError: with what is missing and the way out.
    """
    search = _search(preferred)
    search.join()
    if isinstance(search.found, WorkerPython):
        return search.found
    raise WorkerError(str(search.found))


def python_status(preferred: str = "") -> WorkerPython | WorkerError | None:
    """The same without waiting, for drawing: None while the search, which this starts, goes on."""
    return _search(preferred).found


def forget_python() -> None:
    """Search again the next time: something was installed or removed."""
    with _lock:
        _searches.clear()


def _search(preferred: str) -> _Search:
    with _lock:
        if preferred not in _searches:
            _searches[preferred] = _Search(preferred)
        return _searches[preferred]


def _first_that_works(preferred: str) -> WorkerPython:
    candidates = [preferred] if preferred else _candidates()
    first_reason = ""
    # Last, Pythons that have packages of their own: those of this zip may be for another version.
    for packages in (_packages(), ()):
        for executable in candidates:
            paths = (str(bundle.FOLDER), *packages)
            said = _probe(executable, paths)
            if not said["missing"]:
                return WorkerPython(executable, said["version"], paths, tuple(said["engines"]))
            first_reason = first_reason or f"'{executable}' {said['missing']}"
    if preferred:
        raise WorkerError(f"{first_reason}, so it cannot simulate; choose another Python in Footfall's preferences, or leave that field empty.")
    if not candidates:
        raise WorkerError(f"There is no Python {sys.version_info[0]}.{sys.version_info[1]} to simulate with; install it, "
                          f"or choose one with {NEEDED} in Footfall's preferences.")
    raise WorkerError(f"{first_reason}, so it cannot simulate; install the Footfall zip that was made for this Blender, "
                      f"or choose a Python with {NEEDED} in Footfall's preferences.")


def _candidates() -> list[str]:
    """Pythons to try, the one inside Blender first. ``sys.executable`` may be something found on PATH, or Blender itself."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    names = [f"python{version}", "python3", "python"]
    inside = [Path(prefix, folder, name + (".exe" if os.name == "nt" else ""))
              for prefix in (sys.prefix, sys.base_prefix) for folder in ("bin", "") for name in names]
    paths = [str(path) for path in inside if path.is_file()]
    if sys.executable and Path(sys.executable).name.lower().startswith("python"):
        paths.append(sys.executable)
    paths += filter(None, map(shutil.which, names + [f"python3.{minor}" for minor in range(OLDEST[1], 20)]))
    return list(dict.fromkeys(paths))


def _packages() -> tuple[str, ...]:
    """Where this zip's engines and numpy are: inside it, or where Blender unpacked the extension's wheels."""
    if bundle.PACKAGES.is_dir():
        return (str(bundle.PACKAGES),)
    specs = filter(None, map(importlib.util.find_spec, bundle.ENGINES))
    places = [Path(spec.origin).parents[1 if spec.submodule_search_locations else 0] for spec in specs if spec.origin]
    return tuple(dict.fromkeys(map(str, places)))


def _probe(executable: str, paths: tuple[str, ...]) -> dict:
    """Its "version", its "engines", and what keeps it from simulating as the end of a sentence ("missing"), or None."""
    try:
        done = subprocess.run([executable, "-c", PROBE], env=_environment(paths), capture_output=True, text=True, timeout=PROBE_SECONDS,
                              stdin=subprocess.DEVNULL, creationflags=NO_WINDOW)
        said = json.loads(done.stdout.strip().splitlines()[-1])
        return {key: said[key] for key in ("version", "missing", "engines")}
    except subprocess.TimeoutExpired:
        missing = f"did not answer within {PROBE_SECONDS:.0f} s"
    except OSError as error:
        missing = f"cannot be started ({error.strerror})"
    except (ValueError, KeyError, TypeError, IndexError):
        missing = "is not a Python that works"
    return {"version": "", "missing": missing, "engines": []}


def _environment(paths: tuple[str, ...]) -> dict[str, str]:
    # What Blender sets for its own Python would mislead another one.
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP")}
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}


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
        self._lock = threading.Lock()  # a cancel must not slip in between its being asked for and the start of the process
        self.go_on()

    def go_on(self) -> None:
        """Simulate, from where it was stopped if it was."""
        self._start(lambda job, result: (*self._command, job, "-o", result, "--stream"))

    def keep(self) -> None:
        """Make a result of what was found until it was stopped; ``poll`` tells when that is there."""
        self._start(lambda job, result: ("keep", result))

    def poll(self) -> Status:
        """Where it is now. Never blocks; a pose is given once."""
        done = not self._thread.is_alive()  # asked first: what came in before the end is then in the queue
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
        with self._lock:
            self._cancelled = True
            process = self._process
        if process:
            _kill(process)
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
        self._thread = threading.Thread(target=self._work, args=(command,), daemon=True)
        _running.add(self)
        self._thread.start()

    def _work(self, command: Callable[[str, str], tuple[str, ...]]) -> None:
        try:
            self._result = self._run(command)
        except FootfallError as error:
            self._error = str(error)
        except OSError as error:
            self._error = f"The simulation cannot be started: {error.strerror or error} ({error.filename or self._parent}); free some space, " \
                          "or choose another folder for temporary files in Blender's preferences."
        if (self._cancelled or self._error) and not self.has_part:
            self.remove()

    def _run(self, command: Callable[[str, str], tuple[str, ...]]) -> Path | None:
        if self._folder is None:
            self._parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(prefix="footfall-", dir=self._parent))
        job, result = self._folder / "job.json", self._folder / RESULT
        job.write_text(json.dumps(self._job), encoding="utf-8")
        python = self._python or find_python()
        with self._lock:
            if self._cancelled:
                return None
            # -P: the folder it runs in holds no modules. A session of its own: with what it may start, it can be ended at once.
            self._process = subprocess.Popen(
                [python.executable, "-P", "-m", "core", *command(str(job), str(result))], env=python.environment(),
                cwd=self._folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                start_new_session=True, creationflags=NO_WINDOW)
        complaints: deque[str] = deque(maxlen=20)
        errors = self._process.stderr
        listener = threading.Thread(target=lambda: complaints.extend(line for line in errors if line.strip()), daemon=True)
        listener.start()
        for line in self._process.stdout:
            if line.startswith("{\"part\""):
                self._lines.put(json.loads(line))
        code = self._process.wait()
        listener.join()
        if code == 0:
            return result
        raise WorkerError(_reason(code, complaints[-1].strip() if complaints else ""))


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
