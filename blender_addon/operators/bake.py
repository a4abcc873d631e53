"""Simulate and cancel."""

import time

import bpy

from ...core.errors import FootfallError
from ..pace import Pace
from ..selection import find_character, the_character
from ..running import RUNNING
from .sidebars import redraw_sidebars

TICK = 1 / 30  # s between two looks at the worker
PRINT_EVERY = 0.1  # of the whole: how often a run without a window says how far it is


class FOOTFALL_OT_simulate(bpy.types.Operator):
    """Simulate the character and bake the motion onto it, as a new action"""

    bl_idname = "footfall.simulate"
    bl_label = "Simulate"
    bl_options = {"UNDO"}

    _simulation = None
    _timer = None

    def invoke(self, context, event):
        if not self._start(context):
            return {"CANCELLED"}
        self._pace = Pace()
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if not self._simulation.running:  # cancelled by its button, or another file was opened
            return self._end(context, {"CANCELLED"})
        if event.type == "ESC" and event.value == "PRESS":
            self._simulation.cancel()
            self.report({"INFO"}, "Cancelled; nothing was changed.")
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        show = self._pace.due(time.monotonic())
        try:
            if self._simulation.tick(show):
                self._say(self._simulation.finish(context))
                return self._end(context, {"FINISHED"})
        except FootfallError as error:
            return self._end(context, self._fail(error))
        except Exception:
            self._simulation.cancel()
            self._end(context, {"CANCELLED"})
            raise
        if show:
            redraw_sidebars(context)
        return {"PASS_THROUGH"}

    def cancel(self, context):
        """Blender ends the operator: the window closes."""
        if self._simulation.running:
            self._simulation.cancel()
        self._end(context, {"CANCELLED"})

    def execute(self, context):
        """Without a window: wait for the end."""
        if not self._start(context):
            return {"CANCELLED"}
        said = 0.0
        try:
            while not self._simulation.tick():
                if self._simulation.part >= said + PRINT_EVERY:
                    said = self._simulation.part
                    left = self._simulation.left
                    print(f"Footfall: {said:.0%}" + (f", {left:.0f} s left" if left is not None else ""), flush=True)
                time.sleep(TICK)
            self._say(self._simulation.finish(context))
        except FootfallError as error:
            return self._fail(error)
        except BaseException:  # also Ctrl C
            self._simulation.cancel()
            raise
        return {"FINISHED"}

    def _start(self, context) -> bool:
        from ..simulation import Simulation

        try:
            self._simulation = Simulation(context, the_character(context))
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def _say(self, report: str) -> None:
        self.report({"WARNING"} if report.startswith("Fell") else {"INFO"}, report)

    def _fail(self, error: FootfallError) -> set[str]:
        self._simulation.cancel()
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}

    def _end(self, context, outcome: set[str]) -> set[str]:
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        redraw_sidebars(context)
        return outcome


class FOOTFALL_OT_cancel(bpy.types.Operator):
    """End the simulation and leave everything as it was (Esc)"""

    bl_idname = "footfall.cancel"
    bl_label = "Cancel"

    def execute(self, context):
        character = find_character(context)
        simulation = RUNNING.get(character.name) if character else None
        if simulation is None:
            self.report({"ERROR"}, "Nothing is being simulated on the selected character.")
            return {"CANCELLED"}
        simulation.cancel()
        return {"FINISHED"}


CLASSES = (FOOTFALL_OT_simulate, FOOTFALL_OT_cancel)
