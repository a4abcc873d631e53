"""How long keying takes against Blender's own bake, on the same data: 1,000 frames of 60 bones.

    python3 build_addon.py build, install the zip, then: blender -b --python benchmarks/bake.py
"""

import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import bpy

from build_tools import in_blender

in_blender.enable()

import numpy as np
from footfall.blender_addon.compat import assign_action
from footfall.blender_addon.rig.action import make_action
from footfall.blender_addon.rig.retarget import Channels
from footfall.core import rotation

FRAMES, BONES = 1000, 60


def chain() -> bpy.types.Object:
    """Ten arms of six bones each, so that no chain is longer than a limb with fingers."""
    rig = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(BONES):
        bone = rig.data.edit_bones.new(f"bone {number}")
        bone.head, bone.tail = (number // 6, 0.0, number % 6), (number // 6, 0.0, number % 6 + 1.0)
        bone.parent = rig.data.edit_bones[f"bone {number - 1}"] if number % 6 else None
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    return rig


def main() -> None:
    rig = chain()
    time_line = np.linspace(0.0, 40.0, FRAMES)
    channels = Channels(
        {bone.name: rotation.exp(np.stack([0.3 * np.sin(time_line + 0.2 * n), 0.2 * np.cos(time_line), 0.1 * np.sin(2 * time_line)], axis=1))
         for n, bone in enumerate(rig.pose.bones)},
        {"bone 0": np.stack([time_line, 0.0 * time_line, 0.05 * np.sin(time_line)], axis=1)})
    began = time.perf_counter()
    action = make_action(rig, "ours", channels, [], 1)
    assign_action(rig, action)
    ours = time.perf_counter() - began
    began = time.perf_counter()
    bpy.ops.nla.bake(frame_start=1, frame_end=FRAMES, only_selected=True, visual_keying=True, use_current_action=False, bake_types={"POSE"})
    theirs = time.perf_counter() - began
    print(json.dumps({"frames": FRAMES, "bones": BONES, "footfall_s": round(ours, 3), "nla_bake_s": round(theirs, 2),
                      "ratio": round(ours / theirs, 4)}))


main()
