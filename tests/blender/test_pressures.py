"""Recordings of foot pressure in Blender: files into the list, and what the list says."""

import json
import re
from pathlib import Path

import bpy
import pytest

from tests.blender.mannequins import empty_scene, job, mannequin, refused, traces
from tests.core import made_pressure as made


def listed():
    return [recording.name for recording in bpy.context.scene.footfall.pressures]


def write_walk(path: Path, seconds: float = 3.0) -> Path:
    path.write_text(made.pedar(*made.walk(99, seconds)))
    return path


def test_a_recording_is_brought_in(tmp_path):
    path = write_walk(tmp_path / "walk.asc")
    assert bpy.ops.footfall.add_pressure(filepath=str(path)) == {"FINISHED"}
    recording, = bpy.context.scene.footfall.pressures
    assert (recording.name, recording.device, recording.steps, recording.faults) == ("walk", "Novel pedar", 6, "")
    assert recording.seconds == pytest.approx(2.98, abs=0.01) and recording.rate == pytest.approx(50.0) and recording.peak > 500.0
    assert Path(recording.filepath) == path and Path(recording.picture).read_bytes().startswith(b"\x89PNG")
    assert "198 sensors, 50 frames a second" in recording.facts and "6 steps; at most" in recording.facts


def test_several_devices_are_brought_in_at_once_and_one_that_is_none_is_named(tmp_path):
    """Also a workbook, which needs no library of its own."""
    devices = {name: data for name, data in made.every_device().items() if name in ("footscan.xls", "moticon.txt", "zebris.apd")}
    for name, data in devices.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "letter.txt").write_text("Dear Sir")
    files = [{"name": name} for name in (*devices, "letter.txt")]
    assert bpy.ops.footfall.add_pressure(directory=str(tmp_path), files=files) == {"FINISHED"}
    assert len(listed()) == len(devices) and len({recording.picture for recording in bpy.context.scene.footfall.pressures}) == len(devices)
    assert {"RSscan footscan", "Moticon OpenGo", "zebris"} <= {recording.device for recording in bpy.context.scene.footfall.pressures}
    assert "letter.txt" in refused(bpy.ops.footfall.add_pressure, filepath=str(tmp_path / "letter.txt"))


