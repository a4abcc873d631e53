"""The keys of who plays a character, and what they tell it. Needs neither Blender nor numpy."""

from __future__ import annotations

from math import atan2, hypot, pi
from typing import Any

# How far to the right and ahead, as one looks.
WAYS = {"W": (0, 1), "S": (0, -1), "A": (-1, 0), "D": (1, 0),
        "UP_ARROW": (0, 1), "DOWN_ARROW": (0, -1), "LEFT_ARROW": (-1, 0), "RIGHT_ARROW": (1, 0)}
RUNS = ("LEFT_SHIFT", "RIGHT_SHIFT", "LB", "RB")
NUMBERS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
STAND, RUN = "stand", "run"
GAITS = ("walk", "fast_walk", "crouch", "high_step", "bent", "backward", "sideways_left", "sideways_right", "in_place")  # of the number keys
AGAIN = 0.03  # rad by which a heading must differ from the last one, to be told


class Controls:
    """What is held down, and what was told.

    Attributes:
        gait: in which it goes while a way is held; None of a character that has no gaits.
        stick: of a gamepad, how far to the right and ahead it is pushed; (0, 0): it rests, and the keys count.
    """

    def __init__(self, gait: str | None):
        self.gait = gait
        self.stick = (0.0, 0.0)
        self._held: list[str] = []
        self._told_gait = STAND
        self._told_heading: float | None = None

    def press(self, key: str) -> bool:
        """Whether the key is one of these."""
        if key in WAYS or key in RUNS:
            if key not in self._held:
                self._held.append(key)
            return True
        if key in NUMBERS and self.gait is not None:
            self.gait = GAITS[NUMBERS.index(key)]
            return True
        return False

    def release(self, key: str) -> bool:
        if key in self._held:
            self._held.remove(key)
            return True
        return False

    def go_on(self, by: int) -> None:
        """To the gait that is so many on in the list."""
        if self.gait is not None:
            at = GAITS.index(self.gait) if self.gait in GAITS else 0
            self.gait = GAITS[(at + by) % len(GAITS)]

    def let_go(self) -> None:
        """Of all keys."""
        self._held.clear()

    def commands(self, ahead: tuple[float, float]) -> list[dict[str, Any]]:
        """What is to be told now. ``ahead``: level direction that leads away from who looks, in the axes of the job."""
        keys = (float(sum(WAYS[key][axis] for key in self._held if key in WAYS)) for axis in (0, 1))
        right, forward = self.stick if any(self.stick) else keys
        found: list[dict[str, Any]] = []
        goes, size = bool(right or forward), hypot(*ahead)
        if goes and size > 0.0:
            x, y = ahead[0] / size, ahead[1] / size
            heading = round(atan2(forward * y - right * x, forward * x + right * y), 4)
            told = self._told_heading
            if told is None or abs((heading - told + pi) % (2.0 * pi) - pi) > AGAIN:
                self._told_heading = heading
                found.append({"type": "steer", "heading": heading})
        if self.gait is not None:
            gait = STAND if not goes else RUN if any(key in self._held for key in RUNS) else self.gait
            if gait != self._told_gait:
                self._told_gait = gait
                found.append({"type": "gait", "gait": gait})
        return found
