"""Recordings of foot pressure."""

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, StringProperty


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


class FootfallShown(bpy.types.PropertyGroup):
    """An action of a database that a person is asked to show; its name is the action's."""

    recording: StringProperty(name="Recording", description="In which this action was done twice, standing still for a second before and after each "
                                                            "time. Several actions may be in one recording, in the order of this list")
    found: StringProperty(name="Found", description="Where in the recording it was found")


class FootfallCalibration(bpy.types.PropertyGroup):
    database: StringProperty(name="Database", subtype="FILE_PATH",
                             description="Motions with their foot pressure, whose actions are shown; empty: those that come with Footfall")
    actions: CollectionProperty(type=FootfallShown)
    active: IntProperty(name="Action")
    saved: StringProperty(name="Saved", description="The file of the database that was calibrated last")


CLASSES = (FootfallPressure, FootfallShown, FootfallCalibration)
