"""Fit to a body: few trials in place of the hundreds of three minutes, and short ones."""

import json
from itertools import pairwise

import pytest

from core.context import Context
from core.control.gait import gait_from_dict, whole_data
from core.errors import JobError
from core.jobs import check, make_job, run
from core.methods.gait import goes_ahead
from core.optimize import fit as fitting
from core.optimize.fit import fit
from core.presets import load, names

ODD = {"height": 1.7, "mass": 70.0, "scale": {"hip_spacing": 1.5}}  # hips that are far apart, and wider steps than the gait's


@pytest.fixture
def short(monkeypatch):
    """Trials and checks of some seconds."""
    monkeypatch.setattr(fitting, "TRIAL_S", 5.0)
    monkeypatch.setattr(fitting, "CHECK_S", 5.0)
    monkeypatch.setattr(fitting, "GOOD", 0.0)  # however well it walks: go on


@pytest.mark.slow
def test_a_few_trials_find_a_better_walk_and_the_same_again(short):
    job = {"body": ODD, "step_width": 0.2, "engine": "pybullet"}
    found, again = (fit("sturdy_walk", job, Context(), trials=4) for _ in range(2))
    assert found.gait is not None and found.trials == 4
    assert found.after.holds and found.after.cost < found.before.cost
    assert found == again
    assert found.sentence.startswith("Fitted in 4 trials: it walks at ")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ("pybullet", "mujoco"))
def test_a_body_on_which_the_walk_falls_walks_when_it_is_fitted(engine):
    found = fit("walk", {"body": "long_arm", "engine": engine}, Context(), trials=48)
    assert not found.before.holds and found.after.holds and found.gait is not None


@pytest.mark.slow
def test_a_body_on_which_nothing_better_is_found_is_told_so(short, monkeypatch):
    monkeypatch.setattr(fitting, "NEAR", 1e-9)  # every trial is the gait itself
    found = fit("sturdy_walk", {"body": "average_man", "engine": "pybullet"}, Context(workers=1), trials=2)
    assert found.gait is None and found.sentence.startswith("Nothing better was found in 2 trials: by scaling alone it walks at ")


def test_a_good_walk_is_left_alone(short, monkeypatch):
    monkeypatch.setattr(fitting, "GOOD", 100.0)
    found = fit("sturdy_walk", {"body": "average_man", "engine": "pybullet"}, Context(workers=1), trials=6)
    assert found.gait is None and found.trials == 0 and found.sentence.startswith("It needs no fit")


def test_it_tells_how_far_it_is_and_can_be_cancelled(short):
    told = []

    def progress(fraction, _, doing):
        told.append((fraction, doing))
        if len(told) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit("sturdy_walk", {"body": ODD, "engine": "pybullet"}, Context(progress), trials=6)
    assert len(told) == 4 and all(before <= after for (before, _), (after, _) in pairwise(told))
    assert told[0][1] == "Trying the gait 'sturdy_walk' by scaling alone" and "the best of 3" in told[-1][1]


def test_what_does_not_walk_ahead_cannot_be_fitted():
    assert {"walk", "sturdy_walk", "run", "bent"} <= {name for name in names("gaits") if goes_ahead(load("gaits", name))}
    for name in ("stand", "hop", "backward", "in_place", "sideways_left", "planar_walk"):
        with pytest.raises(JobError, match=f"'{name}' does not walk ahead, so it cannot be fitted"):
            fit(name, {}, Context())


def test_a_job_holds_the_gait_as_it_was_fitted():
    """So it gives the same result wherever it is run, and another one than the preset."""
    fitted = whole_data(load("gaits", "sturdy_walk"))
    fitted["style"] = {**fitted["style"], "elbow": 1.2}
    job = make_job({"gait": "sturdy_walk", "duration": 0.5, "fits": {"sturdy_walk": fitted}})
    again = make_job(json.loads(json.dumps(job.to_dict())))
    assert again == job
    one, other = run(job), run(again)
    assert (one.rotations == other.rotations).all()
    assert abs(one.rotations - run(make_job({"gait": "sturdy_walk", "duration": 0.5})).rotations).max() > 0.1
    assert gait_from_dict(fitted, "sturdy_walk").variants


@pytest.mark.parametrize(("fits", "sentence"), [
    (3, "fits is 3; allowed is an object of gaits' names"),
    ({"walk": 3}, "fits is {'walk': 3}; allowed is an object of gaits' names"),
    ({"walk": {}}, "Gait 'walk': states must be a list"),
])
def test_fits_that_are_none_are_refused(fits, sentence):
    with pytest.raises(JobError, match=sentence):
        check({"gait": "walk", "fits": fits})
