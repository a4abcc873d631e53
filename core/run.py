"""Run a job as a user means it: with a search for gains where a clip falls, and the gains that were found for it before."""

from __future__ import annotations

import dataclasses
import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import presets
from .body import Body
from .errors import JobError
from .job import Job
from .result import Result
from .simulate import Progress, simulate

STORE = ".gains.json"  # after a clip's own name: the gains that held it
ALIKE = 0.02  # of mass and leg length, by which a body may differ from the one that gains were found for


def run(job: Job, progress: Progress | None = None, workers: int | None = None, part: Path | None = None) -> Result:
    """Simulate; a clip that falls gets "tune" seconds of search on ``workers`` processes, and what holds it is stored beside it.

    ``progress`` sees the search as the first part of the work. ``part``: file that keeps what a plan has found so far, for work that is stopped.
    """
    reference = job.reference
    if reference and reference["method"] == "plan":
        from .plan.follow import follow  # slow to load, and needed by nothing else

        return follow(job, progress, workers, part)
    if not reference or reference["method"] != "track":
        return simulate(job, progress)
    from .control.tracker import gains_of  # not needed by gaits, and neither is what a search needs

    given = bool(reference["gains"]) or bool(reference["without"])
    store, body = Path(reference["clips"][0] + STORE), presets.body(job.body)
    usual = gains_of(reference["gains"] or _stored(store, body), reference["without"])
    if not reference["tune"]:
        result, gains = simulate(job, progress, gains=usual), usual
    else:
        try:
            from .optimize.tracking import held, tune
        except ModuleNotFoundError as error:
            raise JobError(f"Searching for gains needs the Python package '{error.name}': install it, or set tune to 0.") from error

        executor = ProcessPoolExecutor(workers or os.cpu_count())
        try:
            gains, result = tune(job, usual, reference["tune"], executor, lambda part, _: progress and progress(part, None))
        finally:
            executor.shutdown(cancel_futures=True)
        if gains != usual and held(result) and not given:
            _store(store, gains, body)
    result.outcome["gains"] = dataclasses.asdict(gains)
    return result


def _stored(path: Path, body: Body) -> dict:
    """Gains that were found for the clip on a body like this one."""
    if not path.is_file():
        return {}
    data = presets.read_json(path)
    alike = all(abs(data["body"][key] / value - 1.0) < ALIKE for key, value in _size(body).items())
    return data["gains"] if alike else {}


def _store(path: Path, gains: object, body: Body) -> None:
    """Beside the clip, if one may write there: a search can be done again."""
    try:
        path.write_text(json.dumps({"body": _size(body), "gains": dataclasses.asdict(gains)}, indent=1) + "\n", encoding="utf-8")
    except OSError:
        pass


def _size(body: Body) -> dict:
    return {"mass": round(body.mass, 2), "leg_length": round(body.leg_length, 4)}
