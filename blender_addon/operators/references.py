"""References: add files or an action, repair, remove; and those that a character may use besides the one it follows."""

from contextlib import contextmanager

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from ...core.errors import FootfallError, FormatError, JobError, RigError
from .. import belongings, files, references
from ..belongings import in_words
from ..redraw import redraw_sidebars
from ..selection import find_character, the_character
from .adding import AddsFiles
from .attempt import Attempt
from .background import TICK

SLICE = 0.2  # s at once for what has to be read from the scene


@contextmanager
def waiting(context):
    """The mouse shows that this takes a moment."""
    if context.window:
        context.window.cursor_modal_set("WAIT")
    try:
        yield
    finally:
        if context.window:
            context.window.cursor_modal_restore()


def _offer(context, reference) -> None:
    """A character that follows nothing yet follows this, once its motion comes from a clip."""
    character = find_character(context)
    if character and not character.library and not character.footfall.motion.reference:
        character.footfall.motion.reference = reference.name


class FOOTFALL_OT_add_reference(AddsFiles, bpy.types.Operator, ImportHelper):
    """Add recordings from files: BVH, AMC with its ASF beside it, or DeepMimic"""

    bl_idname = "footfall.add_reference"
    bl_label = "Add Files"

    filename_ext = ".bvh"
    filter_glob: StringProperty(default="*.bvh;*.amc;*.txt;*.json", options={"HIDDEN"})
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})

    repair: BoolProperty(name="Repair", default=False, options={"SKIP_SAVE"}, description="Interpolate where a recording is damaged")

    listing, many = references, "references"

    def look_at(self, paths):
        return references.look_at(paths, self.repair)

    def added(self, context, recordings):
        _offer(context, recordings[0])


class ReadsAnimation:
    """Mixin: ``begin(context)`` gives a Reading of an animation, or None where none has to be read; ``finish(context, reference)`` does the rest.
    In a window Blender goes on meanwhile, and Esc leaves everything as it was; a script waits."""

    bl_options = {"UNDO"}  # no panel to do it again with other values: reading takes its time

    _reading = None
    _timer = None

    def invoke(self, context, event):
        return self.start_modal(context)

    def execute(self, context):
        try:
            reading = self.begin(context)
            self.finish(context, reading.add(context.scene) if reading else None)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def start(self, context) -> set[str]:
        """Begin to read, and let the window go on. The caller has to be a modal handler, once: twice would make Blender hang."""
        try:
            self._reading = self.begin(context)
            if self._reading is None:
                self.finish(context, None)
                return {"FINISHED"}
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        references.READING.append(self._reading)
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        return {"RUNNING_MODAL"}

    def start_modal(self, context) -> set[str]:
        """The same for who is no modal handler yet."""
        outcome = self.start(context)
        if outcome == {"RUNNING_MODAL"}:
            context.window_manager.modal_handler_add(self)
        return outcome

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, "Cancelled; nothing was changed.")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            if not self._reading.poll(SLICE):
                context.workspace.status_text_set(f"Reading the animation: {self._reading.fraction:.0%}   Esc: cancel")
                redraw_sidebars()
                return {"PASS_THROUGH"}
            self._end(context)
            self.finish(context, self._reading.add(context.scene))
        except FootfallError as error:
            self.cancel(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except Exception:
            self.cancel(context)
            raise
        return {"FINISHED"}

    def cancel(self, context):
        """By Esc, or because the window closes or another file is opened."""
        if self._reading:
            self._reading.cancel()
            self._end(context)

    def _end(self, context) -> None:
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
            references.READING.remove(self._reading)
            context.workspace.status_text_set(None)
            redraw_sidebars()


class FOOTFALL_OT_add_reference_action(ReadsAnimation, bpy.types.Operator):
    """Add an action as a recording, as an armature plays it with all its constraints"""

    bl_idname = "footfall.add_reference_action"
    bl_label = "Add Action"

    armature: StringProperty(name="Armature", options={"SKIP_SAVE"}, description="The armature that plays it; empty: the active character")
    action: StringProperty(name="Action", options={"SKIP_SAVE"}, description="The action; empty: the one that the armature plays now")

    _asked = False

    def invoke(self, context, event):
        character = find_character(context)
        if character and not self.armature:
            data = character.animation_data
            self.armature, self.action = character.name, data.action.name if data and data.action else ""
        self._asked = True
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context):
        return self.start_modal(context) if self._asked else super().execute(context)

    def draw(self, context):
        self.layout.use_property_split = True
        self.layout.prop_search(self, "armature", context.scene, "objects", icon="ARMATURE_DATA")
        self.layout.prop_search(self, "action", bpy.data, "actions", icon="ACTION")

    def begin(self, context):
        armature = self._armature(context)
        return references.read_action(context, armature, self._action(armature))

    def finish(self, context, reference):
        _offer(context, reference)
        self.report({"INFO"}, f"Added '{reference.name}', {reference.seconds:.1f} s.")

    def _armature(self, context) -> bpy.types.Object:
        if not self.armature:
            return the_character(context)
        found = context.scene.objects.get(self.armature)
        if found is None or found.type != "ARMATURE":
            raise RigError(f"There is no armature '{self.armature}' in this scene: choose another one.")
        return found

    def _action(self, armature: bpy.types.Object) -> bpy.types.Action:
        if self.action:
            found = bpy.data.actions.get(self.action)
            if found is None:
                raise FormatError(f"There is no action '{self.action}': choose another one.")
            return found
        if not (armature.animation_data and armature.animation_data.action):
            raise FormatError(f"'{armature.name}' plays no action: choose one.")
        return armature.animation_data.action


