"""optimise: a search for a walk or a run as people's, for a body, a speed, a step length, a slope or a floor (Wang, Fleet and Hertzmann 2009)."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import presets
from ..errors import JobError
from ..physics import ENGINES
from ..settings import number
from .shared import Commands, add, add_workers, context_of, place_for, say, tell, unfinished_of

START, RUN = "walk", "run"


def add_all(commands: Commands) -> None:
    command = add(commands, "optimise", "search for a walk or a run as people's, for a body, a speed, a slope or a floor")
    command.add_argument("gait", nargs="?", help=f"where to begin: a gait's name or file (default: {START}, with --run {RUN})")
    command.add_argument("--run", dest="runs", action="store_true", help="a run instead of a walk: on a flat floor, at a speed")
    command.add_argument("--body", default="average_man", help="a body preset (default: %(default)s)")
    command.add_argument("--speed", type=float, metavar="M/S", help="wanted; else it walks at the speed that costs the least effort")
    command.add_argument("--step-length", type=float, metavar="M", help="wanted")
    command.add_argument("--slope", type=float, metavar="DEG", help="of the floor, up is positive")
    command.add_argument("--friction", type=float, metavar="MU", help="of the floor (default: as in every job)")
    command.add_argument("--style", metavar="STYLE", help="find this style's differences from the gait, from those that its file has; with its wish")
    command.add_argument("--feedback", action="store_true", help="move only how it answers what throws it off, about the stride that it has: "
                         "sturdier, with the same looks; by least squares, with --pushes")
    command.add_argument("--few", action="store_true", help="let CMA move a few numbers only, alike in each half of a step: gets far in few trials, "
                         "from a start that falls there; with --sigma 0.5")
    command.add_argument("--at-once", action="store_true", help="without steps on the way there: for a start that walks there already")
    command.add_argument("--without", nargs="+", default=[], metavar="TERM", help="terms of the cost to leave out")
    command.add_argument("--pushes", type=float, default=0.0, metavar="LEVEL", help="also push it about; 1: as the best published walks take it")
    command.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES), help="in which it is to walk (default: both)")
    command.add_argument("--minutes", type=float, default=60.0, help="default: %(default)g")
    command.add_argument("--generations", type=int, metavar="N", help="so many of CMA instead, for each step on the way: finds the same every time")
    command.add_argument("--rounds", type=int, metavar="N", help="so many of least squares instead, after the generations if there are any")
    command.add_argument("--population", type=int, default=32, help="trials of a generation (default: %(default)s)")
    command.add_argument("--trials", type=int, default=128, help="of a round (default: %(default)s)")
    command.add_argument("--sigma", type=float, default=0.2, help="how far the search looks at first (default: %(default)g)")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("-o", "--output", required=True, help="the gait that is found")
    command.add_argument("--checkpoint", help="resume from and keep the search in this file (default: beside the output)")
    add_workers(command)
    command.set_defaults(run=_optimise)


def _optimise(options: argparse.Namespace) -> None:
    from ..optimize import running, walking
    from ..optimize.continuation import Continuation, Effort, way_to
    from ..optimize.search import write_preset

    options.gait = options.gait or (RUN if options.runs else START)
    name = str(Path(options.gait).absolute()) if presets.is_path(options.gait) else options.gait
    data, output = presets.load("gaits", name), place_for(options.output)
    if data.get("planar") or data.get("legs", "alternate") != "alternate":
        raise JobError(f"'{options.gait}' is no walk of a body in 3D; begin with {START}.")
    number("--minutes", options.minutes, 0.1, 1e6)
    number("--population", options.population, 2, 1e6, whole=True)
    number("--trials", options.trials, 2, 1e6, whole=True)
    for option in ("generations", "rounds"):
        if getattr(options, option) is not None:
            number(f"--{option}", getattr(options, option), 1, 1e6, whole=True)
    wish, judge = wish_of(options), running if options.runs else walking
    if options.style:
        _find_style(options, name, output)
        return
    if options.feedback:
        _find_feedback(options, data, name, wish, output, judge)
        return
    wishes = [wish] if options.at_once else way_to(wish, float(data.get("speed", 0.0)))
    if options.speed not in (None, data.get("speed")):
        data = {key: value for key, value in data.items() if key != "variants"}  # they are those of a gait at another speed
    effort = Effort(60.0 * options.minutes, options.generations, options.rounds, options.population, options.trials, options.sigma, few=options.few,
                    seed=options.seed)
    command = "python -m core " + shlex.join(sys.argv[1:])
    with context_of(options).executor() as (executor, _):
        unfinished = place_for(options.checkpoint or unfinished_of(output))
        work = Continuation(name, executor, effort, unfinished, command, say, judge.cost, judge.all_misses)
        best, least = work.find(data, wishes)
    write_preset(output, best, command)
    work.forget()
    tell({"gait": str(output), "cost": round(least, 4)}, options)


def _find_feedback(options: argparse.Namespace, data: dict[str, Any], name: str, wish: dict[str, Any], output: Path,
                   judge: ModuleType) -> None:
    """The usual stride stays, and with it the variants at other speeds. ``judge``: ``optimize.walking`` or ``running``."""
    from ..optimize.feedback import REACH, feedback_parameters, usual_hips
    from ..optimize.search import refine, write_preset
    from ..search.least_squares import Round

    def report(one: Round, _: dict[str, Any]) -> None:
        say(f"round {one.number}: best {one.cost:.3f}, usually {one.usual:.3f}")

    parameters = feedback_parameters(data, usual_hips(data, name, {"body": options.body, **wish["job"]}))
    with context_of(options).executor() as (executor, _):
        best, least = refine(data, name, wish, executor, judge.all_misses, parameters=parameters, reach=REACH, rounds=options.rounds,
                             seconds=math.inf if options.rounds else 60.0 * options.minutes, trials=options.trials, seed=options.seed, report=report)
    write_preset(output, best, "python -m core " + shlex.join(sys.argv[1:]))
    tell({"gait": str(output), "cost": round(least, 4)}, options)


def _find_style(options: argparse.Namespace, name: str, output: Path) -> None:
    """A style keeps its poses but for a few numbers, which are moved alike in each half of a step, until it stays on its feet as it is wished."""
    from ..optimize.search import search, write_preset
    from ..optimize.styles import cost, found_style, start_of
    from ..search.minimise import Generation

    def report(generation: Generation) -> None:
        say(f"generation {generation.number}: best {generation.best_cost:.3f}, this one {min(generation.costs):.3f}")

    wish = {**presets.load("styles", options.style).get("wish", {}), "style": options.style}
    checkpoint = place_for(options.checkpoint or output.with_suffix(".search"))
    with context_of(options).executor() as (executor, _):
        best, least = search(start_of(options.style, name), name, wish, executor, cost=cost, few=True, generations=options.generations,
                             seconds=math.inf if options.generations else 60.0 * options.minutes, sigma=options.sigma,
                             population=options.population, seed=options.seed, checkpoint=checkpoint, report=report, say=say)
    write_preset(output, found_style(best, options.style, name), "python -m core " + shlex.join(sys.argv[1:]))
    checkpoint.unlink(missing_ok=True)
    tell({"style": str(output), "cost": round(least, 4)}, options)


def _run_wish(options: argparse.Namespace) -> dict[str, Any]:
    """What is wanted of a run."""
    from ..optimize.running import TERMS, wish_for

    for option in ("step_length", "slope", "friction", "style"):
        if getattr(options, option) is not None:
            raise JobError(f"--run: a run is searched for a body and a speed; leave --{option.replace('_', '-')} out.")
    if options.speed is None:
        raise JobError("--run: say how fast, as in --run --speed 3.")
    for term in options.without:
        if term not in TERMS:
            raise JobError(f"--without: there is no term '{term}'; there are {', '.join(TERMS)}.")
    presets.body(options.body)
    return wish_for(number("--speed", options.speed, 1.5, 6.0), options.body, number("--pushes", options.pushes, 0.0, 3.0), options.engines,
                    options.without)


def wish_of(options: argparse.Namespace) -> dict[str, Any]:
    """What is wanted, as ``optimize.walking`` or ``optimize.running`` takes it."""
    from ..optimize.walking import WEIGHTS, wish_for

    if options.runs:
        return _run_wish(options)
    for term in options.without:
        if term not in WEIGHTS:
            raise JobError(f"--without: there is no term '{term}'; there are {', '.join(WEIGHTS)}.")
    for option, low, high in (("friction", 0.05, 20.0), ("slope", -30.0, 30.0), ("speed", 0.3, 3.0), ("step_length", 0.1, 1.5), ("pushes", 0.0, 3.0)):
        if getattr(options, option) is not None:
            number(f"--{option.replace('_', '-')}", getattr(options, option), low, high)
    presets.body(options.body)
    return wish_for(options.body, options.speed, options.step_length, options.slope, options.friction, options.pushes,
                    engines=options.engines, without=options.without)
