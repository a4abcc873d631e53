"""Pushes and balls."""

import bpy

from ..rig.bones import label
from ..selection import find_character
from ..span import span_of
from .tab import CharacterTab


def _line(layout, context, item, text: str) -> None:
    """A line of a list; dim, and marked, where the bake does not reach its frame."""
    reached = span_of(context.scene, find_character(context)).holds(item.frame)
    row = layout.row()
    row.active = reached
    split = row.split(factor=0.22)
    split.label(text=f"{item.frame}")
    split.label(text=text, icon="NONE" if reached else "GHOST_DISABLED")


class FOOTFALL_UL_pushes(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_pushes"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        _line(layout, context, item, f"{label(item.part).capitalize()}, {item.newtons:.0f} N")


class FOOTFALL_UL_balls(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_balls"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        _line(layout, context, item, f"{item.bl_rna.properties['source'].enum_items[item.source].name}, {item.kilograms:.3g} kg")


class FOOTFALL_PT_pushes(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_pushes"
    bl_label = "Pushes"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, find_character(context).footfall
        layout.operator("footfall.add_push", icon="ADD")
        if settings.pushes:
            row = layout.row()
            row.template_list("FOOTFALL_UL_pushes", "", settings, "pushes", settings, "active_push", rows=2, maxrows=5)
            row.operator("footfall.remove_push", text="", icon="REMOVE")
        if 0 <= settings.active_push < len(settings.pushes):
            self._draw_push(layout, settings.pushes[settings.active_push])

    def _draw_push(self, layout, push) -> None:
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column()
        column.prop(push, "frame")
        column.prop(push, "part")
        column.prop(push, "newtons")
        column.prop(push, "seconds")
        if push.aim is None:
            column.prop(push, "direction")
        column.prop(push, "arrow")
        layout.operator("footfall.aim_push", icon="EMPTY_SINGLE_ARROW")


class FOOTFALL_PT_balls(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_balls"
    bl_parent_id = "FOOTFALL_PT_pushes"
    bl_label = "Balls"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, find_character(context).footfall
        layout.operator("footfall.add_ball", icon="ADD")
        if settings.balls:
            row = layout.row()
            row.template_list("FOOTFALL_UL_balls", "", settings, "balls", settings, "active_ball", rows=2, maxrows=5)
            row.operator("footfall.remove_ball", text="", icon="REMOVE")
        if 0 <= settings.active_ball < len(settings.balls):
            self._draw_ball(layout, settings.balls[settings.active_ball])

    def _draw_ball(self, layout, ball) -> None:
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column()
        for name in ("frame", "source", *(("thrower",) if ball.source == "OBJECT" else ()), "kilograms", "radius", "speed"):
            column.prop(ball, name)


CLASSES = (FOOTFALL_UL_pushes, FOOTFALL_UL_balls, FOOTFALL_PT_pushes, FOOTFALL_PT_balls)
