"""The recordings of foot pressure in the list of a scene."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.errors import FootfallError, JobError
from . import files
from .inspection import Inspection, PressureRecording
from .preferences import worker_python

FEET = {"left": "left", "right": "right", "pad": "on the pad"}
READING: list[Inspection] = []  # what is being read now


def look_at(paths: list[Path]) -> Inspection:
    """Begin to look at files of devices."""
    python, recordings = worker_python(), []
    for path in paths:
        recordings.append(PressureRecording(path, files.new_file(path.stem, ".png")))
        recordings[-1].strip.touch()  # taken: the next file may have the same name
    return Inspection(python, recordings)


def add_files(scene: bpy.types.Scene, inspection: Inspection) -> tuple[list[bpy.types.PropertyGroup], list[FootfallError]]:
    """Add the files that can be used; returns what was added and what is wrong with the others."""
    said = list(zip(inspection.recordings, inspection.answers(), strict=True))
    wrong = [answer for _, answer in said if isinstance(answer, FootfallError)]
    return [add(scene, recording, answer) for recording, answer in said if not isinstance(answer, FootfallError)], wrong


def find(scene: bpy.types.Scene, name: str) -> bpy.types.PropertyGroup | None:
    return scene.footfall.pressures.get(name) if name else None


def recording_of(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> dict:
    """The "recording" of a job."""
    if not motion.pressure:
        raise JobError("No recording of foot pressure is chosen: choose one in the Motion panel.")
    recording = find(scene, motion.pressure)
    if recording is None:
        raise JobError(f"There is no recording '{motion.pressure}' in this scene: choose another one in the Motion panel, or add it again.")
    return {"recording": str(file_of(recording))}


def file_of(recording: bpy.types.PropertyGroup) -> Path:
    """A JobError says where it is not any more."""
    path = files.found(recording.filepath)
    if not path.is_file():
        raise JobError(f"The file '{path}' of the recording '{recording.name}' is gone: put it back, or add the recording again.")
    return path


def add(scene: bpy.types.Scene, recording: PressureRecording, facts: dict, name: str = "") -> bpy.types.PropertyGroup:
    """Add a recording to the list, with what is said of it (``core.pressure.report.describe``)."""
    listed = scene.footfall.pressures
    base = name or recording.clip.stem
    free = next(name for name in (base, *(f"{base} {number}" for number in range(2, 100_000))) if name not in listed)
    added = listed.add()
    added.name, added.device = free, facts["device"]
    added.filepath, added.picture = files.stored(recording.clip), files.stored(recording.strip)
    added.seconds, added.rate, added.steps = facts["seconds"], facts["rate"], facts["step_count"]
    added.peak = max(facts["peak_force"].values(), default=0.0)
    added.facts, added.faults = "\n".join(_facts(facts)), "\n".join(facts["faults"])
    scene.footfall.active_pressure = len(listed) - 1
    return added


def _facts(facts: dict) -> list[str]:
    """Short lines for the panel."""
    steps, unit = facts["step_count"], "N" if facts["calibrated"] else "counts"
    rate = f"{facts['rate']:.4g} frames a second" if facts["frames"] > 1 else "one picture"
    peaks = ", ".join(f"{force:.0f} {unit} {FEET[foot]}" for foot, force in facts["peak_force"].items())
    return [f"{facts['device']}, {facts['sensors']} sensors, {rate}", f"{steps} step{'' if steps == 1 else 's'}; at most {peaks}"]
