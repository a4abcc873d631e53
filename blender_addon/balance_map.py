"""A balance map of a character while it is made: which strategy keeps it up, by direction and strength of a push."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
from mathutils import Matrix

from ..core.control.stander import STRATEGIES
from ..core.errors import FootfallError, RigError
from . import scene
from .preferences import engine, worker_python
from .running import RUNNING
from .worker import Worker

STEPS = {"ROUGH": "100", "FINE": "50"}  # N from one push to the next
DIRECTIONS, MOST = "8", "600"


class Mapping:
    """The map of one character, in one worker that uses all cores. To those who watch it is like a Simulation."""

    fell = False

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object):
        """Start. Anything wrong with the rig or the worker is a FootfallError and nothing has changed."""
        if armature.name in RUNNING:
            raise RigError(f"'{armature.name}' is being simulated already: wait for it, or cancel it.")
        self.name, self.part, self.left = armature.name, 0.0, None
        character = scene.measure(armature, now=True)
        self._space = armature.matrix_world.inverted() @ Matrix(character.placement.matrix())
        job = {"body": character.fit.body, "engine": engine()}
        python = worker_python()
        python.check_engine(job["engine"])
        command = ("balance-map", "--directions", DIRECTIONS, "--most", MOST, "--step", STEPS[armature.footfall.balance.detail])
        self._worker = Worker(job, Path(bpy.app.tempdir), python, command)
        RUNNING[self.name] = self

    @property
    def running(self) -> bool:
        return RUNNING.get(self.name) is self

    def tick(self, show: bool = False) -> bool:
        """Take in what has come from the worker; True when the map is there."""
        status = self._worker.poll()
        self.part, self.left = status.part, status.left
        if status.error:
            raise FootfallError(status.error)
        return status.done

    def finish(self, context: bpy.types.Context) -> str:
        """Keep the map with the character; returns a sentence."""
        armature = bpy.data.objects.get(self.name)
        try:
            if armature is None:
                raise RigError(f"'{self.name}' is gone: its balance map was given up.")
            found = json.loads(self._worker.poll().result.read_text(encoding="utf-8"))
            kept = armature.footfall.balance
            kept.fields.clear()
            for degrees, row in found["strategies"].items():
                for force, strategy in zip(found["forces_N"], row):
                    field = kept.fields.add()
                    field.degrees, field.newtons, field.strategy = float(degrees), force, STRATEGIES.index(strategy) if strategy in STRATEGIES else -1
            kept.limits, kept.space = ",".join(f"{found['limits_N'][str(degrees)]:.0f}" for degrees in (0, 90, 180, 270)), self._space
            ahead, left, back, right = kept.limits.split(",")
            return f"Stays up when it is pushed for 0.2 s with {ahead} N forward, {left} N to its left, {right} N to its right, {back} N backward."
        finally:
            self.cancel()

    def stop(self) -> bool:
        """Nothing can be kept half way."""
        self.cancel()
        return False

    def pause(self) -> None:
        """Nothing is shown on the character while this goes on."""

    def cancel(self) -> None:
        """End the worker and leave everything as it was."""
        self._worker.cancel()
        if self.running:
            del RUNNING[self.name]
