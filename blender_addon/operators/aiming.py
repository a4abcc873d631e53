"""Drag the chosen hit: its arrow in the scene, or the dot on the disc beside it."""

import bpy
from bpy.props import EnumProperty
from mathutils import Vector

from ..aiming import Arrow, aim, aimed, arrow_of, chosen_push, disc_of
from ..selection import find_character

WHAT = (("ARROW", "Arrow", "The end of its arrow"), ("DISC", "Disc", "The dot of direction and strength"))
HINT = "{words}   |   Let go: keep it   |   Esc: as it was"


class FOOTFALL_OT_drag_hit(bpy.types.Operator):
    """Drag the chosen hit: how it goes and how hard. The ghost shows what becomes of it; Simulate makes it"""

    bl_idname = "footfall.drag_hit"
    bl_label = "Drag Hit"
    bl_options = {"UNDO", "INTERNAL"}

    what: EnumProperty(name="What", items=WHAT, options={"SKIP_SAVE"})

    def invoke(self, context, event):
        character = find_character(context)
        outlook = _outlook(context)
        self._arrow = arrow_of(character, outlook) if outlook else None
        if self._arrow is None:
            return {"CANCELLED"}
        # Both stay where they were when they were taken hold of, whatever the view and the animation do.
        self._disc = disc_of(context, character, outlook)
        self._name, self._number = character.name, character.footfall.active_push
        self._before = _settings(chosen_push(character))
        self._off = (0.0, 0.0)
        mouse = (event.mouse_region_x, event.mouse_region_y)
        if self.what == "ARROW":
            from bpy_extras.view3d_utils import location_3d_to_region_2d

            tail = location_3d_to_region_2d(context.region, context.region_data, self._arrow.tail)
            self._off = (tail.x - mouse[0], tail.y - mouse[1]) if tail else self._off
        else:
            self._drag(context, mouse)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        push = self._push()
        if push is None or context.region_data is None:  # undone, deleted, or the view is another one
            return self._end(context, {"CANCELLED"})
        if event.type == "MOUSEMOVE":
            self._drag(context, (event.mouse_region_x, event.mouse_region_y))
            return {"RUNNING_MODAL"}
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            _put_back(push, self._before)
            return self._end(context, {"CANCELLED"})
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            return self._end(context, {"FINISHED"} if _settings(push) != self._before else {"CANCELLED"})
        return {"RUNNING_MODAL"}

    def _drag(self, context, mouse: tuple[float, float]) -> None:
        push = self._push()
        if self.what == "ARROW":
            arrow = self._arrow.dragged(context.region, context.region_data, (mouse[0] + self._off[0], mouse[1] + self._off[1]))
        else:
            direction, newtons = aimed(self._arrow.direction, self._disc.force(*mouse))
            arrow = Arrow(self._arrow.place, direction, newtons, self._arrow.size)
        aim(push, arrow)
        context.workspace.status_text_set(HINT.format(words=f"{push.newtons:.0f} N for {push.force[1]:.3g} s"))
        context.area.tag_redraw()

    def _push(self):
        """The one that is dragged, as it is found now: nothing of Blender's data is kept over an undo."""
        character = bpy.data.objects.get(self._name)
        pushes = character.footfall.pushes if character else ()
        return pushes[self._number] if self._number < len(pushes) else None

    def _end(self, context, outcome: set[str]) -> set[str]:
        context.workspace.status_text_set(None)
        if context.area:
            context.area.tag_redraw()
        return outcome


def _outlook(context):
    from ..reaction import outlook_of  # needs numpy

    return outlook_of(context)


def _settings(push: bpy.types.PropertyGroup) -> tuple:
    """All of a push that dragging may change."""
    arrow = push.aim
    return push.feel, push.newtons, push.seconds, tuple(push.direction), arrow and (tuple(arrow.location), tuple(arrow.rotation_euler))


def _put_back(push: bpy.types.PropertyGroup, before: tuple) -> None:
    feel, newtons, seconds, direction, arrow = before
    push.newtons, push.seconds, push.direction = newtons, seconds, direction
    push.feel = feel
    if arrow and push.aim:
        push.aim.location, push.aim.rotation_euler = Vector(arrow[0]), arrow[1]


CLASSES = (FOOTFALL_OT_drag_hit,)
