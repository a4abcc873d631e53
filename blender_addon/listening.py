"""A character that moves while a device sends: the worker listens and acts, and the newest pose that is due is put on the rig."""

from __future__ import annotations

import json
import time
from collections import deque
from pathlib import Path

import bpy

from ..core.errors import JobError
from . import baking, files, pressures, preview, scene
from .inspection import PressureRecording
from .live import Live
from .span import Span
from .worker import Status

LONGEST = 0.04  # s that it may take to put a pose on a rig, and to be begun with before the pose is due
REMEMBERED = 60  # poses whose latency is told


class Listening(Live):
    """Who listens.

    Attributes:
        heard: packets by what became of them, as ``core.pressure.stream.Counts``.
    """

    gone = "nobody listens any more"

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, once: bool = False):
        """Start. ``once``: end when the device stops. A FootfallError leaves everything as it was."""
        super().__init__(context, armature)
        self.heard, settings = {}, armature.footfall.listening
        character = scene.measure_at_start(context.scene, armature, self._first)
        self._delays: deque[float] = deque(maxlen=REMEMBERED)
        self._takes = 0.0  # s that it took to put the last one on the rig
        self.latency = settings.latency
        job = {"address": settings.address, "latency": round(settings.latency, 4), "body": character.fit.bare_body, "fps": self._fps, "once": once}
        if settings.database:
            job["database"] = str(_database(settings.database))
        self.begin(armature, character, job, "listen")

    @property
    def delay(self) -> float | None:
        """s from the feet to the pose on the rig, of late at most; None before the first one."""
        return max(self._delays) if self._delays else None

    def _take_in(self, status: Status) -> None:
        self.heard = status.heard

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
