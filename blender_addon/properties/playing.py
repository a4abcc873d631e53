"""A character that is played, and its takes."""

import bpy
from bpy.props import BoolProperty, StringProperty

from .. import compat
from .options import EDITABLE


class FootfallPlaying(bpy.types.PropertyGroup):
    follow: BoolProperty(name="View Follows", default=True, override=EDITABLE, description="The view goes along with the character that is played")
    light: BoolProperty(name="Lighten the View", default=True, override=EDITABLE,
                        description="Where fewer than 24 pictures a second are drawn, leave out what Blender draws over the scene, and outlines, "
                                    "shadows and smoothing, until the play is over; where that is not enough, draw a simple picture over the view")
    take: StringProperty(name="Take", subtype="FILE_PATH", override=EDITABLE, options={"ANIMATABLE", *compat.FILE_OPTIONS},
                         description="What was told to the character in the last take, as a job: simulated again it gives the same take. "
                                     "That of another character can be chosen, too")


CLASSES = (FootfallPlaying,)
