"""The command line: python -m core COMMAND; `python -m core --help` lists them."""

from __future__ import annotations

import os
import sys

# Before numpy is there: the arrays of one body are small, and threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from . import lifeline
from .commands import by_method, clips, fit, jobs, learned, listen, optimise, play, pressure, pressure_database, push, studies
from .commands.shared import Parser
from .errors import FootfallError


def main(arguments: list[str] | None = None) -> int:
    lifeline.hold()
    parser = Parser(prog="python -m core", description="Physically simulated human locomotion, without Blender.")
    commands = parser.add_subparsers(dest="command", required=True)
    for topic in (jobs, by_method, clips, pressure, pressure_database, listen, play, studies, optimise, fit, push, learned):
        topic.add_all(commands)
    options = parser.parse_args(arguments)
    try:
        return options.run(options) or 0
    except FootfallError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Cancelled; no result was written.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever listened is gone, and nobody waits for what would come: end quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
