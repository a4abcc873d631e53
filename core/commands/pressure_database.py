"""Databases of motion with its foot pressure: pressure-database build | list | name | map | calibrate."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import JobError
from ..pressure.calibration import REPEATED, calibrated
from ..pressure.database import Database, build
from .shared import Commands, add, context_of, place_for, tell


def add_all(commands: Commands) -> None:
    group = commands.add_parser("pressure-database", help="databases that foot pressure is recognised by: build, list, name, map, calibrate")
    kinds = group.add_subparsers(dest="what", required=True)

    command = add(kinds, "build", "make a database of clips and the foot pressure that is simulated under them")
    command.add_argument("clips", nargs="+", help="BVH, AMC or DeepMimic files")
    command.add_argument("--body", help="a body preset (default: the clips' own measures)")
    command.add_argument("--pad", default="64x80@12Hz", help="rows x columns and rate, or pedar or moticon (default: 64x80@12Hz)")
    command.add_argument("-o", "--output", required=True, help="the database, a .npz file")
    command.set_defaults(run=_build)

    command = add(kinds, "list", "the clips and actions of a database")
    command.add_argument("database", help="a .npz file")
    command.set_defaults(run=_list)

    command = add(kinds, "name", "give an action of a database a name")
    command.add_argument("database", help="a .npz file")
    command.add_argument("take", help="the clip that it is of, as 'list' gives it")
    command.add_argument("number", type=int, help="the action's number in that clip, from 1")
    command.add_argument("name", help="the name; actions of the same name are one kind, and '' is none")
    command.set_defaults(run=_name)

    command = add(kinds, "map", "show another action where one is recognised")
    command.add_argument("database", help="a .npz file")
    command.add_argument("name", help="what is recognised")
    command.add_argument("plays", help="what is shown; the same name undoes it")
    command.set_defaults(run=_map)

    command = add(kinds, "calibrate", "learn how a person does the actions of a database, from recordings of them")
    command.add_argument("database", help="a .npz file")
    command.add_argument("--show", nargs="+", action="append", required=True, metavar=("RECORDING", "ACTION"),
                         help="a recording, and the actions in it in their order; stand still for a second before and after each")
    command.add_argument("--times", type=int, default=REPEATED, help=f"how often each of them was done, one after the other (default: {REPEATED})")
    command.add_argument("-o", "--output", required=True, help="the database with the calibration, a .npz file")
    command.set_defaults(run=_calibrate)


def _build(options: argparse.Namespace) -> None:
    output, context = place_for(options.output), context_of(options)
    database = build(options.clips, options.pad, options.body, lambda done, doing: context.tell(done, doing=doing))
    database.save(output)
    tell({"database": str(output), **_described(database)}, options)


def _list(options: argparse.Namespace) -> None:
    tell(_described(Database.load(options.database)), options)


def _name(options: argparse.Namespace) -> None:
    _change(options, lambda database: database.named(options.take, options.number, options.name))


def _map(options: argparse.Namespace) -> None:
    _change(options, lambda database: database.mapped(options.name, options.plays))


def _calibrate(options: argparse.Namespace) -> None:
    from ..pressure.devices import read  # these are slow to load

    if not 1 <= options.times <= 20:
        raise JobError(f"--times is {options.times}; allowed are 1 to 20.")
    for recording, *names in options.show:
        if not names:
            raise JobError(f"--show '{recording}' names no action: say what was done in it.")
    output, database = place_for(options.output), Database.load(options.database)
    asked = [(recording, [name for name in names for _ in range(options.times)]) for recording, *names in options.show]
    database, found = calibrated(database, [(Path(recording).name, read(recording), names) for recording, names in asked])
    database.save(output)
    shown = [{"recording": recording, "actions": [{"name": one.name, "start": round(one.start, 2), "end": round(one.end, 2),
                                                   "alike": round(1.0 - one.unlike, 2)} for one in actions]}
             for (recording, _), actions in zip(asked, found, strict=True)]
    tell({"database": str(output), "found": shown, "calibrated": database.calibrated}, options)


def _change(options: argparse.Namespace, change: Callable[[Database], Database]) -> None:
    place_for(options.database)
    database = change(Database.load(options.database))
    database.save(options.database)
    tell(_described(database), options)


def _described(database: Database) -> dict[str, Any]:
    takes = [{"take": take.source, "seconds": round(take.motion.duration, 2),
              "actions": [{"number": number, "name": action.name, "start": round(action.start, 2), "end": round(action.end, 2)}
                          for number, action in enumerate(take.example.actions, 1)],
              "quiet": [[round(start, 2), round(end, 2)] for start, end in take.example.quiet]} for take in database.takes]
    return {"pad": database.device, "names": database.names, "plays": database.plays, "calibrated": database.calibrated, "takes": takes}
