"""A character that is played, in Blender without a window: what it is told becomes keys, and the take is simulated again."""

import json
import time

import bpy
import numpy as np
import pytest
from footfall.blender_addon import files, gamepad, light_view, redraw
from footfall.blender_addon.operators.bake import Baking
from footfall.blender_addon.playing import Playing, Pull, controls_of
from footfall.blender_addon.running import RUNNING
from footfall.core.errors import JobError, RigError
from footfall.core.result import Result
from mathutils import Vector

from tests.blender.mannequins import empty_scene, mannequin, refused, traces


def wait(playing: Playing, until) -> None:
    end = time.monotonic() + 120.0
    while not until():
        assert time.monotonic() < end, playing.doing
        playing.tick()
        time.sleep(0.01)


def play(rig: bpy.types.Object) -> Playing:
    """It walks to its left, is pulled at and struck, and stops."""
    playing = Playing(bpy.context, rig)
    wait(playing, lambda: playing.seconds > 0.5)
    playing.controls.press("A")
    playing.steer(Vector((0.0, -1.0, 0.0)))  # who looks along the mannequin's way
    wait(playing, lambda: playing.seconds > 2.5)
    here = Vector(playing.placement.to_world(playing._roots[-1][1]))
    playing.pull = Pull("torso", here + Vector((0.5, 0.0, 0.0)))
    playing.pull_on(here)
    playing.throw(here + Vector((5.0, 5.0, 1.0)))
    wait(playing, lambda: playing.balls)
    playing.end()
    end = time.monotonic() + 120.0
    while not playing.tick():
        assert time.monotonic() < end
        time.sleep(0.01)
    return playing


def taken(rig: bpy.types.Object) -> Result:
    return Result.load(files.found(rig.footfall.bake.result))


def test_a_take_becomes_keys_and_is_simulated_again(mannequin):
    report = play(mannequin).finish(bpy.context)
    assert report == mannequin.footfall.bake.report and mannequin.animation_data.action == mannequin.footfall.bake.action
    assert not RUNNING and mannequin.animation_data.action.name.endswith("take")
    first = taken(mannequin)
    assert {event["type"] for event in first.job["events"]} == {"steer", "gait", "push", "ball"}
    assert first.job["events"][0]["heading"] == pytest.approx(np.pi / 2, abs=0.01), "its left"
    job = json.loads(files.found(mannequin.footfall.playing.take).read_text())
    assert job == first.job
    assert bpy.ops.footfall.simulate_take() == {"FINISHED"}
    second = taken(mannequin)
    for field in ("root_positions", "rotations", "torques", "object_positions"):
        assert np.array_equal(getattr(first, field), getattr(second, field)), field


def test_who_is_cancelled_leaves_no_trace(mannequin):
    before = traces(mannequin)
    playing = Playing(bpy.context, mannequin)
    wait(playing, lambda: playing.seconds > 0.3)
    playing.cancel()
    assert traces(mannequin) == before and not RUNNING


def test_who_is_renamed_is_played_on_and_nobody_else_beside(mannequin):
    playing = Playing(bpy.context, mannequin)
    try:
        bpy.ops.footfall.add_mannequin()
        other = bpy.context.object
        with pytest.raises(JobError, match="hears the same keys"):
            Playing(bpy.context, other)
        mannequin.name, other.name = "Hero", "Mannequin"
        playing.tick()
        assert playing.name == "Hero" and list(RUNNING) == ["Hero"]
        playing.pause()
        assert playing._object is None, "nothing dangles after an undo"
        bpy.data.objects.remove(mannequin)
        with pytest.raises(RigError, match="gone"):
            playing.tick()
        assert playing.ahead(next(redraw.views()).spaces.active.region_3d).length == 0.0, "who draws does not fail"
    finally:
        playing.cancel()
    assert not RUNNING


def test_only_who_has_gaits_is_told_of_them(mannequin):
    motion = mannequin.footfall.motion
    assert controls_of(motion).gait == "walk"
    motion.source = "LEARNED"
    assert controls_of(motion).gait is None


class Failing(Baking):
    """Does not know what to do with an event."""

    def attend(self, context, event):
        raise ZeroDivisionError


def test_after_an_error_nothing_goes_on(mannequin):
    failing = Failing()
    failing._simulation = Playing(bpy.context, mannequin)
    with pytest.raises(ZeroDivisionError):
        failing.modal(bpy.context, None)
    assert not RUNNING and failing._simulation._worker._folder.exists() is False


def test_a_gamepad_is_not_held_by_a_play_that_does_not_begin(mannequin, monkeypatch):
    found = []
    monkeypatch.setattr(gamepad, "find", lambda: found.append(gamepad.Gamepad(None)))
    monkeypatch.setattr(files, "check_writable", lambda: (_ for _ in ()).throw(JobError("no place")))
    with pytest.raises(JobError, match="no place"):
        Playing(bpy.context, mannequin)
    assert not found


