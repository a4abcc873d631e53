"""Recordings that characters can follow."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

KINDS = (("FILE", "File", "A file of motion capture"), ("ACTION", "Action", "An action of an armature in this file"))


class FootfallReference(bpy.types.PropertyGroup):
    """One recording; its name is what characters know it by. Texts hold one sentence a line."""

    filepath: StringProperty(name="File", description="The recording: BVH, AMC or DeepMimic")
    kind: EnumProperty(name="Kind", items=KINDS, description="Where it comes from")
    packed: StringProperty()  # the file itself, where it was recorded here: see ``references.pack``
    action: PointerProperty(type=bpy.types.Action, description="The action that was recorded; none: NLA strips were")
    owner: PointerProperty(type=bpy.types.Object, description="The armature that played it")
    fingerprint: StringProperty()  # of the action as it was recorded: see ``animation.fingerprint``
    layered: BoolProperty(description="Whether NLA tracks played with it")
    first: IntProperty(description="The frame of the scene on which it begins")
    last: IntProperty(description="The frame of the scene on which it ends")
    seconds: FloatProperty(name="Length", subtype="TIME", description="Length of the recording in seconds")
    speed: FloatProperty(name="Speed", description="How fast the hips travel, in metres a second")
    gets_up: BoolProperty(description="Whether somebody in it lies and then gets up")
    facts: StringProperty(name="Facts", description="What was found in it")
    faults: StringProperty(name="Faults", description="Where the recording is damaged")
    notes: StringProperty(name="Notes", description="What was recognised and corrected while reading")
    strip: StringProperty(name="Picture", description="The file of the strip of poses that the panel shows")
    repair: BoolProperty(name="Repair", default=False, description="Interpolate where the recording is damaged")


CLASSES = (FootfallReference,)
