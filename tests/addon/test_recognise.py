"""Recognising characters: by name, by shape alone, turned and scaled, with parts missing; and saying clearly what is no character."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from math import copysign, cos, dist, radians, sin

import pytest
from footfall.core.anatomy.bones import ARM, LEG, REQUIRED, SLOTS, Bone, BoneMap
from footfall.core.anatomy.names import FOLDER, ik_controls, knows_ik
from footfall.core.anatomy.recognise import FOUND, GUESSED, MISSING, check, recognise

from tests.addon.skeletons import PLAIN, bvh, first, glb, moved, mpfb, person, quadruped, renamed, slots, snake, turned, without

WORDS = ("Left", "Right")
MIXAMO = {
    "pelvis": "Hips", "torso": "Spine, Spine1, Spine2", "head": "Neck, Head",
    "shoulder": "{}Shoulder", "upper_arm": "{}Arm", "forearm": "{}ForeArm", "hand": "{}Hand",
    "thigh": "{}UpLeg", "shin": "{}Leg", "foot": "{}Foot", "toes": "{}ToeBase",
}
UNREAL = {
    "pelvis": "pelvis", "torso": "spine_01, spine_02, spine_03", "head": "neck_01, head",
    "shoulder": "clavicle_{}", "upper_arm": "upperarm_{}", "forearm": "lowerarm_{}", "hand": "hand_{}",
    "thigh": "thigh_{}", "shin": "calf_{}", "foot": "foot_{}", "toes": "ball_{}",
}
CMU = MIXAMO | {"torso": "LowerBack, Spine, Spine1", "head": "Neck, Neck1, Head"}
RIGIFY = {"pelvis": "spine", "torso": "spine.001, spine.002, spine.003, spine.004", "head": "spine.005, spine.006", "toes": "toe.{}"}
RIGIFY = {part: part + ".{}" for part in ARM + LEG} | RIGIFY
VRM = {
    "pelvis": "J_Bip_C_Hips", "torso": "J_Bip_C_Spine, J_Bip_C_Chest, J_Bip_C_UpperChest", "head": "J_Bip_C_Neck, J_Bip_C_Head",
    "shoulder": "J_Bip_{}_Shoulder", "upper_arm": "J_Bip_{}_UpperArm", "forearm": "J_Bip_{}_LowerArm", "hand": "J_Bip_{}_Hand",
    "thigh": "J_Bip_{}_UpperLeg", "shin": "J_Bip_{}_LowerLeg", "foot": "J_Bip_{}_Foot", "toes": "J_Bip_{}_ToeBase",
}
SMPL = {
    "pelvis": "pelvis", "torso": "spine1, spine2, spine3", "head": "neck, head",
    "shoulder": "{}_collar", "upper_arm": "{}_shoulder", "forearm": "{}_elbow", "hand": "{}_wrist",
    "thigh": "{}_hip", "shin": "{}_knee", "foot": "{}_ankle", "toes": "{}_foot",
}
ROKOKO = {
    "pelvis": "hip", "torso": "spine, chest", "head": "neck, head",
    "shoulder": "{}Shoulder", "upper_arm": "{}UpperArm", "forearm": "{}LowerArm", "hand": "{}Hand",
    "thigh": "{}UpLeg", "shin": "{}Leg", "foot": "{}Foot", "toes": "{}Toe",
}
MPFB = {
    "pelvis": "root", "torso": "spine05, spine04, spine03, spine02, spine01", "head": "neck01, neck02, neck03, head",
    "shoulder": "clavicle.{0}, shoulder01.{0}", "upper_arm": "upperarm01.{0}, upperarm02.{0}", "forearm": "lowerarm01.{0}, lowerarm02.{0}",
    "hand": "wrist.{}", "thigh": "upperleg01.{0}, upperleg02.{0}", "shin": "lowerleg01.{0}, lowerleg02.{0}", "foot": "foot.{}",
    "toes": "toe3-1.{0}, toe2-1.{0}, toe4-1.{0}, toe5-1.{0}, toe1-1.{0}",
}
OPENPOSE = {
    "pelvis": "LHip, RHip", "torso": "MidHip", "head": "Neck", "shoulder": "{}Shoulder", "upper_arm": "{}Elbow", "forearm": "{}Wrist",
    "thigh": "{}Knee", "shin": "{}Ankle", "foot": "{}BigToe",
}
XSENS = {
    "pelvis": "Pelvis", "torso": "L5, L3, T12, T8", "head": "Neck, Head",
    "shoulder": "{}Shoulder", "upper_arm": "{}UpperArm", "forearm": "{}ForeArm", "hand": "{}Hand",
    "thigh": "{}UpperLeg", "shin": "{}LowerLeg", "foot": "{}Foot", "toes": "{}Toe",
}
XSENS_BVH = {
    "pelvis": "Hips", "torso": "Chest, Chest2, Chest3, Chest4", "head": "Neck, Head",
    "shoulder": "{}Collar", "upper_arm": "{}Shoulder", "forearm": "{}Elbow", "hand": "{}Wrist",
    "thigh": "{}Hip", "shin": "{}Knee", "foot": "{}Ankle", "toes": "{}Toe",
}
BIPED = {
    "pelvis": "Bip001 Pelvis", "torso": "Bip001 Spine, Bip001 Spine1, Bip001 Spine2", "head": "Bip001 Neck, Bip001 Head",
    "shoulder": "Bip001 {} Clavicle", "upper_arm": "Bip001 {} UpperArm", "forearm": "Bip001 {} Forearm", "hand": "Bip001 {} Hand",
    "thigh": "Bip001 {} Thigh", "shin": "Bip001 {} Calf", "foot": "Bip001 {} Foot", "toes": "Bip001 {} Toe0",
}
GENESIS_8 = {
    "pelvis": "hip", "torso": "abdomenLower, abdomenUpper, chestLower, chestUpper", "head": "neckLower, neckUpper, head",
    "shoulder": "{}Collar", "upper_arm": "{0}ShldrBend, {0}ShldrTwist", "forearm": "{0}ForearmBend, {0}ForearmTwist", "hand": "{}Hand",
    "thigh": "{0}ThighBend, {0}ThighTwist", "shin": "{}Shin", "foot": "{0}Foot, {0}Metatarsals", "toes": "{}Toe",
}
GENESIS_9 = {
    "pelvis": "hip", "torso": "spine1, spine2, spine3, spine4", "head": "neck1, neck2, head",
    "shoulder": "{}_shoulder", "upper_arm": "{}_upperarm", "forearm": "{}_forearm", "hand": "{}_hand",
    "thigh": "{}_thigh", "shin": "{}_shin", "foot": "{0}_foot, {0}_metatarsals", "toes": "{}_toes",
}
CMU_ASF = {
    "pelvis": "root", "torso": "lowerback, upperback, thorax", "head": "lowerneck, upperneck, head",
    "shoulder": "{}clavicle", "upper_arm": "{}humerus", "forearm": "{}radius", "hand": "{}wrist",
    "thigh": "{}femur", "shin": "{}tibia", "foot": "{}foot", "toes": "{}toes",
}
CHARACTER_CREATOR = {
    "pelvis": "CC_Base_Hip", "torso": "CC_Base_Waist, CC_Base_Spine01, CC_Base_Spine02", "head": "CC_Base_NeckTwist01, CC_Base_Head",
    "shoulder": "CC_Base_{}_Clavicle", "upper_arm": "CC_Base_{}_Upperarm", "forearm": "CC_Base_{}_Forearm", "hand": "CC_Base_{}_Hand",
    "thigh": "CC_Base_{}_Thigh", "shin": "CC_Base_{}_Calf", "foot": "CC_Base_{}_Foot", "toes": "CC_Base_{}_ToeBase",
}
AUTO_RIG_PRO = {
    "pelvis": "root.x", "torso": "spine_01.x, spine_02.x", "head": "neck.x, head.x",
    "shoulder": "shoulder.{}", "upper_arm": "arm_twist.{0}, arm_stretch.{0}", "forearm": "forearm_stretch.{0}, forearm_twist.{0}",
    "hand": "hand.{}", "thigh": "thigh_twist.{0}, thigh_stretch.{0}", "shin": "leg_stretch.{0}, leg_twist.{0}", "foot": "foot.{}",
    "toes": "toes_01.{}",
}


def prefixed(names: dict[str, str], prefix: str) -> dict[str, str]:
    return {part: ", ".join(prefix + name for name in text.split(", ")) for part, text in names.items()}


FAMILIES = {
    "Mixamo": ("Mixamo", slots(prefixed(MIXAMO, "mixamorig:"), WORDS)),
    "Mixamo, numbered": ("Mixamo", slots(prefixed(MIXAMO, "mixamorig1:"), WORDS)),
    "Mixamo, underscore": ("Mixamo", slots(prefixed(MIXAMO, "mixamorig_"), WORDS)),
    "Ready Player Me": ("Mixamo", slots(MIXAMO, WORDS)),
    "Mixamo in small letters": ("Mixamo", slots({part: text.lower() for part, text in MIXAMO.items()}, ("left", "right"))),
    "Mixamo under another name": ("Mixamo", slots(prefixed(MIXAMO, "Hero_"), WORDS)),
    "Unreal": ("Unreal", slots(UNREAL, ("l", "r"))),
    "VRM": ("VRM", slots(VRM)),
    "SMPL": ("SMPL", slots(SMPL, ("left", "right"))),
    "SMPL with a prefix": ("SMPL", slots({part: text.title() for part, text in prefixed(SMPL, "m_avg_").items()})),
    "Rokoko": ("Rokoko", slots(ROKOKO, ("left", "right"))),
    "Xsens": ("Xsens", slots(XSENS, WORDS)),
    "Xsens BVH": ("Xsens (BVH)", slots(XSENS_BVH, WORDS)),
    "Biped": ("3ds Max Biped", slots(BIPED)),
    "Genesis 8": ("Daz", slots(GENESIS_8, ("l", "r"))),
    "Genesis 9": ("Daz", slots(GENESIS_9, ("l", "r"))),
    "CMU as ASF": ("CMU (ASF)", slots(CMU_ASF, ("l", "r"))),
    "Character Creator": ("Character Creator", slots(CHARACTER_CREATOR)),
    "Auto-Rig Pro": ("Auto-Rig Pro", slots(AUTO_RIG_PRO, ("l", "r"))),
    "Rigify metarig": ("Rigify metarig", slots(RIGIFY)),
    "Rigify deform bones": ("Rigify metarig", slots(prefixed(RIGIFY, "DEF-"))),
    "by hand": ("Hand-named", slots(PLAIN)),
}
SHARED = {
    "MPFB mixamo": ("Mixamo", lambda: mpfb("mixamo"), slots(prefixed(MIXAMO, "mixamorig:"), WORDS)),
    "MPFB mixamo_unity": ("Mixamo", lambda: mpfb("mixamo_unity"), slots(prefixed(MIXAMO, "mixamorig:"), WORDS)),
    "MPFB game_engine": ("Unreal", lambda: mpfb("game_engine"), slots(UNREAL, ("l", "r"))),
    "MPFB cmu_mb": ("CMU", lambda: mpfb("cmu_mb"), slots(CMU, WORDS)),
    "MPFB rigify_human": ("Rigify metarig", lambda: mpfb("rigify_human"), slots(RIGIFY)),
    "MPFB openpose": ("OpenPose (MPFB)", lambda: mpfb("openpose"), slots(OPENPOSE)),
    "MPFB default": ("MPFB", lambda: mpfb("default"), slots(MPFB)),
    "BVH mixamo": ("Mixamo", lambda: bvh("rest_mixamo_names"), slots(prefixed(MIXAMO, "mixamorig:"), WORDS)),
    "BVH unreal": ("Unreal", lambda: bvh("rest_unreal_mannequin_names"), slots(UNREAL, ("l", "r"))),
    "BVH cmu": ("CMU", lambda: bvh("rest_cmu_mb_names"), slots(CMU, WORDS)),
    "BVH rigify": ("Rigify metarig", lambda: bvh("rest_rigify_metarig_names"), slots(RIGIFY)),
    "BVH vrm": ("VRM", lambda: bvh("rest_vrm_vroid_names"), slots(VRM)),
    "BVH smpl": ("SMPL", lambda: bvh("rest_smpl_names"), slots(SMPL, ("left", "right"))),
    "BVH rokoko": ("Rokoko", lambda: bvh("rest_rokoko_studio_names"), slots(ROKOKO, ("left", "right"))),
}


def by_shape(bones: list[Bone], seed: int = 0) -> dict[str, tuple[str, ...]]:
    """What is recognised with names that say nothing, in the old names."""
    nameless, old = renamed(bones, seed)
    found = recognise(nameless)
    assert found.usable, found.summary
    assert found.map.family == "by shape" and all(found.notes[slot].status == GUESSED for slot in found.map.bones)
    return {slot: tuple(old[name] for name in chain) for slot, chain in found.map.bones.items()}


def mirrored(found: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The same bones on the other side."""
    other = {"L": "R", "R": "L"}
    return {f"{slot[:-1]}{other[slot[-1]]}" if "." in slot else slot: chain for slot, chain in found.items()}


