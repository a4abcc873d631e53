"""Small promises: one progress bar that means it, one hit a frame, falls as asked, ghosts that say what they are, and who starts is led."""

from pathlib import Path

import bpy
import pytest
from footfall.blender_addon import simulation, status, worker
from footfall.blender_addon.overlays import figure, legend, variations
from footfall.blender_addon.overlays.last_bake import last_bake
from footfall.blender_addon.selection import characters_of
from mathutils import Vector

from tests.blender.mannequins import empty_scene, mannequin, refused

CLIPS = Path(__file__).resolve().parents[1] / "clips"


def follow(rig: bpy.types.Object, clip: str, method: str) -> bpy.types.PropertyGroup:
    bpy.ops.footfall.add_reference(filepath=str(CLIPS / f"{clip}.bvh"))
    motion = rig.footfall.motion
    motion.source, motion.method = "CLIP", method
    return motion


def hit(frame: int, newtons: float, seconds: float = 0.2) -> bpy.types.PropertyGroup:
    bpy.context.scene.frame_set(frame)
    bpy.ops.footfall.add_push()
    push = bpy.context.object.footfall.pushes[-1]
    push.newtons, push.seconds = newtons, seconds
    return push


def watched(rig: bpy.types.Object) -> list[tuple[float, str]]:
    """The fractions and the words of a bake, as the panel has them from one tick to the next."""
    seen = []
    running = simulation.Simulation(bpy.context, rig)
    while not running.tick():
        seen.append((running.fraction, running.doing))
    running.finish(bpy.context)
    return seen


@pytest.mark.parametrize(("clip", "method", "doing"), [pytest.param("stand", "HIT", "Trying 1 of 7 ways to keep its balance", marks=pytest.mark.slow),
                                                       ("walk", "TRACK", "Following 'walk' under physics")])
def test_the_bar_rises_and_says_what_is_done(mannequin, clip, method, doing):
    follow(mannequin, clip, method)
    if method == "HIT":
        hit(13, 60.0)
    seen = watched(mannequin)
    fractions = [fraction for fraction, _ in seen]
    assert fractions == sorted(fractions) and doing in {words for _, words in seen}
    if method == "TRACK":  # a clip is given more time than it needs
        assert fractions[-1] > 0.9


@pytest.mark.slow
def test_work_that_goes_on_after_a_stop_does_not_begin_at_nothing(tmp_path):
    running = worker.Worker({"method": "plan", "clips": [str(CLIPS / "kick.bvh")], "quality": "draft"}, tmp_path)
    while (found := running.poll()).fraction < 0.2 or not running.has_unfinished:
        assert not found.done, found.error
    running.stop()
    before = running.poll().fraction
    running.go_on()
    while not (found := running.poll()).doing.startswith("Trying out moves"):
        assert not found.done and found.fraction >= before
    running.cancel()


def test_the_time_left_in_words():
    class Running:
        fraction, left, doing = 0.34, 12.3, "Trying 12 of 47 ways to keep its balance"

    assert status.status_line(Running) == "34%, 12 s left: Trying 12 of 47 ways to keep its balance"
    assert status.time_left(None) == "starting" and status.time_left(200.0) == "3 min left"


def test_who_is_asked_to_fall_is_not_told_to_push_less(mannequin):
    motion = follow(mannequin, "stand", "HIT")
    motion.methods.hit.response = "FALL"
    hit(13, 400.0)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    baked = mannequin.footfall.bake
    assert baked.report.startswith("Fell ") and baked.report.endswith("after the push at frame 13, as you asked.") and not baked.fell


def test_two_hits_on_one_frame_are_one_unless_another_is_asked_for(mannequin):
    pushes = mannequin.footfall.pushes
    hit(10, 111.0)
    hit(20, 222.0)
    bpy.context.scene.frame_set(10)
    bpy.ops.footfall.add_push()
    assert [push.newtons for push in pushes] == [111.0, 222.0] and mannequin.footfall.active_push == 0
    bpy.ops.footfall.add_push(another=True)
    assert [push.frame for push in pushes] == [10, 20, 10] and mannequin.footfall.active_push == 2


def test_an_animation_that_is_hit_twice_on_a_frame_has_one_hit(mannequin):
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    bpy.context.scene.frame_set(12)
    pushes = mannequin.footfall.pushes
    bpy.ops.footfall.add_hit()
    pushes[0].feel, pushes[0].part = "TACKLE", "head"
    bpy.ops.footfall.add_hit()
    assert [(push.feel, push.part) for push in pushes] == [("TACKLE", "head")]
    # A click says where it is hit: the one that is there is hit there.
    body = mannequin.matrix_world @ mannequin.pose.bones[mannequin.footfall.parts["torso"].bone].center
    bpy.ops.footfall.click_hit(origin=body - Vector((5.0, 0.0, 0.0)), direction=(1.0, 0.0, 0.0))
    assert len(pushes) == 1 and pushes[0].part != "head" and pushes[0].direction[0] == 1.0
    bpy.ops.footfall.add_hit(another=True)
    assert len(pushes) == 2


def test_who_has_no_character_is_led_to_one(mannequin):
    bpy.context.view_layer.objects.active = None
    mannequin.select_set(False)
    assert characters_of(bpy.context) == [mannequin]
    assert bpy.ops.footfall.pick_character(character=mannequin.name) == {"FINISHED"}
    assert bpy.context.active_object == mannequin and mannequin.footfall.usable
    bpy.data.objects.remove(mannequin)
    assert characters_of(bpy.context) == []


def test_a_ghost_has_a_head_and_a_legend_says_what_it_is(mannequin):
    follow(mannequin, "walk", "TRACK")
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    bpy.context.scene.frame_set(mannequin.footfall.bake.frame + 10)
    bake = last_bake(mannequin)
    middle, up, radius = figure.head(bake.figure, bake.joints[10])
    # On the neck, upright, and as large as a head.
    assert 0.05 < middle.z - bake.joints[10][bake.figure.neck][2] < 0.25 and up.z > 0.9 and 0.06 < radius < 0.2
    assert [text for _, text in legend.entries(bpy.context)] == ["The clip that was followed"]
    listed = mannequin.footfall.variations
    for number, fell in enumerate((False, True, False), 1):
        entry = listed.found.add()
        entry.name, entry.fell, entry.result = f"{number}", fell, mannequin.footfall.bake.result
    listed.active = 2
    said = {text: color for color, text in legend.entries(bpy.context)}
    assert said["Variations that stay up"] == variations.STAYS and said["Variations that fall"] == variations.FALLS
    assert said["Variation 3, chosen in the list"] == variations.CHOSEN and len(said) == 4
    bpy.context.scene.footfall.overlays.variations = bpy.context.scene.footfall.overlays.ghost = False
    assert legend.entries(bpy.context) == []


def test_a_button_without_a_character_says_so():
    assert "armature" in refused(bpy.ops.footfall.add_push)
