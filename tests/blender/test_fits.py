"""Fit to This Character: found in a worker, kept with the character, used by its jobs, and forgotten."""

import json

import bpy
import pytest
from footfall.blender_addon import fits, scene
from footfall.blender_addon.fitting import Fitting
from footfall.blender_addon.running import RUNNING
from footfall.core.control.gait import whole_data
from footfall.core.presets import load


@pytest.fixture
def mannequin():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    bpy.ops.footfall.add_mannequin()
    rig = bpy.context.object
    rig.footfall.motion.gait = "sturdy_walk"
    return rig


def stored(rig) -> dict:
    """What a fit of the sturdy walk might have found: it bends its elbows."""
    data = whole_data(load("gaits", "sturdy_walk"))
    data |= {"style": {**data["style"], "elbow": 1.2}, "description": "Fitted."}
    fits.keep(rig, "sturdy_walk", data, fits.measures(rig))
    return data


def fits_of_job(rig) -> dict:
    return scene.job_of(bpy.context, rig)[0]["fits"]


def test_the_button_leaves_a_good_walk_alone(mannequin):
    """From the button through the worker to what it says; nothing has changed then."""
    with pytest.raises(RuntimeError, match="It needs no fit: by scaling alone it walks at 0.9"):
        bpy.ops.footfall.fit_gait(trials=4)
    assert not mannequin.footfall.fits and fits_of_job(mannequin) == {} and not RUNNING


@pytest.mark.slow
def test_the_button_finds_a_walk_and_keeps_it(mannequin):
    mannequin.footfall.motion.methods.gait.step_width = 0.65  # at which it walks badly by scaling alone
    assert bpy.ops.footfall.fit_gait(trials=4) == {"FINISHED"}
    fit, = mannequin.footfall.fits
    assert fit.name == "sturdy_walk" and fit.report.startswith("Fitted in 4 trials: it walks at ") and not RUNNING
    assert fits_of_job(mannequin) == {"sturdy_walk": json.loads(fit.data)} and fits.belongs(mannequin, fit)
    assert mannequin.animation_data is None or mannequin.animation_data.action is None


def test_what_is_kept_is_walked_after_saving_and_opening_again_until_it_is_forgotten(mannequin, tmp_path):
    data, name = stored(mannequin), mannequin.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    rig = bpy.data.objects[name]
    assert fits_of_job(rig) == {"sturdy_walk": data}
    rig.footfall.motion.gait = "run"
    assert fits_of_job(rig) == {}  # of another gait
    rig.footfall.motion.gait = "sturdy_walk"
    rig.footfall.motion.span, rig.footfall.motion.seconds, rig.footfall.motion.start = "SECONDS", 1.0, "REST"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert bent(rig) > 40.0  # degrees, as no preset's
    assert bpy.ops.footfall.forget_fit() == {"FINISHED"}
    assert not rig.footfall.fits and fits_of_job(rig) == {}
    with pytest.raises(RuntimeError, match="there is nothing to forget"):
        bpy.ops.footfall.forget_fit()


def bent(rig) -> float:
    """Degrees of the left elbow at the end of the bake."""
    bpy.context.scene.frame_set(int(rig.footfall.bake.action.frame_range[1]))
    upper, lower = (rig.pose.bones[rig.footfall.parts[part].bone] for part in ("upper_arm.L", "forearm.L"))
    return (upper.tail - upper.head).angle(lower.tail - lower.head) * 57.3


def test_a_fit_belongs_to_a_body(mannequin):
    stored(mannequin)
    fit = fits.kept(mannequin)
    assert fits.belongs(mannequin, fit)
    mannequin.location.x += 3.0
    bpy.context.view_layer.update()
    assert fits.belongs(mannequin, fit)
    bpy.ops.object.mode_set(mode="EDIT")
    shin = mannequin.data.edit_bones[mannequin.footfall.parts["foot.L"].bone]
    shin.head.z += 0.06
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not fits.belongs(mannequin, fit)


def test_cancelling_changes_nothing(mannequin):
    fitting = Fitting(bpy.context, mannequin, 3.0, 0)
    assert RUNNING and not fitting.tick()
    with pytest.raises(RuntimeError, match="is being simulated already"):
        bpy.ops.footfall.fit_gait(trials=1)
    assert bpy.ops.footfall.cancel() == {"FINISHED"}
    assert not RUNNING and not mannequin.footfall.fits and fits_of_job(mannequin) == {}


def test_undo_takes_a_fit_back_in_one_step(mannequin):
    name = mannequin.name
    bpy.ops.ed.undo_push(message="before")
    stored(mannequin)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert not bpy.data.objects[name].footfall.fits
    bpy.ops.ed.redo()
    assert len(bpy.data.objects[name].footfall.fits) == 1


def test_only_what_walks_can_be_fitted(mannequin):
    mannequin.footfall.motion.gait = "stand"
    assert not fits.can_be_fitted(mannequin.footfall.motion) and fits_of_job(mannequin) == {}
    with pytest.raises(RuntimeError, match="does not go in a gait that walks"):
        bpy.ops.footfall.fit_gait()
