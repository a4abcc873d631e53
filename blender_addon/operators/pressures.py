"""Recordings of foot pressure: add files, remove them from the list."""

import bpy
from bpy.props import CollectionProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from ...core.errors import JobError
from .. import pressures
from ..selection import find_character
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

    def added(self, context, recordings):
        """A character that acts nothing yet acts this, once its motion comes from foot pressure."""
        character = find_character(context)
        if character and not character.library and not character.footfall.motion.pressure:
            character.footfall.motion.pressure = recordings[0].name


class FOOTFALL_OT_act_pressure(Attempt, bpy.types.Operator):
    """The character's motion comes from the recording that is chosen: Simulate then bakes what the feet did"""

    bl_idname = "footfall.act_pressure"
    bl_label = "Use for Character"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return find_character(context) is not None

    def attempt(self, context):
        motion = find_character(context).footfall.motion
        motion.source, motion.pressure = "PRESSURE", _chosen(context).name


class FOOTFALL_OT_remove_pressure(Attempt, bpy.types.Operator):
    """Remove the recording that is chosen from the list"""

    bl_idname = "footfall.remove_pressure"
    bl_label = "Remove Recording"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        settings = context.scene.footfall
        _chosen(context)
        settings.pressures.remove(settings.active_pressure)
        settings.active_pressure = max(0, settings.active_pressure - 1)


def _chosen(context) -> bpy.types.PropertyGroup:
    settings = context.scene.footfall
    if not 0 <= settings.active_pressure < len(settings.pressures):
        raise JobError("There is no recording of foot pressure in the list: add one first.")
    return settings.pressures[settings.active_pressure]


CLASSES = (FOOTFALL_OT_add_pressure, FOOTFALL_OT_act_pressure, FOOTFALL_OT_remove_pressure)
