"""What is drawn over the viewport."""

import bpy
from bpy.props import BoolProperty, FloatProperty


class FootfallOverlays(bpy.types.PropertyGroup):
    body: BoolProperty(name="Physics Body", default=False, description="The boxes that were simulated, fitted to the character")
    mass: BoolProperty(name="Centre of Mass", default=False, description="The centre of mass and the point on the ground below it")
    pressure: BoolProperty(name="Centre of Pressure", default=False, description="Where the ground carries the character")
    underfoot: BoolProperty(name="Draw Under the Feet", default=True, description="The pressure under the feet, in colours from blue to red")
    direction: BoolProperty(name="Start Direction", default=True,
                            description="An arrow on the ground: where the selected character sets off. Drag the ring around it to turn it")
    footprints: BoolProperty(name="Footprints", default=True, description="Where the feet came down")
    pushes: BoolProperty(name="Pushes and Balls", default=True, description="Arrows while pushes act, and balls while they fly")
    reaction: BoolProperty(name="Ghost of the Hit", default=True,
                           description="What is expected of the hits of the selected character before they are simulated, as a ghost, and beside "
                                       "the chosen one a disc of direction and strength to drag in. From the push database")
    variations: BoolProperty(name="Variations", default=True, description="What becomes of the character in each variation of its hits")
    balance_map: BoolProperty(name="Balance Map", default=True, description="Which pushes the character stands, on the ground around it")
    ghost: BoolProperty(name="Ghost of the Clip", default=True,
                        description="The recording that was followed, as it was fitted to the character")
    ghost_aside: FloatProperty(name="Aside", default=1.0, soft_min=-3.0, soft_max=3.0, step=10, subtype="DISTANCE",
                               description="How far to its left the ghost is shown; 0: in place")


CLASSES = (FootfallOverlays,)
