"""What the contact sheet of `build_addon.py demo feet` shows: each row does what it is called, when the clip does it, and was not learnt."""

import pytest

from core import presets
from core.pressure.repertoire.takes import programme
from core.pressure.trodden import Trodden
from demo.on_the_pad import SEED, written

NAMES = {"kick": "kick right", "lunge": "lunge right", "side step": "side step left", "punch": "punch", "walk": "walk"}
EARLY_S = 0.25  # before what is shown, from which an action may be taken to begin


def test_nobody_in_the_database_does_it_like_that():
    """Manners and sway of the takes that are shipped have smaller seeds."""
    performances = programme()
    assert max(len(performances), *(performance.seed for performance in performances)) < SEED


@pytest.mark.slow
def test_the_rows_do_what_they_are_called_when_the_clips_do(tmp_path):
    body = presets.body("average_man")
    rows = list(written(tmp_path))
    assert [row.name for row in rows] == list(NAMES)
    for row in rows:
        start, end = row.shown
        assert 0.0 <= start < end <= row.felt.times[-1] and row.database == "" and not row.felt.faults, row.name
        _, done = Trodden(str(row.recording)).acted(body, float(row.felt.times[-1]))
        assert {one.name for one in done} == {NAMES[row.name]}, (row.name, done)
        if row.name != "walk":
            assert any(start - EARLY_S < one.time < 0.5 * (start + end) for one in done), (row.name, done, row.shown)
