"""Bake: one button, its progress, what came out, and options."""

import bpy

from .. import compat
from ..running import RUNNING, STOPPED
from ..selection import find_character
from .tab import BOX, CharacterTab, sentence


class FOOTFALL_PT_bake(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_bake"
    bl_label = "Bake"

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        simulation = RUNNING.get(character.name)
        if simulation:
            compat.progress(layout, simulation.part, _time_left(simulation.left))
            layout.operator("footfall.cancel", icon="X")
        else:
            if character.name in STOPPED:
                _draw_stopped(layout.box(), context, STOPPED[character.name])
            big = layout.column()
            big.scale_y = 1.6
            motion = character.footfall.motion
            without_physics = motion.source == "CLIP" and motion.method == "RETARGET"
            big.operator("footfall.simulate", text="Retarget" if without_physics else "Simulate", icon="PLAY")
        bake = character.footfall.bake
        if bake.report and not simulation:
            sentence(layout.box(), context, bake.report, "ERROR" if bake.fell else "CHECKMARK", inset=BOX)
        layout.prop(bake, "live_preview")


class FOOTFALL_PT_options(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_options"
    bl_parent_id = "FOOTFALL_PT_bake"
    bl_label = "Options"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, bake = self.layout, find_character(context).footfall.bake
        column = layout.column()
        column.prop(bake, "push_to_nla")
        column.prop(bake, "only_selected")
        column.prop(bake, "in_place")
        row = layout.row(align=True)
        row.operator("footfall.save_job", icon="EXPORT")
        row.operator("footfall.load_result", icon="IMPORT")


def _draw_stopped(layout: bpy.types.UILayout, context: bpy.types.Context, simulation: object) -> None:
    text = f"Stopped at {simulation.part:.0%}. Simulate goes on from there, or begins anew if something was changed."
    sentence(layout, context, text, "PAUSE", inset=BOX)
    layout.operator("footfall.keep", icon="CHECKMARK")
    layout.operator("footfall.discard", icon="TRASH")


def _time_left(seconds: float | None) -> str:
    if seconds is None:
        return "starting"
    return f"{seconds:.0f} s left" if seconds < 100 else f"{seconds / 60:.0f} min left"


CLASSES = (FOOTFALL_PT_bake, FOOTFALL_PT_options)
