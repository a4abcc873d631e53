"""Gaits as they were fitted to a character."""

import bpy
from bpy.props import StringProperty

from .options import EDITABLE


class FootfallFit(bpy.types.PropertyGroup):
    """One fit; its name is the gait."""

    data: StringProperty(override=EDITABLE)  # of the gait, whole, as JSON
    body: StringProperty(override=EDITABLE)  # for which it was found: ``fits.measures``
    report: StringProperty(override=EDITABLE)  # a sentence


CLASSES = (FootfallFit,)