class _OnReference(Attempt):
    """Mixin: works on the reference that is chosen in the list."""

    def chosen(self, context) -> tuple[bpy.types.PropertyGroup, int]:
        listed, active = context.scene.footfall.references, context.scene.footfall.active_reference
        if not 0 <= active < len(listed):
            raise JobError("There is no reference in the list: add a file or an action first.")
        return listed[active], active


class FOOTFALL_OT_remove_reference(_OnReference, bpy.types.Operator):
    """Remove the reference that is chosen from the list"""

    bl_idname = "footfall.remove_reference"
    bl_label = "Remove Reference"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        _, active = self.chosen(context)
        context.scene.footfall.references.remove(active)
        context.scene.footfall.active_reference = max(0, active - 1)


class FOOTFALL_OT_repair_reference(_OnReference, bpy.types.Operator):
    """Interpolate where the recording is damaged; press again to leave it as it is"""

    bl_idname = "footfall.repair_reference"
    bl_label = "Repair"
    bl_options = {"UNDO"}  # no panel to do it again with other values: the worker takes its time

    def attempt(self, context):
        reference, _ = self.chosen(context)
        with waiting(context):
            references.look_again(reference, repair=not reference.repair)


class FOOTFALL_OT_remove_unused(bpy.types.Operator):
    """Delete the files in the folder footfall that nothing in this .blend refers to: results of earlier bakes, variations that were given up"""

    bl_idname = "footfall.remove_unused"
    bl_label = "Delete Unused Files"

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self, width=420)

    def draw(self, context):
        unused = belongings.unused()
        self.layout.label(text=f"Delete {len(unused)} files ({in_words(belongings.sizes()[1])}) from '{files.folder()}'?", icon="TRASH")
        for name in belongings.others()[:3]:
            self.layout.label(text=f"'{name}' beside it may use some of them.", icon="ERROR")

    def execute(self, context):
        freed = belongings.remove_unused()
        self.report({"INFO"}, f"Deleted {in_words(freed)}; undo does not bring them back." if freed else "Every file is in use.")
        redraw_sidebars()
        return {"FINISHED"}


class FOOTFALL_OT_add_also(Attempt, bpy.types.Operator):
    """Let the character take steps of another recording too, to turn or to stop"""

    bl_idname = "footfall.add_also"
    bl_label = "Also Use"
    bl_options = {"REGISTER", "UNDO"}

    reference: StringProperty(name="Reference", options={"SKIP_SAVE"}, description="Its name; may be chosen later")

    def attempt(self, context):
        the_character(context).footfall.motion.also.add().reference = self.reference


class FOOTFALL_OT_remove_also(Attempt, bpy.types.Operator):
    """Do not use this recording"""

    bl_idname = "footfall.remove_also"
    bl_label = "Do Not Use"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(name="Index", min=0, options={"SKIP_SAVE"})

    def attempt(self, context):
        also = the_character(context).footfall.motion.also
        if self.index >= len(also):
            raise JobError("There is no other reference at this place of the list.")
        also.remove(self.index)


CLASSES = (FOOTFALL_OT_add_reference, FOOTFALL_OT_add_reference_action, FOOTFALL_OT_remove_reference, FOOTFALL_OT_repair_reference,
           FOOTFALL_OT_remove_unused, FOOTFALL_OT_add_also, FOOTFALL_OT_remove_also)
