"""CSV files with one row of names and a row of numbers a frame: what several devices share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import FormatError
from .source import SEPARATORS, Source, parsed, split

CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d+)?)")
MEANINGS = {"left": 1.0, "l": 1.0, "right": 2.0, "r": 2.0, "true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


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


def value_of(word: str) -> float | None:
    """A number, the seconds of a time of day, or what a word stands for; None of others."""
    if (value := parsed(word)) is not None:
        return value
    if found := CLOCK.search(word):
        hours, minutes, seconds = found.groups()
        return 3600.0 * int(hours) + 60.0 * int(minutes) + float(seconds.replace(",", "."))
    return MEANINGS.get(word.strip().lower())


def read_columns(source: Source, at: int, needed: Callable[[str], bool] = lambda name: True) -> Columns:
    """The table under the line of names with index ``at``; empty lines and those that begin with # are left out.

    Columns that are not ``needed`` may hold anything: they are NaN.
    """
    separator = separator_of(source.lines[at])
    names = split(source.lines[at], separator)
    while names and not names[-1]:
        names.pop()
    rows: list[Array] = []
    wanted = [n for n, name in enumerate(names) if needed(name)]
    whole = True
    for number in range(at + 1, source.last + 1):
        line = source.lines[number]
        if not line.strip(" \t,;\f") or line.startswith("#"):
            continue
        words = split(line, separator)
        try:
            if len(words) < len(names) or any(words[len(names):]):
                raise source.wrong(number, f"the row has {len(words)} columns where {len(names)} belong; export the recording again")
            rows.append(_row(source, number, words, len(names), wanted))
        except FormatError:
            if number != source.last or not rows:
                raise
            whole = False
    if not rows:
        raise source.wrong(at, "there is no row under the names of the columns; export the recording again")
    return Columns(names, np.array(rows), at, whole)


def _row(source: Source, at: int, words: list[str], columns: int, wanted: list[int]) -> Array:
    row = np.full(columns, np.nan)
    for n in wanted:
        value = value_of(words[n])
        row[n] = source.number(at, words[n]) if value is None else value
    return row
