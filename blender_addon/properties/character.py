"""The character: which bone is which part of the body."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .bake import FootfallBake
from .balance import FootfallBalance
from .fits import FootfallFit
from .listening import FootfallListening
from .motion import FootfallMotion
from .options import EDITABLE, EDITABLE_LIST
from .playing import FootfallPlaying
from .pushes import FootfallBall, FootfallPush
from .underfoot import FootfallUnderfoot
from .variations import FootfallVariations

SEXES = (("male", "Male", "Mass distribution of an average man"), ("female", "Female", "Mass distribution of an average woman"))
STATUSES = (("found", "Found", ""), ("guessed", "Guessed", ""), ("missing", "Missing", ""))


def _picked(part: "FootfallPart", _: bpy.types.Context) -> None:
    from .. import mapping  # needs numpy

    mapping.assign(part.id_data, part.name, part.bone)


class FootfallPart(bpy.types.PropertyGroup):
    """One part of the body; its name is the slot."""

    bone: StringProperty(name="Bone", update=_picked, override=EDITABLE,
                         description="The bone whose head is this part's joint; of spine and neck, the lowest one")
    status: EnumProperty(items=STATUSES, override=EDITABLE)
    note: StringProperty(override=EDITABLE)


class FootfallCharacter(bpy.types.PropertyGroup):
    parts: CollectionProperty(type=FootfallPart, override=EDITABLE_LIST)
    active_part: IntProperty(name="Body Part", override=EDITABLE)
    bone_map: StringProperty(override=EDITABLE)  # BoneMap as JSON, empty: not recognised yet
    summary: StringProperty(override=EDITABLE)
    usable: BoolProperty(override=EDITABLE)
    own_mass: BoolProperty(name="Mass by Height", default=True, override=EDITABLE, description="Weigh as much as a person of this height")
    mass: FloatProperty(name="Mass (kg)", default=73.0, min=1.0, soft_min=30.0, soft_max=150.0, max=500.0, override=EDITABLE)
    sex: EnumProperty(name="Sex", items=SEXES, override=EDITABLE)
    others_in_way: BoolProperty(name="Others Are in the Way", default=False, override=EDITABLE,
                                description="Bump into other characters, where their last bakes take them. Off: they pass through each other")
    motion: PointerProperty(type=FootfallMotion, override=EDITABLE)
    pushes: CollectionProperty(type=FootfallPush, override=EDITABLE_LIST)
    active_push: IntProperty(override=EDITABLE)
    balls: CollectionProperty(type=FootfallBall, override=EDITABLE_LIST)
    active_ball: IntProperty(override=EDITABLE)
    bake: PointerProperty(type=FootfallBake, override=EDITABLE)
    variations: PointerProperty(type=FootfallVariations, override=EDITABLE)
    balance: PointerProperty(type=FootfallBalance, override=EDITABLE)
    underfoot: PointerProperty(type=FootfallUnderfoot, override=EDITABLE)
    listening: PointerProperty(type=FootfallListening, override=EDITABLE)
    playing: PointerProperty(type=FootfallPlaying, override=EDITABLE)
    fits: CollectionProperty(type=FootfallFit, override=EDITABLE_LIST)


CLASSES = (FootfallPart, FootfallCharacter)
