"""References of real recordings: floors, contacts against labels read off by eye, fragments, speeds, and five clips on five builds."""

import re
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from core import feet, presets
from core.body import make_body
from core.formats import read_clip
from core.reference import find_cycle, looped, prepare
from core.reference.inspection import sink, slides
from core.signals import runs
from tests.cases import quick

SHARED = Path(__file__).resolve().parents[3] / "shared" / "mocap"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/mocap are not here")
CMU = sorted((SHARED / "cmu").glob("*.bvh"))
OTHERS = sorted((SHARED / "other_skeletons").glob("*.bvh")) + sorted((SHARED / "asf_amc").glob("*.amc"))

# Frames of 120 a second on which feet land and leave, read off plots of height and speed of heel, ball and tip of the foot.
BY_EYE = {
    "02_01_walk": {"strikes": ((3, 135, 268), (71, 203, 334)), "toe_offs": ((87, 220), (19, 154, 286))},
    "16_17_walk_turn90_left": {"strikes": ((67, 202, 331, 478), (132, 266, 405)),
                               "toe_offs": ((19, 157, 283, 430), (87, 225, 357, 501))},
    "37_01_walk_slow": {"strikes": ((160, 317, 470), (78, 237, 391)), "toe_offs": ((107, 264, 417), (30, 187, 338, 493))},
    # A slow walk whose right toe joint creeps up by two centimetres while the toes rest.
    "82_08_stand_then_walk_cut": {"strikes": ((421, 583, 743), (333, 505, 662, 823)),
                                  "toe_offs": ((359, 530, 685, 868), (273, 447, 605, 763))},
}
TOLERANCE = 3
# Clips of nothing but steps, in which left and right take turns.
WALKS = (
    "02_01_walk", "07_01_walk", "07_12_walk_brisk_GLITCH", "08_06_walk_fast", "111_01_walk_backward", "138_05_march",
    "16_11_walk_veer_left", "16_17_walk_turn90_left", "37_01_walk_slow", "69_20_walk_turn90_right", "69_50_walk_backward_turn",
    "69_66_walk_sideways_turn",
)
# In these and in WALKS no one ever flies; in RUNS there is a flight between steps, as many as are told.
ALSO_ON_THE_FLOOR = (
    "120_08_sneak_mickey_cut", "139_15_sneak_sideways_cut", "143_40_walk_sideways_cut", "16_33_walk_slow_stop", "18_05_pull_elbow_A",
    "19_05_pull_elbow_B_resists", "69_16_turn_in_place", "76_11_steps_backward_quick", "82_08_stand_then_walk_cut",
)
RUNS = {"09_01_run": 3, "104_08_jog_start": 3, "104_56_run_stop": 3, "127_08_run_fast": 3, "127_17_run_stop_run": 2,
        "143_03_start_to_run": 3, "16_08_run_sudden_stop": 2}
# People who lie, crawl or fall, and who dance: their feet are not planted as those of someone who walks.
NOT_ON_FEET = ("140_01", "140_08", "90_17", "90_18", "05_02")
FIVE = ("02_01_walk", "16_17_walk_turn90_left", "37_01_walk_slow", "69_66_walk_sideways_turn", "82_08_stand_then_walk_cut")
BUILDS = ("average_woman", "long_arm", "overweight", "tall", "stocky")
_prepared = {}


def reference_of(path):
    if path not in _prepared:
        _prepared[path] = prepare(read_clip(path), repair=True)
    return _prepared[path]


def cmu(name):
    return reference_of(SHARED / "cmu" / f"{name}.bvh")


def steps(motion, fps=30.0):
    rotations = motion.resample(fps).rotations
    return np.degrees(2.0 * np.arccos(np.abs(np.sum(rotations[1:] * rotations[:-1], axis=-1)).clip(max=1.0)))


@pytest.mark.parametrize("name", BY_EYE)
def test_contacts_agree_with_labels_read_off_by_eye(name):
    reference = cmu(name)
    for foot in (0, 1):
        own = [stance for stance in reference.stances if stance.foot == foot]
        strikes = [stance.start for stance in own if stance.start > 0]
        toe_offs = [stance.end for stance in own if stance.end < reference.motion.frames]
        for found, seen in ((strikes, BY_EYE[name]["strikes"][foot]), (toe_offs, BY_EYE[name]["toe_offs"][foot])):
            assert len(found) == len(seen)
            assert np.abs(np.subtract(found, seen)).max() <= TOLERANCE


@pytest.mark.parametrize("name", WALKS)
def test_walks_are_cut_into_left_and_right_in_turn(name):
    reference = cmu(name)
    whole = [fragment for fragment in reference.fragments if fragment.whole]
    assert len(whole) >= 3
    for fragment in whole:
        assert fragment.kind in ("left", "right")
        assert 0.3 < fragment.frames / reference.motion.fps < 0.9
    assert all(one.stance != other.stance for one, other in pairwise(whole))


def flights(reference):
    """(start, end) frames without a foot on the floor, between two steps."""
    return [span for span in runs(~reference.contacts.any(axis=1)) if span[0] > 0 and span[1] < reference.motion.frames]


