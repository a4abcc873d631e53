"""zebris: platforms, as .apd: one step a file.

An INI file: ``[General] UnitPressure=N/cm2``, ``FootSide=L``; ``[Technical] SensCountX=`` rows, ``SensCountY=`` columns, ``LDistX=``, ``LDistY=``
mm; ``[Data]`` rows with tabs, the greatest pressures of the step (-1: none); ``[Data0]`` … ``[Data99]``, where they are there, its frames,
``TimeDiff=`` ms apart. Row 0 is the far end.
"""

from __future__ import annotations

import re

import numpy as np

from ...arrays import Array
from ..recording import EITHER, LEFT, RIGHT, Recording
from .frames import cut_off, grid, pad, recording
from .source import SECONDS, Source

SECTION = re.compile(r"\s*\[\s*([A-Za-z]+)\s*(\d*)\s*\]")


def matches(head: str) -> bool:
    return "[technical]" in head and "senscount" in head


def read(source: Source) -> Recording:
    fields, frames, greatest, faults = _parse(source)
    rows, columns = _sides(source, fields)
    unit = source.pascals(*fields.get("unitpressure", (0, "N/cm2")))
    length_unit = fields.get("unitdistance", (0, "mm"))[1].strip() or "mm"
    (at, height), (beside, width) = (_needed(source, fields, name) for name in ("LDistX", "LDistY"))
    along, across = source.metres(at, f"{height} {length_unit}", "LDistX"), source.metres(beside, f"{width} {length_unit}", "LDistY")
    side = fields.get("footside", (0, ""))[1].strip().lower()[:1]
    if not frames:
        frames = {0: greatest} if greatest is not None else {}
        faults.append("The file holds only the greatest pressures of a step, not how they went.")
    period = 1.0
    if len(frames) > 1:
        at, text = _needed(source, fields, "TimeDiff")
        period = source.positive(at, text, "TimeDiff") * SECONDS.get(fields.get("unittime", (0, "ms"))[1].strip().lower(), 1e-3)
    values = np.array([np.maximum(frame[::-1], 0.0).ravel() for frame in frames.values()]) * (unit or 1.0)
    layout = pad(rows, columns, along, across, {"l": LEFT, "r": RIGHT}.get(side, EITHER))
    return recording(source, "zebris", layout, [number * period for number in frames], values, calibrated=unit is not None, faults=faults)


def _parse(source: Source) -> tuple[dict[str, tuple[int, str]], dict[int, Array], Array | None, list[str]]:
    """Fields by their names in small letters, frames by number, the greatest pressures, faults."""
    fields: dict[str, tuple[int, str]] = {}
    frames: dict[int, Array] = {}
    greatest: Array | None = None
    at = 0
    while at <= source.last:
        line = source.lines[at]
        section = SECTION.match(line)
        at += 1
        if section and section.group(1).lower() == "data":
            found = grid(source, at, *_sides(source, fields), f"[Data{section.group(2)}]")
            if found is None:
                return fields, frames, greatest, [cut_off(f"[Data{section.group(2)}]")]
            values, at = found
            if section.group(2):
                frames[int(section.group(2)[:9])] = values
            else:
                greatest = values
        elif not section and "=" in line:
            key, _, value = line.partition("=")
            fields.setdefault(key.strip().lower(), (at - 1, value.strip()))
    return fields, frames, greatest, []


def _sides(source: Source, fields: dict[str, tuple[int, str]]) -> tuple[int, int]:
    """Rows and columns."""
    rows, columns = (source.count(*_needed(source, fields, name), name) for name in ("SensCountX", "SensCountY"))
    return rows, columns


def _needed(source: Source, fields: dict[str, tuple[int, str]], name: str) -> tuple[int, str]:
    if name.lower() not in fields:
        raise source.wrong(None, f"does not say {name}: export the recording again")
    return fields[name.lower()]
