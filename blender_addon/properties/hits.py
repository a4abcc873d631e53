"""How a character takes hits on a clip."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from .options import EDITABLE

RESPONSES = (
    ("AUTO", "Automatic", "What fits the hit and how the character stands then: it flinches, balances, stumbles, or falls where nothing else will do"),
    ("FLINCH", "Flinch", "The part that is hit gives way and comes back; the feet go where they went. For taps and small blows; quick"),
    ("BALANCE", "Balance", "A character that stands keeps its balance with ankles, hips and steps; the clip goes on where it has come to stand"),
    ("STUMBLE", "Stumble", "Physics has the character: it reels, steps, keeps its balance where it can, and goes on with the clip; takes its time"),
    ("FALL", "Fall", "It goes down like a person: arms reach for the ground, the head is kept off it, and then it lies still"),
)
MANNER = ("stiffness", "delay", "soft", "back")


class FootfallHits(bpy.types.PropertyGroup):
    response: EnumProperty(name="Response", items=RESPONSES, override=EDITABLE, description="How the character takes a hit")
    stiffness: FloatProperty(name="Stiffness", default=1.0, min=0.1, soft_min=0.25, soft_max=4.0, max=10.0, step=10, override=EDITABLE,
                             description="How hard the character holds on to its pose: less gives way further")
    delay: FloatProperty(name="Reacts After (s)", default=0.15, min=0.0, soft_max=0.4, max=1.0, step=5, override=EDITABLE,
                         description="Seconds before the character notices the hit; people need about 0.15")
    soft: FloatProperty(name="Stays Soft (s)", default=0.4, min=0.0, soft_max=2.0, max=5.0, step=10, override=EDITABLE,
                        description="Seconds after a hit that the part stays soft that was hit")
    back: FloatProperty(name="Back After (s)", default=1.5, min=0.2, soft_min=0.5, soft_max=4.0, max=10.0, step=10, override=EDITABLE,
                        description="Seconds after a hit by which the character does exactly what the clip does again")
    home: BoolProperty(name="Back to Its Path", default=False, override=EDITABLE,
                       description="A walker that was pushed aside drifts back to the clip's path in its next steps, instead of going on from there")


CLASSES = (FootfallHits,)
