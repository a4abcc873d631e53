"""Commands for hits and balance: python -m core hit, balance-map."""

from __future__ import annotations

import argparse
import json
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import presets
from .clip_commands import add_engine
from .control.stander import STRATEGIES
from .errors import JobError
from .hit.settings import STRENGTHS
from .job import RESPONSES, load_job, make_job
from .places import PARTS, PLACES
from .progress import percents, stream

MOST_VARIATIONS = 64
SIDES = {"behind": (-1.0, 0.0), "front": (1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}  # of a body that faces +X
BALL_FROM = (2.5, 1.3)  # m: how far off and how high a ball is thrown from


def add(commands: argparse._SubParsersAction) -> None:
    """Add the commands to the command line."""
    command = commands.add_parser("hit", help="hit the body in a clip; before the hit, and after it was taken, the clip stays as it is")
    command.add_argument("clip", help="a BVH, AMC or DeepMimic file")
    command.add_argument("-o", "--output", required=True, help="the result, a .npz file")
    command.add_argument("--at", type=float, required=True, help="s of the clip")
    command.add_argument("--part", default="chest", choices=PARTS, metavar="PART", help=f"what is hit: {', '.join(PARTS)}")
    command.add_argument("--force", help="FORWARD,LEFT,UP in N, as the body faces")
    command.add_argument("--seconds", type=float, default=0.2, help="how long the force lasts")
    command.add_argument("--strength", choices=STRENGTHS, help="instead of --force and --seconds, from --from")
    command.add_argument("--ball", metavar="KG,M,M/S", help="instead of --force: a thrown ball of this mass, radius and speed, from --from, aimed at --part")
    command.add_argument("--from", dest="side", choices=tuple(SIDES), default="front")
    command.add_argument("--response", choices=RESPONSES, default=RESPONSES[0])
    command.add_argument("--delay", type=float, default=0.15, help="s before the character reacts")
    command.add_argument("--stiffness", type=float, default=1.0)
    command.add_argument("--home", action="store_true", help="who was pushed aside goes back to the clip's way")
    command.add_argument("--body", help="a body preset (default: the clip's own measures)")
    command.add_argument("--fps", type=float, default=60.0)
    command.add_argument("--repair", action="store_true", help="interpolate where the recording has dropped out")
    command.add_argument("--loop", type=float, metavar="S", help="repeat the steps of the clip that repeat best, for S s")
    command.add_argument("--variations", type=int, metavar="N", help="N results, -1.npz to -N.npz, with the hit a little different in each but the first")
    command.add_argument("--seed", type=int, default=0, help="of the variations")
    command.add_argument("--workers", type=int, help="processes for variations and plans; by default all cores")
    add_engine(command)
    command.set_defaults(run=_hit)

    command = commands.add_parser("balance-map", help="which strategy keeps a standing body up, by direction and strength of a push")
    command.add_argument("job", nargs="?", help="a job file, whose body and engine are taken")
    command.add_argument("--body", default="average_man", help="a body preset")
    command.add_argument("--directions", type=int, default=16, help="all around")
    command.add_argument("--most", type=float, default=650.0, help="N, of the strongest push; each lasts 0.2 s")
    command.add_argument("--step", type=float, default=50.0, help="N, from one push to the next")
    command.add_argument("--workers", type=int, help="processes; by default all cores")
    command.add_argument("--plot", help="a picture, a .png file")
    command.add_argument("-o", "--output", help="the map as a JSON file")
    command.add_argument("--stream", action="store_true", help="progress as JSON lines on stdout")
    add_engine(command)
    command.set_defaults(run=_balance_map)


def _hit(options: argparse.Namespace) -> int:
    from .run import run

    data: dict = {"reference": {"clips": [options.clip], "method": "hit", "response": options.response, "repair": options.repair,
                                "loop": options.loop is not None, "home": options.home, "manner": {"delay": options.delay, "stiffness": options.stiffness}},
                  "fps": options.fps, "events": [_ball(options) if options.ball else _push(options)]}
    given = {"body": options.body, "engine": options.engine, "duration": options.loop}
    data |= {key: value for key, value in given.items() if value is not None}
    if options.variations is not None:
        return _vary(data, options)
    result = run(make_job(data), percents(sys.stderr), options.workers)
    result.save(options.output)
    print(json.dumps(result.outcome, indent=1))
    return 0


def _vary(data: dict, options: argparse.Namespace) -> int:
    from .hit.variations import taken_all, varied

    if not 1 <= options.variations <= MOST_VARIATIONS:
        raise JobError(f"--variations is {options.variations}; allowed is 1 to {MOST_VARIATIONS}.")
    make_job(data)
    jobs, output = varied(data, options.variations, options.seed), Path(options.output)
    shown = [-1] * len(jobs)

    def tell(number: int, part: float) -> None:
        if int(10 * part) > shown[number]:
            shown[number] = int(10 * part)
            print(f"variation {number + 1}: {100 * part:.0f} %", file=sys.stderr)

    outcomes = {}
    for number, found in enumerate(taken_all(jobs, options.workers, tell), 1):
        if isinstance(found, Exception):
            outcomes[number] = {"wrong": str(found)}
            continue
        path = output.with_name(f"{output.stem}-{number}{output.suffix}")
        found.save(path)
        outcomes[number] = {"file": str(path), **found.outcome}
    print(json.dumps(outcomes, indent=1))
    return 0


def _balance_map(options: argparse.Namespace) -> int:
    from .optimize.balance_map import balance_map

    if options.directions < 1 or not 0.0 < options.step <= options.most:
        raise JobError("A balance map needs at least one direction, and a --step of more than 0 N and not more than --most.")
    job = load_job(options.job) if options.job else None
    body, engine = (job.body, job.engine) if job else (options.body, "auto")
    presets.body(body)
    forces = [options.step * n for n in range(1, int(options.most / options.step + 1e-9) + 1)]
    with ProcessPoolExecutor(options.workers) as executor:
        found = balance_map(body, options.engine or engine, options.directions, forces, executor,
                            stream(sys.stdout) if options.stream else percents(sys.stderr))
    rows = {f"{math.degrees(angle):g}": [STRATEGIES[k] if k >= 0 else "falls" for k in row] for angle, row in zip(found.directions, found.strategies)}
    limits = {f"{math.degrees(angle):g}": float(limit) for angle, limit in zip(found.directions, found.limits())}
    text = json.dumps({"forces_N": forces, "strategies": rows, "limits_N": limits, "holes": len(found.holes())}, indent=1)
    if options.output:
        _write(Path(options.output), text + "\n")
    if not options.stream:
        print(text)
    if options.plot:
        from .measure.balance_plot import plot_map

        plot_map(found, options.plot, f"{options.job or options.body}: pushes of 0.2 s on the chest")
    return 0


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise JobError(f"'{path}' cannot be written ({error.strerror}): choose another place for the map.") from error


def _push(options: argparse.Namespace) -> dict:
    force, seconds = _force(options)
    return {"type": "push", "time": options.at, "duration": seconds, "force": force, "part": options.part}


def _ball(options: argparse.Namespace) -> dict:
    if options.force or options.strength:
        raise JobError("--ball and --force or --strength are two hits: give one of them.")
    mass, radius, speed = _numbers(options.ball, "--ball", "KG,M,M/S")
    x, y = SIDES[options.side]
    distance, height = BALL_FROM
    return {"type": "ball", "time": options.at, "mass": mass, "radius": radius, "position": [distance * x, distance * y, height],
            "velocity": [-speed * x, -speed * y, 0.0], "part": PLACES.get(options.part, options.part)}


def _force(options: argparse.Namespace) -> tuple[list[float], float]:
    """N forward, left and up, and s."""
    if options.force and options.strength:
        raise JobError("--force and --strength say the same thing: give one of them.")
    if options.strength:
        newtons, seconds = STRENGTHS[options.strength]
        x, y = SIDES[options.side]
        return [-newtons * x, -newtons * y, 0.0], seconds
    return _numbers(options.force, "--force", f"FORWARD,LEFT,UP in N, or --strength {'|'.join(STRENGTHS)}"), options.seconds


def _numbers(text: str | None, option: str, meaning: str) -> list[float]:
    """Three numbers with commas between them."""
    try:
        numbers = [float(word) for word in (text or "").split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 3:
        raise JobError(f"{option} is '{text or ''}'; give three numbers, {meaning}.")
    return numbers
