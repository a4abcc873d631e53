"""Gaits as data: what a preset may say, dynamic similarity, blending and speeds."""

import copy
import re
from dataclasses import fields

import pytest

from core import presets
from core.control.gait import GAINS, Gait, GaitPose, Style, blend, can_blend, gait_from_dict, load_gait
from core.control.transitions import route
from core.errors import JobError
from core.quaternion import heading, lean, multiply, offset, rotate, turned, unrotate

DATA = {
    "speed": 1.0, "reference": {"mass": 60.0, "leg_length": 0.8},
    "states": [
        {"duration": 0.3, "torso": -0.1, "swing_hip": [0.5, 0.1], "swing_knee": -1.1, "cd": [0.5, 0.4], "cv": [0.2, 0.1],
            "ankle_cd": 0.3},
        {"duration": None, "swing_hip": -0.1, "swing_knee": -0.05, "ankle_cv": [0.4, 0.2]},
    ],
    "gains": {name: [100.0 + n, 10.0 + n, 1000.0] for n, name in enumerate(GAINS)},
}


def make_gait(**changes) -> Gait:
    return gait_from_dict({**copy.deepcopy(DATA), **changes}, "test")


def faster(speed: float, hip: float) -> dict:
    """A variant of DATA at another speed."""
    states = copy.deepcopy(DATA["states"])
    states[0]["swing_hip"] = [hip, 0.1]
    return {"speed": speed, "states": states}


def one_sentence(error: pytest.ExceptionInfo) -> str:
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and not re.search(r"\. [A-Z]", text), text
    return text


def numbers(value: object) -> list[float]:
    if isinstance(value, tuple):
        return [number for item in value for number in numbers(item)]
    return [] if value is None or isinstance(value, bool) else [float(value)]


# -- reading -----------------------------------------------------------------------------------------------------------


def test_what_is_written_is_what_the_gait_says():
    gait = make_gait()
    first, second = gait.states
    assert first.duration == 0.3 and second.duration is None
    assert first.torso == (-0.1, 0.0)  # a number is sagittal
    assert first.swing_hip == (0.5, 0.1) and first.swing_knee == -1.1 and second.cd == (0.0, 0.0)
    assert gait.gains["pelvis"] == (100.0, 10.0, 1000.0) and gait.speed == 1.0 and gait.name == "test"
    assert gait.legs == "alternate" and not gait.planar and gait.style == Style() and gait.variants == ()


def test_without_a_limit_a_joint_is_limited_to_its_stiffness():
    assert make_gait(gains={**DATA["gains"], "neck": [50, 3]}).gains["neck"] == (50.0, 3.0, 50.0)


@pytest.mark.parametrize("name", presets.names("gaits"))
def test_every_preset_is_a_gait(name):
    gait = load_gait(name)
    assert gait.name == name and gait.states
    assert gait.legs in ("alternate", "together")
    assert gait.planar == name.startswith("planar_")
    assert all(kp >= 0 and kd >= 0 and limit > 0 for kp, kd, limit in gait.gains.values())
    assert 0 < gait.time_step <= 0.01 and gait.reference["mass"] > 0 and gait.reference["leg_length"] > 0
    for variant in gait.variants:
        assert can_blend(gait, variant)
    assert len({member.speed for member in (gait, *gait.variants)}) == 1 + len(gait.variants)
    if gait.start:
        assert len(gait.start["velocity"]) == 3
    gait.scaled(50.0, 0.7)  # and it can be put on another body


def test_the_planar_biped_needs_no_gains_for_joints_it_lacks():
    legs = {name: gain for name,
        gain in DATA["gains"].items() if "hip" in name or "knee" in name or "ankle" in name or name == "pelvis"}
    assert set(make_gait(planar=True, gains=legs).gains) == set(legs)
    with pytest.raises(JobError, match="gains.back"):
        make_gait(gains=legs)


def state(**values) -> dict:
    return {"states": [{"duration": 0.3, **values}, *DATA["states"][1:]]}


