"""A balance map of a character while it is made: which strategy keeps it up, by direction and strength of a push."""

from __future__ import annotations

import bpy
from mathutils import Matrix

from ..core.result import STRATEGIES
from . import scene
from .background import OneWorker
from .object_motion import may_move
from .preferences import engine
from .spaces import keep_space

STEPS = {"ROUGH": "100", "FINE": "50"}  # N from one push to the next
DIRECTIONS, MOST = "8", "600"
MORE = "6"  # other ways where none of the known ones holds: a few minutes are enough for a map, a hit itself is tried in more


class Mapping(OneWorker):
    """The map of one character, in one worker that uses all cores."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object):
        """Start. Anything wrong with the rig or the worker is a FootfallError and nothing has changed."""
        super().__init__(armature)
        character = scene.measure(armature, now=True)
        self._space = Matrix(character.placement.matrix()), Matrix(character.world), may_move(armature)
        job = {"body": character.fit.body, "engine": engine()}
        self.begin(job, ("balance-map", "--directions", DIRECTIONS, "--most", MOST,
                         "--step", STEPS[armature.footfall.balance.detail], "--more", MORE))

    def finish(self, context: bpy.types.Context) -> str:
        """Keep the map with the character; returns a sentence."""
        try:
            kept = self.character().footfall.balance
            found = self.answer()
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
