"""Jobs as files: simulate | batch | keep | list | methods."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

from .. import methods, presets
from ..errors import JobError
from ..jobs import keep, make_job, read_job
from ..settings import declared
from .shared import Commands, add, add_engine, add_output, add_workers, context_of, place_for, run_to, say, summary, tell, unfinished_of

HOME = Path(__file__).resolve().parents[2]  # the folder that holds core


def add_all(commands: Commands) -> None:
    command = add(commands, "simulate", "run a job file or job preset")
    command.add_argument("job")
    add_output(command)
    command.add_argument("--stream", action="store_true", help="also print poses on stdout while they are simulated, a line of JSON each")
    add_engine(command)
    add_workers(command)
    command.set_defaults(run=_simulate)

    command = add(commands, "batch", "run all jobs of a folder, several at once")
    command.add_argument("folder", help="with job files, *.json")
    command.add_argument("-o", "--output", required=True, help="the folder for the results, NAME.npz for NAME.json")
    add_workers(command)
    command.set_defaults(run=_batch)

    command = add(commands, "keep", "make a result of what stopped work has found so far")
    command.add_argument("output", help="the result that it was to write")
    command.set_defaults(run=_keep)

    add(commands, "list", "gaits, bodies, scenes and jobs").set_defaults(run=_list)
    add(commands, "methods", "how a motion can come about, with all settings").set_defaults(run=_methods)


def _simulate(options: argparse.Namespace) -> None:
    output, context = place_for(options.output), context_of(options)
    data, folder = read_job(options.job)
    if options.engine:
        data = data | {"engine": options.engine}
    tell(run_to(output, data, context, folder), options)


def _batch(options: argparse.Namespace) -> int:
    """Each job in a process of its own, so that one that fails takes no other down."""
    context, jobs, output = context_of(options), sorted(Path(options.folder).glob("*.json")), Path(options.output)
    if not jobs:
        raise JobError(f"There is no job (*.json) in '{options.folder}'.")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JobError(f"The folder '{output}' cannot be made: {error.strerror}; choose another place for the results.") from error
    rows = []
    # Jobs that run side by side share the cores.
    each = 1 if context.dask else max(1, (os.cpu_count() or 1) // context.cores)
    with context.executor() as (executor, _):
        tasks = {executor.submit(run_file, str(job.absolute()), str(output.absolute() / f"{job.stem}.npz"), each): job for job in jobs}
        for number, task in enumerate(as_completed(tasks), 1):
            rows.append({"job": str(tasks[task]), **task.result()})
            say(f"{number} of {len(jobs)}: {tasks[task].name} {rows[-1].get('error') or rows[-1]['report']}")
    failed = sum("error" in row for row in rows)
    tell({"jobs": sorted(rows, key=lambda row: row["job"]), "failed": failed}, options)
    return 2 if failed else 0


def run_file(job: str, output: str, workers: int) -> dict[str, Any]:
    """Run a job file in a process of its own: what it printed, or its last complaint as "error"."""
    command = [sys.executable, "-m", "core", "simulate", job, "-o", output, "--workers", str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HOME, check=False)
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"The simulation ended with code {done.returncode}."])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _keep(options: argparse.Namespace) -> None:
    from ..plan.follow import job_in  # slow to load

    output = place_for(options.output)
    unfinished = unfinished_of(output)
    result = keep(make_job(job_in(unfinished)), unfinished)
    result.save(output)
    tell(summary(result, output), options)


def _list(options: argparse.Namespace) -> None:
    tell({kind: {name: presets.load(kind, name).get("description", "") for name in presets.names(kind)} for kind in presets.KINDS}, options)


def _methods(options: argparse.Namespace) -> None:
    found = {}
    for name in methods.names():
        method = methods.get(name)
        found[name] = {"label": method.LABEL, "help": method.HELP, "settings": {item.name: item.help for item in declared(method.Settings)}}
    tell(found, options)
