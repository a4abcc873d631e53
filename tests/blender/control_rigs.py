"""A small control rig with the names of Auto-Rig Pro, which is not free software: FK and IK chains, poles, and a switch between them on each limb."""

import bpy
from footfall.core.anatomy.bones import Bone
from mathutils import Vector

from tests.addon.skeletons import person, slots
from tests.blender.test_read import armature_of

BODY = {"pelvis": "root.x", "torso": "spine_01.x, spine_02.x", "head": "neck.x, head.x", "shoulder": "shoulder.{}", "upper_arm": "arm.{}",
        "forearm": "forearm.{}", "hand": "hand.{}", "thigh": "thigh.{}", "shin": "leg.{}", "foot": "foot.{}", "toes": "toes_01.{}"}
KEYED = {"root.x": "c_root_master.x", "spine_01.x": "c_spine_01.x", "spine_02.x": "c_spine_02.x", "neck.x": "c_neck.x", "head.x": "c_head.x"}
FK = {"shoulder": "c_shoulder", "arm": "c_arm_fk", "forearm": "c_forearm_fk", "hand": "c_hand_fk", "thigh": "c_thigh_fk", "leg": "c_leg_fk",
      "foot": "c_foot_fk", "toes_01": "c_toes_fk"}
LIMBS = {"hand": ("arm", "forearm", "c_arms_pole"), "foot": ("thigh", "leg", "c_leg_pole")}  # by their ends
KEYED |= {f"{part}.{side}": f"{control}.{side}" for part, control in FK.items() for side in "lr"}
TO_KNEE, TO_ELBOW = Vector((0.0, -0.5, 0.0)), Vector((0.0, 0.5, 0.0))


def auto_rig() -> bpy.types.Object:
    body = person(slots(BODY, ("l", "r")))
    made = [Bone("c_traj", None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0), False)]
    for bone in body:
        made += [bone, Bone(KEYED[bone.name], KEYED.get(bone.parent, "c_traj"), bone.head, bone.tail, False)]
    at = {bone.name: bone for bone in body}
    for side in "lr":
        for end, (upper, lower, pole) in LIMBS.items():
            above, elbow = at[f"{upper}.{side}"], at[f"{lower}.{side}"]
            made += [Bone(f"{upper}_ik.{side}", KEYED[above.parent], above.head, above.tail, False),
                     Bone(f"{lower}_ik.{side}", f"{upper}_ik.{side}", elbow.head, elbow.tail, False),
                     Bone(f"c_{end}_ik.{side}", "c_traj", at[f"{end}.{side}"].head, at[f"{end}.{side}"].tail, False)]
            there = Vector(elbow.head) + (TO_KNEE if end == "foot" else TO_ELBOW)
            made.append(Bone(f"{pole}.{side}", "c_traj", tuple(there), tuple(there + Vector((0.0, 0.0, 0.1))), False))
        made.append(Bone(f"c_toes_ik.{side}", f"c_foot_ik.{side}", at[f"toes_01.{side}"].head, at[f"toes_01.{side}"].tail, False))
    rig = armature_of(made)
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ" if bone.name.startswith("c_") else "QUATERNION"
    for bone in body:
        _follow(rig, bone.name, KEYED[bone.name])
    for side in "lr":
        for end, (upper, lower, pole) in LIMBS.items():
            rig.pose.bones[f"c_{end}_ik.{side}"]["ik_fk_switch"] = 0.0
            reach = rig.pose.bones[f"{lower}_ik.{side}"].constraints.new("IK")
            reach.target = reach.pole_target = rig
            reach.subtarget, reach.pole_subtarget, reach.chain_count = f"c_{end}_ik.{side}", f"{pole}.{side}", 2
            reach.pole_angle = _pole_angle(rig, f"{upper}_ik.{side}", f"c_{end}_ik.{side}", f"{pole}.{side}")
            for bone, control in ((upper, f"{upper}_ik"), (lower, f"{lower}_ik"), (end, f"c_{end}_ik"), ("toes_01", "c_toes_ik")):
                if (bone == "toes_01") <= (end == "foot"):
                    _switched(rig, _follow(rig, f"{bone}.{side}", f"{control}.{side}"), f"c_{end}_ik.{side}")
    bpy.context.view_layer.update()
    return rig


def _follow(rig: bpy.types.Object, name: str, control: str) -> bpy.types.Constraint:
    made = rig.pose.bones[name].constraints.new("COPY_TRANSFORMS")
    made.target, made.subtarget = rig, control
    return made


def _switched(rig: bpy.types.Object, constraint: bpy.types.Constraint, holder: str) -> None:
    """Only while the switch is at IK, which is 0."""
    driver = constraint.driver_add("influence").driver
    variable = driver.variables.new()
    variable.name, variable.targets[0].id, variable.targets[0].data_path = "fk", rig, f'pose.bones["{holder}"]["ik_fk_switch"]'
    driver.type, driver.expression = "SCRIPTED", "1 - fk"


def _pole_angle(rig: bpy.types.Object, upper: str, end: str, pole: str) -> float:
    """With which the chain rests as it is: from the upper bone's X axis to the pole, about the bone."""
    bone = rig.data.bones[upper]
    away = rig.data.bones[pole].head_local - bone.head_local
    normal = (rig.data.bones[end].head_local - bone.head_local).cross(away)
    projected = normal.cross(bone.tail_local - bone.head_local)
    across = bone.matrix_local.col[0].to_3d()
    angle = across.angle(projected)
    return -angle if across.cross(projected).angle(bone.tail_local - bone.head_local) < 1.0 else angle
