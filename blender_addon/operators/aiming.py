"""Drag the chosen hit: its arrow in the scene, or the dot on the disc beside it.

While it is dragged nothing is written: Blender would evaluate the whole character again for each move of the mouse. Nor is the scene drawn again. The
hit is changed when it is let go.
"""

import bpy
from bpy.props import EnumProperty
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ..aiming import Arrow, aim, aimed, arrow_of, can_be_turned, disc_of
from ..dragged import Dragged, held, hold, let_go
from ..overlays.aiming import draw_hit, draw_hit_flat
from ..overlays.over import is_over, lay_over, reaches, take_off
from ..selection import find_character

WHAT = (("ARROW", "Arrow", "The end of its arrow"), ("DISC", "Disc", "The dot of direction and strength"))
HINT = "{newtons:.0f} N for {seconds:.3g} s   |   Let go: keep it   |   Esc: as it was"


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
        if self.what == "DISC" and self._disc is None:
            return {"CANCELLED"}
        self._name, self._number = character.name, character.footfall.active_push
        self._off = (0.0, 0.0)
        mouse = (event.mouse_region_x, event.mouse_region_y)
        if self.what == "ARROW":
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
            self._show(context, event)
        elif event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            return self._end(context, {"CANCELLED"})
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            dragged = held(self._name, self._number)
            if dragged:
                aim(push, Arrow(self._arrow.place, dragged.direction, dragged.newtons, self._arrow.size))
            return self._end(context, {"FINISHED"} if dragged else {"CANCELLED"})
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender ends the operator: the window closes."""
        self._end(context, {"CANCELLED"})

    def _drag(self, context, mouse: tuple[float, float]) -> None:
        push = self._push()
        if self.what == "ARROW":
            arrow = self._arrow.dragged(context.region, context.region_data, (mouse[0] + self._off[0], mouse[1] + self._off[1]))
        else:
            direction, newtons = aimed(self._arrow.direction, self._disc.force(*mouse))
            arrow = Arrow(self._arrow.place, direction, newtons, self._arrow.size)
        direction = arrow.direction if can_be_turned(push) else self._arrow.direction
        hold(self._name, Dragged(self._number, direction, round(arrow.newtons)))
        # It also makes Blender draw its window again: it does not for the mouse alone, which this operator has.
        context.workspace.status_text_set(HINT.format(newtons=arrow.newtons, seconds=push.force[1]))

    def _show(self, context, event) -> None:
        """Over the picture of the view, but for a first one without the hit; in the picture, where nothing can be drawn over it."""
        was = is_over()
        if reaches(context.area, context.region, event):
            lay_over(draw_hit, draw_hit_flat)
        else:
            take_off()
        if not (was and is_over()):
            context.region.tag_redraw()

    def _push(self):
        """The one that is dragged, as it is found now: nothing of Blender's data is kept over an undo."""
        character = bpy.data.objects.get(self._name)
        pushes = character.footfall.pushes if character else ()
        return pushes[self._number] if self._number < len(pushes) else None

    def _end(self, context, outcome: set[str]) -> set[str]:
        let_go(self._name)
        take_off()
        context.workspace.status_text_set(None)
        if context.area:
            context.area.tag_redraw()
        return outcome


def _outlook(context):
    from ..reaction import outlook_of  # needs numpy

    return outlook_of(context)


CLASSES = (FOOTFALL_OT_drag_hit,)
