"""Recordings of foot pressure."""

import bpy
from bpy.props import FloatProperty, IntProperty, StringProperty


class FootfallPressure(bpy.types.PropertyGroup):
    """One recording; its name is what others know it by. Texts hold one sentence a line."""

    filepath: StringProperty(name="File", description="The recording, as its device wrote it")
    device: StringProperty(name="Device", description="The device that it is of")
    seconds: FloatProperty(name="Length", subtype="TIME", description="Length of the recording in seconds")
    rate: FloatProperty(name="Rate", description="Frames a second")
    steps: IntProperty(name="Steps", description="How often a foot came down")
    peak: FloatProperty(name="Peak Force", description="The greatest force of a foot in newtons; counts of a device that is not calibrated")
    facts: StringProperty(name="Facts", description="What was found in it")
    faults: StringProperty(name="Faults", description="What is wrong with the recording")
    picture: StringProperty(name="Picture", description="The file of the picture that the panel shows")


CLASSES = (FootfallPressure,)
