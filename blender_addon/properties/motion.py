"""What the character shall do: a gait or a recording, speed, heading, start and length."""

import json
from math import pi
from pathlib import Path
from zlib import crc32

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .hits import FootfallHits
from .options import EDITABLE, EDITABLE_LIST
from .plan import FootfallPlan

GAITS = Path(__file__).resolve().parents[2] / "presets" / "gaits"
USUAL = "walk"
SOURCES = (
    ("GAIT", "Gait", "Walk, run or stand by one of the gaits"),
    ("CLIP", "Clip", "Follow a recording: one of the references"),
)
METHODS = (
    ("TRACK", "Simulate", "Follow the recording under physics: the character keeps its balance and takes pushes"),
    ("IMITATE", "Imitate", "Make a gait of the recording, which goes on as long as it is asked to"),
    ("RETARGET", "Retarget Only", "Fit the recording to the character without physics, with its feet planted"),
    ("PLAN", "Follow Any Clip", "Find out how any recording can be followed under physics, also kicks, jumps and flips; takes its time"),
    ("HIT", "Take Hits", "Leave the recording as it is until a push hits the character, which takes it and goes on"),
)
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


def gaits() -> list[tuple[str, str, str, int]]:
    """The gaits that come with the add-on, as items of a menu, the usual one first. The number is what a .blend stores, so it follows
    from the name alone and not from what else is there."""
    items = []
    for file in sorted(GAITS.glob("*.json"), key=lambda file: (file.stem != USUAL, file.stem)):
        data = json.loads(file.read_text(encoding="utf-8"))
        if not data.get("planar"):
            items.append((file.stem, file.stem.replace("_", " ").title(), data.get("description", ""), crc32(file.stem.encode()) & 0x7FFFFFFF))
    return items


def _is_curve(_: object, candidate: bpy.types.Object) -> bool:
    return candidate.type == "CURVE"


class FootfallAlso(bpy.types.PropertyGroup):
    """Another reference beside the one that is followed."""

    reference: StringProperty(name="Reference", override=EDITABLE, description="A recording whose steps may be taken, to turn or to stop")


class FootfallMotion(bpy.types.PropertyGroup):
    source: EnumProperty(name="Motion", items=SOURCES, override=EDITABLE, description="Where the motion comes from")
    reference: StringProperty(name="Reference", override=EDITABLE, description="The recording to follow")
    also: CollectionProperty(type=FootfallAlso, override=EDITABLE_LIST)
    method: EnumProperty(name="Method", items=METHODS, override=EDITABLE, description="How the recording is followed")
    loop: BoolProperty(name="Loop", default=False, override=EDITABLE,
                       description="Go on after the end of the recording, which must hold some steps that repeat")
    steer: BoolProperty(name="Steer", default=False, override=EDITABLE, description="Set speed and heading; off: as the recording goes")
    tune: FloatProperty(name="Make It Hold (s)", default=0.0, min=0.0, max=600.0, step=1000, precision=0, override=EDITABLE,
                        description="Where the character falls, search this many seconds for a way to follow the recording; 0: do not search")
    plan: PointerProperty(type=FootfallPlan, override=EDITABLE)
    hits: PointerProperty(type=FootfallHits, override=EDITABLE)
    gait: EnumProperty(name="Gait", items=gaits(), default=USUAL, override=EDITABLE)
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
    arm_spread: FloatProperty(name="Arms Out", default=0.0, min=-0.3, max=1.2, subtype="ANGLE", override=EDITABLE,
                              description="Hold the arms this much further from the body: for wide hips, skirts and armour")
    start: EnumProperty(name="Start", items=STARTS, override=EDITABLE)
    span: EnumProperty(name="Length", items=SPANS, override=EDITABLE)
    frame_start: IntProperty(name="Start Frame", default=1, override=EDITABLE, description="The first frame of the bake")
    frame_end: IntProperty(name="End Frame", default=120, override=EDITABLE, description="The last frame of the bake")
    seconds: FloatProperty(name="Seconds", default=5.0, min=0.0, soft_min=1.0, soft_max=60.0, max=3600.0, override=EDITABLE,
                           description="Length of the bake")


CLASSES = (FootfallAlso, FootfallMotion)
