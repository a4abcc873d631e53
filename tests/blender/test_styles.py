"""Styles of a walk in Blender: the menu, the slider, and what is baked."""

import bpy
from footfall.blender_addon.panels.methods import presets_of
from footfall.core import presets

from tests.blender.mannequins import empty_scene, job, mannequin

USED = (empty_scene, mannequin)


def shown(rig):
    return [item.name for item in presets_of(rig.footfall.motion)]


def test_styles_are_a_menu_with_a_slider_where_the_gait_can_take_them(mannequin):
    motion = mannequin.footfall.motion
    motion.gait = "walk"
    settings = motion.methods.gait
    menu = settings.bl_rna.properties["style"]
    assert settings.style == "none" and [item.identifier for item in menu.enum_items] == ["none", *presets.names("styles")]
    assert all(item.description for item in menu.enum_items) and shown(mannequin) == ["gait", "style"]
    settings.style = "tired"
    assert shown(mannequin) == ["gait", "style", "exaggerate"] and settings.exaggerate == 1.0
    settings.exaggerate = 3.0
    assert settings.exaggerate == 2.0 and (job(mannequin)["style"], job(mannequin)["exaggerate"]) == ("tired", 2.0)
    motion.gait = "run"
    assert shown(mannequin) == ["gait"] and not {"style", "exaggerate"} & set(job(mannequin))


def test_a_style_is_baked(mannequin):
    mannequin.footfall.motion.gait = "walk"
    mannequin.footfall.motion.seconds, forearm, raised = 2.0, mannequin.footfall.parts["forearm.L"].bone, {}
    for style in ("none", "sneaky"):
        mannequin.footfall.motion.methods.gait.style = style
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
        bpy.context.scene.frame_set(40)
        bone = mannequin.pose.bones[forearm]
        raised[style] = (bone.tail.z - bone.head.z) / bone.length
    # The hands are up in front of the chest.
    assert raised["none"] < -0.5 and raised["sneaky"] > -0.2
