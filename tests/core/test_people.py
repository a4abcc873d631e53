"""People's walk at all speeds, and for legs of any length."""

import numpy as np
import pytest

from core.measure import norms
from core.measure.by_speed import LEG, OWN_SPEED, alike
from core.measure.walking import deviations
from core.optimize.walking import BANDS, FORCES, PELVIS, bands_at


@pytest.fixture(params=("with the measured curves", "without"))
def people(request, monkeypatch):
    """norms_at, where the shared curves are, and where they are not."""
    caches = (norms._own, norms._knots, norms._own_table)
    if request.param == "without":
        monkeypatch.setattr(norms, "find_norms", lambda *_: None)
    elif norms.find_norms() is None or norms.find_norms(norms.SPEEDS_FILE) is None:
        pytest.skip("the curves of people in ../shared/gait_norms are not here")
    for one in caches:
        one.cache_clear()
    yield norms.norms_at
    for one in caches:
        one.cache_clear()


def test_at_their_own_speed_they_are_those_of_adults(people):
    own = norms.read_norms()
    for speed in (1.16, OWN_SPEED, 1.34):
        for joint, norm in people(speed).items():
            assert norm.mean == pytest.approx(own[joint].mean) and norm.sd == pytest.approx(own[joint].sd)


def test_joints_go_further_the_faster_people_walk(people):
    ranges = [np.ptp(people(speed)["hip"].mean) for speed in (0.8, OWN_SPEED, 1.6)]
    assert all(np.diff(ranges) > 2.0)
    bends = [people(speed)["knee"].mean[8:22].max() for speed in (0.8, OWN_SPEED, 1.6)]  # as the leg takes the weight
    assert all(np.diff(bends) > 1.0)
    push_offs = [people(speed)["ankle"].mean[50:71].min() for speed in (0.8, OWN_SPEED, 1.6)]
    assert push_offs[0] > push_offs[1] > push_offs[2]


def test_between_two_speeds_there_is_no_jump(people):
    speeds = np.arange(0.3, 2.5, 0.01)
    means = np.array([[people(speed)[joint].mean for joint in norms.VARIABLES] for speed in speeds])
    assert np.abs(np.diff(means, axis=0)).max() < 1.0
    assert (means[0] == means[1]).all() and (means[-1] == means[-2]).all()  # slower and faster than in any table they are as there


def test_longer_legs_walk_alike_at_a_higher_speed(people):
    assert people(1.5 * 2**0.5, 2 * LEG)["knee"].mean == pytest.approx(people(1.5)["knee"].mean)
    assert alike(OWN_SPEED * 0.5**0.5, 0.5 * LEG) == pytest.approx(OWN_SPEED)


@pytest.mark.skipif(norms.find_norms(norms.SPEEDS_FILE) is None, reason="the curves of people in ../shared/gait_norms are not here")
@pytest.mark.parametrize("name", ("slow", "own", "fast"))
def test_our_own_table_is_of_people(name):
    speed, table = norms._own_table()[name]
    people = norms.norms_at(speed)
    for joint, norm in table.items():
        off = np.abs(deviations(norm.mean, people[joint], joint == "hip", 3.0))
        assert (off < 2.0).all() and (off < 1.0).mean() > 0.7, joint


def test_bands_are_known_at_their_own_speed_and_move_with_it():
    own = bands_at(OWN_SPEED)
    for name, band in {**BANDS, **FORCES, **PELVIS}.items():
        assert own[name] == pytest.approx(band)
    slow, fast = bands_at(0.8), bands_at(1.8)
    for name in ("cadence", "rise", "first_hump", "second_hump", "pelvis_list"):
        assert slow[name][1] < own[name][1] < fast[name][1], name
    for name in ("double_support", "dip", "push_off"):
        assert slow[name][1] > own[name][1] > fast[name][1], name
    # The walk ratio, m over steps a minute, is the same at all speeds.
    for speed in (0.7, 1.0, 2.0):
        cadence = np.mean(bands_at(speed)["cadence"][:2])
        assert 60.0 * speed / cadence / cadence == pytest.approx(0.0059, abs=0.0001)


def test_bands_of_a_child_are_those_of_dynamic_similarity():
    child, man = bands_at(OWN_SPEED * 0.5**0.5, 0.5 * LEG), bands_at(OWN_SPEED)
    assert child["cadence"][0] == pytest.approx(man["cadence"][0] * 2**0.5)
    assert child["rise"] == pytest.approx(0.5 * np.array(man["rise"])) and child["step_width"] == pytest.approx(0.5 * np.array(man["step_width"]))
    assert child["double_support"] == pytest.approx(man["double_support"]) and child["dip"] == pytest.approx(man["dip"])
