"""What the colours in the view are: a legend in its corner, and a number over the head of each variation."""

from __future__ import annotations

from collections.abc import Iterator

import blf
import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

from ..aiming import is_aimed
from ..files import found
from ..selection import find_character
from ..spaces import space_of
from . import figure, ghost, shapes, variations
from .last_bake import frame_of, last_bake, load
from .written import write

SIZE, LINE, SQUARE, MARGIN = 12, 20, 10, 24  # pixels at a scale of 1: of letters, from line to line, of a square of colour, to the edge of the view
TEXT = (0.95, 0.95, 0.95, 1.0)
OVER = 0.2  # m over the middle of a head on a person, where its number is

Entry = tuple[shapes.Color, str]


def entries(context: bpy.types.Context) -> list[Entry]:
    """The colours that ghosts and foot pressure have now, and what they mean; empty where there are none to see."""
    shown, said = context.scene.footfall.overlays, {}
    for character in _characters(context):
        bake = _baked(character)
        if shown.ghost and bake and bake.reference is not None and frame_of(bake, context.scene, character) is not None:
            said["The clip that was followed"] = ghost.COLOR
        if shown.underfoot and character.footfall.underfoot.file:
            from . import underfoot  # needs numpy

            said |= underfoot.meanings(context.scene, character)
        if is_aimed(context) and character == find_character(context):
            from ..reaction import outlook_of  # needs numpy
            from . import reaction

            said |= reaction.MEANINGS if reaction.is_shown(character, outlook_of(context)) else {}
        listed = character.footfall.variations
        if shown.variations:
            said |= {variations.meaning(listed, number): variations.color(listed, number) for number in range(len(listed.found))}
    return [(color, text) for text, color in said.items()]


def draw() -> None:
    context = bpy.context
    if not context.space_data.overlay.show_overlays:
        return
    scale = context.preferences.system.ui_scale
    blf.size(0, SIZE * scale)
    left = next((region.width for region in context.area.regions if region.type == "TOOLS"), 0) + MARGIN * scale
    for line, (color, text) in enumerate(reversed(entries(context))):
        y, size = (MARGIN + LINE * line) * scale, SQUARE * scale
        shapes.triangles(shapes.fan([(left, y, 0.0), (left + size, y, 0.0), (left + size, y + size, 0.0), (left, y + size, 0.0)]), color)
        write(text, left + 2 * size, y, TEXT)
    if context.scene.footfall.overlays.variations:
        for number, color, place in _tags(context):
            at = location_3d_to_region_2d(context.region, context.region_data, place)
            if at:
                write(number, at.x, at.y, color)


def _tags(context: bpy.types.Context) -> Iterator[tuple[str, shapes.Color, Vector]]:
    """The number of each variation, its colour, and where in the world it is written."""
    for character in _characters(context):
        listed = character.footfall.variations
        space = space_of(character, listed) if listed.found else None
        for number, entry in enumerate(listed.found):
            bake = load(found(entry.result))
            if bake:
                middle, _, _ = figure.head(bake.figure, bake.joints[variations.frame_of(bake, listed, context.scene)])
                yield entry.name, variations.color(listed, number), space @ (middle + Vector((0.0, 0.0, OVER)))


def _characters(context: bpy.types.Context) -> Iterator[bpy.types.Object]:
    return (thing for thing in context.visible_objects if thing.type == "ARMATURE")


def _baked(character: bpy.types.Object) -> object:
    return last_bake(character) if not character.footfall.bake.looped else None
