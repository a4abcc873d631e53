"""Recordings of foot pressure: pressure."""

from __future__ import annotations

import argparse

from ..errors import JobError
from .shared import Commands, add, place_for, tell


def add_all(commands: Commands) -> None:
    command = add(commands, "pressure", "what a recording of foot pressure holds: device, rate, length, feet, steps, peak force, faults")
    command.add_argument("recording", help="a file of any known device, or a CSV of your own: docs/foot_pressure.md")
    command.add_argument("--plot", metavar="PNG", help="also draw force, pressure and the path of its centre (needs matplotlib)")
    command.add_argument("--picture", metavar="PNG", help="also draw it small, as the panel shows it")
    command.add_argument("--csv", metavar="CSV", help="also write it as Footfall's own CSV")
    command.add_argument("--send", metavar="ADDRESS", help="play it as a device would, to udp://host:port or tcp://host:port")
    command.add_argument("--as", dest="form", choices=("json", "osc"), default="json", help="what --send sends (default: json)")
    command.add_argument("--speed", type=float, default=1.0, metavar="X", help="how much faster than it was --send plays it (default: 1)")
    command.set_defaults(run=_pressure)


def _pressure(options: argparse.Namespace) -> None:
    from ..pressure.devices import plain, read  # these are slow to load
    from ..pressure.report import describe

    if not 0.0 < options.speed <= 1e6:
        raise JobError(f"--speed is {options.speed:g}; allowed is a number above 0, up to a million.")
    for place in filter(None, (options.plot, options.picture, options.csv)):
        place_for(place)
    recording = read(options.recording)
    told = describe(recording)
    if options.csv:
        plain.write(options.csv, recording)
    if options.picture:
        from ..pressure.picture import draw_picture
        from ..reference.strip import write_png

        write_png(options.picture, draw_picture(recording))
    if options.plot:
        from ..pressure.plot import plot

        plot(recording, options.plot)
    if options.send:
        from ..pressure.send import Sender, play

        with Sender(options.send) as sender:
            told["sent"] = play(recording, sender, options.form, options.speed)
    tell(told, options)

