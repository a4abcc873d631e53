"""Learned controllers in 3D: what a clip's tracking shows is what the balancing law is given to follow, wherever the body faces."""

from pathlib import Path

import numpy as np
import pytest

from core import jobs, presets
from core.context import Context
from core.jobs import make_job
from core.learned import clips
from core.learned.balanced import ByBalance
from core.learned.controller import STATIONARY, load
from core.learned.lesson import learned
from core.physics import world_class
from core.reference.recordings import Recording, reference_of
from core.rotation import from_axis_angle, rotate
from core.start import place_in
from tests.cases import quick

BODY, CLIP = "average_man", Path(__file__).resolve().parents[1] / "clips" / "walk.bvh"


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    """A controller learned from the clip of a walk without a refinement, its file, and what was shown."""
    output = tmp_path_factory.mktemp("learned") / "walk.npz"
    with clips.lesson("walk", [clips.Shown(reference_of(Recording(str(CLIP)), presets.body(BODY)))], STATIONARY, BODY) as (ground, shown):
        controller, _ = learned(ground, shown, rounds=0, seed=1, made_by="a test", context=Context(), keep=lambda found: None)
    controller.save(output)
    return controller, output


def test_what_is_followed_is_a_moment_of_the_clip_turned_to_where_the_body_is_to_face(lesson):
    controller, _ = lesson
    body = presets.body(BODY)
    following = ByBalance(body, body.inertias, controller.following["gains"], 0.8)
    with world_class("pybullet")(body) as world:
        place_in(world, controller.start)
        state = world.read()
        joints = []
        for facing in (0.0, 1.0):
            following.see(state)
            following.take(controller.choose(controller.states[20])[0], facing)
            joints.append(following.law.dynamics.joints(following.law.reference_rotations()))
    turned = rotate(from_axis_angle([0, 0, 1], 1.0), joints[0] - joints[0][0])
    np.testing.assert_allclose(joints[1] - joints[1][0], turned, atol=1e-9)
    assert np.ptp(joints[0][:, 2]) > 1.3  # it stands upright


@pytest.mark.parametrize("engine", quick(clips.ENGINES, "mujoco"))
def test_the_regression_alone_goes_on_where_the_clip_ends(lesson, engine):
    """The clip lasts 5 s."""
    _, output = lesson
    assert load(output).refinements == 0
    result = jobs.run(make_job({"method": "learned", "file": str(output), "duration": 8.0, "engine": engine}))
    assert not result.outcome["fell"], result.outcome["reason"]
    assert result.root_positions[-1, 0] > 8.0 * 0.6
