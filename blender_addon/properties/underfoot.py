"""The pressure that is drawn under a character's feet."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, PointerProperty, StringProperty

from .options import EDITABLE

SHOWN = (("MOTION", "Of the Motion", "What a pad or insoles would feel under the animation that the character plays"),
         ("RECORDING", "Of a Recording", "What was felt in the recording that is chosen in the list"))
PADS = (("64x80@12Hz", "Pad", "A pad on the floor, 64 by 80 cells of half an inch, 12 frames a second"),
        ("pedar", "Insoles, 99 Sensors", "Insoles like Novel's pedar: 99 sensors in each, 100 frames a second"),
        ("moticon", "Insoles, 16 Sensors", "Insoles like Moticon's OpenGo: 16 sensors in each, 100 frames a second"))


class FootfallUnderfoot(bpy.types.PropertyGroup):
    """What is drawn, and how it lies in the scene."""

    shown: EnumProperty(name="Pressure", items=SHOWN, override=EDITABLE, description="Which pressure is shown under the feet")
    pad: EnumProperty(name="Device", items=PADS, default="pedar", override=EDITABLE, description="What would feel the pressure of the motion")
    file: StringProperty(override=EDITABLE)  # as ``core.pressure.underfoot`` writes it
    said: StringProperty(override=EDITABLE)  # what it is of
    frame: FloatProperty(override=EDITABLE)  # of the scene, on which it begins
    fps: FloatProperty(default=24.0, override=EDITABLE)  # of the scene
    bound: BoolProperty(override=EDITABLE)  # to the animation that is played: another one has other pressure
    action: PointerProperty(type=bpy.types.Action, override=EDITABLE)  # that animation
    soles: StringProperty(override=EDITABLE)  # as JSON: [bone, [x, y, z]] of each corner of the left and right sole, at rest, in the armature's axes
    space: FloatVectorProperty(size=(4, 4), subtype="MATRIX", override=EDITABLE)  # from simulated metres to the armature object's axes
    in_world: BoolProperty(override=EDITABLE)  # whether ``space`` leads to the world instead


CLASSES = (FootfallUnderfoot,)
