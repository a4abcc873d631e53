"""Bake: one button, its progress, what came out, variations of hits, and options."""

import bpy

from .. import compat
from ..method import has_physics, takes_hits
from ..running import RUNNING, STOPPED
from ..selection import find_character, has_ik_controls
from .tab import BOX, CharacterTab, draw_running, sentence


class FOOTFALL_PT_bake(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_bake"
    bl_label = "Bake"

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        simulation = RUNNING.get(character.name)
        if simulation:
            draw_running(layout, context, simulation)
        else:
            if character.name in STOPPED:
                _draw_stopped(layout.box(), context, STOPPED[character.name])
            big = layout.column()
            big.scale_y = 1.6
            big.operator("footfall.simulate", text="Simulate" if has_physics(character.footfall.motion) else "Bake Without Physics", icon="PLAY")
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
        if has_ik_controls(find_character(context)):
            column.prop(bake, "ik_controls")
        column.prop(bake, "layer" if _is_hit(context) else "others_go_on")
        row = layout.row(align=True)
        row.operator("footfall.save_job", icon="EXPORT")
        row.operator("footfall.load_result", icon="IMPORT")


class FOOTFALL_UL_variations(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_variations"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        row = layout.row()
        # In Blender's own colours that come nearest to those of the ghosts.
        color = "COLORSET_09_VEC" if index == data.active else "COLORSET_01_VEC" if item.fell else "COLORSET_04_VEC"
        row.label(text=f"{item.name}, as set" if index == 0 else f"Variation {item.name}", icon=color)
        row.label(text="falls" if item.fell else "stays up")


class FOOTFALL_PT_variations(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_variations"
    bl_parent_id = "FOOTFALL_PT_bake"
    bl_label = "Variations"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return find_character(context) is not None and _is_hit(context)

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        simulation, listed = RUNNING.get(character.name), character.footfall.variations
        if hasattr(simulation, "fractions"):
            for number, fraction in enumerate(simulation.fractions, 1):
                compat.progress(layout, fraction, f"variation {number}")
            return
        row = layout.row(align=True)
        row.prop(listed, "count")
        row.prop(listed, "seed")
        layout.operator("footfall.vary_hits", icon="GHOST_ENABLED")
        if not listed.found:
            return
        layout.template_list("FOOTFALL_UL_variations", "", listed, "found", listed, "active", rows=4)
        if 0 <= listed.active < len(listed.found):
            chosen = listed.found[listed.active]
            sentence(layout.box(), context, chosen.report, "ERROR" if chosen.fell else "CHECKMARK", inset=BOX)
        row = layout.row(align=True)
        row.operator("footfall.keep_variation", icon="CHECKMARK")
        row.operator("footfall.clear_variations", text="", icon="TRASH")


def _is_hit(context: bpy.types.Context) -> bool:
    return takes_hits(find_character(context).footfall.motion)


def _draw_stopped(layout: bpy.types.UILayout, context: bpy.types.Context, simulation: object) -> None:
    text = f"Stopped at {simulation.fraction:.0%}. Simulate goes on from there, or begins anew if something was changed."
    sentence(layout, context, text, "PAUSE", inset=BOX)
    layout.operator("footfall.keep", icon="CHECKMARK")
    layout.operator("footfall.discard", icon="TRASH")


CLASSES = (FOOTFALL_UL_variations, FOOTFALL_PT_bake, FOOTFALL_PT_variations, FOOTFALL_PT_options)
