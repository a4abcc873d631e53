"""Act Live: a device that sends moves the character."""

import bpy

from ..running import RUNNING
from ..selection import find_character
from .tab import CharacterTab, sentence

COUNTED = {"received": "frames", "lost": "lost", "late": "late", "bad": "not understood"}


class FOOTFALL_PT_listening(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_listening"
    bl_parent_id = "FOOTFALL_PT_pressures"
    bl_label = "Act Live"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        settings, running = character.footfall.listening, RUNNING.get(character.name)
        if hasattr(running, "heard"):
            self._draw_running(context, running)
            return
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "address")
        column.prop(settings, "latency")
        column.prop(settings, "database")
        row = layout.row()
        row.enabled = running is None
        row.operator("footfall.listen", icon="PLAY")

    def _draw_running(self, context, running):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("footfall.stop_listening", icon="SNAP_FACE")
        row.operator("footfall.cancel", text="", icon="X")
        sentence(layout, context, running.doing or "Starting", "DOT")
        delay = f"; lately at most {running.delay:.2f} s" if running.delay is not None else ""
        sentence(layout, context, f"Latency: {running.latency:.2f} s{delay}", "TIME")
        if running.heard:
            counted = ", ".join(f"{running.heard[kind]} {word}" for kind, word in COUNTED.items())
            sentence(layout, context, counted, "INFO")


CLASSES = (FOOTFALL_PT_listening,)
