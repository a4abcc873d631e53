"""Others: characters whose motion is known already, as moving obstacles. Data and arithmetic; the engines put them into their worlds.

In a job each is one of the obstacles:

    {"type": "moving", "name": "Anna", "fps": 30, "parts": [{"kind": "capsule", "size": [radius, half length], "center": [x, y, z]}, …],
     "positions": [frame][part][x, y, z], "rotations": [frame][part][w, x, y, z]}

A part is the shape of a link, as ``body.Shape``; positions and rotations are those of the links' frames, in the world. Before the first frame and
after the last one it stands still.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import rotation
from .arrays import Array
from .body import Shape
from .errors import JobError
from .settings import REQUIRED, a_list, choice, number, record, vector

MOVING = "moving"
FIELDS = {"name": REQUIRED, "fps": REQUIRED, "parts": REQUIRED, "positions": REQUIRED, "rotations": REQUIRED}
SIZES = {"box": 3, "capsule": 2, "sphere": 1}  # kinds of shapes, and of how many numbers their size is
FARTHEST = 1e6  # m


def boxes(obstacles: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of a job's obstacles that are boxes."""
    return [item for item in obstacles if item.get("type") != MOVING]


def others(obstacles: Sequence[dict[str, Any]]) -> list[Other]:
    """Those of a job's obstacles that are other characters."""
    return [Other(item) for item in obstacles if item.get("type") == MOVING]


class Other:
    """One of them. P parts.

    Attributes:
        name: of the character. shapes: of its parts.
    """

    def __init__(self, data: Mapping[str, Any]):
        self.name: str = data["name"]
        self.shapes = [Shape(part["kind"], tuple(part["size"]), tuple(part["center"])) for part in data["parts"]]
        self._fps: float = data["fps"]
        self._positions = np.array(data["positions"], dtype=float)
        self._rotations = rotation.make_continuous(np.array(data["rotations"], dtype=float))
        steps = np.diff(self._positions, axis=0)
        turns = rotation.log(rotation.multiply(self._rotations[1:], rotation.conjugate(self._rotations[:-1])))
        still = np.zeros((1, len(self.shapes), 3))
        # Of the way from each frame to the next one; after the last one it stands.
        self._velocities, self._spins = (np.concatenate([rows * self._fps, still]) for rows in (steps, turns))

    def at(self, time: float) -> tuple[Array, Array, Array, Array]:
        """At ``time`` (s): (P, 3) m and (P, 4) of the parts in the world, (P, 3) m/s, and (P, 3) rad/s, world."""
        frame = min(max(time * self._fps, 0.0), len(self._positions) - 1.0)
        number = int(frame)
        part = frame - number
        velocities, spins = self._velocities[number], self._spins[number]
        if not part:
            return self._positions[number], self._rotations[number], velocities, spins
        turns = rotation.normalize((1.0 - part) * self._rotations[number] + part * self._rotations[number + 1])
        return self._positions[number] + part / self._fps * velocities, turns, velocities, spins


def checked(where: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """One of a job's obstacles that moves, or a JobError that names the field."""
    found = record(where, value, FIELDS, MOVING)
    if not isinstance(found["name"], str):
        raise JobError(f"{where}.name is {found['name']!r}; allowed is a text.")
    number(f"{where}.fps", found["fps"], 1, 1000)
    for n, part in enumerate(a_list(f"{where}.parts", found["parts"])):
        at = f"{where}.parts[{n}]"
        record(at, part, {"kind": REQUIRED, "size": REQUIRED, "center": REQUIRED}, "part")
        vector(f"{at}.size", part["size"], 1e-4, 100, "m", size=SIZES[choice(f"{at}.kind", part["kind"], tuple(SIZES))])
        vector(f"{at}.center", part["center"], -100, 100, "m")
    for name, wide in (("positions", 3), ("rotations", 4)):
        rows = _rows(f"{where}.{name}", found[name], len(found["parts"]), wide)
        if name == "rotations" and np.abs(np.linalg.norm(rows, axis=-1) - 1.0).max() > 0.01:
            raise JobError(f"{where}.rotations must be quaternions w, x, y, z of length 1.")
    if len(found["positions"]) != len(found["rotations"]):
        raise JobError(f"{where} has {len(found['positions'])} frames of positions and {len(found['rotations'])} of rotations; give as many of both.")
    return found | {"type": MOVING}


def _rows(where: str, value: object, parts: int, wide: int) -> Array:
    """(F, parts, wide)"""
    try:
        rows = np.array(value, dtype=float)
    except (TypeError, ValueError):
        rows = np.zeros(0)
    if rows.ndim != 3 or rows.shape[1:] != (parts, wide) or not len(rows) or not parts or not (np.abs(rows) < FARTHEST).all():
        raise JobError(f"{where} must be a list of frames, each with {wide} numbers for every one of the {parts} parts.")
    return rows
