"""optimise: a search for a walk as people's, for a body, a speed, a step length, a slope or a floor (Wang, Fleet and Hertzmann 2009)."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from pathlib import Path
from typing import Any

from .. import presets
from ..errors import JobError
from ..physics import ENGINES
from ..settings import number
from .shared import Commands, add, add_workers, context_of, place_for, say, tell

START = "walk"


def add_all(commands: Commands) -> None:
    command = add(commands, "optimise", "search for a walk as people's, for a body, a speed, a slope or a floor")
    command.add_argument("gait", nargs="?", default=START, help="where to begin: a gait's name or file (default: %(default)s)")
    command.add_argument("--body", default="average_man", help="a body preset (default: %(default)s)")
    command.add_argument("--speed", type=float, metavar="M/S", help="wanted; else it walks at the speed that costs the least effort")
    command.add_argument("--step-length", type=float, metavar="M", help="wanted")
    command.add_argument("--slope", type=float, metavar="DEG", help="of the floor, up is positive")
    command.add_argument("--friction", type=float, metavar="MU", help="of the floor (default: as in every job)")
    command.add_argument("--style", metavar="STYLE", help="find this style's differences from the gait, from those that its file has; with its wish")
    command.add_argument("--without", nargs="+", default=[], metavar="TERM", help="terms of the cost to leave out")
    command.add_argument("--pushes", type=float, default=0.0, metavar="LEVEL", help="also push it about; 1: as the best published walks take it")
    command.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES), help="in which it is to walk (default: both)")
    command.add_argument("--minutes", type=float, default=60.0, help="default: %(default)g")
    command.add_argument("--generations", type=int, help="stop after this many instead: gives the same gait every time")
    command.add_argument("--population", type=int, default=32, help="trials of a generation (default: %(default)s)")
    command.add_argument("--sigma", type=float, default=0.2, help="how far the search looks at first (default: %(default)g)")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("-o", "--output", required=True, help="the gait that is found")
    command.add_argument("--checkpoint", help="resume from and keep the search in this file (default: beside the output)")
    add_workers(command)
    command.set_defaults(run=_optimise)


def _optimise(options: argparse.Namespace) -> None:
    from ..optimize.parameters import FEEDBACK, SCALES, STYLE
    from ..optimize.search import search, write_preset
    from ..optimize.styles import cost as style_cost
    from ..optimize.styles import found_style, start_of
    from ..optimize.walking import cost
    from ..search.minimise import Generation

    name = str(Path(options.gait).absolute()) if presets.is_path(options.gait) else options.gait
    data, output = presets.load("gaits", name), place_for(options.output)
    checkpoint = place_for(options.checkpoint or output.with_suffix(".search"))
    if data.get("planar") or data.get("legs", "alternate") != "alternate":
        raise JobError(f"'{options.gait}' is no walk of a body in 3D; begin with {START}.")
    number("--minutes", options.minutes, 0.1, 1e6)
    number("--population", options.population, 2, 1e6, whole=True)
    if options.generations is not None:
        number("--generations", options.generations, 1, 1e6, whole=True)
    wish = wish_of(options)
    if options.speed is not None:
        data = {**data, "speed": options.speed}

    def report(generation: Generation) -> None:
        say(f"generation {generation.number}: best {generation.best_cost:.3f}, this one {min(generation.costs):.3f}")

    if options.style:
        data, wish = start_of(options.style, name), {**presets.load("styles", options.style).get("wish", {}), "style": options.style}
    style = tuple(option for option in STYLE if option in data.get("style", {}))
    gains = tuple(joint for joint in data["gains"] if joint not in ("neck", "elbow"))
    # A style keeps its poses but for what it needs to stay on its feet: that is moved alike in all states.
    moves: dict[str, Any] = {"cost": style_cost, "tied": tuple(SCALES)} if options.style else {
        "cost": cost, "gains": gains, "tied": FEEDBACK, "style": style}
    with context_of(options).executor() as (executor, _):
        best, least = search(data, name, wish, executor, **moves, generations=options.generations,
                             seconds=math.inf if options.generations else 60.0 * options.minutes, sigma=options.sigma, diagonal=30,
                             population=options.population, seed=options.seed, checkpoint=checkpoint, report=report, say=say)
    if options.style:
        best = found_style(best, options.style, name)
    write_preset(output, best, "python -m core " + shlex.join(sys.argv[1:]))
    checkpoint.unlink(missing_ok=True)
    tell({"gait": str(output), "cost": round(least, 4)}, options)


def wish_of(options: argparse.Namespace) -> dict[str, Any]:
    """What is wanted of the walk, as ``optimize.walking`` takes it."""
    from ..optimize.walking import PUSHES, WEIGHTS

    for term in options.without:
        if term not in WEIGHTS:
            raise JobError(f"--without: there is no term '{term}'; there are {', '.join(WEIGHTS)}.")
    job: dict[str, Any] = {"fps": 60}
    if options.friction is not None:
        job["friction"] = number("--friction", options.friction, 0.05, 20.0)
    if options.slope is not None:
        job["ground"] = {"type": "slope", "degrees": number("--slope", options.slope, -30.0, 30.0), "start": -1.0}
        job["slope_adaptation"] = False
    wish: dict[str, Any] = {"body": options.body, "engines": options.engines, "job": job, "without": options.without, "keep": 0.0}
    if options.speed is not None:
        wish["speed"] = number("--speed", options.speed, 0.3, 3.0)
    if options.step_length is not None:
        wish["step_length"] = number("--step-length", options.step_length, 0.1, 1.5)
    level = number("--pushes", options.pushes, 0.0, 3.0)
    if level:
        wish["pushes"] = [[level * x, level * y] for x, y in PUSHES]
    presets.body(options.body)
    return wish
