"""What is drawn over the viewport."""

import bpy
from bpy.props import BoolProperty


class FootfallOverlays(bpy.types.PropertyGroup):
    body: BoolProperty(name="Physics Body", default=False, description="The boxes that were simulated, fitted to the character")
    mass: BoolProperty(name="Centre of Mass", default=False, description="The centre of mass and the point on the ground below it")
    pressure: BoolProperty(name="Centre of Pressure", default=False, description="Where the ground carries the character")
    footprints: BoolProperty(name="Footprints", default=True, description="Where the feet came down")
    pushes: BoolProperty(name="Pushes and Balls", default=True, description="Arrows while pushes act, and balls while they fly")


CLASSES = (FootfallOverlays,)