@pytest.mark.parametrize("case", FAMILIES)
def test_families_are_known_by_name(case):
    family, expected = FAMILIES[case]
    found = recognise(person(expected))
    assert found.map.bones == expected == found.map.controls
    assert found.usable and {note.status for note in found.notes.values()} == {FOUND}
    assert found.summary == f"{family} rig, 19 of 19 parts found"


@pytest.mark.parametrize("case", SHARED)
def test_real_rigs_by_name(case):
    family, load, expected = SHARED[case]
    found = recognise(load())
    assert found.map.bones == expected and found.map.family == family and found.usable
    missing = [slot for slot in SLOTS if slot not in expected]
    assert [slot for slot in SLOTS if found.notes[slot].status == MISSING] == missing


@pytest.mark.parametrize("case", SHARED)
@pytest.mark.parametrize("degrees, scale", [(0.0, 1.0), (77.0, 100.0), (180.0, 0.01), (291.0, 1.0)])
def test_real_rigs_by_shape(case, degrees, scale):
    _, load, expected = SHARED[case]
    assert by_shape(turned(load(), degrees, scale), seed=int(degrees)) == expected


@pytest.mark.parametrize("case", SHARED)
def test_left_is_left_in_a_mirror(case):
    """The feet, not the names, tell which side is which."""
    _, load, expected = SHARED[case]
    found = by_shape(moved(turned(load(), 33.0), lambda p: (-p[0], p[1], p[2])))
    assert set(found["pelvis"]) == set(expected["pelvis"])
    assert first(found | {"pelvis": ()}) == first(mirrored(expected) | {"pelvis": ()})


