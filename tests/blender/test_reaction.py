"""The ghost of a hit: from the panel's settings to what is drawn, and what it leaves behind, which is nothing."""

import math
import time
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np
import pytest
from footfall.blender_addon import reaction, scene
from footfall.blender_addon.aiming import Arrow, Disc, aim, aimed, arrow_of, length_of, newtons_of
from footfall.blender_addon.dragged import Dragged, hold, let_go
from footfall.blender_addon.forecast import against, forecast_of
from footfall.blender_addon.overlays import disc
from footfall.blender_addon.overlays.reaction import is_shown
from footfall.blender_addon.selection import part_position
from footfall.core.pushes.response import STRATEGIES
from footfall.core.result import Result
from mathutils import Vector

from tests.blender.mannequins import empty_scene, mannequin, traces
from tests.clips.cycles import write_cycle

CLIPS = Path(__file__).resolve().parents[1] / "clips"
LONGEST = 0.4  # of the work, for which Blender may stand still at once


def hit(rig, clip="stand", frame=20, newtons=200.0, direction=(-1.0, 0.0, 0.0)):
    """Let a character follow a clip in which it is hit; the hit."""
    if clip not in bpy.context.scene.footfall.references:
        bpy.ops.footfall.add_reference(filepath=str(CLIPS / f"{clip}.bvh"))
    motion = rig.footfall.motion
    motion.source, motion.method, motion.reference = "CLIP", "HIT", clip
    bpy.context.scene.frame_set(frame)
    bpy.ops.footfall.add_push()
    push = rig.footfall.pushes[rig.footfall.active_push]
    push.feel, push.newtons, push.seconds, push.direction = "OWN", newtons, 0.15, direction
    return push


def expected(rig):
    return reaction.wait_for_outlook(bpy.context, rig)


def test_the_ghost_follows_the_hit(mannequin):
    """Stronger, elsewhere, later, on another part: each gives another ghost at once, and it goes where the hit goes."""
    push = hit(mannequin)
    before = expected(mannequin)
    assert before.answer and not before.why
    said = []
    for newtons in (20.0, 250.0, 1000.0):
        push.newtons = newtons
        outlook = expected(mannequin)
        said.append(outlook.answer.strategy)
    assert said == list(STRATEGIES)
    push.newtons = 250.0
    facing = scene.measure(mannequin, now=True).placement.yaw
    for turn, where in ((0.0, "forward"), (0.5 * math.pi, "to its left"), (math.pi, "backward"), (-0.5 * math.pi, "to its right")):
        push.direction = (math.cos(facing + turn), math.sin(facing + turn), 0.0)
        assert forecast_of(expected(mannequin)).where == where
    found = [expected(mannequin)]
    push.frame = 30
    found.append(expected(mannequin))
    push.part = "head"
    found.append(expected(mannequin))
    assert [one.answer.first for one in found] == [19, 29, 29]
    assert found[2].hits[0].part == "head" and found[2].answer is not found[1].answer
    assert expected(mannequin) is found[-1], "what has not changed is not asked again"


def test_the_ghost_is_where_the_character_is(mannequin):
    """Before the hit it has the character's pose and place, wherever the armature object is put; and every frame has its pose."""
    mannequin.location, mannequin.rotation_euler.z = (2.0, -1.0, 0.5), 0.7
    bpy.context.view_layer.update()
    push = hit(mannequin)
    push.newtons = 250.0
    outlook = expected(mannequin)
    space = outlook.clip.space(mannequin)
    pelvis = space @ Vector(outlook.joints(outlook.clip.frame(20))[0])
    assert (pelvis - mannequin.matrix_world @ mannequin.pose.bones["pelvis"].head).length < 0.12
    poses = [outlook.joints(outlook.clip.frame(frame)) for frame in (20, 26, 32)]
    assert all(np.abs(b - a).max() > 0.02 for a, b in pairwise(poses))
    arrow = arrow_of(mannequin, outlook)
    assert (arrow.place - part_position(mannequin, "torso")).length < 0.2
    assert np.allclose(arrow.direction, (-1.0, 0.0, 0.0), atol=1e-6)
    for _, _, outline in outlook.marks:
        assert len(outline) >= 4 and np.abs(outline[:, 2]).max() < 1e-6


def test_the_disc_says_what_the_ghost_does(mannequin):
    """No force is in place, the rim is as strong as the database knows, and its colour under the dot is what the ghost does."""
    push = hit(mannequin)
    outlook = expected(mannequin)
    rows = disc.strategies(outlook)
    assert len(rows) == disc.ANGLES and {len(row) for row in rows} == {disc.RINGS}
    assert {row[0] for row in rows} == {"in place"} and {strategy for row in rows for strategy in row} == set(STRATEGIES)
    yaw = outlook.clip.placement.yaw
    for number in range(0, disc.ANGLES, 7):
        for ring in range(disc.RINGS):
            angle = yaw + 2.0 * math.pi * number / disc.ANGLES
            push.direction = (math.cos(angle), math.sin(angle), 0.0)
            push.newtons = outlook.clip.strongest / push.seconds * (ring + 0.5) / disc.RINGS
            assert expected(mannequin).answer.strategy == rows[number][ring]
    assert disc.strategies(expected(mannequin)) is rows, "dragging in it does not change it"
    push.frame += 5
    assert disc.strategies(expected(mannequin)) is not rows


