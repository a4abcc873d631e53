"""A file of a device as lines of text, with what all formats need: numbers, units, and complaints that say where."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ...errors import FormatError
from ...formats.lines import QUOTE_LENGTH, complaint

# Bytes: larger ones would take more memory than there may be.
LARGEST_FILE = 1 << 30
# No pressure, force, time or size in a file is as large, in any unit.
LARGEST = 1e15
# Bytes at the beginning by which a device is told.
HEAD = 1 << 16
SEPARATORS = "\t;,"  # the strongest first
MISSING = {"", "-", "--", "nan", "n/a", "na", "#n/a", "null", "none", "x"}
WORD = re.compile(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?")

# Pascals of the units that files name; of raw counts there are none.
PASCALS = {"pa": 1.0, "pascal": 1.0, "pascals": 1.0, "n/m2": 1.0, "hpa": 1e2, "kpa": 1e3, "kilopascal": 1e3, "kilopascals": 1e3,
           "mpa": 1e6, "n/mm2": 1e6, "n/cm2": 1e4, "n/sqcm": 1e4, "bar": 1e5, "mbar": 1e2, "psi": 6894.757, "lb/in2": 6894.757, "lbs/in2": 6894.757,
           "mmhg": 133.322, "torr": 133.322, "inhg": 3386.39, "cmh2o": 98.0665, "kg/cm2": 98066.5, "kgf/cm2": 98066.5,
           "kp/cm2": 98066.5, "g/cm2": 98.0665}
COUNTS = {"raw", "counts", "count", "rawcounts", "rawsum", "adc", "digital", "bits"}
METRES = {"mm": 1e-3, "millimeter": 1e-3, "millimeters": 1e-3, "millimetres": 1e-3, "cm": 1e-2, "centimeter": 1e-2, "centimeters": 1e-2,
          "centimetres": 1e-2, "m": 1.0, "meters": 1.0, "metres": 1.0, "in": 0.0254, "inch": 0.0254, "inches": 0.0254, '"': 0.0254, "mil": 2.54e-5,
          "mils": 2.54e-5}
NEWTONS = {"n": 1.0, "newton": 1.0, "newtons": 1.0, "kg": 9.80665, "kgf": 9.80665, "kgs": 9.80665, "g": 9.80665e-3, "lb": 4.448222, "lbs": 4.448222,
           "lbf": 4.448222}
SECONDS = {"s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "milliseconds": 1e-3, "us": 1e-6, "µs": 1e-6,
           "ns": 1e-9}


@dataclass(frozen=True, eq=False)
class Source:
    """A file. data: its bytes."""

    path: Path
    data: bytes

    @staticmethod
    def of(path: str | Path) -> Source:
        path = Path(path)
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise complaint(path, None, "is larger than a gigabyte: export a shorter piece of the recording")
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise FormatError(f"There is no file '{path}'.") from error
        except (OSError, ValueError) as error:
            raise complaint(path, None, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
        if not data.strip(b"\0 \t\r\n\f\xef\xbb\xbf\xff\xfe"):
            raise complaint(path, None, "is empty: export the recording again")
        return Source(path, data)

    @cached_property
    def lines(self) -> list[str]:
        """All lines, whatever ends them; index 0 is line 1."""
        return _lines(_decoded(self.data))

    @cached_property
    def last(self) -> int:
        """Index of the last line that is not empty."""
        at = len(self.lines) - 1
        while at > 0 and not self.lines[at].strip(",;\t \f\0"):
            at -= 1
        return at

    @cached_property
    def head(self) -> str:
        """How the text begins, in small letters."""
        return "\n".join(_lines(_decoded(self.data[:HEAD]))).lower()

    def wrong(self, at: int | None, what: str) -> FormatError:
        """An error about the line with index ``at``."""
        return complaint(self.path, None if at is None else at + 1, what)

    def numbers(self, at: int, words: Sequence[str]) -> list[float]:
        """The words of a line as numbers; NaN where one is missing."""
        try:
            values = list(map(float, words))
            if max(values, default=0.0) < LARGEST and min(values, default=0.0) > -LARGEST:
                return values
        except ValueError:
            pass
        return [self.number(at, word) for word in words]

    def number(self, at: int, word: str) -> float:
        """A word as a number, also with a comma for the point; NaN where it is missing."""
        value = parsed(word)
        if value is None:
            raise self.wrong(at, f"'{quoted(word)}' is no number; repair that line or export the recording again")
        return value

    def first_number(self, at: int, text: str, what: str) -> float:
        """The first number in a text, which must be there."""
        found = WORD.search(text)
        value = parsed(found.group()) if found else None
        if value is None:
            raise self.wrong(at, f"{what} is missing; export the recording again")
        return value

    def count(self, at: int, text: str, what: str, largest: int = 4096) -> int:
        """How many of something there are, from 1 to ``largest``."""
        value = self.first_number(at, text, what)
        if not 1 <= value <= largest or value != int(value):
            raise self.wrong(at, f"{what} is {value:g}; whole numbers from 1 to {largest} make sense")
        return int(value)

    def positive(self, at: int, text: str, what: str) -> float:
        """A number above zero."""
        value = self.first_number(at, text, what)
        if not value > 0.0:
            raise self.wrong(at, f"{what} is {value:g}, and must be more than 0")
        return value

    def pascals(self, at: int, unit: str) -> float | None:
        """What one of a unit of pressure is in Pa; None of raw counts."""
        plain = plain_unit(unit)
        if plain in COUNTS:
            return None
        if plain not in PASCALS:
            raise self.wrong(at, f"pressures in '{quoted(unit)}' are not known; export them in kPa")
        return PASCALS[plain]

    def metres(self, at: int, text: str, what: str, unit: str = "mm") -> float:
        """A length such as '5.08 mm' or '0.2 inches' in m; ``unit`` is meant where none is said."""
        value = self.positive(at, text, what)
        said = WORD.sub("", text, count=1).strip(" \t,;()[]").lower().split()
        factor = METRES.get(said[0] if said else unit)
        if factor is None:
            raise self.wrong(at, f"{what} in '{quoted(said[0])}' is not known; export it in mm")
        length = value * factor
        if not 1e-5 < length < 10.0:
            raise self.wrong(at, f"{what} is {length:g} m, which no sensor has")
        return length


def parsed(word: str) -> float | None:
    """A word as a number, with a comma or a point; NaN where it says that there is none, None where it is something else."""
    word = word.strip().strip('"').strip()
    if word.lower() in MISSING:
        return float("nan")
    try:
        value = float(word.replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < LARGEST else None


def is_numeric(word: str) -> bool:
    """Whether a word is a number; one that is missing is none."""
    value = parsed(word)
    return value is not None and not np.isnan(value)


def quoted(word: str) -> str:
    """A word as a sentence shows it: not too long, and nothing in it that cannot be seen."""
    return "".join(letter if letter.isprintable() else "?" for letter in word.strip()[:QUOTE_LENGTH])


def plain_unit(unit: str) -> str:
    """As units are written in the tables above."""
    return re.sub(r"[\s^()\[\]_]", "", unit.lower().replace("²", "2").replace("\ufffd", "2"))


def words_of(line: str) -> list[str]:
    """Columns of a line, by the strongest separator that is in it: tab, semicolon, comma, spaces."""
    bare = re.sub(r'"[^"]*"', '""', line) if '"' in line else line
    for separator in SEPARATORS:
        if separator in bare:
            return split(line, separator)
    return [line.strip(' "')] if '"' in line else line.split()


def split(line: str, separator: str) -> list[str]:
    """The columns of a line; quotes may hold separators."""
    if '"' in line:
        try:
            return [word.strip() for word in next(csv.reader([line.replace("\0", "")], delimiter=separator), [])]
        except csv.Error:  # a quote that nobody closes, and much after it
            pass
    return [word.strip() for word in line.split(separator)]


def without_empty_end(words: list[str]) -> list[str]:
    """Without the empty columns at the end of a line."""
    end = len(words)
    while end and not words[end - 1].strip():
        end -= 1
    return words[:end]


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _decoded(data: bytes) -> str:
    """Text in UTF-8, UTF-16 or, where it is neither, Windows' Western code page."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    if (zeros := data[:4096].count(0)) and zeros > len(data[:4096]) // 3:
        return data.decode("utf-16-be" if data[:1] == b"\0" else "utf-16-le", "replace")
    text = data.decode("utf-8-sig", "replace")
    wrong = text.count("\ufffd")
    # More letters beyond ASCII are wrong than right: it is not UTF-8. A few may be damaged, or cut off at the end.
    return data.decode("cp1252", "replace") if 2 * wrong > len(text) - len(text.encode("ascii", "ignore")) else text
