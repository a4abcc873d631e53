"""Learn a controller from references."""

import bpy
from bpy.props import FloatProperty, IntProperty

from ..selection import the_character
from .bake import Baking


class FOOTFALL_OT_learn(Baking, bpy.types.Operator):
    """Learn, on this very body, to do for ever what these references show: what they do in which state, and by practice the way out of others"""

    bl_idname = "footfall.learn"
    bl_label = "Learn from These References"

    minutes: FloatProperty(name="Minutes", default=5.0, min=0.05, max=600.0, options={"SKIP_SAVE"},
                           description="After which no practice begins any more")
    rounds: IntProperty(name="Rounds", default=60, min=0, options={"SKIP_SAVE"}, description="Of practice, at most")

    def begin(self, context):
        from ..learning import Learning  # needs numpy

        return Learning(context, the_character(context), self.minutes, self.rounds)


CLASSES = (FOOTFALL_OT_learn,)
