"""What Novel's ASCII files have in common: a header of named figures, and tables of a time and numbers a row."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import FormatError
from .source import Source, is_numeric, without_empty_end

HEADER_LINES = 60


@dataclass(frozen=True)
class Header:
    """kind: type of the sensor. unit: Pa of what pressures are in, None of counts. text: all of it, in small letters."""

    kind: str
    unit: float | None
    text: str


def novel_header(source: Source) -> Header:
    begin = next((at for at, line in enumerate(source.lines[:HEADER_LINES]) if is_header(line)), HEADER_LINES)
    kind, unit_at, unit = "", 0, "kPa"
    for at, line in enumerate(source.lines[:begin]):
        if found := re.search(r"(?:sensor|mat) type:?\s*(.*)", line, re.IGNORECASE):
            kind = found.group(1).strip()
        if found := re.search(r"pressure values in\s*:?\s*(\S+)", line, re.IGNORECASE):
            unit_at, unit = at, found.group(1)
    return Header(kind, source.pascals(unit_at, unit), "\n".join(source.lines[:begin]).lower())


def is_header(line: str) -> bool:
    """Whether a line names the columns of a table."""
    return re.match(r"\s*time\s*[\[(]", line, re.IGNORECASE) is not None


def words_of_row(line: str) -> list[str]:
    """Columns between tabs, or else between spaces."""
    return [word.strip() for word in line.split("\t")] if "\t" in line else line.split()


def table(source: Source, begin: int) -> tuple[list[int], list[float], Array, bool]:
    """The table of sensors under the header with index ``begin``, until an empty line.

    Returns:
        numbers of the sensors, times (s), (T, S) values, and whether the last row is whole.
    """
    ids = [int(source.number(begin, word)) for word in without_empty_end(words_of_row(source.lines[begin]))[1:] if is_numeric(word)]
    times: list[float] = []
    rows: list[Array] = []
    at, whole = begin + 1, True
    while at <= source.last:
        words = words_of_row(source.lines[at].strip(" \f"))
        if not any(words):
            if rows:
                break
        elif is_numeric(words[0]):
            try:
                rows.append(_row(source, at, words[1:], len(ids) or len(rows[0] if rows else words[1:])))
            except FormatError:
                if at != source.last:
                    raise
                whole = False
                break
            times.append(source.number(at, words[0]))
        at += 1
    if not rows:
        raise source.wrong(begin, "there is no frame under the names of the columns; export the recording again")
    return ids or list(range(1, len(rows[0]) + 1)), times, np.array(rows), whole


def _row(source: Source, at: int, words: list[str], columns: int) -> Array:
    if len(words) < columns or any(words[columns:]):
        raise source.wrong(at, f"the row has {len(without_empty_end(words))} pressures where {columns} belong; export the recording again")
    return np.array(source.numbers(at, words[:columns]))
