"""What the character shall do: by which method, speed, heading, start and length. The methods' own settings are in ``methods``."""

from math import pi

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from ..method import CLIP, name_of
from .methods import GROUPS, FootfallMethods, menu, stable
from .options import EDITABLE, EDITABLE_LIST

CLIPS = (CLIP, "Clip", "Follow a recording: one of the references", stable(CLIP))
HEADINGS = (
    ("NUMBER", "Turn", "Turn by an angle, from where the character looks at the start"),
    ("PROPERTY", "Animated", "Follow an animated property of any object"),
    ("CURVE", "Curve", "Walk along a curve object"),
)
STARTS = (
    ("GAIT", "In Motion", "The first frame is already in the middle of the gait"),
    ("REST", "Standing", "Start from standing still"),
    ("POSE", "Current Pose", "Start from the pose on the start frame as it is now"),
)
SPANS = (
    ("SECONDS", "Seconds", "From the start frame on, for this long"),
    ("FRAMES", "Frames", "From one frame to another"),
    ("SCENE", "Scene", "The scene's frame range"),
)


def _setting(name: str) -> property:
    """A setting of the method that is chosen, or of the first one that has it; where others mean the same by it, it is the same in them."""
    def holder(motion: "FootfallMotion") -> bpy.types.PropertyGroup:
        chosen = name_of(motion)
        groups = [chosen, *(other for other in GROUPS if other != chosen)]
        return next(group for group in (getattr(motion.methods, other) for other in groups) if name in group.bl_rna.properties)

    return property(lambda motion: getattr(holder(motion), name), lambda motion, value: setattr(holder(motion), name, value))


def _is_curve(_: object, candidate: bpy.types.Object) -> bool:
    return candidate.type == "CURVE"


class FootfallAlso(bpy.types.PropertyGroup):
    """Another reference beside the one that is followed."""

    reference: StringProperty(name="Reference", override=EDITABLE, description="A recording whose steps may be taken, to turn or to stop")


class FootfallMotion(bpy.types.PropertyGroup):
    source: EnumProperty(name="Motion", items=[*menu(clips=False), CLIPS], override=EDITABLE, description="Where the motion comes from")
    reference: StringProperty(name="Reference", override=EDITABLE, description="The recording to follow")
    pressure: StringProperty(name="Recording", override=EDITABLE, description="The recording of foot pressure that is acted")
    also: CollectionProperty(type=FootfallAlso, override=EDITABLE_LIST)
    method: EnumProperty(name="Method", items=menu(clips=True), override=EDITABLE, description="How the recording is followed")
    methods: PointerProperty(type=FootfallMethods, override=EDITABLE)
    steer: BoolProperty(name="Steer", default=False, override=EDITABLE, description="Set speed and heading; off: as the recording goes")
    own_speed: BoolProperty(name="Gait's Own Speed", default=True, override=EDITABLE, description="Go as fast as the gait goes by itself")
    speed: FloatProperty(name="Speed (m/s)", default=1.0, min=-2.0, soft_min=-1.0, max=10.0, soft_max=4.0, step=10, override=EDITABLE,
                         description="Metres a second of the character; may be animated")
    heading_mode: EnumProperty(name="Heading", items=HEADINGS, override=EDITABLE)
    heading: FloatProperty(name="Turn", default=0.0, soft_min=-pi, soft_max=pi, subtype="ANGLE", override=EDITABLE,
                           description="Where to go, from where the character looks at the start; positive is to its left. May be animated")
    turn_seconds: FloatProperty(name="Within (s)", default=3.0, min=0.0, soft_max=20.0, subtype="TIME", override=EDITABLE,
                                description="How long the turn takes; 0: face that way from the start")
    heading_object: PointerProperty(name="Object", type=bpy.types.Object, override=EDITABLE,
                                    description="The object whose animated property is the heading")
    heading_path: StringProperty(name="Property", default="rotation_euler[2]", override=EDITABLE,
                                 description="Data path of the animated property, as Copy Data Path gives it")
    curve: PointerProperty(name="Curve", type=bpy.types.Object, poll=_is_curve, override=EDITABLE,
                           description="The curve to walk along, from its first point")
    direction: FloatProperty(name="Start Direction", default=0.0, soft_min=-pi, soft_max=pi, subtype="ANGLE", override=EDITABLE,
                             description="Where to set off: by how much to the left of where its animation goes, or where it faces without one. The "
                                         "arrow on the ground shows it")
    collide: BoolProperty(name="Legs and Arms Collide", default=False, override=EDITABLE,
                          description="Legs do not pass through each other, nor arms through the trunk: as thick as the character's mesh has them. "
                                      "Steps are wider then, and pushes fell it sooner")
    start: EnumProperty(name="Start", items=STARTS, override=EDITABLE)
    span: EnumProperty(name="Length", items=SPANS, override=EDITABLE)
    frame_start: IntProperty(name="Start Frame", default=1, override=EDITABLE, description="The first frame of the bake")
    frame_end: IntProperty(name="End Frame", default=120, override=EDITABLE, description="The last frame of the bake")
    seconds: FloatProperty(name="Seconds", default=5.0, min=0.0, soft_min=1.0, soft_max=60.0, max=3600.0, override=EDITABLE,
                           description="Length of the bake")

    # Short names for scripts of what lies in ``methods``.
    gait, loop, tune, arm_spread = (_setting(name) for name in ("gait", "loop", "tune", "arm_spread"))
    plan = property(lambda motion: motion.methods.plan)
    hits = property(lambda motion: motion.methods.hit)


CLASSES = (FootfallAlso, FootfallMotion)
