"""What commands share: options, output, progress."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from ..context import Context
from ..errors import JobError
from ..physics import ENGINES
from ..progress import percents
from ..result import Result

Commands = Any  # argparse keeps the type of its subparsers to itself


def add(commands: Commands, name: str, help: str) -> argparse.ArgumentParser:  # noqa: A002 - as argparse calls it
    """A command that prints JSON."""
    command: argparse.ArgumentParser = commands.add_parser(name, help=help, description=f"{help[0].upper()}{help[1:]}.")
    command.add_argument("--pretty", action="store_true", help="print the JSON for people, on several lines")
    return command


def add_engine(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", choices=("auto", *ENGINES), help="the physics engine (default: the one that suits best of those that are installed)")


def add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workers", type=int, metavar="N", help="processes that share the work (default: one for each core)")
    command.add_argument("--dask", metavar="ADDRESS",
                         help="of a Dask scheduler (tcp://… or tls://…) whose workers share the work instead; needs Dask's 'distributed'")


def add_output(command: argparse.ArgumentParser) -> None:
    command.add_argument("-o", "--output", required=True, help="the result, a .npz file")


def context_of(options: argparse.Namespace, unfinished: Path | None = None) -> Context:
    """With progress on stderr, and the workers that the options ask for."""
    workers = getattr(options, "workers", None)
    if workers is not None and workers < 1:
        raise JobError(f"--workers is {workers}; at least 1 is needed.")
    return Context(percents(sys.stderr), workers, getattr(options, "dask", None), unfinished, say)


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def tell(data: Any, options: argparse.Namespace) -> None:
    """The one line that a command prints."""
    print(json.dumps(data, indent=1 if options.pretty else None), flush=True)


def output_of(options: argparse.Namespace) -> Path:
    """Where the result goes, checked before the work."""
    output = Path(options.output)
    if not output.parent.is_dir():
        raise JobError(f"The folder '{output.parent}' does not exist; create it or choose another place for the result.")
    return output


def unfinished_of(output: Path) -> Path:
    """Where the work on a result keeps what it has found."""
    return output.with_name(output.name + ".part")


def summary(result: Result, output: Path) -> dict[str, Any]:
    """What is printed of a result: where it is, what happened in a sentence, how near it stayed to a clip, and its outcome."""
    from ..measure.report import measure, sentence

    report = measure(result)
    return {"result": str(output), "report": sentence(result, report), "following": report["following"], **result.outcome}


def write_text(path: str | Path, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise JobError(f"'{path}' cannot be written ({error.strerror}): choose another place.") from error
