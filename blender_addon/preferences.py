"""The preferences: what keeps Footfall from working, if anything, and the Python that simulates."""

from __future__ import annotations

import textwrap

import bpy

from . import bundle, worker
from .worker import WorkerError, WorkerPython

ADDON = __package__.rpartition(".")[0]  # "footfall", or "bl_ext.user_default.footfall" for an extension
LETTER = 6.2  # pixels of an average letter at 72 dpi


def worker_python() -> WorkerPython:
    """The Python of the user's choice, or the one that is found; raises WorkerError with the way out. May wait for ``find_python``."""
    return worker.find_python(_chosen())


def _chosen() -> str:
    addon = bpy.context.preferences.addons.get(ADDON)
    return bpy.path.abspath(addon.preferences.worker_python) if addon and addon.preferences else ""


class FOOTFALL_OT_find_python(bpy.types.Operator):
    """Look again for a Python that can simulate, after something was installed"""

    bl_idname = "footfall.find_python"
    bl_label = "Look Again"

    def execute(self, context: bpy.types.Context) -> set[str]:
        worker.forget_python()
        try:
            found = worker_python()
        except WorkerError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Python {found.version} simulates: {found.executable}")
        return {"FINISHED"}


class FootfallPreferences(bpy.types.AddonPreferences):
    bl_idname = ADDON

    worker_python: bpy.props.StringProperty(
        name="Python", subtype="FILE_PATH",
        description="The Python that simulates, with numpy and pybullet. Empty: Blender's own, or another one that can")

    def draw(self, context: bpy.types.Context) -> None:
        problem = bundle.problem(bpy.app.version)
        if problem:
            _sentence(self.layout, context, problem)
            return
        row = self.layout.row(align=True)
        row.prop(self, "worker_python")
        row.operator(FOOTFALL_OT_find_python.bl_idname, text="", icon="FILE_REFRESH")
        found = worker.python_status(_chosen())
        if found is None:
            self.layout.label(text="Looking for a Python that can simulate …", icon="SORTTIME")
            if not bpy.app.timers.is_registered(_redraw):
                bpy.app.timers.register(_redraw, first_interval=0.3)
        elif isinstance(found, WorkerError):
            _sentence(self.layout, context, str(found))
        else:
            self.layout.label(text=f"Python {found.version} simulates: {found.executable}", icon="CHECKMARK")


def _sentence(layout: bpy.types.UILayout, context: bpy.types.Context, text: str) -> None:
    """An error over as many lines as it needs: labels do not wrap by themselves."""
    scale = context.preferences.system.dpi / 72 if context.preferences.system.dpi else 1.0
    column = layout.column(align=True)
    column.alert = True
    width = max(30, int((context.region.width / scale - 100) / LETTER))
    for n, line in enumerate(textwrap.wrap(text, width, break_on_hyphens=False)):
        column.label(text=line, icon="ERROR" if n == 0 else "BLANK1")


def _redraw() -> None:
    """Once, a moment later, because a search that ends in its thread draws nothing."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PREFERENCES":
                area.tag_redraw()


CLASSES = (FOOTFALL_OT_find_python, FootfallPreferences)
