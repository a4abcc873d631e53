"""What needs many simulations: pushes | tune | learn | transitions | ablation | balance-map."""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from pathlib import Path
from typing import Any

from .. import presets
from ..errors import JobError
from ..jobs import read_job
from ..physics import choose_engine
from ..result import STRATEGIES
from ..settings import number, record, vector
from .shared import Commands, add, add_engine, add_workers, context_of, place_for, say, tell, write_text

WISHES = ("seconds", "speed", "side_speed", "pushes", "keep", "like", "terms", "body", "job")  # of --for as JSON: see ``optimize.objectives``
LARGE = 1e6


def add_all(commands: Commands) -> None:
    command = add(commands, "pushes", "the largest push in eight directions")
    command.add_argument("gait", nargs="?")
    command.add_argument("--reference", metavar="CLIP", help="push the loop of a clip instead of a gait")
    command.add_argument("--protocol", choices=("repeated", "single"), default="repeated", help="default: %(default)s")
    command.add_argument("--body", help="default: the average man, or the clip's own measures")
    command.add_argument("--resolution", type=float, default=5.0, metavar="N", help="newtons (default: %(default)g)")
    add_workers(command)
    command.set_defaults(run=_pushes)

    command = add(commands, "tune", "search for better parameters of a gait")
    command.add_argument("gait")
    command.add_argument("--for", dest="wish", required=True, help="pushes, speed=1.4, hold, or a JSON object of wishes")
    command.add_argument("--minutes", type=float, default=10.0, help="default: %(default)g")
    command.add_argument("--generations", type=int, help="stop after this many instead: gives the same gait every time")
    command.add_argument("--gains", default="", help="joints whose gains may change, as in pelvis,stance_ankle")
    command.add_argument("--tied", action="store_true", help="move the feedback alike in all states: fewer directions to search")
    command.add_argument("--sigma", type=float, default=0.5,
                         help="how far the search looks at first, in units of each parameter's scale (default: %(default)g)")
    command.add_argument("--population", type=int, help="trials of a generation (default: as many as CMA-ES advises)")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("-o", "--output", help="the better gait (default: GAIT.tuned.json)")
    command.add_argument("--checkpoint", help="resume from and keep the search in this file (default: beside the output)")
    add_workers(command)
    command.set_defaults(run=_tune)

    command = add(commands, "learn", "learn the feedforward torques of a gait (feedback error learning)")
    command.add_argument("gait")
    command.add_argument("--seconds", type=float, default=120.0, help="of walking (default: %(default)g)")
    command.add_argument("--gain", type=float, default=0.5,
                         help="fraction of the trunk's feedback gains that is kept in the second half (default: %(default)g)")
    command.add_argument("--body", help="default: the average man, or the planar biped for its gaits")
    command.add_argument("-o", "--output", help="default: with the presets, where jobs find it")
    command.set_defaults(run=_learn)

    command = add(commands, "transitions", "try which gait can change into which at once, and store it with the presets")
    add_workers(command)
    command.set_defaults(run=_transitions)

    command = add(commands, "ablation", "loops of clips with each kind of feedback left out in turn")
    command.add_argument("clip", nargs="+")
    command.add_argument("--seconds", type=float, default=20.0, help="of each loop (default: %(default)g)")
    add_workers(command)
    command.set_defaults(run=_ablation)

    command = add(commands, "balance-map", "which strategy keeps a standing body up, by direction and strength of a push")
    command.add_argument("job", nargs="?", help="a job file, whose body and engine are taken")
    command.add_argument("--body", default="average_man", help="a body preset (default: %(default)s)")
    command.add_argument("--directions", type=int, default=16, help="all around (default: %(default)s)")
    command.add_argument("--most", type=float, default=650.0, metavar="N",
                         help="newtons of the strongest push; each lasts 0.2 s (default: %(default)g)")
    command.add_argument("--step", type=float, default=50.0, metavar="N", help="newtons from one push to the next (default: %(default)g)")
    command.add_argument("--more", type=int, default=40, metavar="N",
                         help="other ways to try where none of the known ones holds; a hit on a clip tries 40 (default: %(default)s)")
    command.add_argument("--plot", metavar="PNG", help="also draw it (needs matplotlib)")
    command.add_argument("-o", "--output", help="the map as a JSON file")
    command.add_argument("--stream", action="store_true", help="also print progress on stdout, a line of JSON each")
    add_engine(command)
    add_workers(command)
    command.set_defaults(run=_balance_map)


