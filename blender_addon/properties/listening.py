"""A device that is listened to."""

import bpy
from bpy.props import FloatProperty, StringProperty

from .. import compat
from .options import EDITABLE


class FootfallListening(bpy.types.PropertyGroup):
    address: StringProperty(name="Address", default="udp://127.0.0.1:9740", override=EDITABLE,
                            description="Where a device sends to: udp://host:port or tcp://host:port. At 0.0.0.0 others than this computer are heard")
    latency: FloatProperty(name="Latency", default=0.5, min=0.0, max=3.0, step=10, subtype="TIME_ABSOLUTE", override=EDITABLE,
                           description="How much later than the feet the character moves; the more, the surer it is what they do")
    database: StringProperty(name="Database", subtype="FILE_PATH", override=EDITABLE, options={"ANIMATABLE", *compat.FILE_OPTIONS},
                             description="Motions with their foot pressure, among which actions are looked up; empty: those that come with Footfall")


CLASSES = (FootfallListening,)
