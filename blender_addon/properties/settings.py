"""Where the property groups hang."""

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .character import FootfallCharacter
from .ground import FootfallGround
from .options import EDITABLE
from .overlays import FootfallOverlays
from .pressures import FootfallCalibration, FootfallPressure
from .references import FootfallReference


class FootfallScene(bpy.types.PropertyGroup):
    ground: PointerProperty(type=FootfallGround)
    overlays: PointerProperty(type=FootfallOverlays)
    references: CollectionProperty(type=FootfallReference)
    active_reference: IntProperty(name="Reference")
    pressures: CollectionProperty(type=FootfallPressure)
    active_pressure: IntProperty(name="Recording")
    calibration: PointerProperty(type=FootfallCalibration)
    home: StringProperty()  # the folder of the .blend from which paths start: see ``belongings``


CLASSES = (FootfallScene,)


def register() -> None:
    bpy.types.Object.footfall = PointerProperty(type=FootfallCharacter, override=EDITABLE)
    bpy.types.Object.footfall_mass = FloatProperty(name="Mass (kg)", default=0.0, min=0.0, soft_max=100.0, max=1e5, override=EDITABLE,
                                                   description="A box of this weight that can be pushed around; 0: it stands still")
    bpy.types.Scene.footfall = PointerProperty(type=FootfallScene)


def unregister() -> None:
    del bpy.types.Scene.footfall, bpy.types.Object.footfall_mass, bpy.types.Object.footfall
