"""How any clip is followed: by a plan that is looked for ahead of time."""

import bpy
from bpy.props import EnumProperty, FloatProperty

from .options import EDITABLE

QUALITIES = (
    ("DRAFT", "Draft", "A first look: about 5 seconds of one core for a second of the clip"),
    ("NORMAL", "Normal", "About 15 seconds of one core for a second of the clip"),
    ("FINE", "Fine", "For what Normal loses: about 40 seconds of one core for a second of the clip"),
)
STRENGTHS = (
    ("HUMAN", "Human", "As strong as a well trained person"),
    ("HERO", "Hero", "Stronger than any person, for what people can do only with wires"),
)
PARTS = ("feet", "hands", "head", "trunk")


def _weight(part: str) -> object:
    return FloatProperty(name=part.title(), default=1.0, min=0.0, max=5.0, step=10, override=EDITABLE,
                         description=f"How closely the clip is followed with the {part}; 0: not at all")


class FootfallPlan(bpy.types.PropertyGroup):
    quality: EnumProperty(name="Quality", items=QUALITIES, default="NORMAL", override=EDITABLE,
                          description="How long a way to follow the clip is looked for")
    freedom: FloatProperty(name="Freedom", default=0.3, min=0.0, max=1.0, subtype="FACTOR", override=EDITABLE,
                           description="0: stick to the clip, also where that is hardly possible; 1: physics first, the clip is a hint")
    strength: EnumProperty(name="Strength", items=STRENGTHS, override=EDITABLE, description="How strong the character is")
    feet: _weight("feet")
    hands: _weight("hands")
    head: _weight("head")
    trunk: _weight("trunk")


CLASSES = (FootfallPlan,)
