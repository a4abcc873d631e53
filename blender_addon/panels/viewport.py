"""Show in Viewport: what is drawn over the viewport."""

import bpy

from .tab import CharacterTab


class FOOTFALL_PT_viewport(CharacterTab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_viewport"
    bl_label = "Show in Viewport"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        overlays, column = context.scene.footfall.overlays, self.layout.column()
        for name in ("direction", "body", "mass", "pressure", "footprints", "pushes", "reaction", "variations", "balance_map"):
            column.prop(overlays, name)
        row = self.layout.row()
        row.prop(overlays, "ghost")
        if overlays.ghost:
            row.prop(overlays, "ghost_aside")


CLASSES = (FOOTFALL_PT_viewport,)