@pytest.mark.parametrize("degrees", range(0, 360, 45))
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_a_person_by_shape_facing_any_way_in_any_unit(degrees, scale):
    expected = slots(PLAIN)
    assert by_shape(turned(person(expected), degrees, scale), seed=degrees) == expected


def test_names_of_the_wrong_side_are_put_right():
    expected = slots(PLAIN)
    found = recognise(person(mirrored(expected)))
    assert found.usable and found.map.bones == mirrored(expected)
    assert found.notes["thigh.L"].status == GUESSED and "other side" in found.notes["thigh.L"].text


@pytest.mark.parametrize("degrees", [-45.0, -20.0, 40.0, 80.0])  # hanging, half, T-pose, raised
def test_arms_at_any_height(degrees):
    expected = slots(PLAIN)

    def raised(point):
        c, s, out, up = cos(radians(degrees)), sin(radians(degrees)), abs(point[0]) - 0.19, point[2] - 1.42
        return (copysign(0.19 + c * out - s * up, point[0]), point[1], 1.42 + s * out + c * up) if out > 0.0 else point

    assert by_shape(moved(person(expected), raised)) == expected


def test_bent_knees():
    expected = slots(PLAIN)
    bent = moved(person(expected), lambda p: (p[0], p[1] - 0.15 * max(0.0, 1.0 - abs(p[2] - 0.5) / 0.42), p[2]))
    assert by_shape(bent) == expected


