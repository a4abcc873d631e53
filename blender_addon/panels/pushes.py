"""Pushes, balls, and what a character that stands can take."""

import bpy

from ...core.anatomy.bones import label
from .. import compat
from ..method import has_hits
from ..references import READING
from ..running import RUNNING
from ..selection import find_character
from ..span import span_of
from .tab import CharacterTab, draw_running, sentence

# Of the balance map, in Blender's own colours that come nearest to those on the ground.
LEGEND = (("Ankles", "COLORSET_03_VEC"), ("Hips", "COLORSET_12_VEC"), ("One step", "COLORSET_09_VEC"), ("Two steps", "COLORSET_02_VEC"),
          ("More steps", "COLORSET_06_VEC"), ("Falls", "COLORSET_13_VEC"))


def _line(layout, context, item, text: str) -> None:
    """A line of a list; dim, and marked, where the bake does not reach its frame."""
    reached = span_of(context.scene, find_character(context)).holds(item.frame)
    row = layout.row()
    row.active = reached
    split = row.split(factor=0.22)
    split.label(text=f"{item.frame}")
    split.label(text=text, icon="NONE" if reached else "GHOST_DISABLED")


def _list(layout, settings, items: str, item: str):
    """A list with its buttons to add and to remove; returns the entry that is chosen, or None. Their names follow from those of the items."""
    layout.operator(f"footfall.add_{item}", icon="ADD")
    found, active = getattr(settings, items), getattr(settings, f"active_{item}")
    if found:
        row = layout.row()
        row.template_list(f"FOOTFALL_UL_{items}", "", settings, items, settings, f"active_{item}", rows=2, maxrows=5)
        buttons = row.column(align=True)
        if item == "push":
            buttons.operator("footfall.add_push", text="", icon="DUPLICATE").another = True
        buttons.operator(f"footfall.remove_{item}", text="", icon="REMOVE")
    layout.use_property_split, layout.use_property_decorate = True, False
    return found[active] if 0 <= active < len(found) else None


class FOOTFALL_UL_pushes(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_pushes"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        _line(layout, context, item, f"{label(item.part).capitalize()}, {item.force[0]:.0f} N")


class FOOTFALL_UL_balls(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_balls"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        _line(layout, context, item, f"{item.bl_rna.properties['source'].enum_items[item.source].name}, {item.kilograms:.3g} kg")


class FOOTFALL_PT_pushes(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_pushes"
    bl_label = "Hits and Pushes"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = self.layout
        row = layout.row(align=True)
        row.operator("footfall.add_hit", icon="FORCE_FORCE")
        row.operator("footfall.click_hit", text="", icon="RESTRICT_SELECT_OFF")
        for reading in READING:
            compat.progress(layout, reading.fraction, "reading")
        push = _list(layout, find_character(context).footfall, "pushes", "push")
        if push is None:
            return
        column = layout.column()
        for name in ("frame", "part", "feel", "strength", *(("seconds",) if push.feel == "OWN" else ()),
                     *(("direction",) if push.aim is None else ()), "arrow"):
            column.prop(push, name, slider=name == "strength")
        layout.operator("footfall.aim_push", icon="EMPTY_SINGLE_ARROW")
        character, shown = find_character(context), context.scene.footfall.overlays
        if has_hits(character):
            layout.prop(shown, "reaction")
            if shown.reaction:
                sentence(layout, context, _expected(context), "GHOST_ENABLED")


def _expected(context) -> str:
    """What the preview says of the chosen hit."""
    from ..forecast import forecast_of  # needs numpy
    from ..reaction import outlook_of

    outlook = outlook_of(context)
    forecast = forecast_of(outlook)
    return f"Expected: {forecast.words}." if forecast else outlook.why


class FOOTFALL_PT_balls(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_balls"
    bl_parent_id = "FOOTFALL_PT_pushes"
    bl_label = "Balls"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        ball = _list(self.layout, find_character(context).footfall, "balls", "ball")
        if ball is None:
            return
        column = self.layout.column()
        for name in ("frame", "source", *(("thrower",) if ball.source == "OBJECT" else ()), "kilograms", "radius", "speed"):
            column.prop(ball, name)


class FOOTFALL_PT_balance(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_balance"
    bl_parent_id = "FOOTFALL_PT_pushes"
    bl_label = "Balance Map"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        balance, simulation = character.footfall.balance, RUNNING.get(character.name)
        if simulation:
            draw_running(layout, context, simulation)
            return
        layout.prop(balance, "detail", expand=True)
        row = layout.row(align=True)
        row.operator("footfall.map_balance", icon="MESH_CIRCLE")
        if not balance.fields:
            return
        row.operator("footfall.clear_balance", text="", icon="TRASH")
        column = layout.box().column(align=True)
        for way, limit in zip(("Forward", "To its left", "Backward", "To its right"), balance.limits.split(","), strict=True):
            split = column.split(factor=0.5)
            split.label(text=way)
            split.label(text=f"{limit} N for 0.2 s")
        layout.label(text="What keeps it up, by colour:")
        grid = layout.grid_flow(columns=2, even_columns=True)
        for name, icon in LEGEND:
            grid.label(text=name, icon=icon)


CLASSES = (FOOTFALL_UL_pushes, FOOTFALL_UL_balls, FOOTFALL_PT_pushes, FOOTFALL_PT_balls, FOOTFALL_PT_balance)
