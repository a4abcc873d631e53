"""Calibrate: leads through showing the actions of a database, so that a person is recognised by how that person does them."""

import bpy

from .. import calibration, compat
from .lights import light
from .tab import Tab, sentence


class FOOTFALL_UL_shown(bpy.types.UIList):
    bl_idname = "FOOTFALL_UL_shown"

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        row = layout.row(align=True)
        if item.found or item.recording:
            row.label(text=item.name, icon_value=light("green" if item.found else "amber"))
        else:
            row.label(text=item.name, icon="RADIOBUT_OFF")
        row.label(text=item.recording)


class FOOTFALL_PT_calibration(Tab, bpy.types.Panel):
    bl_idname = "FOOTFALL_PT_calibration"
    bl_parent_id = "FOOTFALL_PT_pressures"
    bl_label = "Calibrate"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.scene.footfall
        asked = settings.calibration
        row = layout.row()
        row.use_property_split = True
        row.use_property_decorate = False
        row.prop(asked, "database")
        layout.operator("footfall.list_actions", icon="PRESET")
        if not asked.actions:
            sentence(layout, context, "Show how you do each action, and you are recognised by that: first list what can be shown.", "INFO")
            return
        self._draw_next(context)
        layout.template_list("FOOTFALL_UL_shown", "", asked, "actions", asked, "active", rows=4, maxrows=5)
        if 0 <= asked.active < len(asked.actions):
            self._draw_action(context, asked.actions[asked.active])
        for inspection in calibration.RUNNING:
            compat.progress(layout, inspection.fraction, "looking for the actions")
        row = layout.row()
        row.enabled = not calibration.RUNNING and any(one.recording for one in asked.actions)
        row.operator("footfall.calibrate", icon="CHECKMARK")
        if asked.saved:
            sentence(layout, context, f"Saved: {asked.saved}. Choose it as the database.", "FILE_TICK")

    def _draw_action(self, context, action):
        layout, settings = self.layout, context.scene.footfall
        if settings.pressures:
            layout.prop_search(action, "recording", settings, "pressures", icon="MOD_DYNAMICPAINT")
        if action.found:
            sentence(layout, context, f"Found at {action.found}.", "CHECKMARK")

    def _draw_next(self, context):
        """What the person is asked to do now."""
        following = calibration.asked_next(context.scene)
        if not context.scene.footfall.pressures:
            sentence(self.layout, context, "Record yourself, each action twice, standing still for a second before and after each. Then add the "
                                           "recordings above.", "INFO")
        elif following is not None:
            sentence(self.layout, context, f"Next: do '{following.name}' twice, standing still for a second before and after, and choose that "
                                           "recording. What you leave out is recognised as others do it.", "INFO")


CLASSES = (FOOTFALL_UL_shown, FOOTFALL_PT_calibration)
