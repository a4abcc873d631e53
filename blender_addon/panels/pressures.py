"""Foot Pressure: recordings of pads and insoles, and what was found in them."""

import bpy

from .. import compat
from ..pressures import READING
from .lights import light
from .strips import draw_square
from .tab import Tab, findings, sentence


class FOOTFALL_UL_pressures(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_pressures"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        row = layout.row(align=True)
        row.label(text=item.name, icon_value=light("amber" if item.faults else "green"))
        figures = row.row(align=True)
        figures.alignment = "RIGHT"  # as wide as they need, the name gets the rest
        figures.label(text=f"{item.seconds:.1f} s")
        figures.label(text=f"{item.rate:.0f} Hz")
        figures.label(text=f"{item.steps} steps" if item.steps != 1 else "1 step")


class FOOTFALL_PT_pressures(Tab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_pressures"
    bl_label = "Foot Pressure"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.scene.footfall
        layout.operator("footfall.add_pressure", icon="FILE_FOLDER")
        for inspection in READING:
            compat.progress(layout, inspection.fraction, "reading")
        if not settings.pressures:
            if not READING:
                sentence(layout, context, "Recordings of pressure pads and insoles: what the feet of a person did.", "INFO")
            return
        row = layout.row()
        row.template_list("FOOTFALL_UL_pressures", "", settings, "pressures", settings, "active_pressure", rows=3, maxrows=6)
        row.operator("footfall.remove_pressure", text="", icon="REMOVE")
        if not 0 <= settings.active_pressure < len(settings.pressures):
            return
        recording = settings.pressures[settings.active_pressure]
        draw_square(layout, context, bpy.path.abspath(recording.picture))
        findings(layout, context, recording)
        layout.operator("footfall.act_pressure", icon="ARMATURE_DATA")


CLASSES = (FOOTFALL_UL_pressures, FOOTFALL_PT_pressures)
