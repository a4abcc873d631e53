"""Run a job as a user means it: with a search for gains where a clip falls, and the gains that were found for it before."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
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
    """Simulate; a clip that falls gets "tune" seconds of search on ``workers`` processes, and what holds it under tracking is stored beside it.

    ``progress`` sees the search as the first part of the work. ``part``: file that keeps what a plan has found so far, for work that is stopped.
    """
    reference = job.reference
    if reference and reference["method"] == "plan":
        from .plan.follow import follow  # slow to load, and needed by nothing else

        return follow(job, progress, workers, part)
    if reference and reference["method"] == "hit":
        from .hit.take import taken

        return taken(job, progress, workers)

    def report(part: float, _cost: float) -> None:
        if progress:
            progress(part, None)

    if reference and reference["method"] == "imitate" and reference["tune"]:
        with _search(workers) as executor:
            from .optimize.imitating import tune_imitation

            gains, result = tune_imitation(job.source, reference["tune"], executor, report)
        result.outcome["gains"] = gains
        return result
    if not reference or reference["method"] != "track":
        return simulate(job, progress)
    from .control.tracker import gains_of  # not needed by gaits, and neither is what a search needs

    given = bool(reference["gains"]) or bool(reference["without"])
    store, body = Path(reference["clips"][0] + STORE), presets.body(job.body)
    usual = gains_of(reference["gains"] or _stored(store, body), reference["without"])
    if not reference["tune"]:
        result, gains = simulate(job, progress, gains=usual), usual
    else:
        with _search(workers) as executor:
            from .optimize.tracking import held, tune

            gains, result = tune(job, usual, reference["tune"], executor, report)
        if gains != usual and held(result) and not given:
            _store(store, gains, body)
    result.outcome["gains"] = dataclasses.asdict(gains)
    return result


@contextmanager
def _search(workers: int | None) -> Iterator[ProcessPoolExecutor]:
    """Processes for a search, which end with it."""
    if not importlib.util.find_spec("cma"):
        raise JobError("Searching for gains needs the Python package 'cma': install it, or set tune to 0.")
    executor = ProcessPoolExecutor(workers or os.cpu_count())
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _stored(path: Path, body: Body) -> dict:
    """Gains that were found for the clip on a body like this one."""
    if not path.is_file():
        return {}
    data = presets.read_json(path)
    try:
        alike = all(abs(data["body"][key] / value - 1.0) < ALIKE for key, value in _size(body).items())
        return data["gains"] if alike else {}
    except (KeyError, TypeError):
        return {}  # damaged: a search can be done again


def _store(path: Path, gains: object, body: Body) -> None:
    """Beside the clip, if one may write there: a search can be done again."""
    try:
        path.write_text(json.dumps({"body": _size(body), "gains": dataclasses.asdict(gains)}, indent=1) + "\n", encoding="utf-8")
    except OSError:
        pass


def _size(body: Body) -> dict:
    return {"mass": round(body.mass, 2), "leg_length": round(body.leg_length, 4)}
