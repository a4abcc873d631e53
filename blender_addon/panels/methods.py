"""The settings of a method in a panel, in the order in which the method declares them.

What is known here of single settings holds for any method that has them: how they are drawn, where, and when they matter.
"""

from collections.abc import Iterable, Iterator

import bpy

from ...core.settings import Place, Preset
from ..method import follows_clip, method_of, name_of, settings_of
from ..properties.methods import Property, idle, properties_of
from ..selection import find_character
from .tab import CharacterTab

APART = ("weights", "acting", "pinned", "step_to", "softness")  # in panels of their own
PLAYED = APART[1:]  # in the panel Acting
RARE = ("store_gains", "without", "feedforward", "feedback_gain")  # which few people need: in the panel Advanced
RARE_OF_HITS = ("freedom", "strength")  # and of a clip that is hit, where a stumble is but one of the ways to take it
AMOUNTS = ("exaggerate",)  # how much of a preset: beside it, as a slider
ENDS = {"freedom": ("Stick to the Clip", "Physics First"), "effort": ("Calm", "Frantic")}  # of a slider: what it means to be at its ends
NEEDS = {"store_gains": "tune", "feedback_gain": "feedforward"}  # these matter only while another setting is on
STUMBLES, FLINCHES, FALLS = ("AUTO", "STUMBLE"), ("AUTO", "FLINCH"), ("AUTO", "BALANCE", "STUMBLE", "FALL")
RESPONSES = {**dict.fromkeys(("after_fall", "lies_for"), FALLS),
             **dict.fromkeys(("quality", "home", "freedom", "strength", "weights"), STUMBLES),
             **dict.fromkeys(("stiffness", "soft", "back"), FLINCHES)}  # the responses to a hit for which a setting matters


def presets_of(motion: bpy.types.PropertyGroup) -> list[Property]:
    """Those with which a preset is chosen, and how much of it."""
    return [item for item in _wanted(motion) if _chooses(item)]


def usual_of(motion: bpy.types.PropertyGroup) -> list[Property]:
    """The others that belong into the Motion panel, but for the loop, on which there the length depends."""
    return [item for item in _wanted(motion)
            if not _chooses(item) and item.setting != "loop" and item.setting not in APART and not _is_rare(motion, item)]


def _chooses(item: Property) -> bool:
    return isinstance(item.kind, Preset) or item.setting in AMOUNTS


def draw_settings(layout: bpy.types.UILayout, motion: bpy.types.PropertyGroup, items: Iterable[Property]) -> None:
    column, group = layout.column(), settings_of(motion)
    for item in items:
        if item.name in ENDS:
            _draw_slider(column, group, item.name)
        elif isinstance(item.kind, Place):
            row = column.row(align=True)
            row.prop(group, item.name)
            row.operator("footfall.mark_place", text="", icon="CURSOR").setting = item.name
        else:
            column.prop(group, item.name, slider=item.setting in (*APART, *AMOUNTS))


def _draw_slider(layout: bpy.types.UILayout, group: bpy.types.PropertyGroup, name: str) -> None:
    """As wide as the panel, with a word at each end."""
    column = layout.column(align=True)
    ends = column.row()
    ends.label(text=ENDS[name][0])
    other = ends.row()
    other.alignment = "RIGHT"
    other.label(text=ENDS[name][1])
    slider = column.row()
    slider.use_property_split = False
    slider.prop(group, name, text="", slider=True)


def _wanted(motion: bpy.types.PropertyGroup) -> Iterator[Property]:
    """Those that matter now."""
    group = settings_of(motion)
    response = getattr(group, "response", None)
    unused = idle(motion, name_of(motion))
    for item in properties_of(method_of(motion)):
        if item.setting in unused:
            continue
        needed = NEEDS.get(item.name)
        if needed and not getattr(group, needed, False):
            continue
        if item.setting == "at_end" and motion.heading_mode != "CURVE":
            continue
        if response and response not in RESPONSES.get(item.setting, RESPONSES.get(item.name, (response,))):
            continue
        yield item


def _is_rare(motion: bpy.types.PropertyGroup, item: Property) -> bool:
    return item.setting in RARE or (item.setting in RARE_OF_HITS and hasattr(settings_of(motion), "response"))


class _OfMethod(CharacterTab):
    """Mixin: a panel below Motion for some of the method's settings; it is there while there are any, and a recording where one is needed."""

    bl_parent_id = "FOOTFALL_PT_motion"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        character = find_character(context)
        if character is None or (follows_clip(character.footfall.motion) and not context.scene.footfall.references):
            return False
        return bool(cls.items(character.footfall.motion))

    @classmethod
    def items(cls, motion) -> list[Property]:
        raise NotImplementedError

    def draw(self, context):
        motion = find_character(context).footfall.motion
        self.layout.use_property_split, self.layout.use_property_decorate = True, False
        draw_settings(self.layout, motion, self.items(motion))


class FOOTFALL_PT_acting(_OfMethod, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_acting"
    bl_label = "Acting"

    @classmethod
    def items(cls, motion):
        return [item for item in _wanted(motion) if item.setting in PLAYED]


class FOOTFALL_PT_weights(_OfMethod, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_weights"
    bl_label = "Importance of Body Parts"

    @classmethod
    def items(cls, motion):
        return [item for item in _wanted(motion) if item.setting in APART and item.setting not in PLAYED]


class FOOTFALL_PT_more(_OfMethod, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_more"
    bl_label = "Advanced"

    @classmethod
    def items(cls, motion):
        return [item for item in _wanted(motion) if _is_rare(motion, item)]


CLASSES = (FOOTFALL_PT_acting, FOOTFALL_PT_weights, FOOTFALL_PT_more)
