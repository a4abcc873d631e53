"""Hit the animation that a character plays: where the panel says, or where it is clicked on."""

import bpy
from bpy.props import FloatVectorProperty
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector

from ...core.anatomy.bones import label
from ...core.errors import FormatError, JobError, RigError
from .. import references
from ..method import takes_hits
from ..picking import part_at
from ..selection import the_character
from .attempt import Attempt
from .pushes import add_push
from .references import waiting


class FOOTFALL_OT_add_hit(Attempt, bpy.types.Operator):
    """Hit the character on the current frame of the animation that it plays: a recording, keys set by hand, or a bake"""

    bl_idname = "footfall.add_hit"
    bl_label = "Hit This Animation"
    bl_options = {"UNDO"}  # no panel to do it again with other values: the worker takes its time

    def attempt(self, context):
        push = hit_animation(context, the_character(context))
        self.report({"INFO"}, f"A shove at frame {push.frame}: aim it in Hits and Pushes, then simulate.")


class FOOTFALL_OT_click_hit(Attempt, bpy.types.Operator):
    """Click on the character where it is hit on the current frame of the animation that it plays; the hit goes the way that you look"""

    bl_idname = "footfall.click_hit"
    bl_label = "Click Where It Is Hit"
    bl_options = {"UNDO"}

    origin: FloatVectorProperty(size=3, options={"SKIP_SAVE"}, description="Where the ray begins that looks for the part, world")
    direction: FloatVectorProperty(size=3, default=(0.0, 1.0, 0.0), options={"SKIP_SAVE"}, description="Where the ray and the hit go, world")

    def invoke(self, context, event):
        context.window.cursor_modal_set("CROSSHAIR")
        context.workspace.status_text_set("Click on the character where it is hit; Esc: never mind")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in ("ESC", "RIGHTMOUSE"):
            return self._end(context, {"CANCELLED"})
        if event.type != "LEFTMOUSE" or event.value != "PRESS":
            return {"PASS_THROUGH"} if event.type in ("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE") else {"RUNNING_MODAL"}
        view = _view_at(context, event)
        if view is None:
            return self._end(context, {"CANCELLED"})
        region, place = view
        self.origin = region_2d_to_origin_3d(*region, place)
        self.direction = region_2d_to_vector_3d(*region, place)
        return self._end(context, self.execute(context))

    def attempt(self, context):
        character = the_character(context)
        part = part_at(context, character, Vector(self.origin), Vector(self.direction).normalized())
        if part is None:
            raise RigError(f"That is not on '{character.name}': click on the character, where it is to be hit.")
        push = hit_animation(context, character)
        push.part, push.direction = part, [round(value, 3) + 0.0 for value in Vector(self.direction).normalized()]
        self.report({"INFO"}, f"A shove on the {label(part)} at frame {push.frame}: choose its strength in Hits and Pushes, then simulate.")

    def _end(self, context, outcome: set[str]) -> set[str]:
        context.window.cursor_modal_restore()
        context.workspace.status_text_set(None)
        return outcome


def _view_at(context, event) -> tuple | None:
    """Region and its 3D data under the mouse, and the mouse in it; None where it is over no 3D view."""
    for area in context.screen.areas:
        if area.type == "VIEW_3D":
            region = next(region for region in area.regions if region.type == "WINDOW")
            x, y = event.mouse_x - region.x, event.mouse_y - region.y
            beside = any(other.type != "WINDOW" and other.x <= event.mouse_x < other.x + other.width
                         and other.y <= event.mouse_y < other.y + other.height for other in area.regions)
            if 0 <= x < region.width and 0 <= y < region.height and not beside:
                return (region, area.spaces.active.region_3d), (x, y)
    return None


def hit_animation(context: bpy.types.Context, character: bpy.types.Object) -> bpy.types.PropertyGroup:
    """Make the animation that a character plays the clip that is hit, and add a shove at the current frame."""
    motion, data = character.footfall.motion, character.animation_data
    action = data.action if data else None
    frame = context.scene.frame_current
    if action is None:
        raise FormatError(f"'{character.name}' plays no action: give it an animation first, or follow a recording and choose React to Hits.")
    first, last = (round(value) for value in action.frame_range)
    if not first <= frame < last:
        raise JobError(f"Frame {frame} is outside of '{action.name}', which lasts from frame {first} to {last}: go to the frame of the hit.")
    if not _is_hit_already(context, character, action):
        with waiting(context):
            added = references.add_action(context, character, action)
        motion.source, motion.method, motion.reference, motion.loop = "CLIP", "HIT", added.name, False
        motion.span, motion.frame_start = "FRAMES", first
    push = add_push(context, character)
    push.feel = "SHOVE"
    return push


def _is_hit_already(context: bpy.types.Context, character: bpy.types.Object, action: bpy.types.Action) -> bool:
    """Whether this is what came of the hits so far: another one is added to them."""
    motion = character.footfall.motion
    hit = references.find(context.scene, motion.reference) if takes_hits(motion) else None
    return hit is not None and (action == character.footfall.bake.action or hit.name == action.name)


CLASSES = (FOOTFALL_OT_add_hit, FOOTFALL_OT_click_hit)
