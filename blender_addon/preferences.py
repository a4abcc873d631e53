"""The preferences: what keeps Footfall from working, if anything, the Python that simulates and its physics engine."""

from __future__ import annotations

import textwrap

import bpy

from . import bundle, pythons
from .pythons import WorkerError, WorkerPython

ADDON = __package__.rpartition(".")[0]  # "footfall", or "bl_ext.user_default.footfall" for an extension
LETTER = 6.2  # pixels of an average letter at 72 dpi
ENGINES = (
    ("AUTO", "Automatic", "The one that suits the method best, of those that are there"),
    *((name.upper(), title, f"Simulate with {title} alone") for name, title in bundle.ENGINES.items()),
)


def worker_python() -> WorkerPython:
    """The Python of the user's choice, or the one that is found; raises WorkerError with the way out. May wait for ``find_python``."""
    return pythons.find_python(_chosen())


def worker_python_so_far() -> WorkerPython | None:
    """The same without waiting: None while the search goes on, which this begins and carries on."""
    found = pythons.python_status(_chosen())
    if isinstance(found, WorkerError):
        raise WorkerError(str(found))
    return found


def engine() -> str:
    """The physics engine of the user's choice, as a job has it: "auto", "pybullet" or "mujoco"."""
    preferences = _preferences()
    return preferences.engine.lower() if preferences else "auto"


def _chosen() -> str:
    preferences = _preferences()
    return bpy.path.abspath(preferences.worker_python) if preferences else ""


def _preferences() -> bpy.types.AddonPreferences | None:
    addon = bpy.context.preferences.addons.get(ADDON)
    return addon.preferences if addon else None


class FOOTFALL_OT_find_python(bpy.types.Operator):
    """Look again for a Python that can simulate, after something was installed"""

    bl_idname = "footfall.find_python"
    bl_label = "Look Again"

    def execute(self, context: bpy.types.Context) -> set[str]:
        pythons.forget_python()
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
        description=f"The Python that simulates, with {pythons.NEEDED}. Empty: Blender's own, or another one that can")
    engine: bpy.props.EnumProperty(name="Engine", items=ENGINES, description="The physics engine that simulates")

    def draw(self, context: bpy.types.Context) -> None:
        problem = bundle.problem(bpy.app.version)
        if problem:
            _sentence(self.layout, context, problem)
            return
        row = self.layout.row(align=True)
        row.prop(self, "worker_python")
        row.operator(FOOTFALL_OT_find_python.bl_idname, text="", icon="FILE_REFRESH")
        found = pythons.python_status(_chosen())
        if found is None:
            self.layout.label(text="Looking for a Python that can simulate …", icon="SORTTIME")
            if not bpy.app.timers.is_registered(_redraw):
                bpy.app.timers.register(_redraw, first_interval=0.3)
        elif isinstance(found, WorkerError):
            _sentence(self.layout, context, str(found))
        else:
            self.layout.label(text=f"Python {found.version} simulates: {found.executable}", icon="CHECKMARK")
            self.layout.prop(self, "engine")
            try:
                found.check_engine(engine())
            except WorkerError as error:
                _sentence(self.layout, context, str(error))


def _sentence(layout: bpy.types.UILayout, context: bpy.types.Context, text: str) -> None:
    """An error over as many lines as it needs: labels do not wrap by themselves."""
    scale = context.preferences.system.dpi / 72 if context.preferences.system.dpi else 1.0
    column = layout.column(align=True)
    column.alert = True
    width = max(30, int((context.region.width / scale - 100) / LETTER))
    for n, line in enumerate(textwrap.wrap(text, width, break_on_hyphens=False)):
        column.label(text=line, icon="ERROR" if n == 0 else "BLANK1")


def _redraw() -> None:
    """Once, a moment later, because a search goes on while it is drawn."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PREFERENCES":
                area.tag_redraw()


CLASSES = (FOOTFALL_OT_find_python, FootfallPreferences)
