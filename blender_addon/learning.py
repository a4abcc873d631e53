"""A controller while it is learned on a character: from references, in a worker; it becomes a file that the character's motion uses."""

from __future__ import annotations

import bpy

from ..core.errors import JobError
from . import files, references, scene
from .background import OneWorker
from .method import learns, settings_of


class Learning(OneWorker):
    """What one character learns from the reference that is chosen and those beside it, in one worker."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, minutes: float, rounds: int):
        """Start. ``rounds``: of practice, at most, and none begins after so many ``minutes``. Anything wrong with the rig, the references or the
        worker is a FootfallError and nothing has changed."""
        super().__init__(armature)
        motion = armature.footfall.motion
        if not learns(motion):
            raise JobError("The selected character does not do what it has learned: choose Learned in the Motion panel.")
        job = {"method": "track", "loop": True, **references.learned_from(context.scene, motion)}
        job["body"] = scene.job_of(context, armature)[0]["body"]
        files.check_writable()
        self._from = motion.reference
        self.begin(job, ("learn-controller", self._from, "--minutes", f"{minutes:g}", "--rounds", str(rounds), "--job"))

    def finish(self, context: bpy.types.Context) -> str:
        """Let the character use the controller; returns a sentence."""
        try:
            path = files.new_file(f"{self._from} learned", ".npz")
            files.copy(self._worker.poll().result, path)
            settings_of(self.character().footfall.motion).file = files.stored(path)
            return f"Learned from '{self._from}': simulate to see it."
        finally:
            self.cancel()
