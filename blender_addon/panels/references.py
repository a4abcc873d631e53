"""References: recordings that characters can follow, and what was found in them."""

import bpy

from .. import belongings, compat, files
from ..belongings import in_words
from ..references import READING
from .lights import light
from .strips import draw_strip
from .tab import Tab, findings, sentence


def _active(context: bpy.types.Context) -> bpy.types.PropertyGroup | None:
    listed, active = context.scene.footfall.references, context.scene.footfall.active_reference
    return listed[active] if 0 <= active < len(listed) else None


class FOOTFALL_UL_references(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_references"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        row = layout.row(align=True)
        damaged = item.faults and not item.repair
        row.label(text=item.name, icon_value=light("amber" if damaged else "green"))
        figures = row.row(align=True)
        figures.alignment = "RIGHT"  # as wide as they need, the name gets the rest
        figures.label(text=f"{item.seconds:.1f} s")
        figures.label(text=f"{item.speed:.1f} m/s")


class FOOTFALL_PT_references(Tab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_references"
    bl_label = "References"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.scene.footfall
        row = layout.row(align=True)
        row.operator("footfall.add_reference", icon="FILE_FOLDER")
        row.operator("footfall.add_reference_action", icon="ACTION")
        for inspection in READING:
            compat.progress(layout, inspection.fraction, "reading")
        if not settings.references:
            if not READING:
                sentence(layout, context, "Recordings that characters can follow: BVH, AMC and DeepMimic files, or actions.", "INFO")
            return
        row = layout.row()
        row.template_list("FOOTFALL_UL_references", "", settings, "references", settings, "active_reference", rows=3, maxrows=6)
        row.operator("footfall.remove_reference", text="", icon="REMOVE")
        reference = _active(context)
        if reference is None:
            return
        draw_strip(layout, context, bpy.path.abspath(reference.strip))
        findings(layout, context, reference)
        if reference.faults or reference.repair:
            layout.operator("footfall.repair_reference", icon="MODIFIER", depress=reference.repair)


class FOOTFALL_PT_files(Tab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_files"
    bl_parent_id = "FOOTFALL_PT_references"
    bl_label = "Files"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, (size, unused) = self.layout, belongings.sizes()
        sentence(layout, context, f"{files.folder()}: {in_words(size)}, of which {in_words(unused)} are not used any more.", "FILE_FOLDER")
        row = layout.row()
        row.enabled = unused > 0
        row.operator("footfall.remove_unused", icon="TRASH")


class FOOTFALL_PT_reference_notes(Tab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_reference_notes"
    bl_parent_id = "FOOTFALL_PT_references"
    bl_label = "Notes"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        reference = _active(context)
        return reference is not None and bool(reference.notes)

    def draw(self, context):
        reference = _active(context)
        sentence(self.layout, context, reference.filepath, "FILE")
        for note in reference.notes.splitlines():
            sentence(self.layout, context, note, "DOT")


CLASSES = (FOOTFALL_UL_references, FOOTFALL_PT_references, FOOTFALL_PT_reference_notes, FOOTFALL_PT_files)
