"""Foot pressure of a character while it is worked out: to draw it under the feet, or to write it to a file."""

from __future__ import annotations

import itertools
import json
import secrets
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from ..core import rotation
from ..core.formats import write_bvh
from . import animation, files, pressures, scene
from .background import OneWorker
from .object_motion import plays
from .preferences import worker_python
from .recording import Recorder
from .running import RUNNING
from .worker import Worker

SLICE = 0.2  # s at once for what has to be read from the scene
READ = 0.5  # of the whole: reading the animation from the scene
NOTE = "# note, "  # at the beginning of lines of a CSV that say what else is to be known
SIDES = "LR"


@dataclass
class Played:
    """What a character plays: the result of its last bake, or an animation that has still to be read, or nothing.

    Attributes:
        result: a file; "" where it is read. first: frame of the scene on which it begins.
        space: from the metres of the motion to the world, or with ``in_world`` False to the armature object's axes.
    """

    result: str
    first: float
    space: Matrix
    in_world: bool
    recorder: Recorder | None = None


class UnderfootWork(OneWorker):
    """One character's foot pressure, in one worker; an animation that no bake has made is read from the scene first."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, pad: str, recording: bpy.types.PropertyGroup | None = None):
        """Start. ``pad``: as ``core.pressure.sensors.device_named`` takes it. ``recording``: that is shown instead of the pressure of the motion.
        A FootfallError leaves everything as it was."""
        super().__init__(armature)
        files.check_writable()
        self._worker: Worker | None = None
        self._clip: Path | None = None
        character = scene.measure(armature, now=True)
        self._soles = json.dumps(soles_at_rest(armature, character))
        self._fps = context.scene.render.fps / context.scene.render.fps_base
        self._job: dict = {"pad": pad, "person": {name: character.fit.body[name] for name in ("mass", "sex")}}
        if recording:
            self._job |= {"recording": str(pressures.file_of(recording)), "stands": _stands(character)}
        self._said = f"'{recording.name}', {recording.device}" if recording else ""
        self._played = played(context, armature, character, needed=recording is None)
        data = armature.animation_data
        self._action = data.action.name if data and data.action else ""
        worker_python()  # says now if there is none
        RUNNING[self.name] = self
        self._go_on()

    def command(self) -> tuple[str, ...]:
        """What the worker is asked to do."""
        return ("underfoot",)

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self._worker,) if self._worker else ()

    def tick(self, show: bool = False) -> bool:
        """Read on, then take in what has come from the worker; True when its answer is there."""
        if self._worker is None:
            if not self._played.recorder.go_on(SLICE):
                self.fraction, self.doing = READ * self._played.recorder.fraction, "Reading the animation"
                return False
            self._clip = Path(bpy.app.tempdir) / f"footfall-{secrets.token_hex(6)}.bvh"
            write_bvh(self._clip, self._played.recorder.clip())
            self._go_on()
        done, read = super().tick(), READ if self._played.recorder else 0.0
        self.fraction = read + (1.0 - read) * self.fraction
        return done

    def _go_on(self) -> None:
        """Start the worker, once the motion is in a file."""
        motion = self._clip or self._played.result
        if motion or not self._played.recorder:
            self.begin(self._job | ({"motion": str(motion)} if motion else {}), self.command())

    def cancel(self) -> None:
        super().cancel()
        if self._clip:
            files.remove(self._clip)


class Showing(UnderfootWork):
    """Ends with the pressure under the character's feet."""

    def finish(self, context: bpy.types.Context) -> str:
        """Keep it with the character; returns a sentence."""
        from ..core.pressure.underfoot import Underfoot, in_units

        try:
            armature = self.character()
            source = self._worker.poll().result
            found = Underfoot.load(source)
            path = files.new_file(f"{armature.name} pressure", ".npz")
            files.copy(source, path)
            kept = armature.footfall.underfoot
            kept.file, kept.soles, kept.frame, kept.fps = files.stored(path), self._soles, self._played.first, self._fps
            kept.space, kept.in_world = self._played.space, self._played.in_world
            kept.bound, kept.action = not (self._said and len(found.feet)), bpy.data.actions.get(self._action)
            kept.said = f"{self._said or found.device[:1].upper() + found.device[1:]}: red is {in_units(found.usual_peak, found.calibrated)}"
            context.scene.footfall.overlays.underfoot = True
            return f"{kept.said}."
        finally:
            self.cancel()


class Exporting(UnderfootWork):
    """Ends with a CSV of the pressure of a character's motion."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, pad: str, path: Path):
        self._path = path
        files.check_place(path)
        super().__init__(context, armature, pad)

    def command(self) -> tuple[str, ...]:
        return ("underfoot", "--csv")

    def finish(self, context: bpy.types.Context) -> str:
        try:
            source = self._worker.poll().result
            files.copy(source, self._path)
            with source.open(encoding="utf-8") as lines:
                head = itertools.takewhile(lambda line: line.startswith("#"), lines)
                notes = [line.removeprefix(NOTE).strip() for line in head if line.startswith(NOTE)]
            return " ".join([f"Wrote the foot pressure of '{self.name}' to '{self._path}'.", *notes])
        finally:
            self.cancel()


def played(context: bpy.types.Context, armature: bpy.types.Object, character: scene.Character, needed: bool) -> Played:
    """What the character plays now. Where it plays nothing: a sentence if that is ``needed``, else where it stands."""
    bake, data = armature.footfall.bake, armature.animation_data
    baked = data and data.action and data.action == bake.action and not bake.looped and bake.result and files.found(bake.result).is_file()
    if baked:
        return Played(str(files.found(bake.result)), bake.frame, bake.space.copy(), bake.in_world)
    floor, scale = float(character.placement.origin[2]), character.placement.scale
    space = Matrix.Translation((0.0, 0.0, floor)) @ Matrix.Scale(scale, 4)
    if not needed and not plays(armature):
        return Played("", context.scene.frame_start, space, True)
    shown, first, last = animation.played(armature)
    return Played("", first, space, True, Recorder(context, armature, shown, first, last))


def soles_at_rest(armature: bpy.types.Object, character: scene.Character) -> list[tuple[str, list[float]]]:
    """The bone and the place, at rest and in the armature's axes, of each corner of the left and of the right sole, as ``core.pressure.tread`` has
    them: from the heel to the toes, of each row the left one first."""
    fitted, bones = character.fit, character.bone_map.bones
    body, back = fitted.simulated, np.linalg.inv(character.world)
    found = []
    for side in SIDES:
        for link, point in zip(body.sole_links, body.sole_points, strict=True):
            slot = body.names[link]
            if not slot.endswith(side):
                continue
            foot = f"foot.{side}"
            ahead = point if slot == foot else body.offsets[link] + point  # from the ankle, in the foot's axes
            world = fitted.placement.to_world(fitted.joints[foot] + rotation.rotate(fitted.rest[foot], ahead))
            found.append((bones[slot if bones.get(slot) else foot][0], [round(float(value), 6) for value in (back @ [*world, 1.0])[:3]]))
    return found


def _stands(character: scene.Character) -> list[float]:
    """x, y, height (m) and rad: where the character stands and which way it faces, in the metres of a motion that nobody simulated."""
    x, y, _ = character.placement.origin / character.placement.scale
    return [float(x), float(y), 0.0, character.placement.yaw]