@pytest.mark.parametrize("missing", [("toes",), ("hand",), ("shoulder",), ("toes", "hand", "shoulder"), ARM, ("head",), ("head", *ARM)])
def test_parts_that_may_be_missing(missing):
    names = {part: text for part, text in PLAIN.items() if part not in missing}
    expected = slots(names)
    bones = person(expected)
    found = recognise(bones)
    assert found.usable and found.map.bones == expected
    lost = [slot for slot in SLOTS if slot not in expected]
    assert [slot for slot in SLOTS if found.notes[slot].status == MISSING] == lost
    assert f"{19 - len(lost)} of 19 parts found, without " in found.summary
    if "head" not in missing or "upper_arm" not in missing:  # a bare spine shows no neck
        assert by_shape(bones) == expected


def test_no_neck():
    expected = slots(PLAIN | {"head": "head"})
    assert recognise(person(expected)).map.bones == expected == by_shape(person(expected))


def test_helpers_props_and_made_up_tails_do_not_confuse():
    expected = slots(PLAIN)
    bones = person(expected)
    at = {bone.name: bone for bone in bones}
    root = Bone("root", None, (0.0, 0.0, 0.0), (0.0, -0.5, 0.0))
    bones = [replace(bone, parent=bone.parent or "root") for bone in bones] + [root]
    for side, x in (("L", 1.0), ("R", -1.0)):
        foot, hand, knee = at[f"foot.{side}"], at[f"hand.{side}"], at[f"shin.{side}"].head
        bones += [Bone(f"ik {part.name}", "root", part.head, part.tail) for part in (foot, hand)]
        bones.append(Bone(f"pole.{side}", "root", (knee[0], knee[1] - 0.6, knee[2]), (knee[0], knee[1] - 0.7, knee[2])))
        bones += [Bone(f"twist {part.name}", part.name, part.head, part.tail) for part in (at[f"thigh.{side}"], at[f"forearm.{side}"])]
        bones += [Bone(f"eye.{side}", "head", (0.03 * x, -0.1, 1.68), (0.03 * x, -0.13, 1.68))]
        bones += [Bone(f"finger{n}.{side}", hand.name, hand.tail, (hand.tail[0], hand.tail[1] - 0.02 * n, hand.tail[2] - 0.1)) for n in range(4)]
        for number in range(4):  # the seams of a long coat
            top, end = (x * 0.15, 0.1, 0.95 - 0.2 * number), (x * 0.15, 0.1, 0.75 - 0.2 * number)
            bones.append(Bone(f"coat{number}.{side}", f"coat{number - 1}.{side}" if number else "pelvis", top, end))
    bones += [Bone("sword", "hand.R", at["hand.R"].tail, (-0.7, -1.2, 1.0)), Bone("crown", "head", (0.0, 0.0, 1.78), (0.0, 0.0, 1.8))]
    assert by_shape(bones) == expected
    imported = [replace(bone, tail=(bone.head[0], bone.head[1] + 0.05, bone.head[2])) for bone in bones]
    assert by_shape(imported) == expected


