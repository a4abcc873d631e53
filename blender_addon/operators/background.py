"""Operators for which a worker does something while Blender goes on."""

from __future__ import annotations

import bpy

from ...core.errors import FootfallError
from ..redraw import redraw_sidebars

TICK = 0.1  # s between two looks at a worker


class Background:
    """Mixin: ``begin(context)`` starts the worker, an Inspection; ``finish(context)`` takes what it has found, and gives the operator's outcome;
    ``at_work`` is the list of those that are at work, which a panel shows; ``unchanged`` says what a cancel leaves as it was. With
    ``_in_background`` Blender goes on meanwhile, and Esc leaves everything as it was; a script waits."""

    _inspection = None
    _timer = None
    _in_background = False

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            self._inspection = self.begin(context)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not self._in_background:
            return self.finish(context)
        self.at_work.append(self._inspection)
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, f"Cancelled; {self.unchanged}.")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        redraw_sidebars()
        if not self._inspection.poll():
            return {"PASS_THROUGH"}
        self._end(context)
        return self.finish(context)

    def cancel(self, context: bpy.types.Context) -> None:
        """By Esc, or because the window closes or another file is opened."""
        if self._inspection:  # else only the choice of a file was left
            self._inspection.cancel()
            self._end(context)

    def _end(self, context: bpy.types.Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        self.at_work.remove(self._inspection)
        redraw_sidebars()
