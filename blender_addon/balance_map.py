"""A balance map of a character while it is made: which strategy keeps it up, by direction and strength of a push."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
from mathutils import Matrix

from ..core.errors import FootfallError
from ..core.result import STRATEGIES
from . import scene
from .background import Background
from .object_motion import may_move
from .preferences import engine, worker_python
from .running import RUNNING
from .spaces import keep_space
from .worker import Worker

STEPS = {"ROUGH": "100", "FINE": "50"}  # N from one push to the next
DIRECTIONS, MOST = "8", "600"
MORE = "6"  # other ways where none of the known ones holds: a few minutes are enough for a map, a hit itself is tried in more


class Mapping(Background):
    """The map of one character, in one worker that uses all cores."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object):
        """Start. Anything wrong with the rig or the worker is a FootfallError and nothing has changed."""
        super().__init__(armature)
        character = scene.measure(armature, now=True)
        self._space = Matrix(character.placement.matrix()), Matrix(character.world), may_move(armature)
        job = {"body": character.fit.body, "engine": engine()}
        python = worker_python()
        python.check_engine(job["engine"])
        command = ("balance-map", "--directions", DIRECTIONS, "--most", MOST, "--step", STEPS[armature.footfall.balance.detail], "--more", MORE)
        self._worker = Worker(job, Path(bpy.app.tempdir), python, command)
        RUNNING[self.name] = self

    @property
    def workers(self) -> tuple[Worker]:
        return (self._worker,)

    def tick(self, show: bool = False) -> bool:
        """Take in what has come from the worker; True when the map is there."""
        status = self._worker.poll()
        self.fraction, self.left, self.doing = status.fraction, status.left, status.doing
        if status.error:
            raise FootfallError(status.error)
        return status.done

    def finish(self, context: bpy.types.Context) -> str:
        """Keep the map with the character; returns a sentence."""
        try:
            kept = self.character().footfall.balance
            found = json.loads(self._worker.poll().result.read_text(encoding="utf-8"))
            kept.fields.clear()
            for degrees, row in found["strategies"].items():
                for force, strategy in zip(found["forces_N"], row, strict=True):
                    field = kept.fields.add()
                    field.degrees, field.newtons, field.strategy = float(degrees), force, STRATEGIES.index(strategy) if strategy in STRATEGIES else -1
            kept.limits = ",".join(f"{found['limits_N'][str(degrees)]:.0f}" for degrees in (0, 90, 180, 270))
            keep_space(kept, *self._space)
            ahead, left, back, right = kept.limits.split(",")
            return f"Stays up when it is pushed for 0.2 s with {ahead} N forward, {left} N to its left, {right} N to its right, {back} N backward."
        finally:
            self.cancel()