def test_deform_bones_on_a_copy_of_the_skeleton():
    """As in a generated Rigify rig: controls everywhere, and deform bones that hang on them, not on each other."""
    expected = slots(PLAIN)
    bones = person(expected)
    controls = [replace(bone, name=f"c {bone.name}", parent=bone.parent and f"c {bone.parent}", deform=False) for bone in bones]
    far = Bone("c far", "c pelvis", (0.0, 3.0, -4.0), (0.0, 3.0, -3.0), deform=False)
    deform = [replace(bone, parent=bone.parent and f"c {bone.parent}") for bone in bones]
    found = by_shape([*deform, *controls, far])
    assert first(found) == first(expected) | {"pelvis": "c pelvis"}  # which really carries them


def test_bones_whose_names_are_unknown_are_filled_in_by_shape():
    names = slots(PLAIN)
    strange = {name: f"zz{number}" for number, name in enumerate(("toes.L", "toes.R", "hand.L"))}
    bones = [replace(bone, name=strange.get(bone.name, bone.name), parent=strange.get(bone.parent, bone.parent)) for bone in person(names)]
    found = recognise(bones)
    assert found.map.family == "Hand-named" and found.map.bones["toes.R"] == ("zz1",) and found.map.bones["hand.L"] == ("zz2",)
    assert found.notes["toes.L"].status == GUESSED and found.notes["foot.L"].status == FOUND


