"""Pushes and thrown balls, in frames and world directions."""

import bpy
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty

from ...core import presets
from ...core.anatomy.bones import label
from .options import EDITABLE

STRENGTHS: dict = presets.read_json(presets.FOLDER / "hits.json")["strengths"]  # N and s, by feel

# What a push may act on, from the trunk outwards.
LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
LINKS = ("torso", "head", "pelvis", *(f"{limb}.{side}" for side in "LR" for limb in LIMBS))
SOURCES = (
    ("FRONT", "Front", "Thrown at the character from ahead of it"),
    ("LEFT", "Left", "Thrown at the character from its left"),
    ("RIGHT", "Right", "Thrown at the character from its right"),
    ("BACK", "Behind", "Thrown at the character from behind it"),
    ("OBJECT", "Object", "Thrown from an object along its local Z axis, wherever the character is"),
)
FEELS = (
    ("TAP", "Tap", "A tap on the shoulder"),
    ("SHOVE", "Shove", "A shove that makes a person sway, or step"),
    ("BLOW", "Blow", "A hard blow"),
    ("TACKLE", "Tackle", "Somebody runs into it"),
    ("OWN", "Newtons and Seconds", "As the numbers say"),
)


def _set_strength(push: bpy.types.PropertyGroup, newtons: float) -> None:
    push.seconds, push.feel, push.newtons = push.force[1], "OWN", newtons


class FootfallPush(bpy.types.PropertyGroup):
    frame: IntProperty(name="Frame", default=1, override=EDITABLE, description="The frame on which the push begins")
    part: EnumProperty(name="Part", items=[(name, label(name).title(), "") for name in LINKS], default="torso", override=EDITABLE,
                       description="The part of the body that is pushed")
    feel: EnumProperty(name="Strength", items=FEELS, default="OWN", override=EDITABLE, description="How hard it is, by feel")
    newtons: FloatProperty(name="Newtons", default=150.0, min=0.0, soft_max=500.0, max=1e5, step=1000, precision=0, override=EDITABLE,
                           description="Strength of the push; 100 to 300 make a walking person stumble")
    strength: FloatProperty(name="Newtons", min=0.0, soft_max=1000.0, max=1e5, step=1000, precision=0, override=EDITABLE,
                            get=lambda push: push.force[0], set=_set_strength,
                            description="Strength of the push; 100 to 300 make a walking person stumble. A push that was chosen by feel becomes one "
                                        "in newtons and seconds")
    seconds: FloatProperty(name="Seconds", default=0.4, min=0.01, soft_max=2.0, max=100.0, step=10, override=EDITABLE,
                           description="How long the push lasts")
    direction: FloatVectorProperty(name="Direction", default=(1.0, 0.0, 0.0), subtype="XYZ", size=3, soft_min=-1.0, soft_max=1.0, override=EDITABLE,
                                   description="Where the push goes, in world axes; its length does not matter")
    arrow: PointerProperty(name="Arrow", type=bpy.types.Object, override=EDITABLE,
                           description="The push goes along this object's local Z axis instead")

    @property
    def force(self) -> tuple[float, float]:
        """N, and s that they last."""
        return (self.newtons, self.seconds) if self.feel == "OWN" else tuple(STRENGTHS[self.feel.lower()])

    @property
    def aim(self) -> "bpy.types.Object | None":
        """The arrow, if there still is one: when it is deleted from the scene, the pointer alone keeps it in the file."""
        return self.arrow if self.arrow and self.arrow.users_scene else None


class FootfallBall(bpy.types.PropertyGroup):
    frame: IntProperty(name="Frame", default=1, override=EDITABLE, description="The frame on which the ball is thrown")
    source: EnumProperty(name="From", items=SOURCES, default="LEFT", override=EDITABLE, description="Where the ball comes from")
    thrower: PointerProperty(name="Thrower", type=bpy.types.Object, override=EDITABLE,
                             description="The ball starts here and flies along this object's local Z axis")
    kilograms: FloatProperty(name="Kilograms", default=3.0, min=0.01, soft_max=20.0, max=1000.0, override=EDITABLE, description="Weight of the ball")
    radius: FloatProperty(name="Radius (m)", default=0.12, min=0.01, soft_max=0.5, max=5.0, step=1, precision=3, override=EDITABLE,
                          description="Size of the ball beside a person; on a smaller or larger character it is scaled along")
    speed: FloatProperty(name="Speed (m/s)", default=8.0, min=0.1, soft_max=30.0, max=100.0, step=10, override=EDITABLE,
                         description="How fast it is thrown, beside a person")


CLASSES = (FootfallPush, FootfallBall)
