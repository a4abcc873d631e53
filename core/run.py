"""Run a job as a user means it: with a search for gains where a clip falls, and the gains that were found for it before."""

from __future__ import annotations

import dataclasses
import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import presets
from .job import Job
from .result import Result
from .simulate import Progress, simulate

STORE = ".gains.json"  # after a clip's own name: the gains that held it


def run(job: Job, progress: Progress | None = None, workers: int | None = None) -> Result:
    """Simulate; a clip that falls gets "tune" seconds of search on ``workers`` processes, and what holds it is stored beside it.

    ``progress`` sees the search as the first part of the work.
    """
    reference = job.reference
    if not reference or reference["method"] != "track":
        return simulate(job, progress)
    from .control.tracker import gains_of  # not needed by gaits, and neither is what a search needs

    given = bool(reference["gains"]) or bool(reference["without"])
    store = Path(reference["clips"][0] + STORE)
    gains = gains_of(reference["gains"] or _stored(store), reference["without"])
    if not reference["tune"]:
        result = simulate(job, progress, gains=gains)
    else:
        from .optimize.tracking import held, tune

        with ProcessPoolExecutor(workers or os.cpu_count()) as executor:
            gains, result = tune(job, gains, reference["tune"], executor, lambda part, _: progress and progress(part, None))
        if held(result) and not given:
            _store(store, gains)
    result.outcome["gains"] = dataclasses.asdict(gains)
    return result


def _stored(path: Path) -> dict:
    return presets.read_json(path)["gains"] if path.is_file() else {}


def _store(path: Path, gains: object) -> None:
    """Beside the clip, if one may write there: a search can be done again."""
    try:
        path.write_text(json.dumps({"gains": dataclasses.asdict(gains)}, indent=1) + "\n", encoding="utf-8")
    except OSError:
        pass
