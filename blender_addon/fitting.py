"""A gait while it is fitted to a character: a search in a worker, and what it found, which is kept with the character."""

from __future__ import annotations

import bpy

from . import fits, scene
from .background import OneWorker


class Fitting(OneWorker):
    """The fit of one character's gait, in one worker that uses all cores."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, minutes: float, trials: int):
        """Start. ``trials``: stop after so many instead of after ``minutes``; 0: do not. Anything wrong with the rig, the gait or the worker is a
        FootfallError and nothing has changed."""
        super().__init__(armature)
        self.gait = fits.gait_of(armature)
        job, _ = scene.job_of(context, armature)
        del job["fits"]  # it begins with the gait as it is written
        self._body = fits.measures(armature)
        self.begin(job, ("fit", "--minutes", f"{minutes:g}", *(("--trials", str(trials)) if trials else ())))

    def finish(self, context: bpy.types.Context) -> str:
        """Keep the fit with the character; returns a sentence."""
        try:
            data = self.answer()
            fits.keep(self.character(), self.gait, data, self._body)
            return data["description"]
        finally:
            self.cancel()
