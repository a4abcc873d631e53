"""Simulate, cancel, and after a cancel half way keep or discard what was found."""

import time

import bpy

from ...core.errors import FootfallError, JobError
from ..pace import Pace
from ..redraw import redraw_sidebars, redraw_views
from ..running import RUNNING, STOPPED
from ..selection import find_character, the_character
from ..status import status_line
from .attempt import Attempt

TICK = 1 / 30  # s between two looks at the worker
PRINT_EVERY = 0.1  # of the whole: how often a run without a window says how far it is
WRITING = "Writing it down"
CANCELLED = "Cancelled; nothing was changed."
HALF_WAY = "Stopped; what is done so far can be kept, in the Bake panel."


def _stopped(context) -> object:
    """The Simulation of the selected character that was stopped half way; a JobError where there is none."""
    simulation = STOPPED.get(the_character(context).name)
    if simulation is None:
        raise JobError("No simulation of the selected character was stopped half way: there is nothing to keep.")
    return simulation


class Baking:
    """Mixin: ``begin(context)`` gives a Simulation that has started; wait for it, in a window without blocking, and bake what comes of it."""

    bl_options = {"UNDO"}

    pause = TICK  # s between two looks
    words = 0.0  # s between two times that the panel says how things are, at least
    hint = "Esc: cancel"

    _simulation = None
    _timer = None
    _said = float("-inf")  # when the panel said it last
    _comes = False  # whether the result is there, and only its keys are missing

    def pace(self) -> Pace:
        """How often what is seen is shown."""
        return Pace()

    def invoke(self, context, event):
        if not self._start(context):
            return {"CANCELLED"}
        self._pace = self.pace()
        self._timer = context.window_manager.event_timer_add(self.pause, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        try:
            return self.attend(context, event)
        except FootfallError as error:
            return self._end(context, self._fail(error))
        except Exception:
            try:
                self._simulation.cancel()
            finally:
                self._end(context, {"CANCELLED"})
            raise

    def attend(self, context, event):
        """What an event is for, while it runs."""
        if not self._simulation.running:  # cancelled by its button, or another file was opened
            return self._end(context, {"CANCELLED"})
        if event.type == "ESC" and event.value == "PRESS":
            self.report({"INFO"}, HALF_WAY if self._simulation.stop() else CANCELLED)
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        show = self._pace.due(time.monotonic())
        done = self._simulation.tick(show)
        if done and self._comes:
            self._say(self._simulation.finish(context))
            return self._end(context, {"FINISHED"})
        if done:  # Blender waits while it is written down: who watches shall read that first
            self._comes = show = True
            self._simulation.doing = WRITING
        if show and (self._comes or time.monotonic() >= self._said + self.words) and self._has_news():
            self._said = time.monotonic()
            redraw_sidebars()
            context.workspace.status_text_set(f"Footfall: {status_line(self._simulation)}   |   {self.hint}")
        return {"PASS_THROUGH"}

    def _has_news(self) -> bool:
        """Whether the panel would say anything else than before."""
        return True

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
                if self._simulation.fraction >= said + PRINT_EVERY:
                    said = self._simulation.fraction
                    print(f"Footfall: {status_line(self._simulation)}", flush=True)
                time.sleep(TICK)
            self._say(self._simulation.finish(context))
        except FootfallError as error:
            return self._fail(error)
        except BaseException:  # also Ctrl C
            self._simulation.cancel()
            raise
        return {"FINISHED"}

    def _start(self, context) -> bool:
        try:
            self._simulation = self.begin(context)
        except FootfallError as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def _say(self, report: str) -> None:
        self.report({"WARNING"} if self._simulation.warns else {"INFO"}, report)

    def _fail(self, error: FootfallError) -> set[str]:
        self.report({"ERROR"}, f"{error} {HALF_WAY}" if self._simulation.stop() else str(error))
        return {"CANCELLED"}

    def _end(self, context, outcome: set[str]) -> set[str]:
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
            context.workspace.status_text_set(None)
        redraw_views()
        return outcome


class FOOTFALL_OT_simulate(Baking, bpy.types.Operator):
    """Simulate the character and bake the motion onto it, as a new action"""

    bl_idname = "footfall.simulate"
    bl_label = "Simulate"

    def begin(self, context):
        from ..simulation import Simulation

        return Simulation(context, the_character(context))


class FOOTFALL_OT_keep(Baking, bpy.types.Operator):
    """Bake what was found before the simulation was stopped, as a new action"""

    bl_idname = "footfall.keep"
    bl_label = "Keep What Is Done"

    def begin(self, context):
        return _stopped(context).keep()


class FOOTFALL_OT_discard(Attempt, bpy.types.Operator):
    """Give up what was found before the simulation was stopped"""

    bl_idname = "footfall.discard"
    bl_label = "Discard"

    def attempt(self, context):
        _stopped(context).cancel()


class FOOTFALL_OT_cancel(bpy.types.Operator):
    """End the simulation (Esc); of a long one, what is done so far can then be kept, else everything is as it was"""

    bl_idname = "footfall.cancel"
    bl_label = "Cancel"

    def execute(self, context):
        character = find_character(context)
        simulation = RUNNING.get(character.name) if character else None
        if simulation is None:
            self.report({"ERROR"}, "Nothing is being simulated on the selected character.")
            return {"CANCELLED"}
        if simulation.stop():
            self.report({"INFO"}, HALF_WAY)
        return {"FINISHED"}


CLASSES = (FOOTFALL_OT_simulate, FOOTFALL_OT_keep, FOOTFALL_OT_discard, FOOTFALL_OT_cancel)
