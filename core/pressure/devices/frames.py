"""What all readers make of what they have read: grids of cells, times that rise, one Recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...arrays import Array, Ints
from ...errors import FormatError
from ..insoles import both
from ..recording import EITHER, Layout, Recording
from .source import Source, without_empty_end, words_of

# Numbers that a recording may hold for every byte of its file, and at any rate: a header may claim what it likes.
A_BYTE, AT_ANY_RATE = 16, 1 << 22


def grid(source: Source, at: int, rows: int, columns: int, what: str, blank: tuple[str, ...] = ()) -> tuple[Array, int] | None:
    """``rows`` lines of ``columns`` numbers from the line with index ``at`` on, empty lines left out.

    Returns:
        (rows, columns), NaN where one of ``blank`` stands, or nothing, and the index of the next line; None where the file ends before.
    """
    found: list[list[float]] = []
    while len(found) < rows:
        if at > source.last:
            return None
        line = source.lines[at].strip(" \f")
        if line.strip(",;\t "):
            try:
                found.append(_row(source, at, words_of(line), columns, f"row {len(found) + 1} of {what}", blank))
            except FormatError:
                if at == source.last:  # broken off within the line
                    return None
                raise
        at += 1
    return np.array(found), at


def _row(source: Source, at: int, words: list[str], columns: int, what: str, blank: tuple[str, ...]) -> list[float]:
    if len(words) < columns or any(words[columns:]):
        raise source.wrong(at, f"{what} has {len(without_empty_end(words))} columns where {columns} belong; export the recording again")
    return source.numbers(at, ["nan" if word in blank else word for word in words[:columns]])


def pad(rows: int, columns: int, along: float, across: float, foot: int = EITHER) -> Layout:
    """A pad of cells (m): row after row from its back edge, each from left to right; y from its middle."""
    ahead, right = np.meshgrid((np.arange(rows) + 0.5) * along, (np.arange(columns) + 0.5 - 0.5 * columns) * across, indexing="ij")
    count = rows * columns
    return Layout(np.stack([ahead.ravel(), -right.ravel()], axis=1), np.full(count, along * across), np.full(count, foot), (rows, columns))


def sole(there: Array, along: float, across: float, foot: int) -> Layout:
    """The cells of an insole where ``there`` (rows from the toes to the heel, columns from left to right) is not 0, in that order."""
    rows, columns = np.nonzero(there)
    heel, middle = rows.max() + 1, 0.5 * (columns.min() + columns.max())
    centres = np.stack([(heel - 0.5 - rows) * along, (middle - columns) * across], axis=1)
    return Layout(centres, np.full(len(rows), along * across), np.full(len(rows), foot))


def check_size(source: Source, frames: int, sensors: int) -> None:
    """Refuses to make much of little."""
    if frames * sensors > max(A_BYTE * len(source.data), AT_ANY_RATE):
        raise source.wrong(None, f"claims {frames} frames of {sensors} sensors, more than a file of its size can hold; export the recording again")


def recording(source: Source, device: str, layout: Layout, times: Iterable[float], frames: list[Array] | Array, *, calibrated: bool = True,
              forces: Array | None = None, faults: Iterable[str] = (), notes: dict[str, Any] | None = None) -> Recording:
    """A Recording of what was read; times in s of any clock. Frames whose time goes back are left out, and the faults say so."""
    values, found = np.asarray(frames, dtype=float), list(faults)
    if not len(values):
        raise source.wrong(None, "holds no whole frame; export the recording again")
    clock = np.asarray(list(times), dtype=float)
    kept, clock, said = rising(clock)
    if not len(kept):
        raise source.wrong(None, "says of no frame when it was; export the recording again")
    return Recording(device, layout, clock, values[kept], calibrated, None if forces is None else np.asarray(forces, dtype=float)[kept],
                     (*found, *said), notes or {})


def rising(times: Array) -> tuple[Ints, Array, list[str]]:
    """Which frames go on in time, (K,) indices; their times from the first on, in s; what was wrong.

    Frames with one time are spread until the next: clocks in files are often coarse.
    """
    highest = np.maximum.accumulate(np.where(np.isnan(times), -np.inf, times))
    kept = np.flatnonzero(times >= highest)  # NaN is not
    faults = []
    unknown, back = int(np.isnan(times).sum()), len(times) - len(kept) - int(np.isnan(times).sum())
    if unknown:
        faults.append(f"{unknown} frame{'s have' if unknown > 1 else ' has'} no time; left out.")
    if back:
        faults.append(f"Time goes back in {back} frame{'s' if back > 1 else ''}; left out.")
    clock = times[kept] - (times[kept][0] if len(kept) else 0.0)
    distinct, first, counts = np.unique(clock, return_index=True, return_counts=True)
    if len(distinct) < len(clock):
        usual = float(np.median(np.diff(distinct))) if len(distinct) > 1 else 1.0
        lasts = np.append(np.diff(distinct), min(usual, float(counts[-1])))
        within = np.arange(len(clock)) - np.repeat(first, counts)
        clock = clock + within / np.repeat(counts, counts) * np.repeat(lasts, counts)
    return kept, clock, faults


def cut_off(what: str = "its last frame") -> str:
    return f"The file ends within {what}: it was cut off."


def joined(left: Recording, right: Recording) -> Recording:
    """Two insoles that were recorded together, frame for frame; what one of them lacks at the end is NaN."""
    frames = max(len(left.times), len(right.times))
    times = left.times if len(left.times) == frames else right.times
    halves = [np.pad(one.pressures, ((0, frames - len(one.times)), (0, 0)), constant_values=np.nan) for one in (left, right)]
    faults = [f"{name} foot: {fault}" for name, one in (("Left", left), ("Right", right)) for fault in one.faults]
    if len(left.times) != len(right.times):
        faults.append(f"The left foot has {len(left.times)} frames, the right foot {len(right.times)}.")
    return Recording(left.device, both(left.layout, right.layout), times, np.concatenate(halves, axis=1), left.calibrated and right.calibrated,
                     None, tuple(faults), {**right.notes, **left.notes})