@pytest.mark.parametrize("changes, field", [
    (state(swing_hipp=0.1), "states[0] has no parameter 'swing_hipp'"), (state(swing_hip="far"), "states[0].swing_hip"),
    (state(cd=[1, 2, 3]), "states[0].cd"), (state(cv=None), "states[0].cv"),
    ({"gains": {name: gain for name, gain in DATA["gains"].items() if name != "swing_knee"}}, "gains.swing_knee"),
    ({"gains": {}}, "gains."),
    ({"variants": [{"speed": 2.0, "states": [{"duration": 0.3, "wobble": 1}]}]}, "'wobble'"),
    (state(swing_knee="bent"), "states[0].swing_knee"),
    (state(duration=-1), "states[0].duration"),
    (state(cd=["a", "b"]), "states[0].cd"),
    ({"states": [{"swing_knee": -1.0}]}, "duration"),
    ({"states": []}, "states"), ({"states": [3]}, "states[0]"),
    ({"gains": {**DATA["gains"], "neck": [50]}}, "gains.neck"),
    ({"gains": {**DATA["gains"], "neck": 50}}, "gains.neck"),
    ({"gains": {**DATA["gains"], "tail": [5, 1]}}, "tail"),
    ({"style": {"hat": 1}}, "'hat'"), ({"legs": "three"}, "legs"),
    ({"reference": {"mass": 70}}, "reference"),
    ({"stats": []}, "'stats'"),
    ({"variants": [{"speed": 2.0, "states": DATA["states"][:1]}]}, "variants[0]"),
    ({"variants": [{"speed": 1.0}]}, "variants[0]"),
])
def test_a_mistake_is_one_sentence_that_names_its_field(changes, field):
    with pytest.raises(JobError) as error:
        make_gait(**changes)
    assert field in one_sentence(error)


@pytest.mark.parametrize("missing", ["states", "gains"])
def test_a_gait_without_states_or_gains_is_refused(missing):
    with pytest.raises(JobError, match=missing):
        gait_from_dict({key: value for key, value in DATA.items() if key != missing}, "test")


# -- dynamic similarity ------------------------------------------------------------------------------------------------


def test_on_its_own_body_a_gait_stays_as_it_is():
    gait = make_gait()
    assert gait.scaled(60.0, 0.8) == gait


def test_twice_the_mass_takes_twice_the_torque_at_the_same_pace():
    gait = make_gait()
    heavy = gait.scaled(120.0, 0.8)
    for name in GAINS:
        assert heavy.gains[name] == pytest.approx(tuple(2 * gain for gain in gait.gains[name]))
    assert heavy.states == gait.states and heavy.speed == gait.speed


def test_four_times_the_length_takes_twice_the_time():
    gait = make_gait()
    long = gait.scaled(60.0, 3.2)
    (first, second), (old, old_second) = long.states, gait.states
    assert first.duration == pytest.approx(2 * old.duration) and second.duration is None
    assert long.speed == pytest.approx(2 * gait.speed)
    for name in GAINS:
        kp, kd, limit = gait.gains[name]
        assert long.gains[name] == pytest.approx((4 * kp, 8 * kd, 4 * limit))  # N·m/rad, N·m·s/rad, N·m
    assert first.cd == pytest.approx((old.cd[0] / 4,
        old.cd[1] / 4)) and first.ankle_cd[0] == pytest.approx(old.ankle_cd[0] / 4)  # rad/m
    assert first.cv == pytest.approx((old.cv[0] / 2, old.cv[1] / 2))  # rad·s/m
    assert second.ankle_cv == pytest.approx((old_second.ankle_cv[0] / 2, old_second.ankle_cv[1] / 2))
    assert first.swing_hip == old.swing_hip and first.swing_knee == old.swing_knee  # angles stay


def test_scaling_back_gives_the_gait_again():
    gait = make_gait(variants=[faster(2.0, 0.9)])
    again = gait.scaled(90.0, 1.1).scaled(60.0, 0.8)
    for one, other in zip(gait.states, again.states, strict=True):
        for field in fields(GaitPose):
            assert numbers(getattr(one, field.name)) == pytest.approx(numbers(getattr(other, field.name))), field.name
    assert again.variants[0].speed == pytest.approx(2.0)
    assert numbers(tuple(again.gains.values())) == pytest.approx(numbers(tuple(gait.gains.values())))


def test_variants_are_scaled_along():
    gait = make_gait(variants=[faster(2.0, 0.9)]).scaled(60.0, 3.2)
    assert gait.variants[0].speed == pytest.approx(4.0) and gait.variants[0].states[0].duration == pytest.approx(0.6)
    assert gait.variants[0].gains == gait.gains


def test_the_time_to_ease_a_pose_in_is_scaled_like_every_time():
    assert make_gait(style={"ease": 0.1}).scaled(60.0, 3.2).style.ease == pytest.approx(0.2)


# -- blending and speed ------------------------------------------------------------------------------------------------


def two_gaits() -> tuple[Gait, Gait]:
    slow = make_gait()
    fast = make_gait(**faster(3.0, 0.9), style={"arm_swing": 1.0}, gains={name: [300.0, 20.0, 500.0] for name in GAINS})
    return slow, fast


def test_a_blend_is_its_ends_at_its_ends():
    slow, fast = two_gaits()
    assert blend(slow, fast, 0.0) == slow
    end = blend(slow, fast, 1.0)
    assert (end.gains, end.speed) == (fast.gains, fast.speed)
    for one, other in zip(end.states, fast.states, strict=True):
        for field in fields(GaitPose):
            assert numbers(getattr(one, field.name)) == pytest.approx(numbers(getattr(other, field.name))), field.name


