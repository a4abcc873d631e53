"""fit: a search for the numbers of a gait with which it walks on one body, for bodies on which it does not by scaling alone."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import presets
from ..errors import SimulationError
from ..settings import number
from .shared import Commands, add, add_engine, add_workers, context_of, place_for, tell


def add_all(commands: Commands) -> None:
    command = add(commands, "fit", "fit a gait to a body on which it does not walk well by scaling alone")
    command.add_argument("body", help="a body preset, a body file, or a job file, whose body and settings are taken")
    command.add_argument("--gait", help="a gait's name or file (default: the job's, or walk)")
    command.add_argument("--minutes", type=float, default=3.0, help="at most (default: %(default)g)")
    command.add_argument("--trials", type=int, help="stop after this many instead: gives the same gait every time")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("-o", "--output", required=True, help="the gait as it suits this body; where none is better it says so, and writes nothing")
    command.add_argument("--stream", action="store_true", help="also print progress on stdout, a line of JSON each")
    add_engine(command)
    add_workers(command)
    command.set_defaults(run=_fit)


def _fit(options: argparse.Namespace) -> None:
    from ..optimize.fit import fit
    from ..optimize.search import write_preset

    given = presets.load("bodies", options.body)
    job: dict[str, Any] = given if "body" in given else {"body": given if presets.is_path(options.body) else options.body}
    if options.engine:
        job = {**job, "engine": options.engine}
    name = options.gait or job.get("gait", "walk")
    if presets.is_path(name):
        name = str(Path(name).absolute())
    number("--minutes", options.minutes, 0.05, 1e6)
    if options.trials is not None:
        number("--trials", options.trials, 1, 1e6, whole=True)
    output = place_for(options.output)
    found = fit(name, job, context_of(options), seconds=60.0 * options.minutes, trials=options.trials, seed=options.seed)
    if found.gait is None:
        raise SimulationError(found.sentence)
    write_preset(output, {**found.gait, "description": found.sentence}, "python -m core " + shlex.join(sys.argv[1:]))
    before, after = asdict(found.before), asdict(found.after)
    tell({"gait": str(output), "report": found.sentence, "trials": found.trials, "before": before, "after": after}, options)
