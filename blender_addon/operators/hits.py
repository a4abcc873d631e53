"""Hit the animation that a character plays; and variations of hits, to choose one from."""

import bpy

from ...core.errors import FormatError, JobError
from .. import references
from ..selection import the_character
from .attempt import Attempt
from .bake import Baking
from .pushes import add_push
from .references import waiting


class FOOTFALL_OT_add_hit(Attempt, bpy.types.Operator):
    """Hit the character on the current frame of the animation that it plays: a recording, keys set by hand, or a bake"""

    bl_idname = "footfall.add_hit"
    bl_label = "Hit This Animation"
    bl_options = {"UNDO"}  # no panel to do it again with other values: the worker takes its time

    def attempt(self, context):
        character = the_character(context)
        motion, data = character.footfall.motion, character.animation_data
        action = data.action if data else None
        frame = context.scene.frame_current
        if action is None:
            raise FormatError(f"'{character.name}' plays no action: give it an animation first, or follow a recording and choose Take Hits.")
        first, last = (round(value) for value in action.frame_range)
        if not first <= frame < last:
            raise JobError(f"Frame {frame} is outside of '{action.name}', which lasts from frame {first} to {last}: go to the frame of the hit.")
        if not self._is_hit_already(context, character, action):
            with waiting(context):
                added = references.add_action(context, character, action)
            motion.source, motion.method, motion.reference, motion.loop = "CLIP", "HIT", added.name, False
            motion.span, motion.frame_start = "FRAMES", first
        push = add_push(context, character)
        push.feel = "SHOVE"
        self.report({"INFO"}, f"A shove at frame {frame}: aim it in the Pushes panel, then simulate.")

    def _is_hit_already(self, context, character: bpy.types.Object, action: bpy.types.Action) -> bool:
        """Whether this is what came of the hits so far: another one is added to them."""
        motion = character.footfall.motion
        hit = motion.source == "CLIP" and motion.method == "HIT" and references.find(context.scene, motion.reference)
        return bool(hit) and (action == character.footfall.bake.action or references.find(context.scene, motion.reference).name == action.name)


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
    bl_label = "Keep This One"
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


CLASSES = (FOOTFALL_OT_add_hit, FOOTFALL_OT_vary_hits, FOOTFALL_OT_keep_variation, FOOTFALL_OT_clear_variations)