@pytest.mark.parametrize("name, text, words", [
    ("broken.asf", made.tekscan(made.roll_off(12, 6, 4)).replace("ROWS 12", "ROWS x"), "line 5: ROWS is missing"),
    ("letter.txt", "Dear Sir", "is no recording that can be read"),
    ("none.csv", None, "There is no file"),
])
def test_a_file_that_cannot_be_read_is_one_sentence_and_changes_nothing(name, text, words, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    if text:
        (tmp_path / name).write_text(text)
    said = refused(bpy.ops.footfall.add_pressure, filepath=str(tmp_path / name))
    assert name in said and words in said
    assert listed() == [] and not list((tmp_path / "footfall").iterdir())


def test_faults_are_shown(tmp_path):
    whole = made.pedar(*made.walk(99, 3.0), summary=False)
    (tmp_path / "cut.asc").write_text(whole[:-900])
    bpy.ops.footfall.add_pressure(filepath=str(tmp_path / "cut.asc"))
    assert "cut off" in bpy.context.scene.footfall.pressures[0].faults


def test_it_comes_along_with_the_blend(tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.footfall.add_pressure(filepath=str(write_walk(tmp_path / "walk.asc")))
    recording, = bpy.context.scene.footfall.pressures
    assert recording.filepath == "//walk.asc" and re.fullmatch(r"//footfall/walk-[0-9a-f]{6}\.png", recording.picture)
    bpy.ops.wm.save_mainfile()
    assert json.loads((tmp_path / "footfall" / "shot.blend.uses.json").read_text())[0].endswith("png")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(elsewhere / "shot.blend"))
    recording, = bpy.context.scene.footfall.pressures
    assert recording.filepath == "//../walk.asc" and Path(bpy.path.abspath(recording.picture)).is_file()
    bpy.ops.footfall.remove_unused()
    assert Path(bpy.path.abspath(recording.picture)).is_file()


def test_remove_and_undo(tmp_path):
    assert "no recording of foot pressure in the list" in refused(bpy.ops.footfall.remove_pressure)
    bpy.ops.ed.undo_push(message="before")
    for name in ("a.asc", "b.asc"):
        bpy.ops.footfall.add_pressure(filepath=str(write_walk(tmp_path / name, 1.0)))
    assert bpy.ops.footfall.remove_pressure() == {"FINISHED"} and listed() == ["a"] and bpy.context.scene.footfall.active_pressure == 0
    bpy.ops.footfall.add_pressure(filepath=str(tmp_path / "a.asc"))
    assert listed() == ["a", "a 2"]
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert listed() == []


# -- a character does what the feet did ------------------------------------------------------------------------------------


def acts(rig, path, **settings):
    """The mannequin is to act a recording."""
    assert bpy.ops.footfall.add_pressure(filepath=str(path)) == {"FINISHED"}
    assert bpy.ops.footfall.act_pressure() == {"FINISHED"}
    motion = rig.footfall.motion
    assert motion.source == "PRESSURE" and motion.pressure == bpy.context.scene.footfall.pressures[-1].name
    for name, value in settings.items():
        setattr(motion.methods.pressure, name, value)
    return motion


def heights(rig, frames):
    """(frames, 2) m of the lower end of the left and right foot, from the keys."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([min((rig.matrix_world @ getattr(rig.pose.bones[name], end)).z for name in names for end in ("head", "tail"))
                      for names in ([part.bone for key, part in rig.footfall.parts.items() if key in (f"foot.{side}", f"toes.{side}")]
                                    for side in "LR")])
    return found


def test_simulate_bakes_the_steps_of_a_recording(mannequin, tmp_path):
    """Both feet strike every second, the right half a second after the left; the keys have it so, and one undo takes them back."""
    motion, name = acts(mannequin, write_walk(tmp_path / "walk.asc", 4.0)), mannequin.name
    bpy.context.scene.render.fps = 30
    before = traces(mannequin)
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    bake = mannequin.footfall.bake
    assert bake.report.startswith("Made 4 s without physics") and "feet slid 0 mm" in bake.report and "walk" in bake.action.name
    assert tuple(bake.action.frame_range) == (motion.frame_start, motion.frame_start + round(3.98 * 30))
    hips = mannequin.footfall.parts["pelvis"].bone
    places = []
    for frame in (1, 120):
        bpy.context.scene.frame_set(frame)
        places.append((mannequin.matrix_world @ mannequin.pose.bones[hips].head).copy())
    assert (places[1] - places[0]).length > 2.0, "It walks."
    low = heights(mannequin, range(1, 121))
    floor = min(min(row) for row in low)
    for foot, begin in ((0, 0.2), (1, 0.7)):
        for second in range(3):
            stands, swings = round(30 * (begin + second + 0.3)), round(30 * (begin + second + 0.82))
            if swings < 120:
                assert low[stands][foot] < floor + 0.02 < low[swings][foot]
    bpy.ops.ed.undo_push(message="Simulate")
    bpy.ops.ed.undo()
    assert traces(bpy.data.objects[name]) == before


@pytest.mark.parametrize("settings", [{"how": "PHYSICS"}, pytest.param({"streamed": True, "latency": 0.3}, marks=pytest.mark.slow)])
def test_it_also_acts_under_physics_and_as_if_live(settings, mannequin, tmp_path):
    acts(mannequin, write_walk(tmp_path / "walk.asc", 3.0), **settings)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    report = mannequin.footfall.bake.report
    assert ("Walked" if "how" in settings else "without physics") in report and "Fell" not in report


def test_pushes_are_felt_under_physics_only(mannequin, tmp_path):
    motion = acts(mannequin, write_walk(tmp_path / "walk.asc", 3.0))
    mannequin.footfall.pushes.add().frame = 10
    assert job(mannequin)["events"] == []
    motion.methods.pressure.how = "PHYSICS"
    assert len(job(mannequin)["events"]) == 1


def test_what_cannot_be_acted_is_one_sentence_and_changes_nothing(mannequin, tmp_path):
    assert "no recording of foot pressure in the list" in refused(bpy.ops.footfall.act_pressure)
    motion = mannequin.footfall.motion
    motion.source = "PRESSURE"
    before = traces(mannequin)
    assert "No recording of foot pressure is chosen" in refused(bpy.ops.footfall.simulate)
    path = write_walk(tmp_path / "walk.asc")
    acts(mannequin, path)
    motion.pressure = "gone"
    assert "There is no recording 'gone' in this scene" in refused(bpy.ops.footfall.simulate)
    motion.pressure = "walk"
    path.unlink()
    assert "walk.asc' of the recording 'walk' is gone: put it back" in refused(bpy.ops.footfall.simulate)
    write_walk(path)
    motion.methods.pressure.database = str(tmp_path / "none.npz")
    assert "database: there is no file" in refused(bpy.ops.footfall.simulate)
    assert traces(mannequin) == before
