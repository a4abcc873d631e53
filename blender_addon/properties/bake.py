"""How the result is written, and what the last bake was."""

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty

from .options import EDITABLE


class FootfallBake(bpy.types.PropertyGroup):
    push_to_nla: BoolProperty(name="Keep Old Action in NLA", default=False, override=EDITABLE,
                              description="Push the action that was there down to an NLA track")
    only_selected: BoolProperty(name="Only Selected Bones", default=False, override=EDITABLE,
                                description="Key only those of the mapped bones that are selected")
    others_go_on: BoolProperty(name="Other Bones Keep Moving", default=False, override=EDITABLE,
                               description="What is not simulated, such as fingers, face and props, goes on with the animation that the character "
                                           "plays now. Otherwise it holds still, as it is on the first frame")
    layer: BoolProperty(name="Only the Hit, as a Layer", default=False, override=EDITABLE,
                        description="Key only what the hit changes, in an NLA strip above the animation that is there, which stays as it is")
    ik_controls: BoolProperty(name="Also Key IK Controls", default=False, override=EDITABLE,
                              description="Key hands, feet, poles and other IK controls, too: set the rig's switches to IK and go on from there")
    in_place: BoolProperty(name="Loop in Place", default=False, override=EDITABLE,
                           description="One stride that repeats without an end, walking on the spot")
    live_preview: BoolProperty(name="Live Preview", default=True, override=EDITABLE, description="Move the character while it is being simulated")
    before_preview: StringProperty(override=EDITABLE)  # the pose and the switches as JSON, while a preview is shown
    # The last bake: what the report and the overlays are drawn from.
    result: StringProperty(name="Result", override=EDITABLE, description="The result of the last bake")
    report: StringProperty(name="Report", override=EDITABLE)
    fell: BoolProperty(override=EDITABLE)
    looped: BoolProperty(override=EDITABLE)
    direction: FloatProperty(subtype="ANGLE", override=EDITABLE)  # as it was set in Motion
    frame: IntProperty(name="First Frame", override=EDITABLE)
    step: FloatProperty(default=1.0, override=EDITABLE, description="Frames of the scene from one frame of the result to the next")
    action: PointerProperty(name="Action", type=bpy.types.Action, override=EDITABLE)
    space: FloatVectorProperty(size=(4, 4), subtype="MATRIX", override=EDITABLE, description="From simulated metres to the armature object's axes")
    in_world: BoolProperty(override=EDITABLE)  # whether ``space`` leads to the world instead, as the object moves by itself


CLASSES = (FootfallBake,)
