"""The balance map of a character."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from .options import EDITABLE, EDITABLE_LIST

DETAILS = (("ROUGH", "Rough", "In steps of 100 N; about three minutes on two cores"), ("FINE", "Fine", "In steps of 50 N; twice as long"))


class FootfallBalanceField(bpy.types.PropertyGroup):
    degrees: FloatProperty(override=EDITABLE)  # 0 forward, 90 to its left
    newtons: FloatProperty(override=EDITABLE)
    strategy: IntProperty(override=EDITABLE)  # in STRATEGIES of core.control.stander; −1: falls


class FootfallBalance(bpy.types.PropertyGroup):
    detail: EnumProperty(name="Detail", items=DETAILS, override=EDITABLE, description="How finely the strengths of the pushes are graded")
    fields: CollectionProperty(type=FootfallBalanceField, override=EDITABLE_LIST)
    limits: StringProperty(override=EDITABLE)  # N forward, to the left, backward and to the right
    space: FloatVectorProperty(size=(4, 4), subtype="MATRIX", override=EDITABLE)  # from simulated metres to the armature object's axes
    in_world: BoolProperty(override=EDITABLE)  # whether ``space`` leads to the world instead, as the object moves by itself


CLASSES = (FootfallBalanceField, FootfallBalance)
