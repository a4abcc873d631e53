"""Variations of hits, to choose one from."""

import bpy

from ..selection import the_character
from .attempt import Attempt
from .bake import Baking


class FOOTFALL_OT_vary_hits(Baking, bpy.types.Operator):
    """Simulate the hits several times, a little different each time, and show what becomes of the character as ghosts"""

    bl_idname = "footfall.vary_hits"
    bl_label = "Simulate Variations"

    def begin(self, context):
        from ..variations import Variations  # needs numpy

        return Variations(context, the_character(context))


class FOOTFALL_OT_keep_variation(Attempt, bpy.types.Operator):
    """Bake the variation that is chosen onto the character, as a new action"""

    bl_idname = "footfall.keep_variation"
    bl_label = "Bake This One"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        from ..variations import choose  # needs numpy

        self.report({"INFO"}, choose(context, the_character(context)))


class FOOTFALL_OT_clear_variations(Attempt, bpy.types.Operator):
    """Give up the variations and their ghosts"""

    bl_idname = "footfall.clear_variations"
    bl_label = "Clear Variations"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        from ..variations import forget  # needs numpy

        forget(the_character(context).footfall.variations)


CLASSES = (FOOTFALL_OT_vary_hits, FOOTFALL_OT_keep_variation, FOOTFALL_OT_clear_variations)
