"""The chosen hit as it is aimed: its arrow with the ghost of what it does, the disc beside it, and what of both is taken hold of."""

from __future__ import annotations

import sys
from math import hypot

import bpy
import gpu
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ..aiming import arrow_of, chosen_push, circle, disc_of, is_aimed
from ..dragged import let_go_of_all
from ..selection import find_character
from . import pushes, shapes
from .over import is_over, take_off

TAKEN = (1.0, 1.0, 1.0, 0.9)
HANDLE, NEAR = 5, 11  # pixels at a scale of 1: half of the knob at the arrow's end, and how near to it the mouse takes hold


def draw(context: bpy.types.Context) -> bpy.types.PropertyGroup | None:
    """In the scene. Returns the hit whose arrow is drawn here."""
    if is_over():
        return chosen_push(find_character(context)) if is_aimed(context) else None
    return draw_hit(context)


def draw_hit(context: bpy.types.Context) -> bpy.types.PropertyGroup | None:
    """The same, also while it is dragged over the picture of the view."""
    if not is_aimed(context):
        return None
    from ..reaction import outlook_of  # needs numpy
    from . import reaction

    character, outlook = find_character(context), outlook_of(context)
    arrow = arrow_of(character, outlook)
    if outlook.answers and reaction.is_shown(character, outlook):
        reaction.draw(context, character, outlook)
    if arrow is None:
        return None
    pushes.draw_arrow(arrow)
    return chosen_push(character)


def draw_flat() -> None:
    """Over the scene, in pixels."""
    if not is_over():
        draw_hit_flat(bpy.context)


def draw_hit_flat(context: bpy.types.Context) -> None:
    """The same, also while it is dragged over the picture of the view."""
    if not is_aimed(context):
        return
    from ..reaction import outlook_of  # needs numpy
    from . import disc

    character, outlook = find_character(context), outlook_of(context)
    arrow = arrow_of(character, outlook)
    shown = arrow and disc_of(context, character, outlook)
    if not shown:
        return
    disc.draw(context, outlook, shown, arrow.newtons * arrow.direction)
    tail, scale = location_3d_to_region_2d(context.region, context.region_data, arrow.tail), context.preferences.system.ui_scale
    if tail:
        shapes.triangles(shapes.fan(circle(tail.x, tail.y, (HANDLE + 1.5) * scale, 20)), (0.0, 0.0, 0.0, 0.9))
        shapes.triangles(shapes.fan(circle(tail.x, tail.y, HANDLE * scale, 20)), pushes.COLOR)


class FOOTFALL_GT_spot(bpy.types.Gizmo):
    """A round place of the view that can be pressed; what is there is drawn above. ``place`` and ``radius`` in pixels of the region."""

    bl_idname = "FOOTFALL_GT_spot"
    __slots__ = ("place", "radius")

    def setup(self):
        self.place, self.radius = (0.0, 0.0), 0.0

    def draw(self, context):
        if self.is_highlight and not is_over():
            gpu.state.blend_set("ALPHA")
            shapes.lines(shapes.loop(circle(*self.place, self.radius, 48)), TAKEN, 2.0)
            gpu.state.blend_set("NONE")

    def test_select(self, context, location):
        return 0 if hypot(location[0] - self.place[0], location[1] - self.place[1]) <= self.radius else -1


class FOOTFALL_GGT_hit(bpy.types.GizmoGroup):
    """The end of the arrow and the disc: pressed, they begin to be dragged."""

    bl_idname = "FOOTFALL_GGT_hit"
    bl_label = "Aim the Hit"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT"}

    @classmethod
    def poll(cls, context):
        return is_aimed(context)

    def setup(self, context):
        self.knob, self.disc = (self._spot(what) for what in ("ARROW", "DISC"))

    def _spot(self, what: str) -> bpy.types.Gizmo:
        spot = self.gizmos.new(FOOTFALL_GT_spot.bl_idname)
        spot.target_set_operator("footfall.drag_hit").what = what
        return spot

    def draw_prepare(self, context):
        from ..reaction import outlook_of  # needs numpy

        character, outlook = find_character(context), outlook_of(context)
        arrow = arrow_of(character, outlook) if outlook else None
        shown = arrow and disc_of(context, character, outlook)
        tail = arrow and location_3d_to_region_2d(context.region, context.region_data, arrow.tail)
        self.knob.hide, self.disc.hide = not tail, not shown
        if tail:
            self.knob.place, self.knob.radius = (tail.x, tail.y), NEAR * context.preferences.system.ui_scale
        if shown:
            self.disc.place, self.disc.radius = (shown.x, shown.y), shown.radius


def _forget(*_: object) -> None:
    """Before another file is opened, what is known of the characters of this one; the module that knows needs numpy, and may not be loaded yet."""
    let_go_of_all()
    take_off()
    reaction = sys.modules.get(f"{__package__.rpartition('.')[0]}.reaction")
    if reaction:
        reaction.forget_all()


CLASSES = (FOOTFALL_GT_spot, FOOTFALL_GGT_hit)
_handlers = []


def register() -> None:
    _handlers.append(bpy.app.handlers.persistent(_forget))
    bpy.app.handlers.load_pre.append(_handlers[-1])


def unregister() -> None:
    _forget()
    bpy.app.handlers.load_pre.remove(_handlers.pop())