def _pushes(options: argparse.Namespace) -> None:
    from ..optimize.pushes import CLIP_PUBLISHED, DIRECTIONS, PUBLISHED, clip_push_table, push_table

    if (options.gait is None) == (options.reference is None):
        raise JobError("pushes needs the name of a gait, or --reference with a clip.")
    if options.reference and options.protocol != "repeated":
        raise JobError("A clip is pushed repeatedly only: leave --protocol out.")
    number("--resolution", options.resolution, 0.1, LARGE, "N")
    with context_of(options).executor() as (executor, _):
        if options.reference:
            table = clip_push_table(str(Path(options.reference).absolute()), executor, options.body, options.resolution)
            about, published = {"clip": options.reference, "body": options.body}, [CLIP_PUBLISHED.get(direction) for direction in DIRECTIONS]
        else:
            data, name = _gait(options)
            body = options.body or "average_man"
            table = push_table(data, name, options.protocol, executor, body, options.resolution)
            about, published = {"gait": options.gait, "body": body}, list(PUBLISHED[options.protocol])
    rows = [{"direction": list(direction), "force_n": round(table[direction], 1), "published_n": known}
            for direction, known in zip(DIRECTIONS, published, strict=True)]
    tell({**about, "protocol": options.protocol, "pushes": rows}, options)


def _tune(options: argparse.Namespace) -> None:
    from ..optimize.parameters import TIED
    from ..optimize.search import search, write_preset
    from ..search.minimise import Generation

    (data, name), context = _gait(options), context_of(options)
    output = place_for(options.output or f"{Path(name).stem}.tuned.json")
    checkpoint = place_for(options.checkpoint or output.with_suffix(".search"))
    wish, gains = {"body": _body(data), **_wish(options.wish)}, _gains(options.gains, data)
    number("--minutes", options.minutes, 0.1, LARGE)
    number("--sigma", options.sigma, 1e-6, LARGE)
    if options.generations is not None:
        number("--generations", options.generations, 1, LARGE, whole=True)
    if options.population is not None:
        number("--population", options.population, 2, LARGE, whole=True)

    def report(generation: Generation) -> None:
        say(f"generation {generation.number}: best {generation.best_cost:.3f}, this one {min(generation.costs):.3f}")

    with context.executor() as (executor, _):
        best, cost = search(data, name, wish, executor, generations=options.generations,
                            seconds=math.inf if options.generations else 60 * options.minutes, gains=gains, tied=TIED if options.tied else (),
                            sigma=options.sigma, population=options.population, seed=options.seed, checkpoint=checkpoint, report=report, say=say)
    write_preset(output, best, "python -m core " + shlex.join(sys.argv[1:]))
    checkpoint.unlink(missing_ok=True)
    tell({"gait": str(output), "cost": round(cost, 4)}, options)


def _wish(text: str) -> dict[str, Any]:
    """What is wanted of a gait, as ``optimize.objectives`` takes it."""
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except ValueError as error:
            raise JobError(f"--for is not valid JSON: {error}.") from error
        record("--for", found, dict.fromkeys(WISHES))
        return {key: value if key in ("terms", "body", "job") else _like(value) if key == "like" else number(f"--for {key}", value, -LARGE, LARGE)
                for key, value in found.items()}
    wish: dict[str, Any] = {}
    for word in text.split(","):
        key, _, value = word.partition("=")
        try:
            if key == "hold" and not value:
                wish["seconds"] = 20.0
            elif key == "pushes":
                wish["pushes"] = float(value or 1.1)
            elif key in ("speed", "side_speed"):
                wish[key] = float(value)
            else:
                raise ValueError(word)
        except ValueError:
            allowed = "hold, pushes, pushes=LEVEL, speed=1.4, side_speed=0.3 or a JSON object"
            raise JobError(f"--for does not know '{word}'; allowed are {allowed}.") from None
    return wish


