"""What all panels share: where they are, and text that wraps."""

import blf
import bpy

from .. import compat
from ..selection import find_character
from ..status import time_left
from .lights import light

MARGIN = 78  # pixels beside the text of a label at a scale of 1: tabs, the edges of the panel, the icon
BOX = 14  # pixels that a box takes of that


class Tab:
    """Mixin: a panel of the Footfall tab."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Footfall"


class CharacterTab(Tab):
    """Mixin: a panel that is there while a character is selected."""

    @classmethod
    def poll(cls, context):
        return find_character(context) is not None


def draw_running(layout: bpy.types.UILayout, context: bpy.types.Context, simulation: object) -> None:
    """How far a simulation is, what it does, and the button that ends it."""
    compat.progress(layout, simulation.fraction, time_left(simulation.left))
    sentence(layout, context, simulation.doing or "Starting", "DOT")
    layout.operator("footfall.cancel", icon="X")


def sentence(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: str = "BLANK1", icon_value: int = 0,
             inset: float = 0.0) -> None:
    """Text beside an icon, over as many lines as the sidebar's width needs: labels do not wrap by themselves.

    ``inset``: pixels, at a scale of 1, that the layout is narrower than the panel.
    """
    column = layout.column(align=True)
    column.scale_y = 0.85
    for number, line in enumerate(_lines(context, text, inset)):
        if number == 0 and icon_value:
            column.label(text=line, icon_value=icon_value)
        else:
            column.label(text=line, icon=icon if number == 0 else "BLANK1")


def _lines(context: bpy.types.Context, text: str, inset: float) -> list[str]:
    preferences = context.preferences
    scale = preferences.system.ui_scale
    room = context.region.width - (MARGIN + inset) * scale
    blf.size(0, preferences.ui_styles[0].widget.points * scale)

    def fits(line: str) -> bool:
        return len(line) < 2 or blf.dimensions(0, line)[0] <= room

    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and not fits(longer):
            lines.append(word)
        else:
            lines[-1] = longer
        while not fits(lines[-1]):  # one long word, such as a path
            line = lines.pop()
            end = next(end for end in range(len(line) - 1, 0, -1) if fits(line[:end]))
            lines += [line[:end], line[end:]]
    return lines


def findings(layout: bpy.types.UILayout, context: bpy.types.Context, recording: bpy.types.PropertyGroup) -> None:
    """What was found in a recording, and what is wrong with it."""
    for fact in recording.facts.splitlines():
        sentence(layout, context, fact, "DOT")
    for fault in recording.faults.splitlines():
        sentence(layout, context, fault, icon_value=light("amber"))
