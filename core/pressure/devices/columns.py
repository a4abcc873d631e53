"""CSV files with one row of names and a row of numbers a frame: what several devices share."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import FormatError
from .source import Source

SEPARATORS = "\t;,"


@dataclass(frozen=True, eq=False)
class Columns:
    """names: as they stand there. values: (T, C), NaN where one is missing. at: index of the line of names. whole: that the last row is."""

    names: list[str]
    values: Array
    at: int
    whole: bool


def separator_of(line: str) -> str:
    """By which the columns of a line are divided: the one that it has most often."""
    return max(SEPARATORS, key=line.count)


def split(line: str, separator: str) -> list[str]:
    """The columns of a line; quotes may hold separators."""
    if '"' not in line:
        return [word.strip() for word in line.split(separator)]
    return [word.strip() for word in next(csv.reader([line.replace("\0", "")], delimiter=separator), [])]


def read_columns(source: Source, at: int) -> Columns:
    """The table under the line of names with index ``at``; empty lines and those that begin with # are left out."""
    separator = separator_of(source.lines[at])
    names = split(source.lines[at], separator)
    while names and not names[-1]:
        names.pop()
    rows: list[list[float]] = []
    whole = True
    for number in range(at + 1, source.last + 1):
        line = source.lines[number]
        if not line.strip(" \t,;\f") or line.startswith("#"):
            continue
        words = split(line, separator)
        try:
            if len(words) < len(names) or any(words[len(names):]):
                raise source.wrong(number, f"the row has {len(words)} columns where {len(names)} belong; export the recording again")
            rows.append(source.numbers(number, words[:len(names)]))
        except FormatError:
            if number != source.last or not rows:
                raise
            whole = False
    if not rows:
        raise source.wrong(at, "there is no row under the names of the columns; export the recording again")
    return Columns(names, np.array(rows), at, whole)
