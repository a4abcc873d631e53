"""What a device sends while it records, as JSON or as OSC; docs/foot_pressure.md describes both.

A device says what it is and where its sensors are, then frame after frame. What is too long for a packet comes in parts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from . import osc
from .recording import EITHER, LEFT, RIGHT, Layout

MOST_SENSORS = 100_000
LARGEST = 1e12  # no number of a device is greater
SENSORS_A_PACKET, VALUES_A_PACKET = 800, 2500
FEET = {"left": LEFT, "right": RIGHT, "either": EITHER}
NAMES = {foot: name for name, foot in FEET.items()}
ADDRESS = "/footfall/"


@dataclass(frozen=True)
class Device:
    """What sends. stream: another one each time that it begins anew; empty where it does not say. count: of its sensors."""

    name: str
    count: int
    calibrated: bool = True
    grid: tuple[int, int] | None = None
    stream: str = ""


@dataclass(frozen=True)
class Sensors:
    """Where sensors are, from the number ``first`` on: x, y (m), area (m²), foot."""

    first: int
    places: tuple[tuple[float, float, float, int], ...]


@dataclass(frozen=True, eq=False)
class Part:
    """Pressures (Pa) of a frame from the sensor ``first`` on; all of them where ``count`` is None.

    number: None where the device does not count. time: s; None where it has no clock. forces: N on the left and the right foot, or None.
    """

    number: int | None
    time: float | None
    values: Array
    first: int = 0
    count: int | None = None
    forces: tuple[float, float] | None = None


@dataclass(frozen=True)
class End:
    """There is no more."""


Message = Device | Sensors | Part | End


def introduction(name: str, layout: Layout, calibrated: bool, stream: str, form: str) -> list[bytes]:
    """Packets that say what a device is; ``form``: json or osc."""
    places = [(float(x), float(y), float(area), int(foot)) for (x, y), area, foot in zip(layout.centres, layout.areas, layout.feet, strict=True)]
    pieces = [(first, places[first:first + SENSORS_A_PACKET]) for first in range(0, len(places), SENSORS_A_PACKET)]
    if form == "osc":
        rows, columns = layout.grid or (0, 0)
        packets = [osc.message(f"{ADDRESS}device", "ssiiii", (name, stream, int(calibrated), len(places), rows, columns))]
        for first, piece in pieces:
            packets.append(osc.message(f"{ADDRESS}sensors", "i" + "dddi" * len(piece), (first, *(value for place in piece for value in place))))
        return packets
    about = {"device": name, "stream": stream, "calibrated": calibrated, "count": len(places), "grid": layout.grid}
    return [_line({**about, "first": first, "sensors": [[x, y, area, NAMES[foot]] for x, y, area, foot in piece]}) for first, piece in pieces]


def frame(number: int, time: float, pressures: Array, forces: Array | None, form: str) -> list[bytes]:
    """Packets of a frame: pressures (S,) Pa, forces (2,) N or None."""
    packets = []
    for first in range(0, max(len(pressures), 1), VALUES_A_PACKET):
        values = pressures[first:first + VALUES_A_PACKET]
        if form == "osc":
            told = (math.nan, math.nan) if forces is None else tuple(map(float, forces))
            row = np.asarray(values, dtype=">f4").tobytes()
            head = osc.message(f"{ADDRESS}frame", "idiiff" + "f" * len(values), (number, time, len(pressures), first, *told, *([0.0] * len(values))))
            packets.append(head[:len(head) - len(row)] + row)
        else:
            data: dict[str, Any] = {"n": number, "t": time, "p": _plain(values)}
            if len(values) < len(pressures):
                data |= {"first": first, "count": len(pressures)}
            if forces is not None:
                data["f"] = _plain(forces)
            packets.append(_line(data))
    return packets


def end(form: str) -> bytes:
    return osc.message(f"{ADDRESS}end", "", ()) if form == "osc" else _line({"end": True})


def decode(packet: bytes) -> list[Message]:
    """What a packet says, which is JSON lines or OSC; a ValueError where it is neither. What is of no interest is left out."""
    try:
        if packet.lstrip()[:1] == b"{":
            return [said for line in packet.split(b"\n") if line.strip() for said in _of_json(json.loads(line))]
        return [said for address, values in osc.messages(packet) for said in _of_osc(address, values)]
    except (TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError("a packet that makes no sense") from error


def _of_json(data: dict[str, Any]) -> Iterator[Message]:
    if data.get("end"):
        yield End()
    if "sensors" in data or "device" in data:
        places = tuple((_number(x), _number(y), _positive(area), FEET[foot]) for x, y, area, foot in data.get("sensors", ()))
        first = _whole(data.get("first", 0))
        grid = data.get("grid")
        yield Device(_one_line(data.get("device", "Stream")), _count(data.get("count", first + len(places))), bool(data.get("calibrated", True)),
                     (_count(grid[0]), _count(grid[1])) if grid else None, _one_line(data.get("stream", "")))
        yield Sensors(first, places)
    if "p" in data:
        forces = data.get("f")
        yield Part(_whole(data["n"]) if data.get("n") is not None else None, _number(data["t"]) if data.get("t") is not None else None,
                   _values(data["p"]), _whole(data.get("first", 0)), _count(data["count"]) if "count" in data else None,
                   _forces(*forces) if forces else None)


def _of_osc(address: str, values: list[Any]) -> Iterator[Message]:
    kind = address.removeprefix(ADDRESS)
    if kind == "end":
        yield End()
    elif kind == "device":
        name, stream, calibrated, count, rows, columns = values
        grid = (_count(rows), _count(columns)) if rows and columns else None
        yield Device(_one_line(name), _count(count), bool(calibrated), grid, _one_line(stream))
    elif kind == "sensors":
        numbers = values[1:]
        if len(numbers) % 4 or not set(map(int, numbers[3::4])) <= set(NAMES):
            raise ValueError("sensors that are broken off")
        yield Sensors(_whole(values[0]), tuple((_number(numbers[n]), _number(numbers[n + 1]), _positive(numbers[n + 2]), int(numbers[n + 3]))
                                               for n in range(0, len(numbers), 4)))
    elif kind == "frame":
        number, time, count, first = values[:4]
        row = np.hstack(values[4:]).astype(float)
        forces = None if np.isnan(row[:2]).all() else _forces(*row[:2])
        yield Part(_whole(number), _number(time), _values(row[2:]), _whole(first), _count(count), forces)


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def _plain(values: Array) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]  # NaN is not itself


def _values(data: Any) -> Array:
    values = np.asarray(data, dtype=float)  # None becomes NaN
    if values.ndim != 1 or len(values) > MOST_SENSORS or (np.abs(values) > LARGEST).any():
        raise ValueError("pressures that make no sense")
    return values


def _forces(left: Any, right: Any) -> tuple[float, float]:
    one, other = (math.nan if value is None else float(value) for value in (left, right))
    if abs(one) > LARGEST or abs(other) > LARGEST:
        raise ValueError("forces that make no sense")
    return one, other


def _number(value: Any) -> float:
    number = float(value)
    if not abs(number) < LARGEST:
        raise ValueError("a number that makes no sense")
    return number


def _positive(value: Any) -> float:
    if not _number(value) > 0.0:
        raise ValueError("an area that makes no sense")
    return float(value)


def _whole(value: Any) -> int:
    number = int(_number(value))
    if number < 0:
        raise ValueError("a number below 0")
    return number


def _one_line(name: object) -> str:
    """A name as somebody in the network has it, for a line of a file."""
    return " ".join(str(name).split())[:100]


def _count(value: Any) -> int:
    if not 1 <= (number := _whole(value)) <= MOST_SENSORS:
        raise ValueError("too many sensors")
    return number
