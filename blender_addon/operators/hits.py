"""Hit the animation that a character plays: where the panel says, or where it is clicked on."""

from math import pi

import bpy
from bpy.props import FloatVectorProperty, StringProperty
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector

from ...core.anatomy.bones import label
from ...core.errors import JobError, RigError
from .. import actions, animation, references
from ..method import method_of, setting_of, settings_of, takes_hits
from ..picking import part_at
from ..selection import the_character
from .attempt import Attempt
from .pushes import OneMore, add_push
from .references import ReadsAnimation

MARK = 0.2  # Blender units: the size of a circle on the ground


class HitsAnimation(OneMore, ReadsAnimation):
    """Mixin: makes the animation that a character plays the clip that is hit, and adds a shove at the frame that was current."""

    _character = ""
    _frame = 0

    def begin(self, context):
        character, self._frame = the_character(context), context.scene.frame_current
        self._character = character.name
        played, first, last = animation.played(character)
        if not first <= self._frame < last:
            what = f"'{played.action}', which lasts" if played.action else f"the NLA strips of '{character.name}', which last"
            raise JobError(f"Frame {self._frame} is outside of {what} from frame {first} to {last}: go to the frame of the hit.")
        return None if _is_hit_already(context, character) else references.Reading(context, character, played, first, last)

    def hit(self, context, reference) -> tuple[bpy.types.PropertyGroup, bool]:
        """The hit, and whether it is new, as ``add_push``. ``reference``: what was read; None where it was known."""
        character = bpy.data.objects.get(self._character)
        if character is None:
            raise RigError(f"'{self._character}' is gone: the reading was ended.")
        motion = character.footfall.motion
        if reference:
            motion.source, motion.method, motion.reference, motion.loop = "CLIP", "HIT", reference.name, False
            motion.span, motion.frame_start = "FRAMES", reference.first
        push, new = add_push(context, character, self.another)
        if new:
            push.feel, push.frame = "SHOVE", self._frame
        return push, new


class FOOTFALL_OT_add_hit(HitsAnimation, bpy.types.Operator):
    """Hit the character on the current frame of the animation that it plays: a recording, keys set by hand, NLA strips, or a bake"""

    bl_idname = "footfall.add_hit"
    bl_label = "Hit This Animation"

    def finish(self, context, reference):
        push, new = self.hit(context, reference)
        what = f"A shove at frame {push.frame}" if new else f"There is a hit on frame {push.frame} already"
        self.report({"INFO"}, f"{what}: aim it in Hits and Pushes, then simulate.")


class FOOTFALL_OT_click_hit(HitsAnimation, bpy.types.Operator):
    """Click on the character where it is hit on the current frame of the animation that it plays; the hit goes the way that you look"""

    bl_idname = "footfall.click_hit"
    bl_label = "Click Where It Is Hit"

    origin: FloatVectorProperty(size=3, options={"SKIP_SAVE"}, description="Where the ray begins that looks for the part, world")
    direction: FloatVectorProperty(size=3, default=(0.0, 1.0, 0.0), options={"SKIP_SAVE"}, description="Where the ray and the hit go, world")

    def invoke(self, context, event):
        context.window.cursor_modal_set("CROSSHAIR")
        context.workspace.status_text_set("Click on the character where it is hit   |   Shift: one more on this frame   |   Esc: never mind")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if self._reading:
            return super().modal(context, event)
        if event.type in ("ESC", "RIGHTMOUSE"):
            return self._let_go(context, {"CANCELLED"})
        if event.type != "LEFTMOUSE" or event.value != "PRESS":
            return {"PASS_THROUGH"} if event.type in ("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE") else {"RUNNING_MODAL"}
        view = _view_at(context, event)
        if view is None:
            return self._let_go(context, {"CANCELLED"})
        region, place = view
        self.origin = region_2d_to_origin_3d(*region, place)
        self.direction = region_2d_to_vector_3d(*region, place)
        self.another = event.shift
        return self._let_go(context, self.start(context))

    def begin(self, context):
        character = the_character(context)
        self._part = part_at(context, character, Vector(self.origin), Vector(self.direction).normalized())
        if self._part is None:
            raise RigError(f"That is not on '{character.name}': click on the character, where it is to be hit.")
        return super().begin(context)

    def finish(self, context, reference):
        push, _ = self.hit(context, reference)
        push.part, push.direction = self._part, [round(value, 3) + 0.0 for value in Vector(self.direction).normalized()]
        self.report({"INFO"}, f"A hit on the {label(self._part)} at frame {push.frame}: choose its strength in Hits and Pushes, then simulate.")

    def _let_go(self, context, outcome: set[str]) -> set[str]:
        """Of the mouse."""
        context.window.cursor_modal_restore()
        context.workspace.status_text_set(None)
        return outcome


class FOOTFALL_OT_mark_place(Attempt, bpy.types.Operator):
    """Mark the place on the ground under the 3D cursor"""

    bl_idname = "footfall.mark_place"
    bl_label = "Mark at 3D Cursor"
    bl_options = {"REGISTER", "UNDO"}

    setting: StringProperty(description="Which setting of the method asks for a place", options={"SKIP_SAVE"})

    def attempt(self, context):
        character = the_character(context)
        motion = character.footfall.motion
        setting, group = setting_of(motion, self.setting), settings_of(motion)
        if setting is None:
            raise JobError(f"The method {method_of(motion).LABEL} asks for no place '{self.setting}': choose another method.")
        mark = getattr(group, self.setting)
        if mark is None or mark.name not in context.view_layer.objects:
            mark = bpy.data.objects.new(setting.label, None)
            mark.empty_display_type, mark.empty_display_size = "CIRCLE", MARK
            mark.rotation_euler.x = pi / 2  # it lies
            context.scene.collection.objects.link(mark)
            setattr(group, self.setting, mark)
        x, y, _ = context.scene.cursor.location
        mark.location = (x, y, character.matrix_world.translation.z)


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


def _is_hit_already(context: bpy.types.Context, character: bpy.types.Object) -> bool:
    """Whether it plays what came of the hits so far, or what was hit: another one is added to them."""
    motion, data, baked = character.footfall.motion, character.animation_data, character.footfall.bake.action
    hit = references.find(context.scene, motion.reference) if takes_hits(motion) else None
    if hit is None:
        return False
    if data.action and data.action == hit.action:
        return hit.fingerprint in ("", animation.fingerprint(hit.action))  # else it was changed since: it is read again
    if data.action:
        return data.action == baked
    layers = [track for track in animation.sounding(data) if actions.is_layer_of(track, hit.name)]
    return bool(layers) or (hit.action is None and hit.owner == character)


CLASSES = (FOOTFALL_OT_add_hit, FOOTFALL_OT_click_hit, FOOTFALL_OT_mark_place)
