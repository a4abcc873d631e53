"""The recordings in the list of a scene: add them, find them, and what a job says of them."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import bpy

from ..core.errors import FootfallError, JobError
from ..core.whole_file import whole_file
from . import actions, animation, files
from .animation import ALL, Animation, of_action
from .inspection import Inspection, Recording, inspect
from .method import goes_on, has, setting_of, settings_of
from .preferences import worker_python, worker_python_so_far
from .pythons import WorkerPython

READING: list[Inspection | Reading] = []  # what is being read now


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


class Reading:
    """An animation of an armature while it becomes a reference: it is read, from its curves or from the scene in slices, and then the worker looks
    at it. ``poll`` until it is True, then ``add``. All is as it was until then.

    Attributes:
        recordings: the files that are made.
    """

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, played: Animation, first: int, last: int):
        """The frames ``first`` to ``last`` of the scene. A FootfallError says why they cannot be read."""
        from .recording import Recorder  # needs numpy

        worker_python_so_far()  # the search begins
        self._recorder = Recorder(context, armature, played, first, last)
        self._armature, self._animation, self._frames = armature.name, played, (first, last)
        self._inspection: Inspection | None = None
        self._notes: list[str] = []
        self.recordings: list[Recording] = []

    @property
    def fraction(self) -> float:
        """Done, 0–1."""
        return 0.9 * self._recorder.fraction

    def poll(self, seconds: float = ALL) -> bool:
        """Go on for about so long; whether all is done."""
        if not self._recorder.go_on(seconds):
            return False
        if self._inspection is None:
            python = worker_python() if seconds == ALL else worker_python_so_far()
            if python is None:
                return False
            self._inspect(python)
        return self._inspection.poll()

    def add(self, scene: bpy.types.Scene) -> bpy.types.PropertyGroup:
        """Add it to the list; waits until it is done. A FootfallError leaves all as it was."""
        self.poll()
        (recording,), (answer,) = self.recordings, self._inspection.answers()
        if isinstance(answer, FootfallError):
            self.cancel()
            raise answer
        added = _add(scene, recording, {**answer, "name": self._recorder.name, "notes": [*self._notes, *answer["notes"]]}, "ACTION")
        added.action, added.owner = bpy.data.actions.get(self._animation.action), bpy.data.objects[self._armature]
        added.fingerprint = animation.fingerprint(added.action)
        added.layered, (added.first, added.last) = self._animation.nla, self._frames
        pack(added)
        return added

    def cancel(self) -> None:
        """Leave everything as it was."""
        if self._inspection:
            self._inspection.cancel()
        for recording in self.recordings:
            files.remove(recording.clip)

    def _inspect(self, python: WorkerPython) -> None:
        """Write the file and let the worker look at it."""
        from ..core.formats import write_bvh

        clip = self._recorder.clip()
        self._notes = clip.notes
        recording = Recording(files.new_file(self._recorder.name, ".bvh"), files.new_file(self._recorder.name, ".png"))
        write_bvh(recording.clip, clip)
        self.recordings = [recording]
        self._inspection = Inspection(python, self.recordings)


def read_action(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> Reading:
    """Begin to read an action as the armature plays it."""
    return Reading(context, armature, of_action(armature, action), *animation.frames_of(action))


def animation_of(reference: bpy.types.PropertyGroup) -> Animation:
    """What was recorded, without the layers that came of hitting it."""
    data = reference.owner.animation_data
    layers = [track.name for track in data.nla_tracks if actions.is_layer_of(track, reference.name)] if data else []
    return Animation(reference.action.name if reference.action else "", reference.layered, tuple(layers))


def frames_of(reference: bpy.types.PropertyGroup) -> tuple[int, int]:
    """The first and the last frame of the scene that were recorded."""
    if reference.last > reference.first or reference.action is None:
        return reference.first, reference.last
    first, last = reference.action.frame_range  # it was recorded by an older version
    return round(first), round(last)


def pack(reference: bpy.types.PropertyGroup) -> None:
    """Keep a recording that was made here in the .blend itself: as base64 of the compressed file."""
    try:
        reference.packed = base64.b64encode(zlib.compress(files.found(reference.filepath).read_bytes())).decode("ascii")
    except OSError:  # it is gone: then there is nothing to keep
        reference.packed = ""


def pack_all() -> None:
    """Those of a .blend that an older version has saved."""
    for scene in bpy.data.scenes:
        for reference in scene.footfall.references if not scene.library else ():
            if reference.kind == "ACTION" and not reference.packed:
                pack(reference)


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
    for reference in scene.footfall.references:
        known = files.found(reference.filepath)
        # One of ours is the same by its name alone: the .blend may have been saved elsewhere since.
        if str(known) == path or (reference.kind == "ACTION" and known.name == Path(path).name):
            return reference
    return None


def followed(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> bpy.types.PropertyGroup:
    """The reference that a character follows, or a JobError."""
    if not motion.reference:
        raise JobError("No reference is chosen to follow: choose one in the Motion panel, or walk with a gait.")
    return _known(scene, motion.reference)


def clips_of(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> dict:
    """The "clips" of a job, and whether they are repaired: the recording that is followed, and, where the method takes several, the others whose
    steps a character that goes on may use; and those of getting up, for one that is to."""
    several = setting_of(motion, "clips").kind.most != 1 and goes_on(motion)
    others = [item.reference for item in motion.also if item.reference] if several else []
    chosen = [followed(scene, motion), *(_known(scene, name) for name in others)]
    job = {"clips": [str(_clip(reference)) for reference in chosen]}
    if gets_up(motion):
        job["get_up"] = [str(_clip(reference)) for reference in who_get_up(scene)]
    return job | {"repair": any(reference.repair for reference in chosen)} if has(motion, "repair") else job


def learned_from(scene: bpy.types.Scene, motion: bpy.types.PropertyGroup) -> dict:
    """The "clips" of a job that a controller is learned from, and whether they are repaired: the recording that is chosen, and those beside it."""
    chosen = [followed(scene, motion), *(_known(scene, item.reference) for item in motion.also if item.reference)]
    return {"clips": [str(_clip(reference)) for reference in chosen], "repair": any(reference.repair for reference in chosen)}


def gets_up(motion: bpy.types.PropertyGroup) -> bool:
    """Whether a character who falls is to get up again."""
    return has(motion, "get_up") and settings_of(motion).after_fall == "GET_UP"


def who_get_up(scene: bpy.types.Scene) -> list[bpy.types.PropertyGroup]:
    """The references in which somebody lies and then gets up."""
    return [reference for reference in scene.footfall.references if reference.gets_up]


def _known(scene: bpy.types.Scene, name: str) -> bpy.types.PropertyGroup:
    reference = find(scene, name)
    if reference is None:
        raise JobError(f"There is no reference '{name}' in this scene: choose another one in the Motion panel, or add it again.")
    return reference


def _clip(reference: bpy.types.PropertyGroup) -> Path:
    path = files.found(reference.filepath)
    if path.is_file():
        return path
    if not reference.packed:
        raise JobError(f"The file '{path}' of the reference '{reference.name}' is gone: put it back, or add the reference again.")
    return _unpacked(reference)


def _unpacked(reference: bpy.types.PropertyGroup) -> Path:
    """The file of a recording that is kept in the .blend, where a worker can read it."""
    path = files.new_file(reference.name, ".bvh")
    with whole_file(path) as file:
        file.write(zlib.decompress(base64.b64decode(reference.packed)))
    reference.filepath = files.stored(path)
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
    reference.gets_up = facts["gets_up"]
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
    if facts["gets_up"]:
        lines.append("Lies and gets up: characters who fall can do so, too")
    return lines