def test_arrow_and_disc_mean_the_same_hit(mannequin):
    for newtons in (0.0, 60.0, 200.0, 600.0, 2000.0):
        assert newtons_of(length_of(newtons)) == pytest.approx(newtons)
    shown = Disc(100.0, 200.0, 50.0, 800.0, Vector((0.6, 0.8, 0.0)), Vector((-0.8, 0.6, 0.0)))
    force = Vector((120.0, -340.0, 0.0))
    assert (shown.force(*shown.place(force)) - force).length < 1e-3
    assert shown.force(100.0, 200.0).length == 0.0 and shown.force(500.0, 200.0).length == pytest.approx(800.0)
    arrow = Arrow(Vector((0.0, 0.0, 1.2)), Vector((0.0, 0.6, -0.8)), 300.0, 1.0)
    drawn = arrow.drawn_to(arrow.tail)
    assert drawn.newtons == pytest.approx(300.0) and (drawn.direction - arrow.direction).length < 1e-6
    direction, newtons = aimed(arrow.direction, Vector((180.0, 0.0, 0.0)))
    assert np.allclose(direction, (0.6, 0.0, -0.8)) and newtons == pytest.approx(300.0)
    push = hit(mannequin)
    push.feel = "SHOVE"
    aim(push, Arrow(arrow.place, Vector((0.0, 1.0, 0.0)), 350.4, 1.0))
    assert (push.feel, push.force) == ("OWN", (350.0, pytest.approx(0.15))) and tuple(push.direction) == (0.0, 1.0, 0.0)
    push.feel = "TACKLE"
    push.strength = 100.0
    assert push.feel == "OWN" and push.force == (100.0, pytest.approx(0.2))


def test_the_empty_that_aims_is_turned_along(mannequin):
    push = hit(mannequin)
    bpy.ops.footfall.aim_push()
    place = Vector((0.0, 0.0, 1.2))
    aim(push, Arrow(place, Vector((0.0, 1.0, 0.0)), 200.0, 1.0))
    bpy.context.view_layer.update()
    assert np.allclose(scene.push_direction(push), (0.0, 1.0, 0.0), atol=1e-5) and push.arrow.location.y < -0.5


def test_what_the_database_does_not_know_is_said(mannequin, monkeypatch, tmp_path):
    """In one sentence each; and nothing is drawn."""
    push = hit(mannequin, "fall", frame=60)
    outlook = expected(mannequin)
    assert outlook.answer is None and "neither stands nor walks" in outlook.why and "frame 60" in outlook.why
    assert disc.strategies(outlook) is None and not is_shown(mannequin, outlook) and len(outlook.stages) == 0
    assert arrow_of(mannequin, outlook) is not None, "the arrow can be dragged all the same"
    motion = mannequin.footfall.motion
    hit(mannequin, "stand")
    mannequin.footfall.pushes.remove(0)
    mannequin.footfall.active_push = 0
    motion.methods.hit.response = "FALL"
    assert "'Fall'" in expected(mannequin).why
    motion.methods.hit.response = "AUTO"
    push = mannequin.footfall.pushes[0]
    push.direction = (0.0, 0.0, 0.0)
    assert "goes nowhere" in expected(mannequin).why
    push.direction, push.frame = (1.0, 0.0, 0.0), 5000
    assert "outside of the clip" in expected(mannequin).why
    push.frame = 20
    assert expected(mannequin).answer
    mannequin.data.bones["thigh.L"].name = "something else"
    assert "thigh" in expected(mannequin).why.lower() or "leg" in expected(mannequin).why.lower()
    mannequin.data.bones["something else"].name = "thigh.L"
    assert expected(mannequin).answer
    monkeypatch.setattr("footfall.core.pushes.database.FOLDER", tmp_path)  # one that holds no database
    reaction.forget_all()
    assert "No database of pushes" in expected(mannequin).why


@pytest.mark.slow
def test_two_hits_in_a_row(mannequin):
    """The second one finds the body as the first has left it; after a fall there is nothing to show."""
    first = hit(mannequin, frame=20, newtons=250.0)
    alone = expected(mannequin)
    second = hit(mannequin, frame=32, newtons=250.0)
    both = expected(mannequin)
    assert both.chosen == 1 and both.answer.first == 31 and both.before is not None
    assert np.allclose(both.joints(30), alone.joints(30)) and np.abs(both.joints(50) - alone.joints(50)).max() > 0.02
    assert disc.strategies(both) is not None
    first.newtons = 1500.0
    assert "bring it down" in expected(mannequin).why
    second.frame = 10
    assert expected(mannequin).chosen == 0


