"""What the contact sheet of `build_addon.py demo feet` shows: each row does what it is called, when the clip does it, and was not learnt."""

import numpy as np
import pytest

from core import presets, rotation
from core.motion import Motion
from core.pressure.repertoire.takes import programme
from core.pressure.trodden import Trodden
from demo.on_the_pad import SEED, written

NAMES = {"kick": "kick right", "lunge": "lunge right", "side step": "side step left", "punch": "punch", "walk": "walk"}
UP_S = 0.3  # until who stood has its hands up


def test_nobody_in_the_database_does_it_like_that():
    """Manners and sway of the takes that are shipped have smaller seeds."""
    performances = programme()
    assert max(len(performances), *(performance.seed for performance in performances)) < SEED


def hands_over_hips(motion: Motion, start: float, end: float) -> np.ndarray:
    """(F, 2) m, from ``start`` until ``end`` (s)."""
    positions, orientations = motion.slice(start, end).world()
    arms = [motion.skeleton.index(f"forearm.{side}") for side in "LR"]
    return (positions[:, arms] + rotation.rotate(orientations[:, arms], np.array([0.0, 0.0, -0.3])) - positions[:, :1])[..., 2]


@pytest.mark.slow
def test_the_rows_do_what_they_are_called_when_the_clips_do(tmp_path):
    body = presets.body("average_man")
    rows = list(written(tmp_path))
    assert [row.name for row in rows] == list(NAMES)
    for row in rows:
        start, end = row.shown
        assert 0.0 <= start < end <= row.felt.times[-1] and row.database == "" and not row.felt.faults, row.name
        reference, done = Trodden(str(row.recording)).acted(body, float(row.felt.times[-1]))
        assert {one.name for one in done} == {NAMES[row.name]}, (row.name, done)
        if row.name == "punch":
            assert hands_over_hips(reference.motion, done[0].time + UP_S, done[-1].time).min() > 0.25, "the guard drops between two punches"
        if row.name != "walk":
            assert any(start < one.time < 0.5 * (start + end) for one in done), (row.name, done, row.shown)
