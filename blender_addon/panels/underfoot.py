"""Under the Feet: the pressure that is drawn there, of the motion or of a recording."""

import bpy

from ..running import RUNNING
from ..selection import find_character
from .tab import CharacterTab, draw_running, sentence


class FOOTFALL_PT_underfoot(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_underfoot"
    bl_parent_id = "FOOTFALL_PT_pressures"
    bl_label = "Under the Feet"

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        kept, running = character.footfall.underfoot, RUNNING.get(character.name)
        layout.row().prop(kept, "shown", expand=True)
        if kept.shown == "MOTION":
            layout.prop(kept, "pad")
        if running:
            draw_running(layout, context, running)
            return
        row = layout.row(align=True)
        row.operator("footfall.show_pressure", icon="HIDE_OFF")
        if kept.file:
            row.operator("footfall.clear_pressure", text="", icon="X")
            layout.prop(context.scene.footfall.overlays, "underfoot")
            self._say(context, character)
        layout.operator("footfall.export_pressure", icon="EXPORT")

    def _say(self, context, character):
        from ..overlays.underfoot import is_current  # needs numpy

        if is_current(character):
            sentence(self.layout, context, character.footfall.underfoot.said, "INFO")
        else:
            sentence(self.layout, context, "Another animation is played now: press Show Pressure again.", "ERROR")


CLASSES = (FOOTFALL_PT_underfoot,)
