"""A gamepad, from what Linux and Windows tell of it."""

import os
import struct
from contextlib import suppress

import pytest
from footfall.blender_addon.controls import Controls
from footfall.blender_addon.gamepad import EVENT, XINPUT, Gamepad, LinuxDevice, XInputDevice, find

# As the joystick interface of Linux sent it for a pad that is opened, pushed to the upper right, on which RB is held and A is pressed and let go:
# (ms, value, kind, number); kinds from 0x80 on say how it is when it is opened. Axes 2 and 5 are triggers, which rest at one end.
OPENED = [(5108, 0, 0x81, number) for number in range(11)] + [
    (5108, 0, 0x82, 0), (5108, 0, 0x82, 1), (5108, -32767, 0x82, 2), (5108, 0, 0x82, 3), (5108, 0, 0x82, 4), (5108, -32767, 0x82, 5)]
PLAYED = [(6011, 11834, 2, 0), (6013, 23169, 2, 0), (6013, -12040, 2, 1), (6020, -23169, 2, 1), (6500, 1, 1, 5), (6604, 1, 1, 0)]
LET_GO = [(6710, 0, 1, 0), (7000, 812, 2, 0), (7001, -655, 2, 1), (7100, 0, 1, 5)]


@pytest.fixture
def wire():
    """Both ends of a pipe: from the first is read without waiting."""
    ends = os.pipe()
    os.set_blocking(ends[0], False)
    yield ends
    for end in ends:
        with suppress(OSError):  # the test, or the gamepad, has done so
            os.close(end)


def stream(events: list[tuple[int, int, int, int]]) -> bytes:
    return b"".join(EVENT.pack(*event) for event in events)


def test_what_linux_tells(wire):
    pad = Gamepad(LinuxDevice(wire[0]))
    os.write(wire[1], stream(OPENED))
    assert pad.poll() == frozenset() and pad.stick == (0.0, 0.0) and pad.is_there
    os.write(wire[1], stream(PLAYED))
    assert pad.poll() == {"A", "RB"} and pad.stick == pytest.approx((0.707, 0.707), abs=0.001), "away from the player is ahead"
    assert pad.poll() == frozenset() and pad.held == {"A", "RB"}, "it is pressed once, and held"
    os.write(wire[1], stream(LET_GO))
    assert pad.poll() == frozenset() and pad.stick == (0.0, 0.0) and not pad.held, "a stick that nearly rests, rests"


def test_an_event_that_comes_in_two_parts(wire):
    pad, said = Gamepad(LinuxDevice(wire[0])), stream(PLAYED)
    os.write(wire[1], said[:-3])
    assert pad.poll() == {"RB"}
    os.write(wire[1], said[-3:])
    assert pad.poll() == {"A"}


def test_a_gamepad_that_is_pulled_out_rests(wire):
    pad = Gamepad(LinuxDevice(wire[0]))
    os.write(wire[1], stream(PLAYED))
    pad.poll()
    os.close(wire[0])
    assert pad.poll() == frozenset() and pad.stick == (0.0, 0.0) and not pad.held and not pad.is_there


def test_what_windows_tells():
    """The layout of XINPUT_STATE, with which XInputGetState answers; 1167 is its ERROR_DEVICE_NOT_CONNECTED."""
    there = [struct.pack("<IHBBhhhh", 7, 0x1000 | 0x0200, 0, 255, -32768, 16384, 0, 0)]

    def ask(number: int, state) -> int:
        if number or not there:
            return 1167
        state.raw = there[0]
        return 0

    pad = Gamepad(XInputDevice(ask, 0))
    assert XINPUT.size == 16
    assert pad.poll() == {"A", "RB"} and pad.stick == pytest.approx((-1.0, 0.5), abs=0.001)
    there.clear()
    assert pad.poll() == frozenset() and not pad.is_there


def test_without_a_gamepad_nothing_happens():
    pad = Gamepad(None)
    assert pad.poll() == frozenset() and pad.stick == (0.0, 0.0) and not pad.is_there
    assert find().stick == (0.0, 0.0)


def test_a_stick_steers_as_keys_do():
    controls = Controls("walk")
    controls.stick = (1.0, 0.0)
    assert controls.commands((1.0, 0.0)) == [{"type": "steer", "heading": pytest.approx(-1.5708, abs=1e-3)}, {"type": "gait", "gait": "walk"}]
    controls.press("RB")
    assert controls.commands((1.0, 0.0)) == [{"type": "gait", "gait": "run"}]
    controls.stick = (0.0, 0.0)
    assert controls.commands((1.0, 0.0)) == [{"type": "gait", "gait": "stand"}]


def test_the_next_gait():
    controls = Controls("walk")
    controls.go_on(1)
    assert controls.gait == "fast_walk"
    controls.go_on(-2)
    assert controls.gait == "in_place", "it goes round"
    alone = Controls(None)
    alone.go_on(1)
    assert alone.gait is None
