"""Recordings of foot pressure: add files, remove them from the list."""

import bpy
from bpy.props import CollectionProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from ...core.errors import JobError
from .. import pressures
from .adding import AddsFiles
from .attempt import Attempt


class FOOTFALL_OT_add_pressure(AddsFiles, bpy.types.Operator, ImportHelper):
    """Add recordings of a pressure pad or of insoles: Tekscan, Novel, XSENSOR, footscan, Moticon, Stappone, zebris, a Wii Balance Board, or a CSV"""

    bl_idname = "footfall.add_pressure"
    bl_label = "Add Recordings"

    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv;*.asf;*.asc;*.lst;*.xls;*.txt;*.apd", options={"HIDDEN"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})

    listing, many = pressures, "recordings"

    def look_at(self, paths):
        return pressures.look_at(paths)


class FOOTFALL_OT_remove_pressure(Attempt, bpy.types.Operator):
    """Remove the recording that is chosen from the list"""

    bl_idname = "footfall.remove_pressure"
    bl_label = "Remove Recording"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        settings = context.scene.footfall
        if not 0 <= settings.active_pressure < len(settings.pressures):
            raise JobError("There is no recording of foot pressure in the list: add one first.")
        settings.pressures.remove(settings.active_pressure)
        settings.active_pressure = max(0, settings.active_pressure - 1)


CLASSES = (FOOTFALL_OT_add_pressure, FOOTFALL_OT_remove_pressure)
