"""A bake while it runs: the worker, its progress, the preview, and the end; or a stop half way, after which it can go on or what it found be kept."""

from __future__ import annotations

import copy
from pathlib import Path

import bpy

from ..core.errors import FootfallError
from ..core.jobs import check
from . import baking, files, preview, scene
from .forecast import forecast_of
from .preferences import worker_python
from .reaction import known_outlook
from .rig.retarget import Retarget
from .running import RUNNING, STOPPED, OnCharacter
from .span import Span, span_of
from .worker import Worker

SLICE = 0.2  # s at once for what has to be read from the scene


class Simulation(OnCharacter):
    """One bake of one character."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, job: dict | None = None):
        """Start simulating, by default the job that the panels describe. Anything wrong with the rig, the scene or the worker is a FootfallError and
        nothing has changed."""
        super().__init__(armature)
        self.span = span_of(context.scene, armature)
        if job is None:
            self.job, character = scene.job_of(context, armature)
        else:
            self.job, character = job, scene.measure_at_start(context.scene, armature, self.span.first)
            self.span = Span(self.span.first, self.span.first + round(job["duration"] * job["fps"]), self.span.fps)
        check(self.job)
        baking.bones_to_key(armature)
        files.check_writable()
        # Now and not at the end: by then the user may be in Edit Mode or in another scene.
        self._retarget = Retarget(armature, character.bone_map, character.fit, character.placement, self.span.first, character.world)
        self.fraction, self.left, self.doing = 0.0, None, ""
        self._live = armature.footfall.bake.live_preview and not bpy.app.background
        self._pose = None  # the last one that came in, until it is shown
        self._reader = None  # of what the character plays itself, once the result is there
        self._forecast = forecast_of(known_outlook(armature))
        self._keeps = self.warns = False
        python = worker_python()
        python.check_engine(self.job["engine"])
        self._worker = self._stopped_worker() or Worker(self.job, Path(bpy.app.tempdir), python)
        RUNNING[self.name] = self

    def _stopped_worker(self) -> Worker | None:
        """The worker of this very job, which was stopped half way and now goes on; that of another job is given up."""
        stopped = STOPPED.pop(self.name, None)
        if stopped is None or stopped.job != self.job:
            if stopped:
                stopped.cancel()
            return None
        stopped._worker.go_on()
        return stopped._worker

    def tick(self, show: bool = False) -> bool:
        """Take in what has come from the worker, and with ``show`` preview it; True when the result is there."""
        armature = self._armature()
        status = self._worker.poll()
        self.fraction, self.left, self.doing = status.fraction, status.left, status.doing
        if status.error:
            raise FootfallError(status.error)
        if status.done and status.result is None:
            raise FootfallError("The simulation was cancelled.")
        if status.done:
            return self._read_on(armature, status.result)
        self._pose = status.frames[-1] if status.frames else self._pose
        if show and self._live and self._pose:
            preview.show_pose(armature, self._retarget, self._pose)
            self._pose = None
        return False

    def _read_on(self, armature: bpy.types.Object, result: Path) -> bool:
        """Read what the character plays itself, which a result that came by hitting that needs; whether that is done."""
        if self._reader is None:
            self.pause()  # a previewed pose is none that it plays
            self._reader = baking.own_reader(bpy.context, armature, self._retarget, self.span, result)
        self.doing = "Reading the animation"
        return self._reader is None or self._reader.go_on(SLICE)

    def finish(self, context: bpy.types.Context) -> str:
        """Write the result onto the rig; returns the report."""
        armature = self._armature()
        self.pause()
        try:
            text = baking.bake(context, armature, self._retarget, self.span, self._worker.poll().result, self._keeps, self._reader, self._forecast)
            self.warns = armature.footfall.bake.fell or bool(self._retarget.left_behind)
            return text
        finally:
            self._forget()

    def stop(self) -> bool:
        """End the worker, because somebody wants it or because it failed; whether it has found something that can be kept. Else all is as it was."""
        self._worker.stop()
        if self._find() is None or not self._worker.has_unfinished:
            self.cancel()
            return False
        self.pause()
        RUNNING.pop(self.name, None)
        STOPPED[self.name] = self
        return True

    def keep(self) -> Simulation:
        """After a stop: begin to make a result of what was found so far. Another one, as somebody may still be looking whether this one runs."""
        kept = copy.copy(self)
        kept._keeps, kept._reader = True, None
        del STOPPED[self.name]
        RUNNING[self.name] = kept
        self._worker.keep()
        return kept

    def cancel(self) -> None:
        """End the worker and leave everything as it was."""
        self.pause()
        self._worker.cancel()
        self._forget()

    def pause(self) -> None:
        """Put the pose back and let go of the character; the next tick finds it again and shows the preview again."""
        armature = self._find()
        if armature:
            preview.put_back(armature)
        self._object = None

    def _forget(self) -> None:
        self._worker.remove()
        for simulations in (RUNNING, STOPPED):
            if simulations.get(self.name) is self:
                del simulations[self.name]
