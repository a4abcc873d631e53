"""The balance map: what a character that stands can take."""

import bpy

from ..selection import the_character
from .attempt import Attempt
from .bake import Baking


class FOOTFALL_OT_map_balance(Baking, bpy.types.Operator):
    """Push the character as it would stand at ease from all sides, ever harder, and show on the ground around it what keeps it up"""

    bl_idname = "footfall.map_balance"
    bl_label = "Make Balance Map"

    def begin(self, context):
        from ..balance_map import Mapping  # needs numpy

        return Mapping(context, the_character(context))


class FOOTFALL_OT_clear_balance(Attempt, bpy.types.Operator):
    """Take the balance map away"""

    bl_idname = "footfall.clear_balance"
    bl_label = "Clear Balance Map"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        the_character(context).footfall.balance.fields.clear()


CLASSES = (FOOTFALL_OT_map_balance, FOOTFALL_OT_clear_balance)