def views() -> list:
    """All that is set about the 3D views, and the preferences of drawing."""
    system, found = bpy.context.preferences.system, []
    for area in redraw.views():
        space = area.spaces.active
        for part in (space, space.overlay, space.shading):
            names = [prop.identifier for prop in part.bl_rna.properties if prop.type in ("BOOLEAN", "ENUM", "FLOAT", "INT") and not prop.is_readonly]
            values = [getattr(part, name) for name in names]
            found.append([tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value for value in values])
    return [system.viewport_aa, system.use_region_overlap, bpy.context.preferences.is_dirty, *found]


@pytest.mark.parametrize("shading", ["SOLID", "WIREFRAME", "MATERIAL"])
def test_a_view_that_was_lightened_is_as_before(mannequin, shading):
    space = next(redraw.views()).spaces.active
    space.shading.type, space.shading.show_xray, space.shading.show_cavity = shading, True, True
    before = views()
    light_view.lighten()
    light = views()
    light_view.lighten()
    assert views() == light != before and not space.overlay.show_overlays and space.shading.type not in light_view.SHADED
    light_view.put_back()
    assert views() == before
    light_view.put_back()
    assert views() == before


def fill_or_give_back() -> None:
    """Let the view fill the window; or, where it does, be as large as before."""
    window, area = bpy.context.window_manager.windows[0], next(redraw.views())
    with bpy.context.temp_override(window=window, screen=window.screen, area=area, region=area.regions[-1]):
        bpy.ops.screen.screen_full_area()


@pytest.mark.parametrize("when", ["at first", "in between", "at last"])
def test_a_view_that_fills_the_window_for_a_while_is_as_before(mannequin, when):
    before = views()
    if when == "at first":
        fill_or_give_back()
    light_view.lighten()
    light_view.hold(next(redraw.views()).spaces.active.region_3d, mannequin, "pelvis")
    fill_or_give_back()
    light_view.lighten()
    if when == "in between":
        fill_or_give_back()
        light_view.lighten()
    light_view.put_back()
    if when == "at last":
        fill_or_give_back()
    assert views() == before and next(redraw.views()).spaces.active.lock_object is None


def test_a_view_that_is_split_while_it_is_light_is_two_as_before(mannequin):
    before, window = views(), bpy.context.window_manager.windows[0]
    light_view.lighten()
    with bpy.context.temp_override(window=window, screen=window.screen, area=next(redraw.views())):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
    light_view.lighten()
    light_view.put_back()
    assert views() == [*before, *before[3:]]


def test_a_file_that_was_kept_while_a_view_was_light_opens_as_before(mannequin, tmp_path):
    """As where Blender dies, and the file is opened that it had saved by itself."""
    before, file = views(), str(tmp_path / "kept.blend")
    light_view.lighten()
    bpy.ops.wm.save_as_mainfile(filepath=file, copy=True)
    light_view.put_back()
    bpy.ops.wm.open_mainfile(filepath=file, load_ui=True)
    assert views() == before and not any(light_view.KEPT in screen for screen in bpy.data.screens)


def test_a_light_view_goes_along_with_a_bone_until_it_is_let_go(mannequin):
    space = next(redraw.views()).spaces.active
    assert not light_view.hold(space.region_3d, mannequin, "pelvis"), "one that is not light does not"
    light_view.lighten()
    assert light_view.hold(space.region_3d, mannequin, "pelvis") and space.lock_object == mannequin and space.lock_bone == "pelvis"
    assert light_view.let_go(space.region_3d, mannequin) and space.lock_object is None
    assert not light_view.let_go(space.region_3d, mannequin)
    assert light_view.hold(space.region_3d, mannequin, "pelvis")
    light_view.put_back()
    assert space.lock_object is None and space.lock_bone == ""


def test_a_view_that_the_user_has_locked_stays_so(mannequin):
    space, other = next(redraw.views()).spaces.active, bpy.data.objects.new("Other", None)
    space.lock_object = other
    light_view.lighten()
    assert not light_view.hold(space.region_3d, mannequin, "pelvis") and not light_view.let_go(space.region_3d, mannequin)
    light_view.put_back()
    assert space.lock_object == other


def test_without_a_window_nobody_plays(mannequin):
    assert "no window" in refused(bpy.ops.footfall.play)


def test_without_a_take_nothing_is_simulated_again(mannequin, tmp_path):
    assert "no take" in refused(bpy.ops.footfall.simulate_take)
    other = tmp_path / "job.json"
    other.write_text(json.dumps({"gait": "walk"}))
    mannequin.footfall.playing.take = str(other)
    assert "holds no take" in refused(bpy.ops.footfall.simulate_take)


def test_what_cannot_be_played_is_refused(mannequin):
    mannequin.footfall.motion.source = "CLIP"
    mannequin.footfall.motion.method = "RETARGET"
    with pytest.raises(JobError):
        Playing(bpy.context, mannequin)
    assert not RUNNING
