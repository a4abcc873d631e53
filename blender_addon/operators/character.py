"""Which bone is which: recognise, save and load."""

from pathlib import Path

import bpy
from bpy.props import EnumProperty, StringProperty

from ...core.errors import FormatError, RigError
from ..selection import characters_of, the_character
from .attempt import Attempt


def preset_folder() -> Path:
    """Where saved bone maps live, with the user's other presets."""
    return Path(bpy.utils.user_resource("SCRIPTS", path="presets")) / "footfall"


_named: list[tuple[str, str, str]] = []  # Blender forgets the texts of a menu that nobody else keeps


def _to_pick(_: bpy.types.Operator, context: bpy.types.Context) -> list[tuple[str, str, str]]:
    _named[:] = [(thing.name, thing.name, f"Select '{thing.name}'") for thing in characters_of(context)]
    return _named


class FOOTFALL_OT_pick_character(Attempt, bpy.types.Operator):
    """Select a character of this scene, and find out which bone is which part of its body"""

    bl_idname = "footfall.pick_character"
    bl_label = "Pick a Character"
    bl_options = {"REGISTER", "UNDO"}

    character: EnumProperty(name="Character", items=_to_pick, options={"SKIP_SAVE"})

    def attempt(self, context):
        from .. import mapping

        if not self.character:
            raise RigError("There is no armature in this scene: import a character, or add a mannequin.")
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for other in context.selected_objects:
            other.select_set(False)
        chosen = context.view_layer.objects[self.character]
        chosen.select_set(True)
        context.view_layer.objects.active = chosen
        if not chosen.footfall.bone_map:
            found = mapping.recognise_rig(the_character(context))
            self.report({"INFO"} if found.usable else {"WARNING"}, found.summary)


class FOOTFALL_OT_recognise(Attempt, bpy.types.Operator):
    """Find out which bone is which part of the body"""

    bl_idname = "footfall.recognise"
    bl_label = "Recognise Rig"
    bl_options = {"REGISTER", "UNDO"}

    def attempt(self, context):
        from .. import mapping

        character = the_character(context)
        found = mapping.recognise_rig(character)
        self.report({"INFO"} if found.usable else {"WARNING"}, found.summary)


class FOOTFALL_OT_save_mapping(Attempt, bpy.types.Operator):
    """Save which bone is which, for other characters with the same rig"""

    bl_idname = "footfall.save_mapping"
    bl_label = "Save Bone Map"

    title: StringProperty(name="Name", description="The name it gets in the list of saved bone maps")
    filepath: StringProperty(name="File", subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"}, description="Save to this file instead")

    def invoke(self, context, event):
        self.title = "My Rig"
        return context.window_manager.invoke_props_dialog(self)

    def attempt(self, context):
        from .. import mapping

        character = the_character(context)
        if not character.footfall.bone_map:
            raise RigError(f"'{character.name}' was not recognised yet: press Recognise Rig first.")
        name = bpy.path.clean_name(self.title.strip()) if self.title.strip() else ""
        if not (self.filepath or name):
            raise FormatError("The bone map has no name: give it one.")
        mapping.save_map(character, Path(bpy.path.abspath(self.filepath)) if self.filepath else preset_folder() / f"{name}.json")


class FOOTFALL_OT_load_mapping(Attempt, bpy.types.Operator):
    """Use a saved bone map"""

    bl_idname = "footfall.load_mapping"
    bl_label = "Load Bone Map"
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(name="File", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def attempt(self, context):
        from .. import mapping

        found = mapping.load_map(the_character(context), Path(bpy.path.abspath(self.filepath)))
        self.report({"INFO"} if found.usable else {"WARNING"}, found.summary)


class FOOTFALL_MT_mappings(bpy.types.Menu):
    """Saved bone maps"""

    bl_idname = "FOOTFALL_MT_mappings"
    bl_label = "Saved Bone Maps"

    def draw(self, context):
        layout = self.layout
        layout.operator_context = "EXEC_DEFAULT"
        for file in sorted(preset_folder().glob("*.json")):
            layout.operator("footfall.load_mapping", text=file.stem.replace("_", " ")).filepath = str(file)
        layout.separator()
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("footfall.save_mapping", text="Save…", icon="ADD")
        layout.operator("footfall.load_mapping", text="From a File…", icon="FILE_FOLDER")


CLASSES = (FOOTFALL_OT_pick_character, FOOTFALL_OT_recognise, FOOTFALL_OT_save_mapping, FOOTFALL_OT_load_mapping, FOOTFALL_MT_mappings)