def test_nothing_of_the_scene_changes(mannequin, tmp_path):
    """Preparing, asking, another frame rate and a deleted character leave the scene as it was, and no file a trace."""
    hit(mannequin)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hit.blend"))
    before, scenes, kept = traces(mannequin), len(bpy.data.scenes), sorted(path.name for path in tmp_path.rglob("*"))
    outlook = expected(mannequin)
    assert outlook.answer and traces(mannequin) == before and len(bpy.data.scenes) == scenes
    assert sorted(path.name for path in tmp_path.rglob("*")) == kept
    bpy.context.scene.render.fps = 60
    again = expected(mannequin)
    assert again.clip.ready.motion.fps == 60.0 and again.answer
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hit.blend"))
    rig = bpy.context.view_layer.objects.active
    assert expected(rig).answer.strategy == again.answer.strategy
    bpy.data.objects.remove(rig)
    assert reaction.outlook_of(bpy.context) is None
    reaction._go_on()


def test_blender_does_not_stand_still_while_a_clip_is_made_ready(mannequin):
    """A clip of ten seconds, a slice at a time."""
    bones = mannequin.pose.bones
    for frame in range(1, 241):
        bones["upper_arm.R"].rotation_mode = "QUATERNION"
        bones["upper_arm.R"].rotation_quaternion = (math.cos(0.3 * math.sin(frame / 9.0)), math.sin(0.3 * math.sin(frame / 9.0)), 0.0, 0.0)
        bones["upper_arm.R"].keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(60)
    bpy.ops.footfall.add_hit()
    reaction.forget_all()
    reaction._database.cache_clear()
    known, slices, done = reaction._Known(), [], False
    while not done:
        began = time.thread_time()
        done = reaction._found(bpy.context, mannequin, known)
        slices.append(time.thread_time() - began)
        time.sleep(0.02)
    began = time.thread_time()
    assert reaction._outlook(known, mannequin).answer
    slices.append(time.thread_time() - began)
    print(f"the longest of {len(slices)} slices took {1000 * max(slices):.0f} of {1000 * sum(slices):.0f} ms")
    assert known.clip.ready.motion.duration > 10.0 and max(slices) < LONGEST * sum(slices)


@pytest.mark.parametrize("newtons", [30.0, pytest.param(1200.0, marks=pytest.mark.slow)])
def test_the_report_agrees_or_says_so(mannequin, newtons):
    """What is simulated is as the ghost has shown it; where it is not, the report has a sentence more. Then the ghost goes, as the bake is there."""
    push = hit(mannequin, newtons=newtons)
    outlook = expected(mannequin)
    forecast = forecast_of(outlook)
    assert forecast.strategy == ("in place" if newtons < 100.0 else "fall")
    assert is_shown(mannequin, outlook)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    bake = mannequin.footfall.bake
    result = Result.load(bpy.path.abspath(bake.result))
    assert result.outcome["fell"] == (forecast.strategy == "fall") and against(forecast, result) == ""
    assert "The preview expected" not in bake.report
    other = "fall" if forecast.strategy == "in place" else "in place"
    said = against(type(forecast)(other, 0, forecast.way, forecast.facing, True), result)
    assert said.startswith(" The preview expected") and ("fell" in said) == (newtons > 100.0)
    assert not is_shown(mannequin, expected(mannequin))
    push.newtons += 40.0
    assert is_shown(mannequin, expected(mannequin))


def test_a_cycle_in_place_stays_there(mannequin, tmp_path):
    """The ghost of who walks on a belt is on that belt; one that is brought down is not carried off by it."""
    bpy.ops.footfall.add_reference(filepath=str(write_cycle(tmp_path / "in_place.bvh", in_place=True, fps=24.0)))
    push = hit(mannequin, "in_place", frame=12, newtons=20.0)
    for newtons in (20.0, 1500.0):
        push.newtons = newtons
        outlook = expected(mannequin)
        assert outlook.answer and np.linalg.norm(outlook.clip.ground) > 0.5
        places = np.array([outlook.joints(frame)[0, :2] for frame in range(0, 96, 4)])
        assert np.abs(places).max() < (0.4 if newtons < 100.0 else 1.5), places.round(2)
        assert np.abs(outlook.clip.struck(outlook.hits[0].time, "torso")[:2]).max() < 0.4


def test_what_is_dragged_is_shown_and_not_written(mannequin):
    push = hit(mannequin)
    before = expected(mannequin)
    hold(mannequin.name, Dragged(0, Vector((0.0, 1.0, 0.0)), 1500.0))
    during = expected(mannequin)
    assert during.answer.strategy == "fall" and arrow_of(mannequin, during).newtons == 1500.0
    assert push.newtons == 200.0 and tuple(push.direction) == (-1.0, 0.0, 0.0)
    let_go(mannequin.name)
    assert expected(mannequin).hits == before.hits
