"""Operators whose mistakes are sentences."""

from __future__ import annotations

import bpy

from ...core.errors import FootfallError


class Attempt:
    """Mixin: ``attempt(context)`` does the work; a FootfallError in it is shown, and the operator has then changed nothing."""

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            self.attempt(context)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}
