"""Novel emed: a platform that people step on, as a list (.lst).

Page after page (form feeds between them): ``Matrix: 64x95`` (columns, rows), ``Sensor size: 0.500x0.500 cm``, ``Time/picture:10.0 ms``,
``Pict-No.: 1``; a row of the numbers of columns, then rows that begin with theirs; sums of force at the end of each. Only what was stepped on is
printed; a wide picture goes on over several pages. Low numbers of rows are the far end. Pages of MVP and MPP, over all pictures, are left out.
"""

from __future__ import annotations

import re

import numpy as np

from ...errors import FormatError
from ..recording import Recording
from .frames import check_size, cut_off, pad, recording
from .novel import words_of_row
from .source import METRES, Source, parsed, quoted

PICTURE = re.compile(r"pict-no\.?\s*:?\s*(\d{1,7})", re.IGNORECASE)
MATRIX = re.compile(r"matrix:\s*(\d{1,9})\s*x\s*(\d{1,9})", re.IGNORECASE)
SIZE = re.compile(r"sensor size:\s*([\d.,]+)\s*x\s*([\d.,]+)\s*([a-z]*)", re.IGNORECASE)
AREA = re.compile(r"sensor area:\s*([\d.,]+)\s*(c?m?m)", re.IGNORECASE)
PERIOD = re.compile(r"time/picture:?\s*([\d.,]+)\s*(m?s)", re.IGNORECASE)
UNIT = re.compile(r"pressure[^\n]{0,20}?\[?\b(kpa|n/cm)", re.IGNORECASE)
SUMMARY = re.compile(r"\b(MVP|MPP)\b")
LARGEST_SIDE = 2000

Cells = list[tuple[int, list[int], list[float]]]  # row, columns, values


def matches(head: str) -> bool:
    return "pict-no" in head or ("matrix:" in head and "sensor area" in head)


def read(source: Source) -> Recording:
    along, across, period = _measures(source)
    pictures, faults = _pictures(source)
    if not pictures:
        raise source.wrong(None, "holds no picture with its 'Pict-No.': export the recording again")
    rows, columns = _matrix(source, pictures)
    check_size(source, len(pictures), rows * columns)
    frames = np.zeros((len(pictures), rows, columns))
    for frame, cells in zip(frames, pictures.values(), strict=True):
        for row, numbers, values in cells:
            frame[row - 1, np.array(numbers, dtype=int) - 1] = values
    times = np.array(list(pictures)) * period
    unit = 1e4 if (found := UNIT.search(source.head)) and found.group(1).startswith("n") else 1e3
    from_the_back = frames[:, ::-1].reshape(len(frames), -1)
    return recording(source, "Novel emed", pad(rows, columns, along, across), times, from_the_back * unit, faults=faults)


def _measures(source: Source) -> tuple[float, float, float]:
    """Height and width of a cell (m), seconds of a picture."""
    for at, line in enumerate(source.lines):
        if found := SIZE.search(line):
            unit = found.group(3).lower()
            across, along = (source.metres(at, word, "the sensor size", unit if unit in METRES else "cm") for word in found.groups()[:2])
            break
    else:
        at, found = next(((at, found) for at, line in enumerate(source.lines) if (found := AREA.search(line))), (0, None))
        if not found:
            raise source.wrong(None, "does not say its sensor size: export the recording again")
        along = across = source.metres(at, str(source.positive(at, found.group(1), "the sensor area") ** 0.5), "the sensor size",
                                       "mm" if found.group(2).lower() == "mm" else "cm")
    for at, line in enumerate(source.lines):
        if found := PERIOD.search(line):
            return along, across, source.positive(at, found.group(1), "the time of a picture") * (1e-3 if found.group(2).lower() == "ms" else 1.0)
    raise source.wrong(None, "does not say 'Time/picture': export the recording again")


def _pictures(source: Source) -> tuple[dict[int, Cells], list[str]]:
    """The rows of every picture, by its number."""
    pictures: dict[int, Cells] = {}
    cells: Cells | None = None
    columns: list[int] = []
    sums = False  # whether pictures end with a row of them
    for at, line in enumerate(source.lines[:source.last + 1]):
        if re.match(r"\s*page\b", line, re.IGNORECASE) or "\f" in line:
            cells, columns = None, []
        if SUMMARY.search(line):
            cells, columns = None, []
        elif found := PICTURE.search(line):
            cells, columns = pictures.setdefault(int(found.group(1)), []), []
        elif cells is not None and line.strip():
            words = words_of_row(line.strip(" \f"))
            if not columns:
                columns = _columns(source, at, [word for word in words if word])
            elif words[0].lower() == "force":
                cells, columns, sums = None, [], True
            else:
                try:
                    cells.append(_row(source, at, words, columns))
                except FormatError:
                    if at != source.last:
                        raise
                    pictures.pop(next(reversed(pictures)))
                    return pictures, [cut_off("its last picture")]
    if cells is not None and sums:  # the last picture has no such row
        pictures.pop(next(reversed(pictures)))
        return pictures, [cut_off("its last picture")]
    return pictures, []


def _columns(source: Source, at: int, words: list[str]) -> list[int]:
    if words[-1].lower() == "force":
        words = words[:-1]
    numbers = [_place(source, at, word, "column") for word in words]
    if not numbers:
        raise source.wrong(at, "the numbers of the columns are missing; export the recording again")
    return numbers


def _row(source: Source, at: int, words: list[str], columns: list[int]) -> tuple[int, list[int], list[float]]:
    if len(words) < len(columns) + 1:
        raise source.wrong(at, f"the row has {len(words) - 1} numbers where {len(columns)} belong; export the recording again")
    return _place(source, at, words[0], "row"), columns, list(np.nan_to_num(source.numbers(at, words[1:len(columns) + 1])))


def _place(source: Source, at: int, word: str, what: str) -> int:
    value = parsed(word)
    if value is None or not 1 <= value <= LARGEST_SIDE or value != int(value):
        raise source.wrong(at, f"'{quoted(word)}' is no number of a {what}; export the recording again")
    return int(value)


def _matrix(source: Source, pictures: dict[int, Cells]) -> tuple[int, int]:
    """Rows and columns of the platform: as it says, and at least what is printed."""
    rows = max((row for cells in pictures.values() for row, _, _ in cells), default=1)
    columns = max((max(numbers) for cells in pictures.values() for _, numbers, _ in cells), default=1)
    found = next((found for line in source.lines if (found := MATRIX.search(line))), None)
    said: tuple[int, int] = (int(found.group(2)), int(found.group(1))) if found else (0, 0)
    return (max(rows, said[0]), max(columns, said[1])) if max(said) <= LARGEST_SIDE else (rows, columns)


