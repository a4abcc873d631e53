"""A bake while it runs: the worker, its progress, the preview, and the end."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.errors import FootfallError, RigError
from ..core.job import make_job
from . import baking, scene
from .preferences import worker_python
from .preview import Preview
from .running import RUNNING
from .span import span_of
from .worker import Worker


class Simulation:
    """One bake of one character. Holds no references into Blender's data, which an undo would leave dangling."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object):
        """Start simulating. Anything wrong with the rig, the scene or the worker is a FootfallError and nothing has changed."""
        if armature.name in RUNNING:
            raise RigError(f"'{armature.name}' is being simulated already: wait for it, or cancel it.")
        self.name = armature.name
        self.span = span_of(context.scene, armature)
        self.job, self.character = scene.job_of(context, armature)
        make_job(self.job)
        baking.bones_to_key(armature)
        self.part, self.left = 0.0, None
        self._preview: Preview | None = None
        self._live = armature.footfall.bake.live_preview and not bpy.app.background
        self._worker = Worker(self.job, Path(bpy.app.tempdir), worker_python())
        RUNNING[self.name] = self

    @property
    def running(self) -> bool:
        return RUNNING.get(self.name) is self

    def tick(self, show: bool = False) -> bool:
        """Take in what has come from the worker, and with ``show`` preview it; True when the result is there."""
        armature = self._armature()
        status = self._worker.poll()
        self.part, self.left = status.part, status.left
        if status.error:
            raise FootfallError(status.error)
        if status.done and status.result is None:
            raise FootfallError("The simulation was cancelled.")
        if show and self._live and status.frames:
            self._preview = self._preview or Preview(armature, self.character)
            self._preview.show(armature, status.frames[-1])
        return status.done

    def finish(self, context: bpy.types.Context) -> str:
        """Write the result onto the rig; returns the report."""
        armature = self._armature()
        self.pause(armature)
        try:
            return baking.bake(context, armature, self.character, self.span, self._worker.poll().result)
        finally:
            self._forget()

    def cancel(self) -> None:
        """End the worker and leave everything as it was."""
        armature = bpy.data.objects.get(self.name)
        if armature:
            self.pause(armature)
        self._worker.cancel()
        self._forget()

    def pause(self, armature: bpy.types.Object) -> None:
        """Put the pose back; the next tick shows the preview again."""
        if self._preview:
            self._preview.put_back(armature)
            self._preview = None

    def _armature(self) -> bpy.types.Object:
        armature = bpy.data.objects.get(self.name)
        if armature is None or armature.type != "ARMATURE":
            raise RigError(f"'{self.name}' is gone: the simulation was ended.")
        return armature

    def _forget(self) -> None:
        self._worker.remove()
        if self.running:
            del RUNNING[self.name]
