"""Variations of hits while they are simulated side by side, and what is kept of them to choose from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import bpy
from mathutils import Matrix

from ..core.bar import Bar
from ..core.errors import FootfallError, JobError
from ..core.jobs import check
from ..core.result import Result
from ..core.variations import varied
from . import baking, files, report, scene
from .background import Background
from .method import takes_hits
from .object_motion import may_move
from .preferences import worker_python
from .rig.retarget import Retarget
from .running import RUNNING
from .spaces import keep_space, space_of
from .span import Span, span_of
from .worker import Worker


class Variations(Background):
    """The variations of one character, as many at once as there are cores."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object):
        """Start simulating. Anything wrong with the rig, the scene or the worker is a FootfallError and nothing has changed."""
        motion, wish = armature.footfall.motion, armature.footfall.variations
        super().__init__(armature)
        if not takes_hits(motion):
            raise JobError("Variations are of hits on a recording: choose one in the Motion panel, and a method that takes hits.")
        self.span = span_of(context.scene, armature)
        job, character = scene.job_of(context, armature)
        check(job)
        files.check_writable()
        self._python = worker_python()
        self._python.check_engine(job["engine"])
        self._space = Matrix(character.placement.matrix()), Matrix(character.world), may_move(armature)
        self._waiting = list(enumerate(varied(job, wish.count, wish.seed)))
        self._workers: dict[int, Worker] = {}
        self._results: dict[int, Path] = {}
        self.fractions, self._bar = [0.0] * wish.count, Bar()
        RUNNING[self.name] = self

    @property
    def workers(self) -> Iterable[Worker]:
        return self._workers.values()

    def tick(self, show: bool = False) -> bool:
        """Take in what has come from the workers, and start the next ones; True when all are there."""
        for number, worker in self._workers.items():
            status = worker.poll()
            self.fractions[number] = status.fraction
            if status.error:
                raise FootfallError(status.error)
            if status.done and status.result:
                self._results[number] = status.result
        free = (os.cpu_count() or 1) - (len(self._workers) - len(self._results))
        for number, job in self._waiting[:free]:
            self._workers[number] = Worker(job, Path(bpy.app.tempdir), self._python)
        del self._waiting[:max(free, 0)]
        self._bar.tell(sum(self.fractions) / len(self.fractions))
        self.fraction, self.left = self._bar.shown, self._bar.left
        self.doing = f"Simulating {len(self.fractions)} variations of the hits; {len(self._results)} are done"
        return len(self._results) == len(self.fractions)

    def finish(self, context: bpy.types.Context) -> str:
        """Keep the results for the character to choose from; returns a sentence."""
        try:
            listed = self.character().footfall.variations
            kept = []
            for number in sorted(self._results):
                result = Result.load(self._results[number])
                text = report.sentence(result, self.span.first, 1.0)
                kept.append((baking.keep(self._results[number], f"{self.name} variation {number + 1}"), text, bool(result.outcome.get("fell"))))
            forget(listed)
            for number, (path, text, fell) in enumerate(kept, 1):
                entry = listed.found.add()
                entry.name, entry.result, entry.report, entry.fell = f"{number}", path, text, fell
            listed.active, listed.frame = 0, self.span.first
            keep_space(listed, *self._space)
            fallen = sum(fell for _, _, fell in kept)
            return f"{len(kept)} variations to choose from" + (f", {fallen} of them fall." if fallen else ".")
        finally:
            self.cancel()


def forget(listed: bpy.types.PropertyGroup) -> None:
    """Give up the variations that were found. Their files go once nobody refers to them: an undo would bring the list back."""
    listed.found.clear()


def choose(context: bpy.types.Context, armature: bpy.types.Object) -> str:
    """Bake the variation that is chosen; returns the report. A FootfallError leaves all as it was."""
    listed = armature.footfall.variations
    if not 0 <= listed.active < len(listed.found):
        raise JobError("There are no variations to choose from: simulate some first.")
    path = files.found(listed.found[listed.active].result)
    if not path.is_file():
        raise JobError(f"The file '{path}' of this variation is gone: simulate them again.")
    frames = Result.load(path).frames
    character = scene.measure_at_start(context.scene, armature, listed.frame)
    placement = scene.placement_in(space_of(armature, listed))
    retarget = Retarget(armature, character.bone_map, character.fit, placement, listed.frame, character.world)
    span = Span(listed.frame, listed.frame + frames - 1, context.scene.render.fps / context.scene.render.fps_base)
    return baking.bake(context, armature, retarget, span, path)
