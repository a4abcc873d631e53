"""Motion: a gait or a clip, speed, heading, start and length."""

import bpy

from ..properties.hits import MANNER
from ..properties.plan import PARTS
from ..references import can_be_steered, can_go_on, goes_on, steered
from ..selection import find_character
from .tab import CharacterTab, sentence


class FOOTFALL_PT_motion(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_motion"
    bl_label = "Motion"

    def draw(self, context):
        layout, motion = self.layout, find_character(context).footfall.motion
        layout.row().prop(motion, "source", expand=True)
        layout.use_property_split, layout.use_property_decorate = True, False
        if motion.source == "CLIP":
            _draw_clip(layout, context, motion)
        else:
            layout.prop(motion, "gait")
            _draw_steering(layout, motion, "Gait's Own Speed")
            layout.column().prop(motion, "arm_spread")
            layout.prop(motion, "start")
            _draw_length(layout, motion)


def _draw_clip(layout: bpy.types.UILayout, context: bpy.types.Context, motion: bpy.types.PropertyGroup) -> None:
    settings = context.scene.footfall
    if not settings.references:
        sentence(layout, context, "There is no recording yet: add one in References.", "INFO")
        return
    layout.prop_search(motion, "reference", settings, "references", icon="ACTION")
    layout.prop(motion, "method")
    if motion.method == "TRACK":
        layout.prop(motion, "tune")
    if motion.method == "PLAN":
        _draw_plan(layout, motion.plan)
    if motion.method == "HIT":
        _draw_hits(layout, motion)
    if can_go_on(motion):
        layout.prop(motion, "loop")
    if goes_on(motion):
        if can_be_steered(motion):
            layout.prop(motion, "steer")
        if steered(motion):
            _draw_steering(layout, motion, "Clip's Own Speed")
        if motion.method == "TRACK":
            _draw_also(layout, settings, motion)
        _draw_length(layout, motion)
    elif motion.span != "SCENE":
        layout.prop(motion, "frame_start")


def _draw_plan(layout: bpy.types.UILayout, plan: bpy.types.PropertyGroup) -> None:
    layout.prop(plan, "quality")
    layout.prop(plan, "strength")
    column = layout.column(align=True)
    ends = column.row()
    ends.label(text="Stick to the Clip")
    other = ends.row()
    other.alignment = "RIGHT"
    other.label(text="Physics First")
    slider = column.row()
    slider.use_property_split = False
    slider.prop(plan, "freedom", text="", slider=True)


def _draw_hits(layout: bpy.types.UILayout, motion: bpy.types.PropertyGroup) -> None:
    hits = motion.hits
    layout.prop(hits, "response")
    column = layout.column()
    if hits.response in ("AUTO", "STUMBLE"):
        column.prop(motion.plan, "quality")
        column.prop(hits, "home")
    for name in MANNER if hits.response in ("AUTO", "FLINCH") else ("delay",):
        column.prop(hits, name)


def _draw_also(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, motion: bpy.types.PropertyGroup) -> None:
    """Other recordings whose steps may be taken."""
    column = layout.column(align=True)
    for index, item in enumerate(motion.also):
        row = column.row(align=True)
        row.prop_search(item, "reference", settings, "references", text="" if index else "Also Use", icon="ACTION")
        row.operator("footfall.remove_also", text="", icon="X").index = index
    column.operator("footfall.add_also", text="Another" if motion.also else "Also Use", icon="ADD")


def _draw_steering(layout: bpy.types.UILayout, motion: bpy.types.PropertyGroup, own_speed: str) -> None:
    column = layout.column()
    column.prop(motion, "own_speed", text=own_speed)
    if not motion.own_speed:
        column.prop(motion, "speed")
    column = layout.column()
    column.prop(motion, "heading_mode")
    if motion.heading_mode == "NUMBER":
        column.prop(motion, "heading", text="Turn by")
        if motion.heading:
            column.prop(motion, "turn_seconds")
    elif motion.heading_mode == "PROPERTY":
        column.prop(motion, "heading_object")
        column.prop(motion, "heading_path")
    else:
        column.prop(motion, "curve")


def _draw_length(layout: bpy.types.UILayout, motion: bpy.types.PropertyGroup) -> None:
    column = layout.column()
    column.prop(motion, "span")
    if motion.span != "SCENE":
        column.prop(motion, "frame_start")
    if motion.span == "FRAMES":
        column.prop(motion, "frame_end")
    elif motion.span == "SECONDS":
        column.prop(motion, "seconds")


class FOOTFALL_PT_plan_parts(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_plan_parts"
    bl_parent_id = "FOOTFALL_PT_motion"
    bl_label = "How Much Parts Matter"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        character = find_character(context)
        return character is not None and character.footfall.motion.source == "CLIP" and character.footfall.motion.method == "PLAN"

    def draw(self, context):
        plan, column = find_character(context).footfall.motion.plan, self.layout.column(align=True)
        column.use_property_split, column.use_property_decorate = True, False
        for part in PARTS:
            column.prop(plan, part, slider=True)


CLASSES = (FOOTFALL_PT_motion, FOOTFALL_PT_plan_parts)
