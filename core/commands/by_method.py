"""A command for each method: its options are the method's settings, what hits the body, and what all jobs have."""

from __future__ import annotations

import argparse
from typing import Any

from .. import methods
from ..batch import run_all
from ..errors import JobError
from ..hit.settings import STRENGTHS
from ..jobs import make_job
from ..methods import Method
from ..places import PARTS, PLACES
from ..settings import Choice, Choices, Clips, Data, File, Number, Numbers, Place, Preset, Setting, Switch, declared
from ..variations import varied
from .shared import Commands, add, add_engine, add_output, add_workers, context_of, place_for, run_to, summary, tell

MOST_VARIATIONS = 64
SIDES = {"behind": (-1.0, 0.0), "front": (1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}  # of a body that faces +X
BALL_FROM = (2.5, 1.3)  # m: how far off and how high a ball is thrown from
PUSH_S, HIT_S = 0.4, 0.2  # s that --push and --force last, where nobody says


def add_all(commands: Commands) -> None:
    for name in methods.names():
        method = methods.get(name)
        command = add(commands, method.COMMAND.name, method.COMMAND.help)
        for item in declared(method.Settings):
            _add_setting(command, item)
        _add_common(command, method)
        if "push" in method.EVENTS:
            _add_hits(command, method)
        command.set_defaults(run=_run, method=name, settings=declared(method.Settings))


def _add_setting(command: argparse.ArgumentParser, item: Setting) -> None:
    """The option of a setting, or an option for each of its numbers."""
    kind, option, about = item.kind, item.option, item.help.replace("%", "%%")
    if isinstance(kind, Clips) and not kind.least:
        command.add_argument(option, dest=item.name, action="append", metavar="CLIP", help=f"{about} May be given again.")
    elif isinstance(kind, Clips):
        command.add_argument(item.name, nargs="+", metavar="CLIP", help=about)
    elif isinstance(kind, File) and not kind.without:
        command.add_argument(item.name, metavar=item.name.upper(), help=about)
    elif isinstance(kind, File):
        command.add_argument(option, dest=item.name, metavar="FILE", help=f"{about} Default: {kind.without}")
    elif isinstance(kind, Preset) and kind.without:
        command.add_argument(option, dest=item.name, metavar=item.name.upper(), help=f"{about} Default: {item.default}.")
    elif isinstance(kind, Preset):
        command.add_argument(item.name, nargs="?", metavar=item.name.upper(), help=f"{about} Default: {item.default}.")
    elif isinstance(kind, Switch) and kind.seconds:
        command.add_argument(option, dest=item.name, nargs="?", type=float, const=True, metavar="S", help=f"{about} For S seconds.")
    elif isinstance(kind, Switch):
        command.add_argument(option, dest=item.name, action=argparse.BooleanOptionalAction, default=None, help=about)
    elif isinstance(kind, Choice):
        command.add_argument(option, dest=item.name, choices=tuple(kind.options), help=f"{about} Default: {item.default}.")
    elif isinstance(kind, Choices):
        command.add_argument(option, dest=item.name, action="append", choices=kind.options, help=f"{about} May be given again.")
    elif isinstance(kind, Number):
        command.add_argument(option, dest=item.name, type=float, metavar=_unit(kind), help=f"{about} Default: {item.default:g}.")
    elif isinstance(kind, Place):
        command.add_argument(option, dest=item.name, metavar="X,Y", help=f"{about} Default: {kind.without}")
    elif isinstance(kind, Numbers):
        for name, (usual, number, line) in kind.items.items():
            command.add_argument(f"--{name.replace('_', '-')}", dest=f"{item.name} {name}", type=float, metavar=_unit(number),
                                 help=f"{line} Default: {usual:g}.")


def _unit(kind: Number) -> str:
    return (kind.unit or "number").upper()


def _said(options: argparse.Namespace, item: Setting) -> dict[str, Any]:
    """What the options say about a setting, as fields of a job; what was not given is left out."""
    if isinstance(item.kind, Data):
        return {}
    if isinstance(item.kind, Numbers):
        numbers = {name: getattr(options, f"{item.name} {name}") for name in item.kind.items}
        given = {name: value for name, value in numbers.items() if value is not None}
        return {item.name: given} if given else {}
    value = getattr(options, item.name)
    if isinstance(item.kind, Place) and value is not None:
        return {item.name: _numbers(value, item.option, "X,Y in m", 2)}
    if isinstance(item.kind, Switch) and isinstance(value, float):
        return {item.name: True, "duration": value}
    return {} if value is None else {item.name: value}


def _add_common(command: argparse.ArgumentParser, method: Method) -> None:
    add_output(command)
    # Not twice the same name: where --seconds is the length of a push, the result's is --duration alone.
    names = ["--duration"] if method.COMMAND.push_seconds else ["--duration", "--seconds"]
    command.add_argument(*names, dest="duration", type=float, metavar="S", help="length of the result (default: as long as the clip, or 10 s)")
    command.add_argument("--body", help="a body preset (default: the clip's own measures, or the average man)")
    command.add_argument("--fps", type=float, default=method.COMMAND.fps, help="frames a second of the result (default: %(default)g)")
    command.add_argument("--seed", type=int, help="of everything that is left to chance (default: 0)")
    command.add_argument("--self-collision", action="store_true", default=None, help="legs do not pass through each other")
    command.add_argument("--method", dest="other", choices=methods.names(), help=argparse.SUPPRESS)
    if method.ENGINES:
        add_engine(command)
        add_workers(command)


def _add_hits(command: argparse.ArgumentParser, method: Method) -> None:
    command.add_argument("--push", action="append", default=[], metavar="TIME,FORWARD,LEFT[,SECONDS]",
                         help=f"a push on the torso, s and N, for {PUSH_S:g} s; may be given again")
    command.add_argument("--at", type=float, metavar="S", help="when a hit comes: its place, direction and strength are given by the options below")
    command.add_argument("--part", default="chest", choices=PARTS, metavar="PART", help=f"what is hit: {', '.join(PARTS)} (default: chest)")
    command.add_argument("--force", metavar="FORWARD,LEFT,UP", help="N, as the body faces")
    names = ["--seconds", "--force-seconds"] if method.COMMAND.push_seconds else ["--force-seconds"]
    command.add_argument(*names, dest="force_seconds", type=float, default=HIT_S, metavar="S", help="how long the force lasts (default: %(default)g)")
    command.add_argument("--strength", dest="blow", choices=STRENGTHS, help="how hard the hit is by feel, instead of --force, from --from")
    command.add_argument("--ball", metavar="KG,M,M/S",
                         help="instead of --force: a thrown ball of this mass, radius and speed, from --from, aimed at --part")
    command.add_argument("--from", dest="side", choices=tuple(SIDES), default="front", help="default: %(default)s")
    command.add_argument("--variations", type=int, metavar="N",
                         help="N results, -1.npz to -N.npz, with the hits a little different in each but the first")


def _run(options: argparse.Namespace) -> int:
    output, data, context = place_for(options.output), _data(options), context_of(options)
    if getattr(options, "variations", None) is None:
        tell(run_to(output, data, context), options)
        return 0
    if not 1 <= options.variations <= MOST_VARIATIONS:
        raise JobError(f"--variations is {options.variations}; allowed is 1 to {MOST_VARIATIONS}.")
    if not data["events"]:
        raise JobError("There is nothing to vary: give a hit with --push or --at.")
    rows: list[dict[str, Any]] = []
    for number, found in enumerate(run_all([make_job(job) for job in varied(data, options.variations, options.seed or 0)], context), 1):
        path = output.with_name(f"{output.stem}-{number}{output.suffix}")
        if isinstance(found, Exception):
            rows.append({"error": str(found)})
            continue
        found.save(path)
        rows.append(summary(found, path))
    failed = sum("error" in row for row in rows)
    tell({"variations": rows, "failed": failed}, options)
    return 2 if failed else 0


def _data(options: argparse.Namespace) -> dict[str, Any]:
    """The job that the options describe; what was not given is left out."""
    data: dict[str, Any] = {"method": options.other or options.method, "fps": options.fps}
    for name in ("duration", "body", "seed", "self_collision", "engine"):
        if getattr(options, name, None) is not None:
            data[name] = getattr(options, name)
    for item in options.settings:
        data |= _said(options, item)
    if hasattr(options, "push"):
        data["events"] = [*map(_push, options.push), *_hits(options)]
    return data


def _push(text: str) -> dict[str, Any]:
    try:
        time, forward, left, *seconds = (float(word) for word in text.split(","))
        return {"type": "push", "time": time, "duration": seconds[0] if seconds else PUSH_S, "force": [forward, left, 0.0]}
    except (ValueError, IndexError):
        raise JobError(f"--push is '{text}'; allowed is TIME,FORWARD,LEFT or TIME,FORWARD,LEFT,SECONDS, as in 2.5,150,0.") from None


def _hits(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The event of --at, if there is one: a ball, or a force, or a blow by feel."""
    hits = [option for option, value in (("--ball", options.ball), ("--force", options.force), ("--strength", options.blow)) if value]
    if len(hits) > 1:
        raise JobError(f"{' and '.join(hits)} are different hits: give one of them.")
    if options.at is None:
        if hits:
            raise JobError(f"{hits[0]} needs --at: say when the hit comes, in seconds.")
        return []
    x, y = SIDES[options.side]
    if options.ball:
        mass, radius, speed = _numbers(options.ball, "--ball", "KG,M,M/S")
        distance, height = BALL_FROM
        return [{"type": "ball", "time": options.at, "mass": mass, "radius": radius, "position": [distance * x, distance * y, height],
                 "velocity": [-speed * x, -speed * y, 0.0], "part": PLACES.get(options.part, options.part)}]
    if options.blow:
        newtons, seconds = STRENGTHS[options.blow]
        force = [-newtons * x, -newtons * y, 0.0]
    else:
        force, seconds = _numbers(options.force, "--force", f"FORWARD,LEFT,UP in N, or --strength {'|'.join(STRENGTHS)}"), options.force_seconds
    return [{"type": "push", "time": options.at, "duration": seconds, "force": force, "part": options.part}]


def _numbers(text: str | None, option: str, meaning: str, count: int = 3) -> list[float]:
    """``count`` numbers with commas between them."""
    try:
        found = [float(word) for word in (text or "").split(",")]
    except ValueError:
        found = []
    if len(found) != count:
        raise JobError(f"{option} is '{text or ''}'; give {'three' if count == 3 else 'two'} numbers, {meaning}.")
    return found
