"""What belongs to a .blend stays with it: through quitting, saving elsewhere, moving and cleaning up. Each step is a Blender of its own."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import bpy
import pytest
from footfall.blender_addon import belongings, files, scene
from footfall.blender_addon.playing import take_of

from tests.blender.mannequins import empty_scene, mannequin, refused
from tests.blender.recordings import key, motions, walk, write_walk

REPOSITORY = Path(__file__).resolve().parents[2]
BEGIN = f"""
import sys; sys.path.insert(0, {str(REPOSITORY)!r})
from build_tools import in_blender
in_blender.enable()
import bpy
from pathlib import Path
from footfall.blender_addon import belongings, files
def rig(): return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
"""
HIT = """
bpy.ops.footfall.add_mannequin()
bones, scene = rig().pose.bones, bpy.context.scene
for frame, turn in ((1, 0.0), (30, 0.3), (60, 0.0)):
    bones["upper_arm.R"].rotation_mode = bones["pelvis"].rotation_mode = "XYZ"
    bones["upper_arm.R"].rotation_euler.x = turn
    for name in ("upper_arm.R", "pelvis"):
        bones[name].keyframe_insert("rotation_euler", frame=frame)
scene.frame_set(20)
assert bpy.ops.footfall.add_hit() == {"FINISHED"}
push = rig().footfall.pushes[0]
push.part, push.feel = "head", "TAP"
rig().footfall.motion.hits.response = "FLINCH"
"""
SIMULATE = """
assert bpy.ops.footfall.simulate() == {"FINISHED"}
"""
CHECK = """
paths = [getattr(holder, name) for holder, name in belongings.places() if getattr(holder, name)]
assert len(paths) >= 2 and all(path.startswith("//footfall/") and files.found(path).is_file() for path in paths), paths
"""


def blender(script: str, *blend: Path, temporary: Path) -> None:
    """Run a script in a Blender that starts and quits, with a folder for temporary files that goes with it."""
    temporary.mkdir()
    opening = f"bpy.context.preferences.filepaths.temporary_directory = {str(temporary)!r}\n"
    done = subprocess.run([bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1", "--python-expr",
                           BEGIN + opening + "".join(f"bpy.ops.wm.open_mainfile(filepath={str(path)!r})\n" for path in blend) + script],
                          capture_output=True, text=True, timeout=300, cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    shutil.rmtree(temporary)


def save(path: Path) -> str:
    return f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r})\n"


def test_a_hit_in_an_unsaved_file_can_be_simulated_after_it_is_opened_again(tmp_path):
    """Hit, simulate, save for the first time, quit, open, and simulate again: also where the folder beside the .blend was lost, or moved along."""
    shot, moved = tmp_path / "a" / "shot.blend", tmp_path / "elsewhere"
    shot.parent.mkdir()
    blender(HIT + SIMULATE + save(shot), temporary=tmp_path / "first")
    shutil.copytree(shot.parent, moved)
    shutil.rmtree(shot.parent / "footfall")
    blender("before = rig().footfall.bake.result\n" + SIMULATE + "assert rig().footfall.bake.result != before\n" + save(shot)
            + "paths = rig().footfall.bake.result, bpy.context.scene.footfall.references[0].filepath\n" + CHECK.split("\n", 2)[2],
            shot, temporary=tmp_path / "second")
    blender(CHECK + "from footfall.blender_addon.overlays.last_bake import last_bake\nassert last_bake(rig()).frames > 30\n",
            moved / "shot.blend", temporary=tmp_path / "third")


def test_paths_survive_save_as(mannequin, walk, tmp_path):
    """Elsewhere: what is ours comes along, and the way to other files starts from there. So it is in memory, and in the file when that is opened."""
    here, there = tmp_path / "here", tmp_path / "there" / "deep"
    here.mkdir()
    there.mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(here / "shot.blend"))
    assert bpy.ops.footfall.add_reference(filepath=str(walk)) == {"FINISHED"}
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    reference = bpy.context.scene.footfall.references[0]
    assert reference.filepath == "//../walk.bvh"
    bpy.ops.wm.save_as_mainfile(filepath=str(there / "shot.blend"))

    def check():
        reference, rig = bpy.context.scene.footfall.references[0], bpy.data.objects[mannequin_name]
        assert reference.filepath == "//../../walk.bvh" and files.found(reference.filepath) == walk
        for path in (reference.strip, rig.footfall.bake.result):
            assert path.startswith("//footfall/") and files.found(path).is_file()

    mannequin_name = mannequin.name
    check()
    bpy.ops.wm.open_mainfile(filepath=str(there / "shot.blend"))
    check()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "copy.blend"), copy=True)
    assert bpy.context.scene.footfall.references[0].filepath == "//../../walk.bvh"
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "copy.blend"))
    reference = bpy.context.scene.footfall.references[0]
    assert files.found(reference.filepath) == walk and files.found(reference.strip).is_file()


def test_takes_come_along_and_are_simulated_again(mannequin, tmp_path):
    """From a file that was never saved into one, and elsewhere; nobody refers to the take before any more."""
    def check(folder: Path) -> None:
        take = bpy.context.object.footfall.playing.take
        assert take.startswith("//footfall/") and files.found(take).parent == folder / "footfall" and take_of(bpy.context.object) == job

    job = scene.job_of(bpy.context, mannequin, played=True)[0] | {"duration": 0.3, "seed": 0}
    for _ in range(2):
        take = files.new_file("Mannequin take", ".json")
        take.write_text(json.dumps(job), encoding="utf-8")
        before, mannequin.footfall.playing.take = files.found(mannequin.footfall.playing.take), files.stored(take)
    unused = belongings.unused()  # and what other tests left in Blender's temporary folder
    assert before in unused and take not in unused and not take.is_relative_to(tmp_path)
    for folder in (tmp_path / "here", tmp_path / "there" / "deep"):
        folder.mkdir(parents=True)
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))
        take.unlink()
        check(folder)
        bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
        check(folder)
        take = files.found(bpy.context.object.footfall.playing.take)
        assert belongings.unused() == []
    assert bpy.ops.footfall.simulate_take() == {"FINISHED"}


def old(path: Path) -> Path:
    """Written two days ago."""
    path.write_bytes(b"." * 2000)
    os.utime(path, (path.stat().st_mtime - 2 * belongings.A_DAY,) * 2)
    return path


def test_what_nobody_refers_to_goes(mannequin, tmp_path):
    """When a .blend is opened, or at once by a button; never what this or another .blend beside it uses, nor what is not ours."""
    shot, folder = tmp_path / "shot.blend", tmp_path / "footfall"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    for _ in range(2):
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
    used, (left,) = files.found(mannequin.footfall.bake.result), belongings.unused()
    assert left.suffix == ".npz" and left != used and belongings.sizes() == (used.stat().st_size + left.stat().st_size, left.stat().st_size)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "second.blend"))
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert used not in belongings.unused()  # the first one uses it
    gone, letter = old(folder / "gone.npz"), old(folder / "letter.txt")
    bpy.ops.wm.save_mainfile()
    shutil.copy(shot, tmp_path / "copied.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "second.blend"))
    assert belongings.others() == ["copied.blend"] and gone.exists() and left.exists()  # nobody knows what that one uses
    (tmp_path / "copied.blend").unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "second.blend"))
    assert not gone.exists() and letter.exists() and left.exists() and used.exists()  # what was there today may be wanted after a crash
    assert bpy.ops.footfall.remove_unused() == {"FINISHED"}
    assert not left.exists() and used.exists() and belongings.sizes()[1] == 0
    shot.unlink()
    assert belongings.unused() == [used]
    listed = json.loads((folder / "second.blend.uses.json").read_text())
    assert [name for name in listed if not (folder / name).exists()] == []


def test_a_folder_that_cannot_be_written_is_found_before_the_simulation(mannequin, tmp_path, monkeypatch):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    (tmp_path / "footfall").write_text("a file where the folder should be")
    monkeypatch.setattr("footfall.blender_addon.simulation.Worker", None)  # it would be called if the simulation began
    assert "Files cannot be kept in" in refused(bpy.ops.footfall.simulate)


def test_a_full_disk_is_named_and_leaves_no_half_a_file(mannequin, tmp_path):
    """The system itself refuses to write more than some bytes to a file, here and in the worker."""
    resource = pytest.importorskip("resource")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    key(mannequin)
    before, action = resource.getrlimit(resource.RLIMIT_FSIZE), mannequin.animation_data.action
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        said = refused(bpy.ops.footfall.simulate)
        assert re.search("cannot be written|Could not write|cannot be started", said) and "File too large" in said, said
        assert "File too large" in refused(bpy.ops.footfall.add_reference_action)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list((tmp_path / "footfall").iterdir()) == []
    assert mannequin.animation_data.action == action and not bpy.context.scene.footfall.references
