"""Ground: flat, or the meshes of a collection."""

import bpy

from ..method import has, method_of
from ..selection import colliders_of, find_character
from .tab import CharacterTab, sentence

MOST = 12  # colliders that are listed


class FOOTFALL_PT_ground(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_ground"
    bl_label = "Ground"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, ground = self.layout, context.scene.footfall.ground
        layout.row().prop(ground, "kind", expand=True)
        layout.use_property_split, layout.use_property_decorate = True, False
        if ground.kind == "MESHES":
            layout.prop(ground, "collection")
            if ground.collection:
                self._draw_boxes(context)
            if has(find_character(context).footfall.motion, "slope_adaptation"):
                layout.prop(ground, "adapt")
        layout.prop(ground, "friction")
        if method_of(find_character(context).footfall.motion).STEERED:
            layout.prop(find_character(context).footfall, "others_in_way")

    def _draw_boxes(self, context) -> None:
        meshes = colliders_of(context.scene, find_character(context))
        if not meshes:
            sentence(self.layout, context, "There is no mesh in this collection.", "ERROR")
            return
        box = self.layout.box().column(align=True)
        box.use_property_split = False
        box.label(text="Mass in kg; with 0 it stays in place")
        for thing in meshes[:MOST]:
            split = box.split(factor=0.55)
            split.label(text=thing.name, icon="MESH_CUBE" if thing.footfall_mass else "MESH_PLANE")
            split.prop(thing, "footfall_mass", text="")
        if len(meshes) > MOST:
            box.label(text=f"… and {len(meshes) - MOST} more")


CLASSES = (FOOTFALL_PT_ground,)
