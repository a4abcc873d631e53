"""The gamepad that is plugged in, where the system has a plain way to one: Linux (/dev/input/js*) and Windows (XInput). macOS has none without a
package of its own. Needs neither Blender nor numpy.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

DEAD = 0.25  # of a stick's way, up to which it rests
A, B, X, Y, LEFT, RIGHT, START = "A", "B", "X", "Y", "LB", "RB", "START"  # buttons; LEFT and RIGHT are those in front

FOLDER = Path("/dev/input")
EVENT = struct.Struct("<IhBB")  # ms, value, kind, number: of Linux
BUTTON, AXIS, AT_FIRST = 1, 2, 0x80  # kinds; the last is set in those that say how the gamepad is when it is opened
FAR = 32767.0  # a stick that is pushed as far as it goes, on both systems
LINUX_BUTTONS = {0: A, 1: B, 2: X, 3: Y, 4: LEFT, 5: RIGHT, 7: START, 9: START}  # as most drivers number them
LINUX_AXES = (0, 1)  # of the left stick: to the right, and towards the player

XINPUT = struct.Struct("<IHBBhhhh")  # number of the packet, buttons, triggers, left stick (right, away), right stick
XINPUT_BUTTONS = {0x1000: A, 0x2000: B, 0x4000: X, 0x8000: Y, 0x0100: LEFT, 0x0200: RIGHT, 0x0010: START}
XINPUT_LIBRARIES = ("xinput1_4", "xinput1_3", "xinput9_1_0")


class Device(Protocol):
    """How a system tells of a gamepad. ``read`` gives the stick (right, away; as far as it goes is 1) and the buttons that are held; an OSError where
    it is no longer plugged in. Never waits."""

    def read(self) -> tuple[tuple[float, float], frozenset[str]]: ...

    def close(self) -> None: ...


class Gamepad:
    """A gamepad, or none.

    Attributes:
        stick: (right, away from the player), each -1 to 1; 0 where it rests. held: the buttons that are held down.
    """

    def __init__(self, device: Device | None):
        self._device = device
        self.stick, self.held = (0.0, 0.0), frozenset[str]()

    @property
    def is_there(self) -> bool:
        return self._device is not None

    def poll(self) -> frozenset[str]:
        """Look at it; the buttons that were pressed since the last time."""
        before = self.held
        try:
            stick, self.held = self._device.read() if self._device else ((0.0, 0.0), frozenset())
        except OSError:
            self.close()
            stick, self.held = (0.0, 0.0), frozenset()
        self.stick = stick if stick[0] ** 2 + stick[1] ** 2 > DEAD**2 else (0.0, 0.0)
        return self.held - before

    def close(self) -> None:
        if self._device:
            self._device.close()
            self._device = None


class LinuxDevice:
    """The joystick interface of Linux: a file of events."""

    def __init__(self, file: int):
        """``file``: its number; it must not block."""
        self._file, self._rest = file, b""
        self._axes, self._held = dict.fromkeys(LINUX_AXES, 0.0), set[str]()

    def read(self) -> tuple[tuple[float, float], frozenset[str]]:
        with suppress(BlockingIOError):
            while data := os.read(self._file, 64 * EVENT.size):
                self._rest += data
        whole = len(self._rest) // EVENT.size * EVENT.size
        for _, value, kind, number in EVENT.iter_unpack(self._rest[:whole]):
            self._take_in(kind & ~AT_FIRST, number, value)
        self._rest = self._rest[whole:]
        right, towards = (self._axes[axis] for axis in LINUX_AXES)
        return (right, -towards), frozenset(self._held)

    def close(self) -> None:
        with suppress(OSError):
            os.close(self._file)

    def _take_in(self, kind: int, number: int, value: int) -> None:
        if kind == AXIS and number in self._axes:
            self._axes[number] = max(-1.0, value / FAR)
        elif kind == BUTTON and number in LINUX_BUTTONS:
            (self._held.add if value else self._held.discard)(LINUX_BUTTONS[number])


class XInputDevice:
    """The first gamepad that XInput of Windows has."""

    def __init__(self, ask: Callable[[int, Any], int], number: int):
        """``ask``: XInputGetState, which takes a gamepad's number and a place for its state."""
        self._ask, self._number = ask, number
        self._state = ctypes.create_string_buffer(XINPUT.size)

    def read(self) -> tuple[tuple[float, float], frozenset[str]]:
        if self._ask(self._number, self._state):
            raise OSError("The gamepad is gone.")
        _, buttons, _, _, right, away, _, _ = XINPUT.unpack(self._state.raw)
        return (max(-1.0, right / FAR), max(-1.0, away / FAR)), frozenset(name for bit, name in XINPUT_BUTTONS.items() if buttons & bit)

    def close(self) -> None:
        """Windows keeps nothing open."""


def find() -> Gamepad:
    """The first one that is plugged in and may be read."""
    return Gamepad(_on_windows() if sys.platform == "win32" else _on_linux())


def _on_linux() -> Device | None:
    for path in sorted(FOLDER.glob("js*")) if FOLDER.is_dir() else ():
        with suppress(OSError):
            return LinuxDevice(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    return None


def _on_windows() -> Device | None:
    for name in XINPUT_LIBRARIES:
        with suppress(OSError, AttributeError):
            ask = ctypes.WinDLL(name).XInputGetState
            for number in range(4):
                device = XInputDevice(ask, number)
                with suppress(OSError):
                    device.read()
                    return device
            return None
    return None
