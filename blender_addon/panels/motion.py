"""Motion: gait, speed, heading, start and length."""

import bpy

from ..selection import find_character
from .tab import CharacterTab


class FOOTFALL_PT_motion(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_motion"
    bl_label = "Motion"

    def draw(self, context):
        layout, motion = self.layout, find_character(context).footfall.motion
        layout.use_property_split, layout.use_property_decorate = True, False
        column = layout.column()
        column.prop(motion, "gait")
        column.prop(motion, "own_speed")
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
        layout.column().prop(motion, "arm_spread")
        column = layout.column()
        column.prop(motion, "start")
        column.prop(motion, "span")
        if motion.span != "SCENE":
            column.prop(motion, "frame_start")
        if motion.span == "FRAMES":
            column.prop(motion, "frame_end")
        elif motion.span == "SECONDS":
            column.prop(motion, "seconds")


CLASSES = (FOOTFALL_PT_motion,)
