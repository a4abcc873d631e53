"""The keys of who plays a character."""

import math

import pytest
from footfall.blender_addon.controls import Controls

AHEAD = (1.0, 0.0)


@pytest.mark.parametrize(("keys", "heading"), [
    (("W",), 0.0), (("UP_ARROW",), 0.0), (("A",), math.pi / 2), (("RIGHT_ARROW",), -math.pi / 2), (("W", "D"), -math.pi / 4)])
def test_keys_steer_as_one_looks(keys, heading):
    controls = Controls("walk")
    assert all(map(controls.press, keys))
    told = controls.commands(AHEAD)
    assert told == [{"type": "steer", "heading": pytest.approx(heading, abs=1e-3)}, {"type": "gait", "gait": "walk"}]
    assert controls.commands(AHEAD) == [], "it is told once"


def test_backward_is_towards_who_looks():
    controls = Controls("walk")
    controls.press("S")
    assert abs(controls.commands(AHEAD)[0]["heading"]) == pytest.approx(math.pi, abs=1e-3)


def test_who_looks_elsewhere_steers_elsewhere():
    controls = Controls("walk")
    controls.press("W")
    controls.commands(AHEAD)
    assert controls.commands((1.0, 0.01)) == []
    assert controls.commands((0.0, 2.0)) == [{"type": "steer", "heading": pytest.approx(math.pi / 2, abs=1e-3)}]


def test_shift_runs_and_who_lets_go_stands():
    controls = Controls("crouch")
    controls.press("W")
    controls.press("LEFT_SHIFT")
    assert controls.commands(AHEAD)[-1] == {"type": "gait", "gait": "run"}
    controls.release("LEFT_SHIFT")
    assert controls.commands(AHEAD) == [{"type": "gait", "gait": "crouch"}]
    controls.let_go()
    assert controls.commands(AHEAD) == [{"type": "gait", "gait": "stand"}]


def test_shift_alone_and_opposite_keys_go_nowhere():
    controls = Controls("walk")
    for key in ("LEFT_SHIFT", "W", "S"):
        controls.press(key)
    assert controls.commands(AHEAD) == []


def test_a_number_is_a_gait_and_other_keys_are_not_taken():
    controls = Controls("walk")
    assert controls.press("TWO") and controls.gait == "fast_walk"
    assert not controls.press("G") and not controls.release("G") and not controls.release("W")


def test_who_follows_a_recording_is_steered_only():
    controls = Controls(None)
    assert not controls.press("ONE")
    controls.press("A")
    assert [command["type"] for command in controls.commands(AHEAD)] == ["steer"]
