"""What a planned body is to do: clips that hover or whose legs pass through each other are put right, others stay as they are."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets, rotation
from core.feet.apart import ROOM, apart, gaps
from core.plan import support
from core.plan.aim import grounded
from core.reference.recordings import Recording, own_body, reference_of

CLIPS = Path(pybullet_data.getDataPath()) / "data" / "motions"
FPS = 60.0


def level(x, y):
    return 0.0


@lru_cache
def clip(name):
    """Body, motion and contacts (F, 2), at ``FPS``."""
    recording = Recording(str(CLIPS / f"humanoid3d_{name}.txt"))
    reference = reference_of(recording, presets.body(own_body(recording)))
    motion = reference.motion.resample(FPS)
    return reference.body, motion, reference.contacts_at(FPS, motion.frames)


def lowest(body, motion):
    return support.lowest_points(body, *motion.world())[1][..., 2].min(axis=1)


def test_who_hovers_is_put_down():
    body, motion, _ = clip("walk")
    put = grounded(body, motion.displace((0.0, 0.0, 0.08)), level)
    assert np.abs(lowest(body, put)).max() < support.NEAR
    assert np.ptp(put.root_positions[:, 2] - motion.root_positions[:, 2]) < 0.02


@pytest.mark.parametrize("name", ["jump", "run", "kick"])
def test_who_jumps_still_jumps(name):
    body, motion, _ = clip(name)
    put = grounded(body, motion, level)
    assert np.abs(put.root_positions - motion.root_positions).max() < 0.01


@pytest.mark.parametrize("name", ["kick", "jump", "walk", "cartwheel"])
def test_legs_with_room_stay_as_they_are(name):
    body, motion, contacts = clip(name)
    assert gaps(body, motion).min() > ROOM
    assert apart(body, motion, contacts) is motion


def together(body, motion, angle):
    """The motion with its thighs turned inwards."""
    offsets = rotation.identity((len(body.names),))
    for side, way in (("L", -angle), ("R", angle)):
        offsets[body.names.index(f"thigh.{side}")] = rotation.from_axis_angle((1.0, 0.0, 0.0), way)
    return motion.displace(rotation_offsets=offsets)


def test_legs_in_each_other_are_brought_apart():
    body, motion, contacts = clip("walk")
    narrow = together(body, motion, 0.07)
    assert gaps(body, narrow).min() < -0.02
    wide = apart(body, narrow, contacts)
    assert gaps(body, wide).min() > 0.0
    # Only as much as it takes, and mostly the foot that swings.
    moved = np.linalg.norm(wide.world()[0] - narrow.world()[0], axis=-1)
    assert moved.max() < 0.09 and moved.mean() < 0.02


def test_a_standing_foot_does_not_slide_apart():
    body, motion, contacts = clip("walk")
    narrow = together(body, motion, 0.07)
    alone = contacts & ~contacts[:, ::-1]
    wide = apart(body, narrow, alone)  # with never both feet down, nobody has to stand wider
    for foot, side in enumerate("LR"):
        link = body.names.index(f"foot.{side}")
        assert np.linalg.norm((wide.world()[0] - narrow.world()[0])[alone[:, foot], link], axis=-1).max() < 1e-9
