"""What the character walks on and into."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty

GROUNDS = (
    ("FLAT", "Flat", "A level floor at the height of the character's feet"),
    ("MESHES", "Meshes", "The meshes of a collection: floors, stairs, slopes, boxes that move"),
)


class FootfallGround(bpy.types.PropertyGroup):
    kind: EnumProperty(name="Ground", items=GROUNDS)
    collection: PointerProperty(name="Colliders", type=bpy.types.Collection,
                                description="Every mesh in this collection can be walked on or bumped into")
    friction: FloatProperty(name="Friction", default=1.0, min=0.0, soft_max=1.5, max=20.0,
                            description="1.0: rubber soles; 0.5: a polished floor; 0.1: ice")
    adapt: BoolProperty(name="Adapt to Slopes", default=True,
                        description="Lean and lift the feet for the slope ahead; off: the ground comes as a surprise")


CLASSES = (FootfallGround,)
