"""What moves a character by the clock, for as long as one likes: a worker sends poses, the newest is put on the rig, the end is a take of keys."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import bpy

from ..core.errors import FootfallError
from . import baking, files, preview
from .preferences import worker_python
from .rig.retarget import Retarget
from .running import RUNNING, OnCharacter
from .scene import Character
from .span import span_of
from .worker import Pose, Status, Worker


class Live(OnCharacter):
    """To those who watch it is like a Simulation: ``tick`` until it is True, then ``finish``; ``end`` asks for that.

    Attributes:
        fraction, left: 0 and None: it goes on for as long as one likes.
    """

    warns = False
    fraction, left = 0.0, None
    gone = "nobody watches any more"

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object):
        """A FootfallError leaves everything as it was."""
        super().__init__(armature)
        self.doing = ""
        asked = span_of(context.scene, armature)
        self._first, self._fps = asked.first, asked.fps
        self._coming: deque[Pose] = deque()

    def begin(self, armature: bpy.types.Object, character: Character, job: dict, command: str) -> None:
        """Start the worker; everything that can be wrong with the character and its files is found before."""
        baking.bones_to_key(armature)
        files.check_writable()
        self._retarget = Retarget(armature, character.bone_map, character.fit, character.placement, self._first, character.world)
        self._worker = Worker(job, Path(bpy.app.tempdir), worker_python(), (command,))
        RUNNING[self.name] = self

    def tick(self, show: bool = False) -> bool:
        """Take in what has come, and put the newest pose on the rig; True when the take is there."""
        armature = self._armature()
        status = self._worker.poll()
        self.doing = status.doing
        if status.error:
            raise FootfallError(status.error)
        if status.done:
            return True
        self._coming += status.frames
        self._take_in(status)
        if show and not bpy.app.background:
            self._show(armature)
        return False

    def _take_in(self, status: Status) -> None:
        """What else the worker says."""

    def _show(self, armature: bpy.types.Object) -> None:
        """Put the pose on the rig that is due now, if there is a new one."""
        raise NotImplementedError

    def end(self) -> None:
        """No more: what was done becomes keys."""
        self._worker.end()

    def stop(self) -> bool:
        """Nothing is kept."""
        self.cancel()
        return False

    def pause(self) -> None:
        """Put the pose back and let go of the character; the next tick finds it again and shows the next one."""
        armature = self._find()
        if armature:
            preview.put_back(armature)
        self._object = None

    def cancel(self) -> None:
        """End the worker and leave everything as it was."""
        try:
            self.pause()
        finally:
            self._worker.cancel()
            if self.running:
                del RUNNING[self.name]
