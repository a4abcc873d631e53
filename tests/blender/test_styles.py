"""Styles of a walk in Blender: the menu, the slider, and what is baked."""

import bpy
import numpy as np
from footfall.blender_addon.panels.methods import presets_of
from footfall.core import presets

from tests.blender.mannequins import empty_scene, job, mannequin

USED = (empty_scene, mannequin)


def shown(rig):
    return [item.name for item in presets_of(rig.footfall.motion)]


def test_styles_are_a_menu_with_a_slider_where_the_gait_can_take_them(mannequin):
    motion = mannequin.footfall.motion
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
    bones, heads = mannequin.footfall.parts, {}
    mannequin.footfall.motion.seconds = 2.0
    for style in ("none", "sneaky"):
        mannequin.footfall.motion.methods.gait.style = style
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
        bpy.context.scene.frame_set(40)
        pelvis, hand, head = (np.array(mannequin.pose.bones[bones[part].bone].head) for part in ("pelvis", "forearm.L", "head"))
        tip = np.array(mannequin.pose.bones[bones["forearm.L"].bone].tail)
        heads[style] = (tip[2] - hand[2], np.hypot(*(head - pelvis)[:2]))
    # The hands are up in front of the chest, and the head is ahead of the hips.
    assert heads["sneaky"][0] > heads["none"][0] + 0.1 and heads["sneaky"][1] > heads["none"][1] + 0.05
