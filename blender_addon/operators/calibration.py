"""Calibration of foot pressure: list what is to be shown, and learn it from recordings."""

from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from ...core.errors import FootfallError
from .. import calibration, files
from .attempt import Attempt
from .background import Background


class FOOTFALL_OT_list_actions(Attempt, bpy.types.Operator):
    """List the actions of the database, to show how you do them"""

    bl_idname = "footfall.list_actions"
    bl_label = "List Actions"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        count = calibration.list_actions(context.scene)
        self.report({"INFO"}, f"{count} actions can be shown." if count > 1 else "1 action can be shown.")


class FOOTFALL_OT_calibrate(Background, bpy.types.Operator, ExportHelper):
    """Find the actions in their recordings and save a database that knows how you do them"""

    bl_idname = "footfall.calibrate"
    bl_label = "Calibrate"
    bl_options = {"UNDO"}

    filename_ext = ".npz"
    filepath: StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: StringProperty(default="*.npz", options={"HIDDEN"})

    at_work, unchanged = calibration.RUNNING, "nothing was saved"

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

    def begin(self, context):
        files.check_place(Path(bpy.path.abspath(self.filepath)))  # before the work, not after it
        return calibration.begin(context.scene)

    def finish(self, context):
        path = Path(bpy.path.abspath(self.filepath))
        try:
            count = calibration.finish(context.scene, self._inspection, path)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Saved '{path.name}': it knows how you do {count} action{'' if count == 1 else 's'}. Choose it as the database.")
        return {"FINISHED"}


CLASSES = (FOOTFALL_OT_list_actions, FOOTFALL_OT_calibrate)
