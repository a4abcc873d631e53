"""Recordings onto rigs of different build without physics: planted feet stay, nothing jumps, nothing sinks; measured on the rigs' own bones."""

import importlib.util
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from footfall.blender_addon.scene import Character, measure
from footfall.core import rotation
from footfall.core.result import Result

from tests.addon.skeletons import PLAIN, SHARED, bvh, moved, mpfb, person, slots
from tests.blender.test_bake import empty_scene, generated, mannequin
from tests.blender.test_read import armature_of
from tests.cases import quick

CLIPS = ("02_01_walk", "37_01_walk_slow", "16_17_walk_turn90_left", "138_05_march", "120_08_sneak_mickey_cut")
FPS = 60  # in 1/24 s the knees of these people themselves turn by up to 27°
DOWN = 0.01  # m over the ground below which a point of the sole stands on it
SLIDE, SINK = 0.01, 0.01  # m on a person
JUMP = math.radians(20.0)  # from one frame to the next


def dwarf() -> bpy.types.Object:
    """1.2 m from the legs, with the trunk and the arms of a grown person."""
    def squat(point: tuple) -> tuple:
        x, y, z = point
        return (x, 0.75 * y, 0.7 * z) if z < 0.95 else (x, y, z - 0.3 * 0.95)
    return armature_of(moved(person(slots(PLAIN)), squat))


RIGS = {"mannequin": mannequin, "dwarf": dwarf, "rigify": generated, "mpfb mixamo": lambda: armature_of(mpfb("mixamo")),
        "bvh smpl": lambda: armature_of(bvh("rest_smpl_names"))}


def recordings() -> list[Path]:
    """Those that are here."""
    motions = Path(importlib.util.find_spec("pybullet_data").origin).parent / "data" / "motions"
    return [motions / "humanoid3d_walk.txt", *(path for name in CLIPS if (path := SHARED / "mocap" / "cmu" / f"{name}.bvh").is_file())]


def retargeted(rig: bpy.types.Object, reference: str) -> Result:
    motion = rig.footfall.motion
    motion.source, motion.reference, motion.method = "CLIP", reference, "RETARGET"
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    return Result.load(rig.footfall.bake.result)


def poses(rig: bpy.types.Object, names: list[str], frames: range) -> np.ndarray:
    """(F, N, 4, 4) world matrices of bones as they are posed."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([rig.matrix_world @ rig.pose.bones[name].matrix for name in names])
    return np.array(found)


def largest_turn(matrices: np.ndarray, parents: list[int]) -> tuple[float, int]:
    """Radians by which a bone turns against the one that it hangs on, from one frame to the next, and which bone that is."""
    turns = rotation.from_matrix(matrices[..., :3, :3] / np.linalg.norm(matrices[..., :3, :3], axis=-2, keepdims=True))
    for bone in reversed(range(len(parents))):
        if parents[bone] >= 0:
            turns[:, bone] = rotation.multiply(rotation.conjugate(turns[:, parents[bone]]), turns[:, bone])
    steps = 2.0 * np.arccos(np.clip(np.abs((turns[1:] * turns[:-1]).sum(axis=-1)), 0.0, 1.0)).max(axis=0)
    return float(steps.max()), int(steps.argmax())


def soles(rig: bpy.types.Object, character: Character, result: Result, names: list[str], matrices: np.ndarray) -> np.ndarray:
    """(F, 2, P, 3) simulated metres: the corners of the soles, as the bones of feet and toes carry them. Args: N bones, (F, N, 4, 4) of them."""
    fit, bones, found = character.fit, character.bone_map.bones, []
    for side in "LR":
        foot, toes, corners = f"foot.{side}", f"toes.{side}", []
        joint = {foot: fit.joints[foot], toes: fit.joints[foot] + rotation.rotate(fit.rest[foot], result.offsets[result.link_names.index(toes)])}
        for link in (foot, toes):
            bone = (bones.get(link) or bones[foot])[0]
            points = result.sole_points[result.sole_links == result.link_names.index(link)]
            resting = fit.placement.to_world(joint[link] + rotation.rotate(fit.rest[link], points))
            carried = matrices[:, names.index(bone)] @ np.linalg.inv(np.array(rig.matrix_world @ rig.data.bones[bone].matrix_local))
            corners.append(np.einsum("fij,pj->fpi", carried[:, :3, :3], resting) + carried[:, None, :3, 3])
        found.append(np.concatenate(corners, axis=1))
    return character.placement.to_job(np.stack(found, axis=1))


def longest_slide(corners: np.ndarray, loads: np.ndarray) -> float:
    """Metres in the worst stance: in each frame as far as that point of the sole which is down and moves least. A foot that pivots turns on
    some point inside of its sole, so the middles between the corners count too. Args: (F, 2, P, 3) metres, (F, 2) N."""
    longest = 0.0
    for foot in (0, 1):
        path = corners[:, foot]
        points = np.concatenate([0.5 * (path[:, [one]] + path[:, one:]) for one in range(path.shape[1])], axis=1)
        down = (points[..., 2] < DOWN) & (loads[:, foot, None] > 0.0)
        moves = np.where(down[1:] & down[:-1], np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1), np.inf).min(axis=1)
        slid = 0.0
        for move in moves:
            slid = slid + move if np.isfinite(move) else 0.0
            longest = max(longest, slid)
    return longest


@pytest.mark.parametrize("name", quick(RIGS, "mannequin"))
def test_recordings_on_a_rig(name):
    bpy.context.scene.footfall.references.clear()
    bpy.context.scene.render.fps = FPS
    rig = RIGS[name]()
    character = measure(rig)
    for path in recordings():
        assert bpy.ops.footfall.add_reference(filepath=str(path)) == {"FINISHED"}
    names = [bone for chain in character.bone_map.bones.values() for bone in chain]
    parents = [next((names.index(above.name) for above in rig.data.bones[bone].parent_recursive if above.name in names), -1) for bone in names]
    assert all(parent < bone for bone, parent in enumerate(parents))
    for reference in bpy.context.scene.footfall.references:
        result = retargeted(rig, reference.name)
        matrices = poses(rig, names, range(1, 1 + result.frames))
        corners = soles(rig, character, result, names, matrices)
        slid, sunk = longest_slide(corners, result.foot_forces[:, :, 2]), max(0.0, -float(corners[..., 2].min()))
        turn, bone = largest_turn(matrices, parents)
        said = (f"{reference.name} on {name}: slides {1000 * slid:.1f} mm, sinks {1000 * sunk:.1f} mm, "
                f"'{names[bone]}' turns {math.degrees(turn):.1f}° in a frame")
        print(said)
        assert (result.foot_forces[:, :, 2] > 0.0).any(axis=0).all() and slid < SLIDE and sunk < SINK and turn < JUMP, said
