"""Commands for recordings: python -m core inspect | track | ablation."""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .errors import FormatError, JobError
from .physics import ENGINES


def add(commands: argparse._SubParsersAction) -> None:
    """Add the commands to the command line."""
    command = commands.add_parser("inspect", help="what a clip holds: length, speed, contacts, steps, faults, as JSON")
    command.add_argument("clip", help="a BVH, AMC or DeepMimic file")
    command.add_argument("--repair", action="store_true", help="interpolate where the recording has dropped out")
    command.add_argument("--strip", help="also draw a strip of poses to this PNG")
    command.add_argument("--plot", help="also draw the feet's heights and contacts to this PNG (needs matplotlib)")
    command.set_defaults(run=_inspect)

    command = commands.add_parser("track", help="let a body follow a clip under physics")
    command.add_argument("clip", nargs="+", help="BVH, AMC or DeepMimic files; the first one is followed, the others serve for steering")
    command.add_argument("-o", "--output", required=True, help="the result, a .npz file")
    command.add_argument("--body", help="a body preset (default: the clip's own measures)")
    command.add_argument("--method", choices=("track", "imitate", "retarget"), default="track")
    command.add_argument("--seconds", type=float, help="default: as long as the clip, or 10 s of a loop")
    command.add_argument("--loop", action="store_true", help="go on with the steps that repeat best")
    command.add_argument("--push", action="append", default=[], metavar="TIME,FORWARD,LEFT[,SECONDS]",
                         help="a push on the chest, s and N; may be given again")
    command.add_argument("--tune", type=float, default=0.0, metavar="SECONDS", help="search for gains for this long if it falls")
    command.add_argument("--without", action="append", default=[], help="leave out a part of the feedback")
    command.add_argument("--self-collision", action="store_true", help="legs do not pass through each other")
    add_engine(command)
    command.add_argument("--repair", action="store_true")
    command.set_defaults(run=_track)

    command = commands.add_parser("ablation", help="loops of clips with each part of the feedback left out in turn, as a table")
    command.add_argument("clip", nargs="+")
    command.add_argument("--seconds", type=float, default=20.0)
    command.set_defaults(run=_ablation)


def add_engine(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", choices=("auto", *ENGINES), help="the physics engine (default: the job's own, or the first that there is)")


def _ablation(options: argparse.Namespace) -> None:
    from .optimize.ablation import ablation

    with ProcessPoolExecutor(os.cpu_count()) as executor:
        rows = ablation(options.clip, options.seconds, executor)
    for row in rows:
        held = (f"fell after {row['seconds']:g} s, {row['steps']} steps" if row["fell"] else
                f"held {row['seconds']:g} s, joints {100 * row['joint_error_m']:.1f} cm off")
        print(f"{row['clip']:30s} {'all' if row['without'] is None else 'without ' + row['without']:24s} {held}")


def _inspect(options: argparse.Namespace) -> None:
    from .formats import read_clip
    from .reference import inspect, prepare
    from .reference.strip import draw_strip, write_png

    clip = read_clip(options.clip)
    try:
        reference = prepare(clip, repair=options.repair)
    except FormatError as error:
        # Said, and not only refused: a clip that can be repaired is worth a look.
        try:
            reference = prepare(clip, repair=True)
        except FormatError:
            raise error from None
        reference.notes.append(str(error))
    if options.strip:
        write_png(options.strip, draw_strip(reference))
    if options.plot:
        from .measure.plot import plot_reference

        plot_reference(reference, options.plot)
    print(json.dumps(inspect(reference)))


def _track(options: argparse.Namespace) -> int:
    from .job import make_job
    from .measure.report import measure, sentence
    from .progress import percents
    from .run import run

    output = Path(options.output)
    if not output.parent.is_dir():
        raise JobError(f"The folder '{output.parent}' does not exist; create it or choose another place for the result.")
    data: dict = {"reference": {"clips": options.clip, "method": options.method, "loop": options.loop, "tune": options.tune,
                                "without": options.without, "repair": options.repair},
                  "events": [_push(text) for text in options.push], "self_collision": options.self_collision}
    if options.body:
        data["body"] = options.body
    if options.engine:
        data["engine"] = options.engine
    if options.seconds is not None:
        data["duration"] = options.seconds
    result = run(make_job(data), percents(sys.stderr))
    result.save(output)
    report = measure(result)
    print(json.dumps({"result": str(output), "report": sentence(result, report), "following": report["following"], **result.outcome}))
    return 0


def _push(text: str) -> dict:
    try:
        time, forward, left, *seconds = (float(word) for word in text.split(","))
        return {"type": "push", "time": time, "duration": seconds[0] if seconds else 0.4, "force": [forward, left, 0.0]}
    except (ValueError, IndexError):
        raise JobError(f"--push is '{text}'; allowed is TIME,FORWARD,LEFT or TIME,FORWARD,LEFT,SECONDS, as in 2.5,150,0.") from None
