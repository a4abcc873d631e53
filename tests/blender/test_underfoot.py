"""Foot pressure under a character in Blender: drawn where the feet are, and written to a file."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from footfall.blender_addon import files
from footfall.blender_addon.overlays import underfoot
from footfall.core.pressure.devices import plain, read
from footfall.core.pressure.pad import record
from footfall.core.pressure.report import describe
from footfall.core.pressure.sensors import Device
from footfall.core.pressure.tread import of_result
from footfall.core.result import Result

from tests.blender.mannequins import baked_walk, empty_scene, mannequin, refused
from tests.core import made_pressure as made

resource = pytest.importorskip("resource", reason="this system does not limit the size of files")
PADS = ("pedar", pytest.param("moticon", marks=pytest.mark.slow), "64x80@12Hz")


@pytest.fixture
def walker(mannequin, baked_walk) -> bpy.types.Object:
    """A mannequin that has walked for a second, at frame 12."""
    assert bpy.ops.footfall.load_result(filepath=baked_walk) == {"FINISHED"}
    bpy.context.scene.frame_set(12)
    return mannequin


def drawn(rig: bpy.types.Object, frame: int | None = None):
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    return underfoot.squares(bpy.context.scene, rig)


def pressed_place(rig: bpy.types.Object, frame: int) -> np.ndarray:
    """(3,) world: the middle of what is pressed, by how strongly it is red."""
    corners, colours = drawn(rig, frame)
    felt = colours[:, 3] > 0.5
    return corners[felt].mean(axis=(0, 1))


def carrying_foot(rig: bpy.types.Object, frame: int) -> np.ndarray:
    """(3,) world: the middle of the foot that carries most of the weight in the bake."""
    bpy.context.scene.frame_set(frame)
    result = Result.load(files.found(rig.footfall.bake.result))
    side = "LR"[int(result.foot_forces[frame - rig.footfall.bake.frame, :, 2].argmax())]
    return np.mean([rig.matrix_world @ point for bone in (rig.pose.bones[f"foot.{side}"],) for point in (bone.head, bone.tail)], axis=0)


@pytest.mark.parametrize("pad", PADS)
def test_it_is_drawn_under_the_foot_that_carries_the_weight(pad, walker):
    walker.footfall.underfoot.pad = pad
    assert bpy.ops.footfall.show_pressure() == {"FINISHED"}
    assert "red is" in walker.footfall.underfoot.said and Path(walker.footfall.underfoot.file).is_file()
    for frame in (8, 20):
        away = pressed_place(walker, frame) - carrying_foot(walker, frame)
        assert np.hypot(away[0], away[1]) < 0.12, (frame, away)
        assert abs(drawn(walker)[0][drawn(walker)[1][:, 3] > 0.5][..., 2].min()) < 0.02, "it is on the floor"
    assert drawn(walker, 200) is None and drawn(walker, 0) is None


def test_colours_go_from_blue_to_red(walker):
    bpy.ops.footfall.show_pressure()
    seen = np.concatenate([drawn(walker, frame)[1] for frame in range(1, 25)])
    felt = seen[seen[:, 3] > 0.5]
    assert (felt[:, 0] > 0.85).any() and (felt[:, 2] > felt[:, 0]).any() and (seen[:, 3] < 0.5).any()


@pytest.mark.parametrize("pad", ["pedar", pytest.param("64x80@12Hz", marks=pytest.mark.slow)])
def test_it_goes_where_the_character_is_put(pad, walker):
    """Also one that is twice as large and turned."""
    walker.footfall.underfoot.pad = pad
    bpy.ops.footfall.show_pressure()
    before, _ = drawn(walker, 12)
    walker.location, walker.rotation_euler.z, walker.scale = (3.0, -1.0, 0.5), 1.0, (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    after, _ = drawn(walker)
    world = np.array(walker.matrix_world)
    wanted = before.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    assert np.allclose(after.reshape(-1, 3), wanted, atol=0.01)


@pytest.mark.parametrize("pad", [pytest.param("pedar", marks=pytest.mark.slow), "64x80@12Hz"])
def test_it_is_drawn_under_a_clip_that_nobody_simulated(pad, walker):
    """The same motion as an action of its own: read from the scene, its forces follow from how it moves."""
    walker.footfall.underfoot.pad = pad
    walker.animation_data.action = walker.animation_data.action.copy()
    bpy.context.scene.frame_set(12)
    assert bpy.ops.footfall.show_pressure() == {"FINISHED"}
    for frame in (8, 20):
        away = pressed_place(walker, frame) - carrying_foot(walker, frame)
        assert np.hypot(away[0], away[1]) < 0.15, (frame, away)
    assert bpy.context.scene.frame_current == 20 and not list(Path(bpy.app.tempdir).glob("footfall-*.bvh"))


def test_another_animation_has_other_pressure(walker):
    bpy.ops.footfall.show_pressure()
    walker.animation_data.action = walker.animation_data.action.copy()
    assert drawn(walker, 12) is None and not underfoot.is_current(walker)
    bpy.ops.footfall.clear_pressure()
    assert not walker.footfall.underfoot.file


def show_recording(rig: bpy.types.Object, path: Path) -> None:
    bpy.ops.footfall.add_pressure(filepath=str(path))
    rig.footfall.underfoot.shown = "RECORDING"
    assert bpy.ops.footfall.show_pressure() == {"FINISHED"}


def test_a_recording_of_insoles_is_in_the_soles_of_any_character(mannequin, tmp_path):
    """Also of one that stands still: it is seen in time with the scene."""
    path = tmp_path / "walk.asc"
    path.write_text(made.pedar(*made.walk(99, 3.0)))
    show_recording(mannequin, path)
    assert mannequin.footfall.underfoot.said.startswith("'walk', Novel pedar")
    feet = {side: np.array(mannequin.matrix_world @ mannequin.pose.bones[f"foot.{side}"].head) for side in "LR"}
    # The left foot comes down after 0.2 s and stands for 0.6 s, the right one half a second later.
    for seconds, side in ((0.5, "L"), (1.0, "R")):
        place = pressed_place(mannequin, 1 + round(24 * seconds))
        assert np.hypot(*(place - feet[side])[:2]) < 0.1, (seconds, place, feet)


def test_a_recording_of_a_pad_is_laid_under_the_motion(walker, tmp_path):
    tread = of_result(Result.load(files.found(walker.footfall.bake.result)))
    plain.write(tmp_path / "pad.csv", record(tread, Device("grid", 40.0, (75, 20), 0.025), place=(0.4, 0.1, 0.3)))
    show_recording(walker, tmp_path / "pad.csv")
    for frame in (8, 20):
        away = pressed_place(walker, frame) - carrying_foot(walker, frame)
        assert np.hypot(away[0], away[1]) < 0.12, (frame, away)


@pytest.mark.parametrize("pad", ["pedar", *(pytest.param(pad, marks=pytest.mark.slow) for pad in ("moticon", "64x80@12Hz"))])
def test_it_is_written_and_reads_back(pad, walker, tmp_path):
    path = tmp_path / "walk.csv"
    assert bpy.ops.footfall.export_pressure(filepath=str(path), pad=pad) == {"FINISHED"}
    found, result = read(path), Result.load(files.found(walker.footfall.bake.result))
    assert found.rate == pytest.approx(12.0 if "x" in pad else 100.0) and found.times[-1] == pytest.approx(1.0, abs=0.1)
    told = describe(found)
    if "x" not in pad:
        assert told["feet"] == ["left", "right"] and told["step_count"] >= 3
        force = sum(found.felt(foot) for foot in (0, 1))
        assert force.mean() == pytest.approx(np.maximum(result.foot_forces[:, :, 2], 0.0).sum(axis=1).mean(), rel=0.05)
    bpy.ops.footfall.add_pressure(filepath=str(path))
    assert bpy.context.scene.footfall.pressures[0].device.startswith("simulated ")


def test_what_falls_beside_a_pad_is_noted(walker, tmp_path):
    bpy.ops.footfall.export_pressure(filepath=str(tmp_path / "walk.csv"), pad="64x80@12Hz")
    head = (tmp_path / "walk.csv").read_text().partition("time,")[0]
    assert "of the force fell beside the pad." in head and read(tmp_path / "walk.csv").layout.grid == (64, 80)


def test_mistakes_are_sentences_and_change_nothing(mannequin, tmp_path):
    assert "plays no action" in refused(bpy.ops.footfall.show_pressure)
    assert "plays no action" in refused(bpy.ops.footfall.export_pressure, filepath=str(tmp_path / "a.csv"))
    mannequin.footfall.underfoot.shown = "RECORDING"
    assert "no recording of foot pressure in the list" in refused(bpy.ops.footfall.show_pressure)
    path = tmp_path / "walk.asc"
    path.write_text(made.pedar(*made.walk(99, 1.0)))
    bpy.ops.footfall.add_pressure(filepath=str(path))
    path.unlink()
    assert "walk.asc' of the recording 'walk' is gone" in refused(bpy.ops.footfall.show_pressure)
    path.write_text("Dear Sir")
    assert "walk.asc' is no recording that can be read" in refused(bpy.ops.footfall.show_pressure)
    assert not mannequin.footfall.underfoot.file and not list(tmp_path.glob("a.csv*"))


def test_a_place_that_cannot_be_written_is_a_sentence(walker, tmp_path):
    assert "No such file or directory" in refused(bpy.ops.footfall.export_pressure, filepath=str(tmp_path / "nowhere" / "a.csv"))
    assert "is a folder" in refused(bpy.ops.footfall.export_pressure, filepath=str(tmp_path), check_existing=False)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        said = refused(bpy.ops.footfall.export_pressure, filepath=str(tmp_path / "a.csv"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "File too large; choose another place or free some space." in said and not list(tmp_path.iterdir())


def test_it_comes_along_with_the_blend(walker, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.footfall.show_pressure()
    bpy.ops.wm.save_mainfile()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(elsewhere / "shot.blend"))
    name = walker.name
    bpy.ops.wm.open_mainfile(filepath=str(elsewhere / "shot.blend"))
    rig = bpy.data.objects[name]
    assert files.found(rig.footfall.underfoot.file).parent == elsewhere / "footfall"
    assert drawn(rig, 12) is not None
    bpy.ops.footfall.remove_unused()
    assert drawn(rig, 12) is not None