def test_legs_on_the_spine_and_arms_on_the_neck():
    """An old Biped: what carries the legs is pelvis, what carries the arms is torso."""
    expected = slots(BIPED)
    hung = {f"Bip001 {side} {part}": f"Bip001 {on}" for side in "LR" for part, on in (("Thigh", "Spine"), ("Clavicle", "Neck"))}
    found = recognise([replace(bone, parent=hung.get(bone.name, bone.parent)) for bone in person(expected)]).map
    assert found.bones["pelvis"] == ("Bip001 Pelvis", "Bip001 Spine")
    assert found.bones["torso"] == ("Bip001 Spine1", "Bip001 Spine2", "Bip001 Neck") and found.bones["head"] == ("Bip001 Head",)


def test_pelvis_is_what_carries_spine_and_legs():
    """Genesis: 'pelvis' carries the legs alone, 'hip' everything."""
    expected = slots(GENESIS_8, ("l", "r"))
    bones = person(expected)
    extra = Bone("pelvis", "hip", (0.0, 0.0, 0.95), (0.0, 0.0, 0.9))
    bones = [replace(bone, parent="pelvis") if bone.name.endswith("ThighBend") else bone for bone in bones] + [extra]
    assert recognise(bones).map.bones == expected


def test_control_rig():
    """Auto-Rig Pro: joints of one set of bones, keys on another, and the switches to FK where the rig has them."""
    plain = {part: part + ".{}" for part in ARM + LEG} | {"upper_arm": "arm.{}", "shin": "leg.{}", "toes": "toes_01.{}"}
    expected = slots(plain | {part: AUTO_RIG_PRO[part] for part in ("pelvis", "torso", "head")}, ("l", "r"))
    keyed = {part: f"c_{part}_fk.{{}}" for part in ARM + LEG} | {"shoulder": "c_shoulder.{}", "upper_arm": "c_arm_fk.{}", "shin": "c_leg_fk.{}"}
    controls = slots(keyed | {"pelvis": "c_root_master.x", "torso": "c_spine_01.x, c_spine_02.x", "head": "c_neck.x, c_head.x"}, ("l", "r"))
    names = [f"c_{part}_ik.{side}" for part in ("hand", "foot") for side in "lr"]
    switches = [Bone(name, "c_root_master.x", (0.0, 0.0, 0.0), (0.0, 0.0, 0.1), False, ("ik_fk_switch",)) for name in names]
    found = recognise([*person(expected), *person(controls), *switches])
    assert found.usable and found.map.family == "Auto-Rig Pro control rig"
    assert found.map.bones == expected and found.map.controls == controls
    assert found.map.switches == [(bone.name, "ik_fk_switch", 1.0) for bone in switches]
    bare = [replace(bone, properties=()) for bone in switches]
    assert recognise([*person(expected), *person(controls), *bare]).map.switches == []


