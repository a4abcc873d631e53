"""Play Live: a character that is played like a game, and its takes."""

import bpy

from ..running import RUNNING
from ..selection import find_character
from .tab import CharacterTab, sentence


class FOOTFALL_PT_playing(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_playing"
    bl_label = "Play Live"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        settings, running = character.footfall.playing, RUNNING.get(character.name)
        if hasattr(running, "controls"):
            self._draw_running(context, running)
            return
        column = layout.column()
        column.enabled = running is None
        column.operator("footfall.play", icon="PLAY")
        column.prop(settings, "follow")
        column.prop(settings, "light")
        column.separator()
        column.prop(settings, "take")
        row = column.row()
        row.enabled = bool(settings.take)
        row.operator("footfall.simulate_take", icon="FILE_REFRESH")

    def _draw_running(self, context, running):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("footfall.stop_playing", icon="SNAP_FACE")
        row.operator("footfall.cancel", text="", icon="X")
        sentence(layout, context, running.doing or "Starting", "DOT")
        if running.controls.gait is not None:
            layout.operator_menu_enum("footfall.choose_gait", "gait", text=running.controls.gait.replace("_", " ").title())
        layout.operator("footfall.get_up", icon="LOOP_BACK")
        if running.is_behind:
            sentence(layout, context, f"This computer cannot keep up: all goes at {running.rate:.0%} of its speed.", "ERROR")


CLASSES = (FOOTFALL_PT_playing,)
