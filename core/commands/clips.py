"""Recordings and results: inspect | measure."""

from __future__ import annotations

import argparse

from ..errors import FormatError
from ..measure.report import measure, sentence
from ..result import Result
from .shared import Commands, add, place_for, tell


def add_all(commands: Commands) -> None:
    command = add(commands, "inspect", "what a clip holds: length, speed, contacts, steps, faults")
    command.add_argument("clip", help="a BVH, AMC or DeepMimic file")
    command.add_argument("--repair", action="store_true", help="interpolate where the recording has dropped out")
    command.add_argument("--strip", metavar="PNG", help="also draw a strip of poses")
    command.add_argument("--plot", metavar="PNG", help="also draw the feet's heights and contacts (needs matplotlib)")
    command.set_defaults(run=_inspect)

    command = add(commands, "measure", "gait, foot skate, balance and joint limits of a result")
    command.add_argument("result", help="a .npz file")
    command.add_argument("--plot", metavar="PNG", help="also draw it (needs matplotlib)")
    command.set_defaults(run=_measure)


def _inspect(options: argparse.Namespace) -> None:
    from ..formats import read_clip  # these are slow to load
    from ..reference import inspect, prepare
    from ..reference.strip import draw_strip, write_png
    from ..reference.whole import seen_in

    for picture in filter(None, (options.strip, options.plot)):
        place_for(picture)
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
    reference.notes.extend(seen_in(clip, reference.body))
    if options.strip:
        write_png(options.strip, draw_strip(reference))
    if options.plot:
        from ..measure.plot import plot_reference  # slow to load

        plot_reference(reference, options.plot)
    tell(inspect(reference), options)


def _measure(options: argparse.Namespace) -> None:
    if options.plot:
        place_for(options.plot)
    result = Result.load(options.result)
    report = measure(result)
    report["report"] = sentence(result, report)
    if options.plot:
        from ..measure.plot import plot  # slow to load

        plot(result, options.plot)
    tell(report, options)
