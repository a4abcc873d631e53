"""Commands for plans: python -m core follow | keep."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .clip_commands import add_engine
from .errors import JobError
from .job import QUALITIES, STRENGTHS, make_job
from .progress import percents
from .result import Result


def add(commands: argparse._SubParsersAction) -> None:
    """Add the commands to the command line."""
    command = commands.add_parser("follow", help="let a body follow any clip under physics, by planning ahead; stopped work goes on where it was")
    command.add_argument("clip", help="a BVH, AMC or DeepMimic file")
    command.add_argument("-o", "--output", required=True, help="the result, a .npz file; what is found so far is kept beside it, in .part")
    command.add_argument("--quality", choices=QUALITIES, default="normal")
    command.add_argument("--body", help="a body preset (default: the clip's own measures)")
    command.add_argument("--freedom", type=float, default=0.3, help="0: stick to the clip, 1: physics first")
    command.add_argument("--strength", choices=STRENGTHS, default="human")
    command.add_argument("--seconds", type=float, help="of the clip (default: all of it)")
    command.add_argument("--fps", type=float, default=60.0)
    command.add_argument("--repair", action="store_true", help="interpolate where the recording has dropped out")
    command.add_argument("--workers", type=int, help="default: one for each core")
    command.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler (tcp://…) whose workers try out the plans; needs Dask's 'distributed'")
    add_engine(command)
    command.set_defaults(run=_follow)

    command = commands.add_parser("keep", help="make a result of what a stopped 'follow' has found so far")
    command.add_argument("output", help="the result that it was to write")
    command.set_defaults(run=_keep)


def part_of(output: Path) -> Path:
    """Where the work on a result keeps what it has found."""
    return output.with_name(output.name + ".part")


def _follow(options: argparse.Namespace) -> int:
    from .plan.follow import follow

    output = Path(options.output)
    if not output.parent.is_dir():
        raise JobError(f"The folder '{output.parent}' does not exist; create it or choose another place for the result.")
    if options.workers is not None and options.workers < 1:
        raise JobError(f"--workers is {options.workers}; at least 1 is needed.")
    data: dict = {"reference": {"clips": [options.clip], "method": "plan", "quality": options.quality, "freedom": options.freedom,
                                "strength": options.strength, "repair": options.repair}, "fps": options.fps}
    given = {"body": options.body, "engine": options.engine, "duration": options.seconds}
    job = make_job(data | {key: value for key, value in given.items() if value is not None})
    if options.dask:
        with _dask(options.dask) as client:
            count = options.workers or sum(client.nthreads().values()) or 1
            result = follow(job, percents(sys.stderr), count, part_of(output), client.get_executor(pure=False))
    else:
        result = follow(job, percents(sys.stderr), options.workers, part_of(output))
    _write(result, output)
    part_of(output).unlink(missing_ok=True)
    return 0


def _dask(address: str):
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise JobError("--dask needs Dask: install it with pip install distributed, here and on the workers.") from error
    try:
        return Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise JobError(f"No Dask scheduler answers at '{address}' ({error}): check the address, or leave --dask out.") from error


def _keep(options: argparse.Namespace) -> int:
    from .plan.follow import kept

    output = Path(options.output)
    _write(kept(part_of(output)), output)
    return 0


def _write(result: Result, output: Path) -> None:
    from .measure.report import measure, sentence

    result.save(output)
    report = measure(result)
    print(json.dumps({"result": str(output), "report": sentence(result, report), "following": report["following"], **result.outcome}))