def test_robot_with_feet_of_their_own():
    found = recognise(glb("threejs_RobotExpressive.glb"))
    assert found.usable and found.map.bones == {
        "pelvis": ("Body",), "torso": ("Abdomen", "Torso"), "head": ("Neck", "Head"),
        **slots({
            "shoulder": "Shoulder.{}", "upper_arm": "UpperArm.{}", "forearm": "LowerArm.{}",
            "thigh": "UpperLeg.{}", "shin": "LowerLeg.{}", "foot": "Foot.{}",
        }),
    }
    assert found.notes["foot.L"].status == GUESSED and "'Foot.L' does not hang on 'LowerLeg.L'" in found.notes["foot.L"].text


REFUSED = {
    "no bones": ([], "no bones"),
    "a single bone": ([Bone("Bone", None, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))], "no legs"),
    "all in one place": ([replace(bone, head=(0.0, 0.0, 0.0), tail=(0.0, 0.0, 0.0)) for bone in person(slots(PLAIN))], "does not point down"),
    "one leg": (without(person(slots(PLAIN)), "thigh.R"), "No bones were found for right thigh, right shin and right foot"),
    "no feet": (without(person(slots(PLAIN)), "foot.L", "foot.R"), "Bone 'shin.L' has no child that could be a foot."),
    "one shin": (without(person(slots(PLAIN)), "shin.L"), "Bone 'thigh.L' has no child that could be a shin."),
    "one leg, nameless": (renamed(without(person(slots(PLAIN)), "thigh.R"))[0], "one leg"),
    "no feet, nameless": (renamed(without(person(slots(PLAIN)), "foot.L", "foot.R"))[0], "no legs"),
    "a snake": (snake(), "no legs"),
    "a dog": (quadruped(), "does not rise"),
    "a dog, nameless": (renamed(quadruped())[0], "More than two legs"),
    "lying down": (moved(person(slots(PLAIN)), lambda p: (p[0], -p[2], p[1])), "does not point down"),
    "head over heels": (moved(person(slots(PLAIN)), lambda p: (p[0], -p[1], -p[2])), "does not point down"),
    "lying down, nameless": (renamed(moved(person(slots(PLAIN)), lambda p: (p[0], -p[2], p[1])))[0], "no legs"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_walk_is_told_why(case):
    bones, reason = REFUSED[case]
    found = recognise(bones)
    assert not found.usable and reason in found.summary and found.summary.endswith(".")
    assert set(found.notes) == set(SLOTS) and any(found.notes[slot].status == MISSING for slot in REQUIRED)


def test_a_dog_is_told_what_is_wrong_where():
    notes = recognise(quadruped()).notes
    assert "spine" in notes["pelvis"].text and notes["thigh.L"].status == FOUND


def test_a_character_lies_when_its_object_is_not_turned():
    """A rig with Y up that came in without a turn: names tell what it is, but it cannot stand."""
    found = recognise(moved(person(slots(MIXAMO, WORDS)), lambda p: (p[0], p[2], -p[1])))
    assert not found.usable and found.summary.endswith("turn the object so that it stands upright.")


def test_check_an_edited_map():
    bones = person(slots(PLAIN))
    good = recognise(bones).map

    def edited(**changes) -> BoneMap:
        spelled = {slot.replace("_L", ".L"): chain for slot, chain in changes.items()}
        return replace(good, bones=good.bones | spelled, controls=good.controls | spelled)

    assert check(bones, good).usable and check(bones, good).map is good
    gone = check(bones, edited(thigh_L=("Bone.007",)))
    assert not gone.usable and gone.summary == "Bone 'Bone.007' for the left thigh is not in this armature: pick another one."
    twice = check(bones, edited(shin_L=("thigh.L",)))
    assert not twice.usable and twice.summary == "Bone 'thigh.L' is already the left thigh: pick another one for the left shin."
    loose = check(bones, edited(hand_L=("toes.R",), toes_L=()))
    assert loose.usable and loose.notes["hand.L"].status == GUESSED and loose.notes["toes.L"].status == MISSING
    assert check(bones, replace(good, family="")).summary == "Mapped by hand, 19 of 19 parts found"
    none = check(bones, edited(shin_L=()))
    assert not none.usable and none.summary == "Bone 'thigh.L' has no child that could be a shin."


def test_map_to_json_and_back():
    found = recognise(person(slots(PLAIN))).map
    found.switches.append(("torso", "IK_FK", 1.0))
    assert BoneMap.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    whole = found.to_dict()
    for broken in ({}, [], {"bones": {}}, whole | {"bones": {"tentacle": ["a"]}}, whole | {"switches": [1]}, whole | {"bones": 3}):
        with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
            BoneMap.from_dict(broken)


def test_every_family_file_is_whole():
    for path in FOLDER.glob("*.json"):
        family = json.loads(path.read_text(encoding="utf-8"))
        needed = {"name", "description", "slots"}
        assert needed <= set(family) <= needed | {"prefix", "mark", "controls", "switches", "ik"}, path.name
        for part in ("slots", "controls"):
            assert set(family.get(part, {})) <= {slot.partition(".")[0] for slot in SLOTS}
        assert set(family.get("ik", {})) <= {"arm_pole", "leg_pole", "root", "still", *(slot.partition(".")[0] for slot in SLOTS)}


def test_ik_controls_by_name():
    names = ["foot_ik.L", "thigh_ik_target.L", "foot_heel_ik.L", "root", "MCH-foot_ik.L", "foot_fk.L"]
    found = ik_controls("Rigify", names)
    assert found == {"foot.L": ["foot_ik.L"], "leg_pole.L": ["thigh_ik_target.L"], "still": ["foot_heel_ik.L"], "root": ["root"]}
    found = ik_controls("Auto-Rig Pro control rig", ["c_hand_ik.r", "c_arms_pole.r", "c_traj", "c_foot_01.l"])
    assert found == {"hand.R": ["c_hand_ik.r"], "arm_pole.R": ["c_arms_pole.r"], "root": ["c_traj"], "still": ["c_foot_01.l"]}
    assert knows_ik("Rigify") and not knows_ik("Mixamo") and ik_controls("Mixamo", names) == {}


@pytest.mark.parametrize("far", (0.5, 100.0))
def test_wild_tails_do_not_confuse(far):
    """As an importer may leave them: of any length, in any direction. Neither names nor shapes need them."""
    chance = random.Random(far)
    bones = person(slots(PLAIN))

    def spoilt(bone: Bone) -> Bone:
        away = [chance.uniform(-1.0, 1.0) * far * dist(bone.head, bone.tail) for _ in range(3)]
        return replace(bone, tail=(bone.head[0] + away[0], bone.head[1] + away[1], bone.head[2] + away[2]))

    spoilt_bones = [spoilt(bone) for bone in bones]
    assert recognise(spoilt_bones).map.bones == recognise(bones).map.bones
    nameless, names = renamed(spoilt_bones)
    found = recognise(nameless)
    assert found.usable, found.summary
    assert {slot: next(names[bone] for bone in chain) for slot, chain in found.map.bones.items() if slot in REQUIRED} == \
        {slot: slots(PLAIN)[slot][0] for slot in REQUIRED}
