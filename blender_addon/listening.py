"""A character that moves while a device sends: the worker listens and acts, and the newest pose that is due is put on the rig."""

from __future__ import annotations

import json
import time
from collections import deque
from pathlib import Path

import bpy

from ..core.errors import FootfallError, JobError, RigError
from . import baking, files, pressures, preview, scene
from .inspection import PressureRecording
from .preferences import worker_python
from .rig.retarget import Retarget
from .running import RUNNING
from .span import Span, span_of
from .worker import Pose, Worker

LONGEST = 0.04  # s that it may take to put a pose on a rig, and to be begun with before the pose is due
REMEMBERED = 60  # poses whose latency is told


class Listening:
    """To those who watch it is like a Simulation: ``tick`` until it is True, then ``finish``; ``end`` asks for that. It holds no reference into
    Blender's data.

    Attributes:
        heard: packets by what became of them, as ``core.pressure.stream.Counts``. fraction, left: 0 and None: it goes on for as long as one likes.
    """

    warns = False
    fraction, left = 0.0, None

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, once: bool = False):
        """Start. ``once``: end when the device stops. A FootfallError leaves everything as it was."""
        if armature.name in RUNNING:
            raise RigError(f"'{armature.name}' is being simulated already: wait for it, or cancel it.")
        self.name, self.doing, self.heard = armature.name, "", {}
        settings, asked = armature.footfall.listening, span_of(context.scene, armature)
        self._first, self._fps = asked.first, asked.fps
        character = scene.measure_at_start(context.scene, armature, self._first)
        baking.bones_to_key(armature)
        files.check_writable()
        self._retarget = Retarget(armature, character.bone_map, character.fit, character.placement, self._first, character.world)
        self._coming: deque[Pose] = deque()
        self._delays: deque[float] = deque(maxlen=REMEMBERED)
        self._takes = 0.0  # s that it took to put the last one on the rig
        self.latency = settings.latency
        job = {"address": settings.address, "latency": round(settings.latency, 4), "body": character.fit.bare_body, "fps": self._fps, "once": once}
        if settings.database:
            job["database"] = str(_database(settings.database))
        self._worker = Worker(job, Path(bpy.app.tempdir), worker_python(), ("listen",))
        RUNNING[self.name] = self

    @property
    def running(self) -> bool:
        return RUNNING.get(self.name) is self

    @property
    def delay(self) -> float | None:
        """s from the feet to the pose on the rig, of late at most; None before the first one."""
        return max(self._delays) if self._delays else None

    def tick(self, show: bool = False) -> bool:
        """Take in what has come, and put the newest pose on the rig; True when the take is there."""
        armature = self._armature()
        status = self._worker.poll()
        self.doing, self.heard = status.doing, status.heard
        if status.error:
            raise FootfallError(status.error)
        if status.done:
            return True
        self._coming += status.frames
        if show and not bpy.app.background:
            self._show(armature)
        return False

    def _show(self, armature: bpy.types.Object) -> None:
        """Put the newest pose that is due on the rig, if there is a new one."""
        due, begin = None, time.monotonic()
        while self._coming and self._coming[0].felt + self.latency <= begin + self._takes:
            due = self._coming.popleft()
        if due:
            preview.show_pose(armature, self._retarget, due)
            now = time.monotonic()
            self._takes = min(now - begin, LONGEST)
            self._delays.append(now - due.felt)

    def end(self) -> None:
        """Hear no more: what was heard becomes keys."""
        self._worker.end()

    def finish(self, context: bpy.types.Context) -> str:
        """Write the take onto the rig, and what was heard to the list of recordings; returns the report."""
        armature = self._armature()
        self.pause()
        try:
            source = self._worker.poll().result
            heard, counted = self._keep_recording(context, source), self.heard
            seconds = heard.seconds
            baking.bake(context, armature, self._retarget, Span(self._first, self._first + round(seconds * self._fps), self._fps), source)
            text = (f"Heard {seconds:.1f} s of {heard.device}: {counted.get('received', 0)} frames, {counted.get('lost', 0)} lost, "
                    f"{counted.get('late', 0)} late; kept as '{heard.name}'.")
            armature.footfall.bake.report = text
            return text
        finally:
            self.cancel()

    def stop(self) -> bool:
        """Nothing is kept."""
        self.cancel()
        return False

    def pause(self) -> None:
        """Put the pose back; the next tick shows the next one."""
        armature = bpy.data.objects.get(self.name)
        if armature:
            preview.put_back(armature)

    def cancel(self) -> None:
        """End the worker and leave everything as it was."""
        self.pause()
        self._worker.cancel()
        if self.running:
            del RUNNING[self.name]

    def _armature(self) -> bpy.types.Object:
        armature = bpy.data.objects.get(self.name)
        if armature is None or armature.type != "ARMATURE":
            raise RigError(f"'{self.name}' is gone: nobody listens any more.")
        return armature

    def _keep_recording(self, context: bpy.types.Context, source: Path) -> bpy.types.PropertyGroup:
        """What was heard, in the list."""
        kept = PressureRecording(files.new_file("Take", ".csv"), files.new_file("Take", ".png"))
        for path, ending in ((kept.clip, ".csv"), (kept.strip, ".png")):
            files.copy(source.with_suffix(ending), path)
        return pressures.add(context.scene, kept, json.loads(source.with_suffix(".json").read_text(encoding="utf-8")), "Take")


def _database(text: str) -> Path:
    path = files.found(text)
    if not path.is_file():
        raise JobError(f"There is no database '{path}': choose another one, or none for the one that comes with Footfall.")
    return path
