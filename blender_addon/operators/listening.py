"""Act live: listen to a device, and stop."""

import bpy

from ...core.errors import JobError
from ..pace import Pace
from ..running import RUNNING
from ..selection import the_character
from .attempt import Attempt
from .bake import Baking


class FOOTFALL_OT_listen(Baking, bpy.types.Operator):
    """Let the character do what the feet of a person do on a pad or in insoles that send it now. Stop leaves the take as keys"""

    bl_idname = "footfall.listen"
    bl_label = "Listen"

    pause = 1 / 60
    words = 0.5  # panels take longer to draw than the character
    hint = "Stop, in the panel Foot Pressure: keep the take   |   Esc: cancel"

    def pace(self):
        return Pace(share=0.9, shortest=1 / 90)

    def begin(self, context):
        from ..listening import Listening  # needs numpy

        return Listening(context, the_character(context), once=bpy.app.background)


class FOOTFALL_OT_stop_listening(Attempt, bpy.types.Operator):
    """Hear no more, and leave what the character did as keys"""

    bl_idname = "footfall.stop_listening"
    bl_label = "Stop"

    def attempt(self, context):
        simulation = RUNNING.get(the_character(context).name)
        if not hasattr(simulation, "heard"):
            raise JobError("The selected character listens to no device.")
        simulation.end()


CLASSES = (FOOTFALL_OT_listen, FOOTFALL_OT_stop_listening)
