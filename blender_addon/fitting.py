"""A gait while it is fitted to a character: a search in a worker, and what it found, which is kept with the character."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from ..core.errors import FootfallError
from . import fits, scene
from .background import Background
from .preferences import worker_python
from .running import RUNNING
from .worker import Worker


class Fitting(Background):
    """The fit of one character's gait, in one worker that uses all cores."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, minutes: float, trials: int):
        """Start. ``trials``: stop after so many instead of after ``minutes``; 0: do not. Anything wrong with the rig, the gait or the worker is a
        FootfallError and nothing has changed."""
        super().__init__(armature)
        self.gait = fits.gait_of(armature)
        job, _ = scene.job_of(context, armature)
        del job["fits"]  # it begins with the gait as it is written
        self._body = fits.measures(armature)
        python = worker_python()
        python.check_engine(job["engine"])
        command = ("fit", "--minutes", f"{minutes:g}", *(("--trials", str(trials)) if trials else ()))
        self._worker = Worker(job, Path(bpy.app.tempdir), python, command)
        RUNNING[self.name] = self

    @property
    def workers(self) -> tuple[Worker]:
        return (self._worker,)

    def tick(self, show: bool = False) -> bool:
        """Take in what has come from the worker; True when the fit is there."""
        status = self._worker.poll()
        self.fraction, self.left, self.doing = status.fraction, status.left, status.doing
        if status.error:
            raise FootfallError(status.error)
        return status.done

    def finish(self, context: bpy.types.Context) -> str:
        """Keep the fit with the character; returns a sentence."""
        try:
            data = json.loads(self._worker.poll().result.read_text(encoding="utf-8"))
            fits.keep(self.character(), self.gait, data, self._body)
            return data["description"]
        finally:
            self.cancel()
