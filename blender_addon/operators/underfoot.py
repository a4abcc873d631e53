"""Foot pressure under a character: show it, take it away, write it to a file."""

from pathlib import Path

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ...core.errors import JobError
from ..properties.underfoot import PADS
from ..selection import find_character, the_character
from .attempt import Attempt
from .bake import Baking


class FOOTFALL_OT_show_pressure(Baking, bpy.types.Operator):
    """Work the pressure under the character's feet out and draw it there while the animation plays"""

    bl_idname = "footfall.show_pressure"
    bl_label = "Show Pressure"

    def begin(self, context):
        from ..underfoot import Showing  # needs numpy

        character, recording = the_character(context), None
        if character.footfall.underfoot.shown == "RECORDING":
            listed, active = context.scene.footfall.pressures, context.scene.footfall.active_pressure
            if not 0 <= active < len(listed):
                raise JobError("There is no recording of foot pressure in the list: add one first, or show the pressure of the motion.")
            recording = listed[active]
        return Showing(context, character, character.footfall.underfoot.pad, recording)


class FOOTFALL_OT_clear_pressure(Attempt, bpy.types.Operator):
    """Take the pressure under the character's feet away"""

    bl_idname = "footfall.clear_pressure"
    bl_label = "Clear Pressure"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        kept = the_character(context).footfall.underfoot
        for name in ("file", "said", "soles", "action"):
            kept.property_unset(name)


class FOOTFALL_OT_export_pressure(Baking, bpy.types.Operator, ExportHelper):
    """Write what a pad or insoles would feel under the animation that the character plays, as a CSV"""

    bl_idname = "footfall.export_pressure"
    bl_label = "Export Pressure"
    bl_options = set()  # nothing in the scene changes

    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv", options={"HIDDEN"})
    pad: EnumProperty(name="Device", items=PADS, default="pedar", description="What feels the pressure")

    _chosen = False

    def invoke(self, context, event):
        character = find_character(context)
        if character:
            self.pad = character.footfall.underfoot.pad
        self._chosen = True
        return ExportHelper.invoke(self, context, event)

    def execute(self, context):
        """After the choice of a file Blender goes on; a script waits."""
        return Baking.invoke(self, context, None) if self._chosen else Baking.execute(self, context)

    def begin(self, context):
        from ..underfoot import Exporting  # needs numpy

        return Exporting(context, the_character(context), self.pad, Path(bpy.path.abspath(self.filepath)))


CLASSES = (FOOTFALL_OT_show_pressure, FOOTFALL_OT_clear_pressure, FOOTFALL_OT_export_pressure)
