"""Foot pressure of recordings, results and clips: pressure | underfoot."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import FormatError, JobError
from ..jobs import read_job
from ..settings import vector
from .shared import Commands, add, add_output, context_of, place_for, tell

if TYPE_CHECKING:
    from ..context import Context
    from ..pressure.recording import Recording

PADS = "rows x columns and rate, as 64x80@12Hz, or pedar or moticon"
FIELDS = {"motion", "person", "pad", "recording", "stands"}  # of what 'underfoot' is asked


def add_all(commands: Commands) -> None:
    command = add(commands, "pressure", "what a recording of foot pressure holds: device, rate, length, feet, steps, peak force, faults")
    command.add_argument("recording", help="a file of any known device, or a CSV of your own: docs/foot_pressure.md; with --pad, a result or a clip")
    command.add_argument("--pad", help=f"what this pad or these insoles would feel under the motion of a result (.npz) or of a clip: {PADS}")
    command.add_argument("--plot", metavar="PNG", help="also draw force, pressure and the path of its centre (needs matplotlib)")
    command.add_argument("--picture", metavar="PNG", help="also draw it small, as the panel shows it")
    command.add_argument("--csv", metavar="CSV", help="also write it as Footfall's own CSV")
    command.add_argument("--send", metavar="ADDRESS", help="play it as a device would, to udp://host:port or tcp://host:port")
    command.add_argument("--as", dest="form", choices=("json", "osc"), default="json", help="what --send sends (default: json)")
    command.add_argument("--speed", type=float, default=1.0, metavar="X", help="how much faster than it was --send plays it (default: 1)")
    command.set_defaults(run=_pressure)

    command = add(commands, "underfoot", "foot pressure as it is drawn under a character: for who draws it")
    command.add_argument("job", help='a JSON file with the "motion" (a result or a clip) and the "pad" under it, or a "recording"')
    add_output(command)
    command.add_argument("--csv", action="store_true", help="write what the pad feels as Footfall's own CSV instead")
    command.add_argument("--stream", action="store_true", help="tell the progress on stdout, a line of JSON each")
    command.set_defaults(run=_underfoot)


def _pressure(options: argparse.Namespace) -> None:
    from ..pressure.devices import plain, read  # these are slow to load
    from ..pressure.report import describe

    if not 0.0 < options.speed <= 1e6:
        raise JobError(f"--speed is {options.speed:g}; allowed is a number above 0, up to a million.")
    for place in filter(None, (options.plot, options.picture, options.csv)):
        place_for(place)
    if options.recording.lower().endswith(".npz") and not options.pad:
        raise JobError(f"'{options.recording}' is a result, not a recording: say which pad is under it, as --pad 64x80@12Hz, pedar or moticon.")
    recording = _under(options.recording, options.pad) if options.pad else read(options.recording)
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


def _underfoot(options: argparse.Namespace) -> None:
    from ..pressure.devices import plain
    from ..pressure.report import sentence

    output, context = place_for(options.output), context_of(options)
    asked, _ = read_job(options.job)
    unknown = sorted(set(asked) - FIELDS)
    if unknown:
        raise JobError(f"'{options.job}' has an unknown field '{unknown[0]}'; allowed are {', '.join(sorted(FIELDS))}.")
    for name in ("motion", "pad"):
        if not isinstance(asked.get(name, "" if asked.get("recording") and not options.csv else None), str):
            raise JobError(f"'{options.job}' has no {name}: name the file of a motion as \"motion\" and a device as \"pad\", as in \"pedar\".")
    if not options.csv:
        tell({"output": str(output), "device": _draw(asked, output, context)}, options)
        return
    context.tell(0.1, doing="Treading on the pad")
    recording = _under(asked["motion"], asked["pad"], asked.get("person"))
    context.tell(0.6, doing="Writing it down")
    plain.write(output, recording)
    tell({"output": str(output), "report": sentence(recording), "faults": list(recording.faults)}, options)


def _under(motion: str, pad: str, person: dict[str, Any] | None = None) -> Recording:
    """What a pad feels under the motion in a file."""
    from ..pressure.motions import tread_in
    from ..pressure.pad import record
    from ..pressure.sensors import device_named

    device = device_named(pad)
    return record(tread_in(motion, person).tread, device)


def _draw(asked: dict[str, Any], output: Any, context: Context) -> str:
    """Write what is drawn; returns the name of the device."""
    from ..pressure import underfoot
    from ..pressure.devices import read
    from ..pressure.motions import tread_in
    from ..pressure.recording import EITHER
    from ..pressure.sensors import device_named

    context.tell(0.1, doing="Reading the motion" if asked.get("motion") else "Reading the recording")
    if not asked.get("recording"):
        trodden = tread_in(asked["motion"], asked.get("person"))
        context.tell(0.4, doing="Treading on the pad")
        found = underfoot.of_motion(trodden, device_named(asked["pad"]))
    else:
        recording = read(asked["recording"])
        if not (recording.layout.feet == EITHER).any():
            found = underfoot.of_insoles(recording)
        elif asked.get("motion"):
            context.tell(0.4, doing="Laying the pad under the feet")
            trodden = tread_in(asked["motion"], asked.get("person"))
            found = replace(underfoot.on_pad(recording, underfoot.laid_under(recording, trodden.tread), float(trodden.ground[0].mean())),
                            belt=trodden.belt)
        elif "stands" in asked:
            x, y, height, ahead = vector("stands", asked["stands"], size=4)
            found = underfoot.on_pad(recording, underfoot.stood_on(recording, (x, y, ahead)), height)
        else:
            raise FormatError(f"'{asked['recording']}' is of a pad: say who stands on it, by a \"motion\" or where it \"stands\".")
    context.tell(0.9, doing="Writing it down")
    found.save(output)
    return found.device
