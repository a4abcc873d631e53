"""Fit the gait to the character, and forget that again."""

import bpy
from bpy.props import FloatProperty, IntProperty

from ..selection import the_character
from .attempt import Attempt
from .bake import Baking


class FOOTFALL_OT_fit_gait(Baking, bpy.types.Operator):
    """Try the gait on this very body for up to three minutes, so that it walks well on it. What is found is kept with the character"""

    bl_idname = "footfall.fit_gait"
    bl_label = "Fit to This Character"

    minutes: FloatProperty(name="Minutes", default=3.0, min=0.05, max=60.0, options={"SKIP_SAVE"}, description="The longest that it may take")
    trials: IntProperty(name="Trials", default=0, min=0, options={"SKIP_SAVE"},
                        description="End after so many trials instead, which finds the same every time; 0: after the minutes")

    def begin(self, context):
        from ..fitting import Fitting  # needs numpy

        return Fitting(context, the_character(context), self.minutes, self.trials)


class FOOTFALL_OT_forget_fit(Attempt, bpy.types.Operator):
    """Walk by scaling alone again: forget how this gait was fitted to the character"""

    bl_idname = "footfall.forget_fit"
    bl_label = "Forget the Fit"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        from .. import fits

        fits.forget(the_character(context))


CLASSES = (FOOTFALL_OT_fit_gait, FOOTFALL_OT_forget_fit)
