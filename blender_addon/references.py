"""The recordings in the list of a scene: add them, find them, and what a job says of them."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.errors import FootfallError, JobError
from . import files
from .inspection import Inspection, Recording, inspect
from .preferences import worker_python
from .properties.hits import MANNER
from .properties.plan import PARTS as PLAN_PARTS

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
    said = list(zip(inspection.recordings, inspection.answers()))
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


def is_hit(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it is a recording, or what the character plays itself, that takes hits."""
    return motion.source == "CLIP" and motion.method == "HIT"


def goes_on(motion: bpy.types.PropertyGroup) -> bool:
    """Whether a character goes on after the end of the recording; without physics, or with a plan for all of it, it does not."""
    return motion.loop and can_go_on(motion)


def can_go_on(motion: bpy.types.PropertyGroup) -> bool:
    """Whether the method knows how to."""
    return motion.method in ("TRACK", "IMITATE", "HIT")


def steered(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it goes where it is told, and not as the recording does."""
    return can_be_steered(motion) and motion.steer


def can_be_steered(motion: bpy.types.PropertyGroup) -> bool:
    return goes_on(motion) and motion.method != "HIT"


def job_of(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> dict:
    """The "reference" of a job."""
    tracked = motion.method == "TRACK"
    others = [item.reference for item in motion.also if item.reference] if tracked and goes_on(motion) else []
    chosen = [followed(scene, motion), *(_known(scene, name) for name in others)]
    job = {"clips": [str(_clip(reference)) for reference in chosen], "method": motion.method.lower(), "loop": goes_on(motion),
           "tune": motion.tune if tracked else 0.0, "repair": any(reference.repair for reference in chosen)}
    if motion.method == "PLAN":
        return job | _plan_of(motion.plan)
    return job | (_hits_of(motion) if motion.method == "HIT" else {})


def _plan_of(plan: bpy.types.PropertyGroup) -> dict:
    """What only a plan needs; rounded, as Blender's numbers have fewer digits than those of a job."""
    return {"quality": plan.quality.lower(), "freedom": round(plan.freedom, 4), "strength": plan.strength.lower(),
            "weights": {part: round(getattr(plan, part), 4) for part in PLAN_PARTS}}


def _hits_of(motion: bpy.types.PropertyGroup) -> dict:
    """What only a clip that is hit needs."""
    hits = motion.hits
    return {"response": hits.response.lower(), "manner": {name: round(getattr(hits, name), 4) for name in MANNER}, "home": hits.home,
            "quality": motion.plan.quality.lower()}


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
