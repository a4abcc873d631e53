"""Novel pliance: mats of sensors of any shape, as ASCII (.asc).

The header of pedar with ``mat type``; a table of the sensors' pressures, which may leave out what is unloaded; a table of ``force[N] x[cm] y[cm]``
over all of the time; the corners (cm), the centre and the area (cm²) of every sensor.
"""

from __future__ import annotations

import re

import numpy as np

from ...arrays import Array
from ..recording import EITHER, Layout, Recording
from .frames import check_size, cut_off, recording
from .novel import is_header, novel_header, table, words_of_row
from .source import Source, parsed

CM = 1e-2


def matches(head: str) -> bool:
    return "pressure values in" in head and ("mat type" in head or "electrical:" in head)


def read(source: Source) -> Recording:
    header = novel_header(source)
    begins = [at for at, line in enumerate(source.lines) if is_header(line)]
    tables = [at for at in begins if "force" not in source.lines[at].lower()]
    if not tables:
        raise source.wrong(None, "has no row 'time[secs] 1 2 …', after which the frames would come: export the recording again")
    ids, times, values, whole = table(source, tables[0])
    faults = [] if whole else [cut_off()]
    layout, doubt = _layout(source, ids)
    unit = header.unit
    clock, loads = _loads(source, [at for at in begins if at not in tables])
    pressures = values * (unit or 1.0)
    if len(clock) > len(times):
        times, pressures = _over_all(source, np.array(times), pressures, clock, loads)
    return recording(source, "Novel pliance", layout, times, pressures, calibrated=unit is not None, faults=[*faults, *doubt],
                     notes={"mat_type": header.kind, "total_force": loads} if len(loads) == len(times) else {"mat_type": header.kind})


def _loads(source: Source, begins: list[int]) -> tuple[list[float], list[float]]:
    """Times (s) and forces (N) of the table of forces; nothing where there is none."""
    times: list[float] = []
    forces: list[float] = []
    for at in range(begins[0] + 1, len(source.lines)) if begins else ():
        words = words_of_row(source.lines[at].strip())
        if not any(words):
            if times:
                break
            continue
        numbers = [parsed(word) for word in words[:2]]
        if len(numbers) < 2 or numbers[0] is None or numbers[1] is None:
            break
        times.append(numbers[0])
        forces.append(numbers[1])
    return times, forces


def _over_all(source: Source, times: Array, pressures: Array, clock: list[float], loads: list[float]) -> tuple[list[float], Array]:
    """Pressures over all of the time: nothing where nothing was felt, NaN where something was, but is not in the file."""
    check_size(source, len(clock), pressures.shape[1])
    everything = np.where(np.nan_to_num(np.array(loads)) > 0.0, np.nan, 0.0)[:, None] * np.ones(pressures.shape[1])
    at = np.clip(np.searchsorted(clock, times), 1, len(clock) - 1)
    nearest = np.where(np.abs(np.take(clock, at) - times) < np.abs(np.take(clock, at - 1) - times), at, at - 1)
    everything[nearest] = pressures
    return clock, everything


def _layout(source: Source, ids: list[int]) -> tuple[Layout, list[str]]:
    """Where the sensors are, and what is doubtful about it. The mat's y is ahead, its x to the right."""
    rows: dict[str, list[float]] = {}
    begin = next((at for at, line in enumerate(source.lines) if re.match(r"\s*corner\s*\[", line, re.IGNORECASE)), None)
    if begin is not None:
        for at in range(begin + 1, min(begin + 30, source.last + 1)):
            words = words_of_row(source.lines[at].strip())
            if words and len(words) == len(ids) + 1:
                rows[words[0].lower()] = source.numbers(at, words[1:])
    if {"x[c]", "y[c]", "area"} <= rows.keys():
        right, ahead, areas = (np.array(rows[name]) for name in ("x[c]", "y[c]", "area"))
        if np.isfinite(right + ahead + areas).all() and (areas > 0.0).all() and np.abs([right, ahead, areas]).max() < 1e5:
            centres = np.stack([ahead - ahead.min(), 0.5 * (right.min() + right.max()) - right], axis=1) * CM
            return Layout(centres, areas * CM * CM, np.full(len(ids), EITHER)), []
    side = int(np.ceil(np.sqrt(len(ids))))
    number = np.arange(len(ids))
    centres = np.stack([number // side + 0.5, 0.5 * side - number % side - 0.5], axis=1) * CM
    return (Layout(centres, np.full(len(ids), CM * CM), np.full(len(ids), EITHER)),
            ["The file does not say where the sensors are; taken for a square mat of 1 cm cells."])
