"""The way home: from somewhere else into a clip, in its own steps."""

from pathlib import Path

import numpy as np
import pytest

from core import feet, presets
from core.hit.home import nearing
from core.reference.recordings import Recording, lasting
from core.signals import smooth_step

CLIPS = Path(__file__).parents[1] / "clips"


@pytest.fixture(scope="module")
def walking():
    body = presets.body("average_man")
    reference = lasting(Recording(str(CLIPS / "walk.bvh"), loop=True), body, 6.0)
    return body, reference.motion.slice(0.0, 6.0), reference


def test_feet_that_stand_stay_where_they_are_on_the_way_home(walking):
    body, clip, reference = walking
    contacts = reference.contacts_at(clip.fps, clip.frames)
    near = smooth_step((np.arange(clip.frames) / clip.fps - 2.0) / 1.5)
    home = nearing(body, clip.displace(np.array([[0.1, 0.3, 0.0]])), clip, contacts, near)

    ankles = [feet.link(body, "foot", foot) for foot in (0, 1)]
    own, moved = clip.world()[0][:, ankles], home.world()[0][:, ankles]
    offsets = moved - own
    for foot in (0, 1):
        standing = contacts[1:, foot] & contacts[:-1, foot]
        assert np.abs(np.diff(offsets[:, foot], axis=0)[standing]).max() < 1e-3  # no more than it slides in the clip itself
    assert np.allclose(offsets[:int(clip.fps)], (0.1, 0.3, 0.0), atol=2e-3)
    assert np.allclose(offsets[-int(clip.fps):], 0.0, atol=2e-3)
    assert np.abs(np.diff(home.root_positions, n=2, axis=0)).max() < 3.0 * np.abs(np.diff(clip.root_positions, n=2, axis=0)).max()
