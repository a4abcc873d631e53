"""IK controls that are keyed, too: with the switches at IK the rig shows what it shows at FK."""

import math

import bpy
import numpy as np
import pytest
from footfall.blender_addon import mapping
from footfall.blender_addon.compat import action_curves
from footfall.core import rotation

from tests.blender.control_rigs import auto_rig
from tests.blender.mannequins import empty_scene
from tests.blender.test_bake import generated
from tests.cases import quick

RIGS = {"auto rig": auto_rig, "rigify": generated}
SWITCHES = ("IK_FK", "ik_fk_switch")
ENDS, MIDDLES = ("hand", "foot", "toes"), ("forearm", "shin")
END_OFF, TURNED = 0.002, math.radians(3.0)  # m, rad
MIDDLE_OFF = {"auto rig": 0.005, "rigify": 0.02}  # m; Rigify's own IK shortens the bones of a limb by a hundredth when it bends


def set_switches(rig: bpy.types.Object, value: float) -> None:
    """As an animator does it who goes on in IK: on the keys, and on the bones."""
    for curve in action_curves(rig.animation_data.action):
        if curve.data_path.endswith(tuple(f'["{switch}"]' for switch in SWITCHES)):
            for key in curve.keyframe_points:
                key.co[1] = value
            curve.update()


def shown(rig: bpy.types.Object, frames: range) -> dict[str, np.ndarray]:
    """{slot: (F, 4, 4)} in the armature's axes."""
    bones, found = mapping.bone_map(rig).bones, {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for slot, names in bones.items():
            found.setdefault(slot, []).append(np.array(rig.pose.bones[names[0]].matrix))
    return {slot: np.array(rows) for slot, rows in found.items()}


def turned(one: np.ndarray, other: np.ndarray) -> float:
    one, other = (rotation.from_matrix(m[:, :3, :3] / np.linalg.norm(m[:, :3, :3], axis=1, keepdims=True)) for m in (one, other))
    return float(np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(one), other)), axis=1).max())


@pytest.mark.parametrize("name", quick(RIGS, "auto rig"))
def test_at_ik_it_shows_what_it_shows_at_fk(baked_walk, name):
    rig = RIGS[name]()
    bpy.context.view_layer.objects.active = rig
    rig.footfall.bake.ik_controls = True
    assert bpy.ops.footfall.load_result(filepath=baked_walk) == {"FINISHED"}
    frames = range(1, 26, 3)
    fk = shown(rig, frames)
    set_switches(rig, 0.0)
    ik = shown(rig, frames)
    for slot, matrices in fk.items():
        part = slot.partition(".")[0]
        off, turn = float(np.linalg.norm(matrices[:, :3, 3] - ik[slot][:, :3, 3], axis=1).max()), turned(matrices, ik[slot])
        said = f"{slot} is {1000 * off:.1f} mm and {math.degrees(turn):.1f}° off"
        print(said)
        assert off < (END_OFF if part in ENDS else MIDDLE_OFF[name] if part in MIDDLES else 1e-4) and turn < TURNED, said
    bpy.context.scene.frame_set(13)
    foot = rig.pose.bones["c_foot_ik.l" if name == "auto rig" else "foot_ik.L"]
    before = np.array(rig.pose.bones[mapping.bone_map(rig).bones["foot.L"][0]].head)
    foot.location.y += 0.1
    bpy.context.view_layer.update()  # and it is the IK that moves it now
    assert np.linalg.norm(np.array(rig.pose.bones[mapping.bone_map(rig).bones["foot.L"][0]].head) - before) > 0.02


def test_without_the_option_they_are_left_alone(baked_walk):
    rig = auto_rig()
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.footfall.load_result(filepath=baked_walk) == {"FINISHED"}
    paths = [curve.data_path for curve in action_curves(rig.animation_data.action)]
    assert paths and not [path for path in paths if "_ik." in path and "switch" not in path]
