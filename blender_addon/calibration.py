"""Calibration of foot pressure: which actions a person is asked to show, in which recordings they are, and what was found."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.errors import JobError
from ..core.pressure.database import Database
from . import files, pressures
from .inspection import Calibration, Inspection
from .preferences import worker_python

RUNNING: list[Inspection] = []  # what is being calibrated now


def list_actions(scene: bpy.types.Scene) -> int:
    """Fill the list with the actions of the database; those that are in it already keep their recordings. Returns how many there are."""
    calibration = scene.footfall.calibration
    database = Database.load(str(files.found(calibration.database)) if calibration.database else "")
    if not database.names:
        raise JobError("The database has no actions with a name, so there is nothing to show: name some of them first.")
    kept = {one.name: (one.recording, one.found) for one in calibration.actions}
    calibration.actions.clear()
    for name in database.names:
        added = calibration.actions.add()
        added.name = name
        added.recording, added.found = kept.get(name, ("", ""))
    calibration.active = min(calibration.active, len(calibration.actions) - 1)
    return len(calibration.actions)


def asked_next(scene: bpy.types.Scene) -> bpy.types.PropertyGroup | None:
    """The first action without a recording."""
    return next((one for one in scene.footfall.calibration.actions if not one.recording), None)


def begin(scene: bpy.types.Scene) -> Inspection:
    """Begin to look for the actions in their recordings."""
    calibration = scene.footfall.calibration
    shown: dict[str, list[str]] = {}
    for one in calibration.actions:
        if one.recording:
            shown.setdefault(one.recording, []).append(one.name)
    if not shown:
        raise JobError("No action has a recording yet: choose one for each action that you have shown.")
    paths = []
    for name, names in shown.items():
        recording = pressures.find(scene, name)
        if recording is None:
            raise JobError(f"There is no recording '{name}' in the list any more: choose another one for '{names[0]}'.")
        paths.append((pressures.file_of(recording), tuple(names)))
    database = files.found(calibration.database) if calibration.database else Path()
    target = files.temporary_folder() / "calibrated.npz"
    target.parent.mkdir(parents=True, exist_ok=True)
    return Inspection(worker_python(), [Calibration(database, target, shown=tuple(paths))])


def finish(scene: bpy.types.Scene, inspection: Inspection, path: Path) -> int:
    """Save what came of it to ``path`` and show what was found; returns how many actions that were."""
    answer, = inspection.answers()
    if isinstance(answer, Exception):
        raise answer
    made = inspection.recordings[0].strip
    try:
        files.copy(made, path)
    finally:
        files.remove(made)
    calibration = scene.footfall.calibration
    found: dict[str, list[str]] = {}
    for recording in answer["found"]:
        for action in recording["actions"]:
            found.setdefault(action["name"], []).append(f"{action['start']:.1f} s ({action['alike']:.0%} alike)")
    for one in calibration.actions:
        one.found = ", ".join(found.get(one.name, []))
    calibration.saved = path.name
    return len(found)
