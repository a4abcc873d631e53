"""The Python that workers run in: found once, by asking those that there are. Needs neither Blender nor numpy."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import FootfallError
from . import bundle

OLDEST = (3, 11)
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would open a console
PAUSE = 0.02  # s between two looks at a process
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
CHOOSE = f"choose a Python with {NEEDED} in Footfall's preferences."


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


class _Search:
    """A search for a Python that ``poll`` carries on, one process at a time. The caller begins them: Blender crashes when threads start some."""

    def __init__(self, preferred: str):
        self._steps = _first_that_works(preferred)
        self._found: WorkerPython | WorkerError | None = None

    def poll(self) -> WorkerPython | WorkerError | None:
        """What was found, None while it goes on. Never blocks."""
        if self._found is None:
            try:
                next(self._steps)
            except StopIteration as end:
                self._found = end.value or WorkerError(f"The search for a Python was interrupted; {CHOOSE}")
            except WorkerError as error:
                self._found = error
            except Exception as error:  # whatever it was: who waits for an answer has to get one
                self._found = WorkerError(f"The search for a Python failed ({error}); {CHOOSE}")
        return self._found


_searches: dict[str, _Search] = {}


def find_python(preferred: str = "") -> WorkerPython:
    """The Python for workers, found once; the first time takes a fraction of a second, a few seconds where none will do.

    Args:
        preferred: path of the user's own choice; if given, no other is tried.
    Raises:
        WorkerError: with what is missing and the way out.
    """
    while (found := python_status(preferred)) is None:
        time.sleep(PAUSE)
    if isinstance(found, WorkerPython):
        return found
    raise WorkerError(str(found))


def python_status(preferred: str = "") -> WorkerPython | WorkerError | None:
    """The same without waiting, for drawing: None while the search goes on, which this begins and carries on."""
    if preferred not in _searches:
        _searches[preferred] = _Search(preferred)
    return _searches[preferred].poll()


def forget_python() -> None:
    """Search again the next time: something was installed or removed."""
    _searches.clear()


def _first_that_works(preferred: str) -> Generator[None, None, WorkerPython]:
    candidates = [preferred] if preferred else _candidates()
    first_reason = ""
    # Last, Pythons that have packages of their own: those of this zip may be for another version.
    for packages in (_packages(), ()):
        for executable in candidates:
            paths = (str(bundle.FOLDER), *packages)
            said = yield from _probe(executable, paths)
            if not said["missing"]:
                return WorkerPython(executable, said["version"], paths, tuple(said["engines"]))
            first_reason = first_reason or f"'{executable}' {said['missing']}"
    if preferred:
        raise WorkerError(f"{first_reason}, so it cannot simulate; choose another Python in Footfall's preferences, or leave that field empty.")
    if not candidates:
        raise WorkerError(f"There is no Python {sys.version_info[0]}.{sys.version_info[1]} to simulate with; install it, "
                          f"or choose one with {NEEDED} in Footfall's preferences.")
    raise WorkerError(f"{first_reason}, so it cannot simulate; install the Footfall zip that was made for this Blender, "
                      f"or {CHOOSE}")


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


def _probe(executable: str, paths: tuple[str, ...]) -> Generator[None, None, dict]:
    """Its "version", its "engines", and what keeps it from simulating as the end of a sentence ("missing"), or None."""
    end = time.monotonic() + PROBE_SECONDS
    try:
        # To a file: it may say much, and what it starts may keep a pipe open.
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as file:
            with subprocess.Popen([executable, "-c", PROBE], env=_environment(paths), stdin=subprocess.DEVNULL, stdout=file,
                                  stderr=subprocess.DEVNULL, creationflags=NO_WINDOW) as process:
                try:
                    while process.poll() is None and time.monotonic() < end:
                        yield
                finally:
                    late = process.poll() is None
                    process.kill()
            if late:
                raise TimeoutError
            file.seek(0)
            said = json.loads(file.read().strip().splitlines()[-1])
        return {key: said[key] for key in ("version", "missing", "engines")}
    except TimeoutError:
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
