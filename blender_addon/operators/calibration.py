"""Calibration of foot pressure: list what is to be shown, and learn it from recordings."""

from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from ...core.errors import FootfallError
from .. import calibration, files
from .adding import TICK
from .attempt import Attempt
from .sidebars import redraw_sidebars


class FOOTFALL_OT_list_actions(Attempt, bpy.types.Operator):
    """List the actions of the database, to show how you do them"""

    bl_idname = "footfall.list_actions"
    bl_label = "List Actions"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        count = calibration.list_actions(context.scene)
        self.report({"INFO"}, f"{count} actions can be shown." if count > 1 else "1 action can be shown.")


class FOOTFALL_OT_calibrate(bpy.types.Operator, ExportHelper):
    """Find the actions in their recordings and save a database that knows how you do them"""

    bl_idname = "footfall.calibrate"
    bl_label = "Calibrate"
    bl_options = {"UNDO"}

    filename_ext = ".npz"
    filepath: StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: StringProperty(default="*.npz", options={"HIDDEN"})

    _inspection = None
    _timer = None
    _in_background = False

    @classmethod
    def poll(cls, context):
        return not calibration.RUNNING

    def invoke(self, context, event):
        """Choose where to save, or with that given, calibrate while Blender goes on."""
        self._in_background = True
        if self.filepath:
            return self.execute(context)
        self.filepath = "calibrated.npz"
        return ExportHelper.invoke(self, context, event)

    def execute(self, context):
        try:
            files.check_place(Path(bpy.path.abspath(self.filepath)))  # before the work, not after it
            self._inspection = calibration.begin(context.scene)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not self._in_background:
            return self._finish(context)
        calibration.RUNNING.append(self._inspection)
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, "Cancelled; nothing was saved.")
            return {"CANCELLED"}
        if event.type != "TIMER" or not self._inspection.poll():
            return {"PASS_THROUGH"}
        self._end(context)
        return self._finish(context)

    def cancel(self, context):
        """By Esc, or because the window closes or another file is opened."""
        if self._inspection:  # else only the choice of a file was left
            self._inspection.cancel()
            self._end(context)

    def _end(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        calibration.RUNNING.remove(self._inspection)
        redraw_sidebars(context)

    def _finish(self, context) -> set[str]:
        path = Path(bpy.path.abspath(self.filepath))
        try:
            count = calibration.finish(context.scene, self._inspection, path)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Saved '{path.name}': it knows how you do {count} action{'' if count == 1 else 's'}. Choose it as the database.")
        return {"FINISHED"}


CLASSES = (FOOTFALL_OT_list_actions, FOOTFALL_OT_calibrate)
