"""What operators share that add recordings from files: a worker reads them while Blender goes on."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from ...core.errors import FootfallError
from .sidebars import redraw_sidebars

TICK = 0.1  # s between two looks at the files that are being read


class AddsFiles:
    """Mixin before ImportHelper. ``listing``: the module of the list, with its ``READING`` and ``add_files``; ``many``: what its entries are called;
    ``look_at(paths)`` begins to read; ``added(context, recordings)`` does the rest. In a window Blender goes on meanwhile, and Esc leaves everything
    as it was; a script waits."""

    bl_options = {"UNDO"}  # no panel to do it again with other values: the worker takes its time

    _inspection = None
    _timer = None
    _in_background = False

    def invoke(self, context, event):
        """Choose files, or with files given, read them while Blender goes on."""
        self._in_background = True
        return self.execute(context) if self.files else ImportHelper.invoke(self, context, event)

    def execute(self, context):
        names = [item.name for item in self.files if item.name]
        paths = [Path(bpy.path.abspath(self.directory), name) for name in names] or [Path(bpy.path.abspath(self.filepath))]
        try:
            self._inspection = self.look_at(paths)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not self._in_background:
            return self._add(context)
        self.listing.READING.append(self._inspection)
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, "Cancelled; nothing was added.")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        redraw_sidebars(context)
        if not self._inspection.poll():
            return {"PASS_THROUGH"}
        self._end(context)
        return self._add(context)

    def cancel(self, context):
        """By Esc, or because the window closes or another file is opened."""
        if self._inspection:  # else only the choice of files was left
            self._inspection.cancel()
            self._end(context)

    def added(self, context, recordings) -> None:
        """Nothing more has to be done with them."""

    def _end(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        self.listing.READING.remove(self._inspection)
        redraw_sidebars(context)

    def _add(self, context) -> set[str]:
        recordings, wrong = self.listing.add_files(context.scene, self._inspection)
        if not recordings:
            self.report({"ERROR"}, str(wrong[0]))
            return {"CANCELLED"}
        self.added(context, recordings)
        for error in wrong:
            self.report({"WARNING"}, str(error))
        if not wrong:
            first = recordings[0]
            self.report({"INFO"}, f"Added {len(recordings)} {self.many}." if len(recordings) > 1 else f"Added '{first.name}', {first.seconds:.1f} s.")
        return {"FINISHED"}