def test_a_blend_is_half_way_in_the_middle():
    slow, fast = two_gaits()
    middle = blend(slow, fast, 0.5)
    assert middle.speed == 2.0
    assert middle.states[0].swing_hip == pytest.approx((0.7, 0.1)) and middle.states[1].duration is None
    assert middle.gains["pelvis"] == pytest.approx((200.0, 15.0, 750.0))
    assert middle.style.arm_swing == pytest.approx((Style().arm_swing + 1.0) / 2) and middle.style.world_ankle is True


def test_gaits_blend_only_when_their_states_correspond():
    gait = make_gait()
    assert can_blend(gait, two_gaits()[1])
    assert not can_blend(gait, make_gait(legs="together"))
    assert not can_blend(gait, make_gait(states=DATA["states"] * 2))
    assert not can_blend(gait, make_gait(states=DATA["states"][::-1]))


@pytest.mark.parametrize("speed, hip", [(1.0, 0.5), (1.25, 0.6), (1.5, 0.7), (2.25, 0.8), (3.0, 0.9), (9.0, 0.9), (0.0, 0.5)])
def test_parameters_follow_the_speed_and_stop_at_the_slowest_and_fastest(speed, hip):
    gait = make_gait(variants=[faster(3.0, 0.9), faster(1.5, 0.7)])  # in any order
    at = gait.at_speed(speed)
    assert at.states[0].swing_hip[0] == pytest.approx(hip)
    assert at.speed == pytest.approx(min(max(speed, 1.0), 3.0))
    assert at.name == "test"


def test_a_gait_in_the_middle_of_its_variants_is_met_at_its_own_speed():
    gait = make_gait(variants=[faster(0.5, 0.3), faster(2.0, 0.9)])
    assert gait.at_speed(1.0).states[0].swing_hip[0] == pytest.approx(0.5)
    assert gait.at_speed(0.75).states[0].swing_hip[0] == pytest.approx(0.4)


def test_a_gait_of_one_speed_stays_itself():
    gait = make_gait()
    assert gait.at_speed(3.0) is gait


# -- transitions -------------------------------------------------------------------------------------------------------


@pytest.fixture
def table(monkeypatch):
    links = {"a": ["b"], "b": ["a", "c"], "c": ["d", "a"], "d": [], "e": ["a"]}
    monkeypatch.setattr("core.control.transitions.direct", lambda: links)


@pytest.mark.parametrize("start, goal, way", [
    ("a", "a", []), ("a", "b", ["b"]), ("a", "d", ["b", "c", "d"]), ("c", "b", ["a", "b"]), ("mine", "a", ["a"]),
    ("a", "mine", ["mine"])])
def test_the_shortest_way_from_gait_to_gait(table, start, goal, way):
    assert route(start, goal) == way


def test_no_way_is_one_sentence(table):
    with pytest.raises(JobError, match="from 'd' to 'a'") as error:
        route("d", "a")
    one_sentence(error)


# -- the inner loop's quaternions --------------------------------------------------------------------------------------

Q, P, V = (0.8, 0.36, -0.48, 0.0), (0.5, -0.5, 0.5, 0.5), (1.0, 2.0, -3.0)


def test_scalar_quaternions_agree_with_the_arrays():
    from core import rotation
    assert multiply(Q, P) == pytest.approx(rotation.multiply(Q, P))
    assert rotate(Q, V) == pytest.approx(rotation.rotate(Q, V)) and unrotate(Q,
        V) == pytest.approx(rotation.rotate(rotation.conjugate(Q), V))


def test_leaning_forward_takes_a_limb_forward_and_a_coronal_lean_takes_it_left():
    down = (0.0, 0.0, -1.0)
    assert rotate(lean(0.3, 0.0), down)[0] > 0.25 and rotate(lean(0.0, 0.3), down)[1] > 0.25


def test_a_turn_changes_the_heading_alone():
    assert heading(turned(0.7, (1.0, 0.0, 0.0, 0.0))) == pytest.approx(0.7)
    assert turned(0.7, Q) == pytest.approx(multiply(turned(0.7, (1.0, 0.0, 0.0, 0.0)), Q))


def test_the_offset_is_the_small_turn_that_leads_to_the_target():
    small = (1.0, 0.004, -0.003, 0.005)
    assert offset(Q, multiply(Q, small)) == pytest.approx((0.008, -0.006, 0.01))
    assert offset(Q, tuple(-c for c in multiply(Q, small))) == pytest.approx((0.008, -0.006, 0.01))  # −q is the same turn
