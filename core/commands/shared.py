"""What commands share: options, output, progress."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ..context import Context
from ..errors import JobError
from ..jobs import make_job, run
from ..measure.report import measure, sentence
from ..physics import ENGINES
from ..progress import percents, stream
from ..result import Result

RUN = 0.98  # fraction of the time that a job runs; then its result is saved and measured

Commands = Any  # argparse keeps the type of its subparsers to itself


class Parser(argparse.ArgumentParser):
    """Refuses what it does not understand in one sentence, as everything here does."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message[:1].upper()}{message[1:]}; '{self.prog} --help' says more.\n")


def add(commands: Commands, name: str, help: str) -> argparse.ArgumentParser:
    """A command that prints JSON."""
    command: argparse.ArgumentParser = commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
    command.add_argument("--pretty", action="store_true", help="print the JSON for people, on several lines")
    return command


def add_engine(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", choices=("auto", *ENGINES),
                         help="the physics engine (default: the one that suits best of those that are installed)")


def add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workers", type=int, metavar="N", help="processes that share the work (default: one for each core)")
    command.add_argument("--dask", metavar="ADDRESS",
                         help="of a Dask scheduler (tcp://… or tls://…) whose workers share the work instead; needs Dask's 'distributed'")


def add_output(command: argparse.ArgumentParser) -> None:
    command.add_argument("-o", "--output", required=True, help="the result, a .npz file")


def context_of(options: argparse.Namespace) -> Context:
    """With the workers that the options ask for, and progress on stderr, or as a stream on stdout where they ask for that."""
    progress = stream(sys.stdout) if getattr(options, "stream", False) else percents(sys.stderr)
    return Context(progress, getattr(options, "workers", None), getattr(options, "dask", None), say=say)


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def tell(data: Any, options: argparse.Namespace) -> None:
    """The one line that a command prints."""
    print(json.dumps(data, indent=1 if options.pretty else None), flush=True)


def place_for(path: str | Path) -> Path:
    """Where something is to be written, checked before the work that it takes."""
    place = Path(path)
    if not place.parent.is_dir():
        raise JobError(f"The folder '{place.parent}' does not exist: create it, or choose another place.")
    if place.is_dir():
        raise JobError(f"'{place}' is a folder: give the name of a file in it.")
    if not os.access(place.parent, os.W_OK):
        raise JobError(f"Nothing can be written in the folder '{place.parent}': choose another place.")
    return place


def unfinished_of(output: Path) -> Path:
    """Where the work on a result keeps what it has found."""
    return output.with_name(output.name + ".part")


def run_to(output: Path, data: dict[str, Any], context: Context, folder: Path | None = None) -> dict[str, Any]:
    """Run the job that ``data`` describes (its files are seen from ``folder``) and save its result. Returns what is printed of it.

    Stopped work goes on where it was: what it has found is kept beside the output until the result is there.
    """
    unfinished = unfinished_of(output)
    result = run(make_job(data, folder), replace(context.within(0.0, RUN), unfinished=unfinished))
    context.tell(RUN, doing="Saving what came out")
    result.save(output)
    unfinished.unlink(missing_ok=True)
    return summary(result, output)


def summary(result: Result, output: Path) -> dict[str, Any]:
    """What is printed of a result: where it is, what happened in a sentence, how near it stayed to a clip, and its outcome, but for what is of use to
    another job only."""
    report = measure(result)
    return {"result": str(output), "report": sentence(result, report), "following": report["following"],
            **{name: value for name, value in result.outcome.items() if name != "held"}}


def write_text(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise JobError(f"'{path}' cannot be written ({error.strerror}): choose another place.") from error
