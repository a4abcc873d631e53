"""Variations of the hits on a character: what became of each."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatVectorProperty, IntProperty, StringProperty

from .options import EDITABLE, EDITABLE_LIST


class FootfallVariation(bpy.types.PropertyGroup):
    result: StringProperty(name="Result", override=EDITABLE)
    report: StringProperty(name="Report", override=EDITABLE)
    fell: BoolProperty(override=EDITABLE)


class FootfallVariations(bpy.types.PropertyGroup):
    count: IntProperty(name="Variations", default=8, min=2, soft_max=16, max=64, override=EDITABLE,
                       description="How many there are to choose from; the first is as the list of pushes says, the others differ a little in "
                                   "strength, direction and moment")
    seed: IntProperty(name="Seed", default=0, min=0, override=EDITABLE, description="Other variations with each number")
    found: CollectionProperty(type=FootfallVariation, override=EDITABLE_LIST)
    active: IntProperty(name="Variation", override=EDITABLE)
    frame: IntProperty(override=EDITABLE)
    space: FloatVectorProperty(size=(4, 4), subtype="MATRIX", override=EDITABLE)  # from simulated metres to the armature object's axes
    in_world: BoolProperty(override=EDITABLE)  # whether ``space`` leads to the world instead, as the object moves by itself


CLASSES = (FootfallVariation, FootfallVariations)