def _like(figures: object) -> dict[str, tuple[float, ...]]:
    """The manner that is wanted: figures of ``measure``, each with its tolerance."""
    if not isinstance(figures, dict):
        raise JobError(f"--for like is {figures!r}; allowed is an object of figures, each with [value, tolerance].")
    pairs = {figure: vector(f"--for like {figure}", pair, size=2) for figure, pair in figures.items()}
    for figure, (_, tolerance) in pairs.items():
        number(f"--for like {figure}: the tolerance", tolerance, 1e-6, LARGE)
    return pairs


def _gains(text: str, gait: dict[str, Any]) -> tuple[str, ...]:
    """The joints of a gait whose gains a search may change."""
    joints = tuple(filter(None, text.split(",")))
    for joint in joints:
        if joint not in gait["gains"]:
            raise JobError(f"--gains: the gait has no '{joint}'; it has {', '.join(gait['gains'])}.")
    return joints


def _gait(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """The data of a gait, and its name; of a file the whole path, which means the same to workers in other folders."""
    name = str(Path(options.gait).absolute()) if presets.is_path(options.gait) else str(options.gait)
    return presets.load("gaits", name), name


def _body(gait: dict[str, Any]) -> str:
    """The body that a gait is made for."""
    return "planar_biped" if gait.get("planar") else "average_man"


def _learn(options: argparse.Namespace) -> None:
    from ..optimize.learning import learn

    data, name = _gait(options)
    output = place_for(options.output or presets.FOLDER / "feedforward" / f"{Path(name).stem}.json")
    number("--gain", options.gain, 0.0, 1.0)
    body = options.body or _body(data)
    table, figures = learn(data, name, options.seconds, body, options.gain, context_of(options))
    made_by = f"python -m core learn {options.gait} --seconds {options.seconds:g} --gain {options.gain:g} --body {body}"
    write_text(output, json.dumps({"made_by": made_by, "body": body, **figures, **table}) + "\n")
    tell({"feedforward": str(output), **figures}, options)


def _transitions(options: argparse.Namespace) -> None:
    from ..optimize.transitions import direct_changes, gaits_in_3d

    output = place_for(presets.FOLDER / "transitions.json")
    with context_of(options).executor() as (executor, _):
        table = direct_changes(gaits_in_3d(), executor)
    data = {"description": "Which gait can change into which at once.", "made_by": "python -m core transitions", "direct": table}
    write_text(output, json.dumps(data, indent=1) + "\n")
    tell(data, options)


def _ablation(options: argparse.Namespace) -> None:
    from ..optimize.ablation import ablation

    with context_of(options).executor() as (executor, _):
        tell({"rows": ablation([str(Path(clip).absolute()) for clip in options.clip], options.seconds, executor)}, options)


def _balance_map(options: argparse.Namespace) -> None:
    from ..optimize.balance_map import balance_map

    context = context_of(options)
    number("--directions", options.directions, 1, 360, whole=True)
    number("--step", options.step, 0.1, LARGE, "N")
    number("--more", options.more, 0, LARGE, whole=True)
    number("--most", options.most, options.step, LARGE, "N")
    for output in filter(None, (options.output, options.plot)):
        place_for(output)
    job = read_job(options.job)[0] if options.job else {}
    body, engine = job.get("body", options.body), choose_engine(options.engine or job.get("engine", "auto"))
    presets.body(body)
    forces = [options.step * n for n in range(1, int(options.most / options.step + 1e-9) + 1)]
    found = balance_map(body, engine, options.directions, forces, context, options.more)
    angles = [f"{math.degrees(angle):g}" for angle in found.directions]
    rows = {angle: [STRATEGIES[k] if k >= 0 else "falls" for k in row] for angle, row in zip(angles, found.strategies, strict=True)}
    data = {"forces_N": forces, "strategies": rows, "limits_N": dict(zip(angles, found.limits().tolist(), strict=True)), "holes": len(found.holes())}
    if options.output:
        write_text(Path(options.output), json.dumps(data, indent=1) + "\n")
    if options.plot:
        from ..optimize.balance_plot import plot_map

        plot_map(found, options.plot, f"{options.job or options.body}: pushes of 0.2 s on the chest")
    tell(data, options)
