"""Add Mannequin, in the panel and in the Add > Armature menu."""

import bpy

from ..mannequin import add_mannequin
from .attempt import Attempt


class FOOTFALL_OT_add_mannequin(Attempt, bpy.types.Operator):
    """Add a jointed wooden figure of 1.75 m at the 3D cursor, ready to walk"""

    bl_idname = "footfall.add_mannequin"
    bl_label = "Add Mannequin"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        from .. import mapping

        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        mapping.recognise_rig(add_mannequin(context, context.scene.cursor.location))


def _in_menu(self, context):
    self.layout.operator("footfall.add_mannequin", text="Footfall Mannequin", icon="OUTLINER_OB_ARMATURE")


CLASSES = (FOOTFALL_OT_add_mannequin,)


def register() -> None:
    bpy.types.VIEW3D_MT_armature_add.append(_in_menu)


def unregister() -> None:
    bpy.types.VIEW3D_MT_armature_add.remove(_in_menu)
