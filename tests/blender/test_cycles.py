"""One cycle in place, as games have them, is hit in Blender: it goes on by itself until the hit is taken, and is the cycle again."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.mannequins import empty_scene, mannequin
from tests.cases import quick
from tests.clips.cycles import write_cycle

SOLDIER = Path(__file__).resolve().parents[3] / "shared" / "rigs" / "threejs_Soldier.glb"
SUNK = 0.006  # m
shared = pytest.mark.skipif(not SOLDIER.is_file(), reason="the characters in ../shared/rigs are not here")


def shown(character, first, last):
    """(F, B, 3) m, world: the heads of the bones on frames of the scene; the first is the pelvis's."""
    names = sorted((bone.name for bone in character.pose.bones if not bone.name[-1].isdigit()),
                   key=lambda name: not name.endswith(("pelvis", "Hips")))
    rows = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        rows.append([tuple(character.matrix_world @ character.pose.bones[name].head) for name in names])
    return np.array(rows)


def around(places):
    """Distances (F, B, B) of the bones from each other: a pose, wherever it is and whichever way it faces."""
    return np.linalg.norm(places[:, :, None] - places[:, None], axis=-1)


def between(places, times=8):
    """The same with ``times`` as many frames: what goes on after a hit goes on at any moment between two frames."""
    moments = np.arange((len(places) - 1) * times + 1) / times
    first = np.minimum(moments.astype(int), len(places) - 2)
    return places[first] + (moments - first)[:, None, None] * (places[first + 1] - places[first])


def hit_in_the_middle(character, part="torso"):
    """Shove what the character plays; what it played before and plays now, and the frame of the hit."""
    action = character.animation_data.action
    first, last = (round(value) for value in action.frame_range)
    before = shown(character, first, last)
    bpy.context.scene.frame_set(first + (last - first) // 3)
    assert bpy.ops.footfall.add_hit() == {"FINISHED"}
    push = character.footfall.pushes[0]
    push.part = part
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    baked = character.footfall.bake.action
    return before, shown(character, first, round(baked.frame_range[1])), push.frame - first


def assert_it_goes_round(character, before, after, hit, alike):
    assert not character.footfall.bake.fell, character.footfall.bake.report
    assert "slid" not in character.footfall.bake.report
    fps = bpy.context.scene.render.fps
    assert len(after) > hit + 0.8 * fps and len(after) > len(before), "it goes on for as long as it needs"
    assert np.linalg.norm(after[:hit + 1] - before[:hit + 1], axis=-1).max() < 0.0005
    moved = np.linalg.norm(after[hit:, 0, :2] - before[hit % len(before), 0, :2], axis=-1)
    assert 0.03 < moved.max() < 2.0, "it is pushed, and stays about where it is"
    assert after[..., 2].min() > before[..., 2].min() - SUNK, "feet do not sink into the floor"
    # In the end it does what the cycle does, somewhere in it.
    cycle = around(between(before))
    off = [np.abs(around(after[frame:frame + 1]) - cycle).max(axis=(1, 2)).min() for frame in range(len(after) - 4, len(after))]
    assert max(off) < alike, off
    # Between two frames of a film a foot may go far, but nobody's hips do.
    assert np.linalg.norm(np.diff(after[:, 0], 2, axis=0), axis=-1).max() < 0.06


@pytest.mark.slow
def test_a_mannequin_that_walks_in_place_is_shoved(mannequin, tmp_path):
    bpy.ops.footfall.add_reference(filepath=str(write_cycle(tmp_path / "in_place.bvh", in_place=True, fps=24.0)))
    motion = mannequin.footfall.motion
    motion.source, motion.method = "CLIP", "RETARGET"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    before, after, hit = hit_in_the_middle(mannequin)
    assert_it_goes_round(mannequin, before, after, hit, alike=0.03)


@shared
@pytest.mark.parametrize("name", quick(["Walk", "Run"], "Walk"))
def test_soldiers_cycles_are_shoved(name):
    bpy.ops.import_scene.gltf(filepath=str(SOLDIER))
    soldier = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = soldier
    for track in soldier.animation_data.nla_tracks:
        track.mute = True
    soldier.animation_data.action = bpy.data.actions[f"{name}_Character"]
    assert bpy.ops.footfall.recognise() == {"FINISHED"}
    before, after, hit = hit_in_the_middle(soldier)
    assert_it_goes_round(soldier, before, after, hit, alike=0.03)
