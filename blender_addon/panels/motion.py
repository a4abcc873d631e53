"""Motion: where it comes from, the method and its settings, speed, heading, start and length."""

import bpy

from .. import fits, references
from ..method import CLIP, can_be_steered, follows_feet, goes_on, has, learns, setting_of, settings_of, steered, takes_hits
from ..running import RUNNING
from ..selection import find_character
from .methods import draw_settings, presets_of, usual_of
from .tab import BOX, CharacterTab, sentence


class FOOTFALL_PT_motion(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_motion"
    bl_label = "Motion"

    def draw(self, context):
        layout, motion = self.layout, find_character(context).footfall.motion
        layout.row().prop(motion, "source", expand=True)
        layout.use_property_split, layout.use_property_decorate = True, False
        if motion.source == CLIP:
            _draw_clip(layout, context, motion)
        else:
            _draw_without_clip(layout, context, motion)


def _draw_without_clip(layout: bpy.types.UILayout, context: bpy.types.Context, motion: bpy.types.PropertyGroup) -> None:
    if follows_feet(motion):
        _draw_feet(layout, context, motion)
        return
    draw_settings(layout, motion, presets_of(motion))
    if learns(motion):
        _draw_learning(layout, context, motion)
    if fits.can_be_fitted(motion):
        _draw_fit(layout, context, find_character(context))
    if steered(motion):
        _draw_steering(layout, motion, "Gait's Own Speed")
    draw_settings(layout, motion, usual_of(motion))
    layout.prop(motion, "direction")
    if has(motion, "step_width"):
        layout.prop(motion, "collide")
    if has(motion, "start"):
        layout.prop(motion, "start")
    _draw_length(layout, motion)


def _draw_feet(layout: bpy.types.UILayout, context: bpy.types.Context, motion: bpy.types.PropertyGroup) -> None:
    settings = context.scene.footfall
    if not settings.pressures:
        sentence(layout, context, "There is no recording yet: add one in Foot Pressure.", "INFO")
        return
    layout.prop_search(motion, "pressure", settings, "pressures", icon="MOD_DYNAMICPAINT")
    draw_settings(layout, motion, usual_of(motion))
    layout.prop(motion, "direction")
    if motion.span != "SCENE":
        layout.prop(motion, "frame_start")


def _draw_learning(layout: bpy.types.UILayout, context: bpy.types.Context, motion: bpy.types.PropertyGroup) -> None:
    """The references to learn from, and the button."""
    settings = context.scene.footfall
    if not settings.references:
        sentence(layout, context, "There is no recording to learn from yet: add one in References.", "INFO")
        return
    layout.prop_search(motion, "reference", settings, "references", icon="ACTION")
    _draw_also(layout, settings, motion)
    row = layout.row()
    row.enabled = find_character(context).name not in RUNNING
    row.operator("footfall.learn", icon="OUTLINER_OB_ARMATURE")


def _draw_fit(layout: bpy.types.UILayout, context: bpy.types.Context, character: bpy.types.Object) -> None:
    """The button that fits the gait to the character, and what is kept of it."""
    fit = fits.kept(character)
    row = layout.row(align=True)
    row.enabled = character.name not in RUNNING
    row.operator("footfall.fit_gait", text="Fit Again" if fit else "Fit to This Character", icon="ARMATURE_DATA")
    if fit is None:
        return
    row.operator("footfall.forget_fit", text="", icon="TRASH")
    box = layout.box()
    if fits.belongs(character, fit):
        sentence(box, context, fit.report, "CHECKMARK", inset=BOX)
    else:
        sentence(box, context, "The character has changed since this gait was fitted to it: fit it again, or forget the fit.", "ERROR", inset=BOX)


def _draw_clip(layout: bpy.types.UILayout, context: bpy.types.Context, motion: bpy.types.PropertyGroup) -> None:
    settings = context.scene.footfall
    if not settings.references:
        sentence(layout, context, "There is no recording yet: add one in References.", "INFO")
        return
    layout.prop_search(motion, "reference", settings, "references", icon="ACTION")
    layout.prop(motion, "method")
    if not motion.method:
        sentence(layout, context, "The method that was chosen is not in this Footfall: choose another one.", "ERROR")
        return
    draw_settings(layout, motion, [*presets_of(motion), *usual_of(motion)])
    if references.gets_up(motion) and not references.who_get_up(context.scene):
        sentence(layout, context, "To get up, it needs a recording of somebody who lies and gets up: add one in References.", "INFO")
    if not takes_hits(motion):
        layout.prop(motion, "direction")
    if has(motion, "loop"):
        layout.prop(settings_of(motion), "loop")
    if goes_on(motion):
        if can_be_steered(motion):
            layout.prop(motion, "steer")
        if steered(motion):
            _draw_steering(layout, motion, "Clip's Own Speed")
        if setting_of(motion, "clips").kind.most != 1:
            _draw_also(layout, settings, motion)
        _draw_length(layout, motion)
    elif motion.span != "SCENE":
        layout.prop(motion, "frame_start")


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


CLASSES = (FOOTFALL_PT_motion,)
