"""Left and right feet found on a pad, against the simulated pad's own truth."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from core.formats import read_clip
from core.pressure.feet_in_grid import Feet, _connected, whose
from core.pressure.pad import feel, sensed
from core.pressure.recording import EITHER, LEFT, RIGHT, Recording
from core.pressure.sensors import Device, Sensing
from core.pressure.tread import of_reference
from core.reference import prepare
from tests.cases import quick

from .made_clips import needs_shared

CLIPS = Path(__file__).resolve().parents[1] / "clips"
PAD_CLIPS = Path(__file__).resolve().parents[3] / "shared" / "mocap" / "pad"
PAD = Device("grid", 12.0, (520, 260))


@cache
def felt(path: Path):
    return feel(of_reference(prepare(read_clip(str(path)))), PAD)


def recording(felt) -> Recording:
    return Recording("pad", felt.layout, felt.times, felt.pressures.sum(axis=1))


def wrong(felt, owners) -> float:
    """Share of the force that was taken for the other foot's."""
    left, right = felt.pressures[:, LEFT], felt.pressures[:, RIGHT]
    return float((left * (owners == RIGHT) + right * (owners == LEFT)).sum() / felt.pressures.sum())


@pytest.mark.parametrize(("clip", "most"), [("stand", 0.01), ("kick", 0.01), ("walk", 0.05)])
def test_feet_of_own_clips(clip, most):
    found = felt(CLIPS / f"{clip}.bvh")
    owners = whose(recording(found))
    assert wrong(found, owners) < most
    assert (found.pressures.sum(axis=1) * (owners == EITHER)).sum() < 0.08 * found.pressures.sum()


def test_feet_that_touch():
    """Moved together until the balls overlap, they are still two."""
    found = felt(CLIPS / "stand.bvh")
    rows, columns = found.layout.grid
    images = found.pressures.reshape(-1, 2, rows, columns)
    inner = [np.flatnonzero(images[:, foot].sum(axis=(0, 1))) for foot in (LEFT, RIGHT)]
    together = images.copy()
    together[:, RIGHT] = np.roll(images[:, RIGHT], inner[LEFT].max() - inner[RIGHT].min(), axis=2)
    close = replace(found, pressures=together.reshape(found.pressures.shape))
    assert wrong(close, whose(recording(close))) < 0.05


def test_feet_are_followed_as_they_come():
    """Frame by frame, from the first: what was said is not changed later, and lost frames and noise do not matter."""
    found = felt(CLIPS / "kick.bvh")
    noisy = sensed(recording(found), Sensing(noise=0.1, threshold=8e3, lost=0.1, seed=1))
    feet = Feet(noisy.layout)
    owners = np.array([feet.follow(time, frame) for time, frame in zip(noisy.times, noisy.pressures, strict=True)])
    kept = np.isin(found.times, noisy.times)
    assert wrong(replace(found, times=noisy.times, pressures=found.pressures[kept]), owners) < 0.03


def test_nobody_on_the_pad():
    layout = PAD.layout()
    assert (Feet(layout).follow(0.0, np.zeros(len(layout.areas))) == EITHER).all()


@needs_shared
@pytest.mark.parametrize(("clip", "most"), quick((
    ("144_11_lunges_left", 0.01), ("144_05_front_kicks_right", 0.01), ("83_33_side_step_right_and_back", 0.05),
    ("14_20_jacks_twists_reach_bend", 0.03), ("49_19_one_leg", 0.01), ("83_66_side_step_right_short", 0.10)),
    ("49_19_one_leg", 0.01), ("83_66_side_step_right_short", 0.10)))
def test_feet_of_what_people_do_on_a_pad(clip, most):
    found = felt(PAD_CLIPS / f"{clip}.bvh")
    assert wrong(found, whose(recording(found))) < most


@pytest.mark.parametrize("seed", range(40))
def test_sensors_that_touch_are_one_part(seed):
    """Corners too, and never across the edge of the pad: as image processing labels it."""
    rng = np.random.default_rng(seed)
    pressed = rng.random((12, 9)) < rng.uniform(0.0, 0.6)
    cells = np.flatnonzero(pressed)
    true = ndimage.label(pressed, np.ones((3, 3)))[0].ravel()[cells]
    found = _connected(cells, 9)
    assert len(found) == len(cells) and len(set(zip(found, true, strict=True))) == len(set(found)) == len(set(true))
