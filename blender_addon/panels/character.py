"""Character: what was recognised, why something is missing, and pickers to put it right."""

import json

import bpy

from ...core.anatomy.bones import REQUIRED
from ..selection import characters_of, find_character
from .lights import light
from .tab import CharacterTab, Tab, sentence


def color(part: bpy.types.PropertyGroup) -> str:
    if part.status == "found":
        return "green"
    return "red" if part.status == "missing" and part.name in REQUIRED else "amber"


def draw_first_steps(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """What to press while there is no character."""
    sentence(layout, context, "Footfall makes characters walk, run and react to hits, by physics. Choose who shall move:", "INFO")
    column = layout.column(align=True)
    column.scale_y = 1.3
    if characters_of(context):
        column.operator_menu_enum("footfall.pick_character", "character", text="Pick a Character", icon="ARMATURE_DATA")
    column.operator("footfall.add_mannequin", icon="OUTLINER_OB_ARMATURE")
    if not characters_of(context):
        sentence(layout, context, "There is no armature in this scene: import your own character, or try the mannequin.")


class FOOTFALL_PT_character(Tab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_character"
    bl_label = "Character"

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        if character is None:
            draw_first_steps(layout, context)
            return
        settings = character.footfall
        layout.label(text=character.name, icon="ARMATURE_DATA")
        if not settings.bone_map:
            big = layout.column()
            big.scale_y = 1.4
            big.operator("footfall.recognise", icon="VIEWZOOM")
            return
        problems = [part for part in settings.parts if color(part) != "green"]
        sentence(layout, context, settings.summary, icon_value=light("red" if not settings.usable else "amber" if problems else "green"))


def _short(slot: str) -> str:
    """'upper_arm.L' → 'Upper arm L': fits into half of a narrow sidebar."""
    part, _, side = slot.partition(".")
    return f"{part.replace('_', ' ').capitalize()} {side}"


class FOOTFALL_UL_parts(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_parts"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        split = layout.split(factor=0.5)
        split.label(text=_short(item.name), icon_value=light(color(item)))
        bone = split.row()
        bone.active = bool(item.bone)
        bone.label(text=item.bone or "none")


class FOOTFALL_PT_parts(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_parts"
    bl_parent_id = "FOOTFALL_PT_character"
    bl_label = "Body Parts"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        character = find_character(context)
        return character is not None and bool(character.footfall.bone_map)

    def draw(self, context):
        layout, character = self.layout, find_character(context)
        settings = character.footfall
        layout.template_list("FOOTFALL_UL_parts", "", settings, "parts", settings, "active_part", rows=8, maxrows=8)
        if 0 <= settings.active_part < len(settings.parts):
            part = settings.parts[settings.active_part]
            layout.prop_search(part, "bone", character.data, "bones", text="")
            if part.note:
                sentence(layout, context, part.note, icon_value=light(color(part)))
            controls = json.loads(settings.bone_map)["controls"].get(part.name)
            if controls and part.bone not in controls:
                sentence(layout, context, f"Keys go to {', '.join(controls)}.", "KEY_HLT")
        row = layout.row(align=True)
        row.operator("footfall.recognise", text="Recognise Again", icon="FILE_REFRESH")
        row.menu("FOOTFALL_MT_mappings", text="", icon="PRESET")


class FOOTFALL_PT_body(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_body"
    bl_parent_id = "FOOTFALL_PT_character"
    bl_label = "Weight"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, find_character(context).footfall
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(settings, "sex")
        layout.prop(settings, "own_mass")
        if not settings.own_mass:
            layout.prop(settings, "mass")


CLASSES = (FOOTFALL_PT_character, FOOTFALL_UL_parts, FOOTFALL_PT_parts, FOOTFALL_PT_body)
