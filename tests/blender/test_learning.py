"""Learn from These References: in a worker, on this very body; a file that the character's motion uses."""

from pathlib import Path

import bpy
import pytest
from footfall.blender_addon import belongings, files, scene
from footfall.blender_addon.learning import Learning
from footfall.blender_addon.running import RUNNING
from footfall.core.learned.controller import load

from tests.blender.mannequins import empty_scene, mannequin, refused
from tests.clips import path_of


def kept() -> set[Path]:
    """What belongs to the file."""
    return set(Path(files.folder()).glob("*.npz"))


@pytest.fixture
def pupil(mannequin):
    assert bpy.ops.footfall.add_reference(filepath=str(path_of("walk"))) == {"FINISHED"}
    motion = mannequin.footfall.motion
    motion.source, motion.reference, motion.seconds = "LEARNED", "walk", 3.0
    return mannequin


def test_a_walk_is_learned_from_a_reference_and_walked(pupil, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "pupil.blend"))
    pupil = bpy.context.object
    assert bpy.ops.footfall.learn(rounds=0) == {"FINISHED"}
    settings = pupil.footfall.motion.methods.learned
    path = files.found(settings.file)
    assert path.parent == tmp_path / "footfall" and path not in belongings.unused() and not RUNNING
    controller = load(path)
    assert controller.body == scene.job_of(bpy.context, pupil)[0]["body"] and controller.refinements == 0
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert pupil.footfall.bake.action and "fell" not in pupil.footfall.bake.report.lower()


def test_cancelling_changes_nothing(pupil):
    before = kept()
    learning = Learning(bpy.context, pupil, 5.0, 60)
    assert RUNNING and not learning.tick()
    assert "is being simulated already" in refused(bpy.ops.footfall.learn)
    assert bpy.ops.footfall.cancel() == {"FINISHED"}
    assert not RUNNING and not pupil.footfall.motion.methods.learned.file and kept() == before


def test_what_cannot_be_learned_is_refused_with_a_sentence(pupil):
    pupil.footfall.motion.reference = ""
    assert "No reference is chosen" in refused(bpy.ops.footfall.learn)
    assert "learn them on yours" in refused(bpy.ops.footfall.simulate)
    pupil.footfall.motion.source = "GAIT"
    assert "choose Learned in the Motion panel" in refused(bpy.ops.footfall.learn)
