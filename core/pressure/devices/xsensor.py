"""XSENSOR: insoles and mats, as CSV.

``Units:``, then for each frame ``FRAME``, ``Date``, ``Time``, and for each sensor ``SENSOR,name``, ``Rows``, ``Columns``, ``Sensel Width (cm)``,
figures, ``SENSELS`` and rows of numbers. Groups of cells that follow say the same again, and are left out. Row 0 is the toe end. Empty lines mean
nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np

from ...arrays import Array, Ints
from ..insoles import both
from ..recording import EITHER, LEFT, RIGHT, Layout, Recording
from .frames import check_size, cut_off, grid, pad, recording, sole
from .source import METRES, Source, words_of

CLOCK = re.compile(r"(\d+):(\d+):(\d+(?:[.,]\d+)?)\s*([ap]\.?m)?", re.IGNORECASE)
UNIT = re.compile(r"[(\[]([^)\]]*)[)\]]")
FEET = ((re.compile(r"\blf\b|left|(?<=[-_ ])l\b", re.IGNORECASE), LEFT), (re.compile(r"\brf\b|right|(?<=[-_ ])r\b", re.IGNORECASE), RIGHT))
DAY = 86400.0


@dataclass(eq=False)
class _Sensor:
    """What the file says of one sensor, and its frames by number."""

    rows: int = 0
    columns: int = 0
    along: float = 0.0
    across: float = 0.0
    frames: dict[int, Array] = field(default_factory=dict)


def matches(head: str) -> bool:
    return "sensels" in head and re.search(r"^\"?frame:?\"?\s*[,;\t]", head, re.MULTILINE) is not None


def read(source: Source) -> Recording:
    unit, sensors, times, faults = _parse(source)
    known = {name: sensor for name, sensor in sensors.items() if sensor.frames}
    if not known:
        raise source.wrong(None, "holds no whole frame; export the recording again")
    count = max(max(sensor.frames) for sensor in known.values()) + 1
    check_size(source, count, sum(sensor.rows * sensor.columns for sensor in known.values()))
    layouts, blocks = [], []
    for name, sensor in known.items():
        layout, order = _layout(sensor, _foot(name, list(known)))
        block = np.full((count, sensor.rows * sensor.columns), np.nan)
        for number, frame in sensor.frames.items():
            block[number] = frame.ravel()[order]
        layouts.append(layout)
        blocks.append(block)
    layout = layouts[0]
    for other in layouts[1:]:
        layout = both(layout, other)
    device = "XSENSOR insoles" if (layout.feet != EITHER).all() else "XSENSOR mat"
    values = np.concatenate(blocks, axis=1) * (unit or 1.0)
    return recording(source, device, layout, times[:count], values, calibrated=unit is not None, faults=faults, notes={"sensors": list(known)})


def _parse(source: Source) -> tuple[float | None, dict[str, _Sensor], list[float], list[str]]:
    """Pa of the unit, sensors by name, times of the frames (s), faults."""
    unit: float | None = None
    sensors: dict[str, _Sensor] = {}
    times: list[float] = []
    usual = _Sensor()  # as it is said once, before all frames
    sensor: _Sensor | None = None
    at, in_group, unit_at = 0, False, None
    while at <= source.last:
        line = source.lines[at].strip(" \f")
        at += 1
        if not line.strip(",;\t "):
            continue
        words = words_of(line)
        key, value = words[0].rstrip(":").lower(), words[1] if len(words) > 1 else ""
        if key in ("units", "pressure units", "unit"):
            unit, unit_at = source.pascals(at - 1, value), at - 1
        elif key == "frame":
            times.append(float("nan"))
            sensor, in_group = None, False
        elif key == "time" and times:
            times[-1] = _seconds(source, at - 1, value, times[-2] if len(times) > 1 else None)
        elif key == "sensor":
            sensor, in_group = sensors.setdefault(value, replace(usual, frames={})), False
        elif key == "group":
            in_group = True
        elif in_group:
            continue
        elif key in ("rows", "columns") or key.startswith("sensel "):
            sensor = sensor or (sensors.setdefault("", replace(usual, frames={})) if times else usual)
            _measure(source, at - 1, sensor, key, value)
        elif key == "sensels" and times:
            sensor = sensor if sensor not in (None, usual) else sensors.setdefault("", replace(usual, frames={}))
            if sensor is None or not (sensor.rows and sensor.columns and sensor.along and sensor.across):
                raise source.wrong(at - 1, "a sensor does not say its rows, columns, width and height before its cells; export the recording again")
            found = grid(source, at, sensor.rows, sensor.columns, f"frame {len(times)}")
            if found is None:
                return unit, sensors, times, [cut_off(f"frame {len(times)}")]
            sensor.frames[len(times) - 1], at = found
    if unit_at is None:
        raise source.wrong(None, "does not say its units; export the recording again")
    return unit, sensors, times, []


def _measure(source: Source, at: int, sensor: _Sensor, key: str, value: str) -> None:
    """Take over how large a sensor is; it must be the same in all frames."""
    name = {"rows": "rows", "columns": "columns"}.get(key) or ("across" if "width" in key else "along" if "height" in key else "")
    if not name:
        return
    if name in ("rows", "columns"):
        size: float = source.count(at, value, key)
    else:
        told = UNIT.search(key)
        size = source.metres(at, value, key, told.group(1) if told and told.group(1) in METRES else "cm")
    if sensor.frames and getattr(sensor, name) != size:
        raise source.wrong(at, f"{key} is not what it was in the frames before; export the recording again")
    setattr(sensor, name, size)


def _layout(sensor: _Sensor, foot: int) -> tuple[Layout, Ints]:
    """Where the cells are, and in which order they come from the rows of the file."""
    cells = np.arange(sensor.rows * sensor.columns).reshape(sensor.rows, sensor.columns)
    if foot == EITHER:
        return pad(sensor.rows, sensor.columns, sensor.along, sensor.across), cells[::-1].ravel()
    return sole(np.ones_like(cells), sensor.along, sensor.across, foot), cells.ravel()


def _foot(name: str, names: list[str]) -> int:
    for pattern, foot in FEET:
        if pattern.search(name):
            return foot
    return EITHER if len(names) != 2 else names.index(name)  # two sensors without a side: the left one is written first


def _seconds(source: Source, at: int, text: str, before: float | None) -> float:
    """A time of day, or seconds, as s; past midnight it goes on."""
    found = CLOCK.search(text)
    if not found:
        return source.first_number(at, text, "the time")
    hours, minutes, seconds, half = found.groups()
    if half:
        hours = str(int(hours[-9:]) % 12 + (12 if half[0] in "pP" else 0))
    time = 3600.0 * int(hours[-9:]) + 60.0 * int(minutes[-9:]) + float(seconds.replace(",", "."))
    return time + DAY * round((before - time) / DAY) if before is not None and before - time > 0.5 * DAY else time