@pytest.mark.parametrize("name", WALKS + ALSO_ON_THE_FLOOR)
def test_no_one_flies_in_a_walk(name):
    assert flights(cmu(name)) == []


def test_no_one_flies_in_the_walk_of_another_skeleton():
    assert flights(reference_of(SHARED / "other_skeletons" / "mixamorig_freebvh.bvh")) == []


@pytest.mark.parametrize("name", RUNS)
def test_runs_fly(name):
    found = flights(cmu(name))
    assert len(found) == RUNS[name]
    assert all(0.04 < (end - start) / 120.0 < 0.25 for start, end in found)


@pytest.mark.parametrize("name", WALKS)
def test_walks_loop(name):
    reference = cmu(name)
    loop = looped(reference, find_cycle(reference), 3)
    assert max(slides(loop)) < 0.01 and sink(loop) < 0.001
    assert steps(loop.motion).max() < 25.0
    whole = [fragment for fragment in loop.fragments if fragment.whole]
    assert all(one.stance != other.stance for one, other in pairwise(whole))


@pytest.mark.parametrize("path", CMU, ids=lambda path: path.stem)
def test_standing_feet_are_on_the_floor_and_do_not_slide(path):
    reference = reference_of(path)
    lowest = feet.soles(reference.body, reference.motion)[..., 2].min(axis=2)
    for stance in reference.stances:
        off = np.abs(lowest[stance.start:stance.end, stance.foot] - stance.height)
        assert off.max() < 0.03
    assert sink(reference) < (0.03 if path.stem.startswith(NOT_ON_FEET) else 0.001)
    if not path.stem.startswith(NOT_ON_FEET):
        assert np.mean(slides(reference)) < 0.005
        assert max(slides(reference)) < 0.02
    if path.stem in WALKS:
        assert max(slides(reference)) < 0.01


def table():
    """Median hip speed in m/s by clip, from the list that lies beside the recordings."""
    lines = (SHARED / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if ".bvh |" in line]
    return {row[1].removesuffix(".bvh"): float(row[7].partition("/")[0]) for row in rows if row[7].partition("/")[0]}


@pytest.mark.parametrize("path", CMU, ids=lambda path: path.stem)
def test_speeds_are_read_as_listed(path):
    """Within 5 % and what the list is rounded to."""
    clip = read_clip(path)
    hips = clip.motion.world()[0][:, 0, :2]
    speed = np.median(np.linalg.norm(np.diff(hips, axis=0), axis=1) * clip.motion.fps)
    assert speed == pytest.approx(table()[path.stem], rel=0.05, abs=0.005)


@pytest.mark.parametrize("path", CMU, ids=lambda path: path.stem)
def test_speeds_are_those_of_the_recording(path):
    """Within 5 %, or 7 cm/s: those who hardly move owe much of their speed to the jitter of the recording, which is gone."""
    motion = reference_of(path).motion
    speed = np.median(np.linalg.norm(np.diff(motion.root_positions[:, :2], axis=0), axis=1) * motion.fps)
    expected = table()[path.stem]
    assert abs(speed - expected) <= max(0.05 * expected, 0.07)


def test_floors_that_slope_are_levelled_and_stairs_are_not_floors():
    for name, per_metre in (("02_01_walk", 1.6), ("07_01_walk", 1.7), ("08_06_walk_fast", 2.2)):
        said = next(note for note in cmu(name).notes if "slopes" in note)
        assert float(re.search(r"by ([\d.]+) cm per metre", said)[1]) == pytest.approx(per_metre, abs=0.4)
    stairs = cmu("83_27_stairs_up_cut")
    assert not any("slopes" in note for note in stairs.notes)
    assert any("stairs" in note for note in stairs.notes)
    assert sorted({round(stance.height, 1) for stance in stairs.stances}) == [0.0, 0.1, 0.2]


def test_jumps_fly_and_those_who_stand_stand():
    assert [fragment.kind for fragment in cmu("16_01_jump_up").fragments] == ["both", "flight", "both"]
    assert cmu("82_08_stand_then_walk_cut").fragments[0].kind == "both"
    balance = cmu("49_18_balance_one_leg_cut")
    assert balance.contacts[:, 0].all() and not balance.contacts[-150:, 1].any()


@pytest.mark.parametrize(("name", "build"), quick(product(FIVE, BUILDS), *zip(FIVE, BUILDS, strict=True)))
def test_five_clips_on_five_builds(name, build):
    body = make_body(presets.load("bodies", build), build)
    reference = prepare(read_clip(SHARED / "cmu" / f"{name}.bvh"), body, repair=True)
    assert max(slides(reference)) < 0.01
    assert sink(reference) < 0.001
    assert steps(reference.motion).max() < 20.0
    assert flights(reference) == []


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_other_skeletons_come_out_too(path):
    reference = reference_of(path)
    lowest = feet.soles(reference.body, reference.motion)[..., 2].min(axis=2)
    assert np.abs(lowest[reference.contacts]).max() < 0.03
    assert reference.fragments[-1].end == reference.motion.frames
