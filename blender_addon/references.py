"""The recordings in the list of a scene: add them, find them, and what a job says of them."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.errors import FootfallError, JobError
from . import files
from .inspection import Inspection, Recording, inspect
from .method import goes_on, has, setting_of
from .preferences import worker_python

READING: list[Inspection] = []  # the files that are being looked at now


def look_at(clips: list[Path], repair: bool = False) -> Inspection:
    """Begin to look at files of motion capture, with ``repair`` at what they are once their faults are interpolated."""
    python, recordings = worker_python(), []
    for clip in clips:
        recordings.append(Recording(clip, files.new_file(clip.stem, ".png"), repair))
        recordings[-1].strip.touch()  # taken: the next clip may have the same name
    return Inspection(python, recordings)


def add_files(scene: bpy.types.Scene, inspection: Inspection) -> tuple[list[bpy.types.PropertyGroup], list[FootfallError]]:
    """Add the files that can be used; returns what was added and what is wrong with the others."""
    said = list(zip(inspection.recordings, inspection.answers(), strict=True))
    wrong = [answer for _, answer in said if isinstance(answer, FootfallError)]
    return [_add(scene, recording, answer, "FILE") for recording, answer in said if not isinstance(answer, FootfallError)], wrong


def add_action(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> bpy.types.PropertyGroup:
    """Record an action as the armature plays it and add it. A FootfallError leaves all as it was."""
    from ..core.formats import write_bvh
    from .recording import record  # needs numpy

    clip = record(context, armature, action)
    made = Recording(files.new_file(action.name, ".bvh"), files.new_file(action.name, ".png"))
    try:
        write_bvh(made.clip, clip)
        facts = inspect(worker_python(), made)
    except FootfallError:
        for path in (made.clip, made.strip):
            path.unlink(missing_ok=True)
        raise
    added = _add(context.scene, made, {**facts, "name": action.name, "notes": [*clip.notes, *facts["notes"]]}, "ACTION")
    added.action, added.owner = action, armature
    return added


def look_again(reference: bpy.types.PropertyGroup, repair: bool) -> None:
    """With or without repair; a FootfallError leaves what was known."""
    strip = files.found(reference.strip) if reference.strip else files.new_file(reference.name, ".png")
    facts = inspect(worker_python(), Recording(_clip(reference), strip, repair))
    reference.repair = repair
    _tell(reference, facts)


def find(scene: bpy.types.Scene, name: str) -> bpy.types.PropertyGroup | None:
    return scene.footfall.references.get(name) if name else None


def of_file(scene: bpy.types.Scene, path: str) -> bpy.types.PropertyGroup | None:
    """The reference whose recording this file is."""
    return next((reference for reference in scene.footfall.references if str(files.found(reference.filepath)) == path), None)


def followed(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> bpy.types.PropertyGroup:
    """The reference that a character follows, or a JobError."""
    if not motion.reference:
        raise JobError("No reference is chosen to follow: choose one in the Motion panel, or walk with a gait.")
    return _known(scene, motion.reference)


def clips_of(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> dict:
    """The "clips" of a job, and whether they are repaired: the recording that is followed, and, where the method takes several, the others whose
    steps a character that goes on may use."""
    several = setting_of(motion, "clips").kind.most != 1 and goes_on(motion)
    others = [item.reference for item in motion.also if item.reference] if several else []
    chosen = [followed(scene, motion), *(_known(scene, name) for name in others)]
    job = {"clips": [str(_clip(reference)) for reference in chosen]}
    return job | {"repair": any(reference.repair for reference in chosen)} if has(motion, "repair") else job


def _known(scene: bpy.types.Scene, name: str) -> bpy.types.PropertyGroup:
    reference = find(scene, name)
    if reference is None:
        raise JobError(f"There is no reference '{name}' in this scene: choose another one in the Motion panel, or add it again.")
    return reference


def _clip(reference: bpy.types.PropertyGroup) -> Path:
    path = files.found(reference.filepath)
    if not path.is_file():
        raise JobError(f"The file '{path}' of the reference '{reference.name}' is gone: put it back, or add the reference again.")
    return path


def _add(scene: bpy.types.Scene, recording: Recording, facts: dict, kind: str) -> bpy.types.PropertyGroup:
    listed = scene.footfall.references
    base = facts["name"] or recording.clip.stem
    free = next(name for name in (base, *(f"{base} {number}" for number in range(2, 100_000))) if name not in listed)
    reference = listed.add()
    reference.name, reference.kind, reference.repair = free, kind, recording.repair
    reference.filepath, reference.strip = files.stored(recording.clip), files.stored(recording.strip)
    scene.footfall.active_reference = len(listed) - 1
    _tell(reference, facts)
    return reference


def _tell(reference: bpy.types.PropertyGroup, facts: dict) -> None:
    reference.seconds, reference.speed = facts["seconds"], facts["speed_median"]
    reference.facts = "\n".join(_facts(facts))
    reference.faults, reference.notes = "\n".join(facts["faults"]), "\n".join(facts["notes"])


def _facts(facts: dict) -> list[str]:
    """Short lines for the panel."""
    left, right = len(facts["strikes"]["left"]), len(facts["strikes"]["right"])
    lines = [f"{facts['fps']:.4g} frames a second, hips at {facts['hip_height']:.2f} m"]
    lines.append(f"Footfalls: {left} left, {right} right" if left or right else "No footfalls")
    steps = facts["step_count"]
    if steps:
        lines.append(f"{steps} steps of {facts['step_seconds']:.2f} s, {steps // 2} cycles")
    return lines
