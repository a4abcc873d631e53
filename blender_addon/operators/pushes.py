"""Pushes and balls: add, remove, aim."""

from math import cos, sin

import bpy
from bpy.props import BoolProperty
from mathutils import Vector

from ...core.errors import JobError
from ..aiming import ARROW_LENGTH, DECIMALS, Arrow, point
from ..selection import part_position, the_character
from .attempt import Attempt


class OneMore:
    """Mixin: an operator that adds a push. On a frame that has one it chooses that one, unless another one is asked for."""

    another: BoolProperty(name="One More on This Frame", default=False, options={"SKIP_SAVE"},
                          description="Add it even if there is one on this frame already, so that both act at once")

    @classmethod
    def description(cls, context, properties):
        return f"{cls.__doc__}; one more, if there is one on this frame already" if properties.another else cls.__doc__


class FOOTFALL_OT_add_push(OneMore, Attempt, bpy.types.Operator):
    """Push the character on the current frame"""

    bl_idname = "footfall.add_push"
    bl_label = "Add Push at Current Frame"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        push, new = add_push(context, the_character(context), self.another)
        if not new:
            self.report({"INFO"}, f"There is a push on frame {push.frame} already: it is chosen in the list; the button beside that adds one more.")


def add_push(context: bpy.types.Context, character: bpy.types.Object, another: bool = False) -> tuple[bpy.types.PropertyGroup, bool]:
    """A push to the character's right, on the current frame, and whether it is new: one that is there already is chosen, unless ``another`` is
    wanted."""
    from .. import scene

    there = [number for number, push in enumerate(character.footfall.pushes) if push.frame == context.scene.frame_current]
    if there and not another:
        character.footfall.active_push = there[-1]
        return character.footfall.pushes[there[-1]], False
    yaw = scene.measure(character, now=True).placement.yaw
    to_its_right = (sin(yaw), -cos(yaw), 0.0)
    settings = character.footfall
    push = settings.pushes.add()
    push.frame = context.scene.frame_current
    push.direction = [round(value, DECIMALS) + 0.0 for value in to_its_right]  # no -0
    settings.active_push = len(settings.pushes) - 1
    return push, True


class FOOTFALL_OT_remove_push(Attempt, bpy.types.Operator):
    """Remove the push that is chosen in the list"""

    bl_idname = "footfall.remove_push"
    bl_label = "Remove Push"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        settings = the_character(context).footfall
        arrow = _chosen(settings.pushes, settings.active_push, "push").arrow
        settings.pushes.remove(settings.active_push)
        settings.active_push = max(0, settings.active_push - 1)
        if arrow and arrow.get("footfall_arrow") and not any(push.arrow == arrow for push in settings.pushes):
            bpy.data.objects.remove(arrow)


class FOOTFALL_OT_aim_push(Attempt, bpy.types.Operator):
    """Aim the push with an arrow in the viewport: rotate it (R) and the push goes where it points"""

    bl_idname = "footfall.aim_push"
    bl_label = "Aim with an Arrow"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        character = the_character(context)
        settings = character.footfall
        push = _chosen(settings.pushes, settings.active_push, "push")
        if push.arrow is None or push.arrow.name not in context.view_layer.objects:
            push.arrow = _make_arrow(context, character, push)
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for other in context.selected_objects:
            other.select_set(False)
        push.arrow.select_set(True)
        context.view_layer.objects.active = push.arrow


def _make_arrow(context: bpy.types.Context, character: bpy.types.Object, push: bpy.types.PropertyGroup) -> bpy.types.Object:
    """An empty beside the part that is pushed, pointing at it."""
    from .. import scene

    scale = scene.measure(character, now=True).placement.scale
    arrow = bpy.data.objects.new(f"Push {push.frame}", None)
    arrow["footfall_arrow"] = True
    arrow.empty_display_type = "SINGLE_ARROW"
    arrow.empty_display_size = ARROW_LENGTH * scale
    point(arrow, Arrow(part_position(character, push.part), Vector(scene.push_direction(push)), push.force[0], scale))
    context.scene.collection.objects.link(arrow)
    return arrow


class FOOTFALL_OT_add_ball(Attempt, bpy.types.Operator):
    """Throw a ball at the character on the current frame"""

    bl_idname = "footfall.add_ball"
    bl_label = "Throw Ball at Current Frame"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        settings = the_character(context).footfall
        settings.balls.add().frame = context.scene.frame_current
        settings.active_ball = len(settings.balls) - 1


class FOOTFALL_OT_remove_ball(Attempt, bpy.types.Operator):
    """Remove the ball that is chosen in the list"""

    bl_idname = "footfall.remove_ball"
    bl_label = "Remove Ball"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        settings = the_character(context).footfall
        _chosen(settings.balls, settings.active_ball, "ball")
        settings.balls.remove(settings.active_ball)
        settings.active_ball = max(0, settings.active_ball - 1)


def _chosen(items: bpy.types.bpy_prop_collection, index: int, what: str) -> bpy.types.PropertyGroup:
    if not 0 <= index < len(items):
        raise JobError(f"There is no {what} in the list: add one first.")
    return items[index]


CLASSES = (FOOTFALL_OT_add_push, FOOTFALL_OT_remove_push, FOOTFALL_OT_aim_push, FOOTFALL_OT_add_ball, FOOTFALL_OT_remove_ball)
