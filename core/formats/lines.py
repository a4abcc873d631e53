"""Text files with line numbers, so that every complaint can say where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from ..arrays import Array
from ..errors import FormatError

# Characters of a word that a complaint quotes.
QUOTE_LENGTH = 40
# No length or angle of a motion is as large, in any unit.
LARGEST = 1e9


def complaint(path: Path, line: int | None, what: str) -> FormatError:
    """An error that names the file, the line (the first is 1) and what is wrong: one sentence."""
    return FormatError(f"'{path}', line {line}: {what}." if line is not None else f"'{path}' {what}.")


def read_lines(path: Path) -> list[str]:
    """All lines of a text file, whatever ends them; index 0 is line 1."""
    data = read_bytes(path)
    if b"\0" in data[:4096]:
        raise complaint(path, None, "is not a text file: export the motion again")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # accepts every byte: only names of joints can be outside of ASCII
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read_bytes(path: Path) -> bytes:
    """The whole file, which must not be empty."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FormatError(f"There is no file '{path}'.") from error
    except OSError as error:
        raise complaint(path, None, f"cannot be read: {error.strerror or error}") from error
    if not data.strip():
        raise complaint(path, None, "is empty: export the motion again")
    return data


def parse_numbers(path: Path, rows: Sequence[Sequence[str]], line_of: Callable[[int], int], name_of: Callable[[int, int], str]) -> Array:
    """All words of all rows as numbers that make sense, in one flat array.

    Args:
        rows: words, row after row.
        line_of: the line in the file of a row.
        name_of: what the number at (row, column) is, for a complaint.
    """
    count = sum(map(len, rows))
    try:
        values = np.fromiter(map(float, chain.from_iterable(rows)), float, count)
        sound = np.abs(values) < LARGEST  # NaN fails every comparison
        at = -1 if sound.all() else int(np.argmin(sound))
    except ValueError:
        at = next(n for n, word in enumerate(chain.from_iterable(rows)) if not is_number(word))
    if at < 0:
        return values
    row = int(np.searchsorted(np.cumsum([len(words) for words in rows]), at, side="right"))
    column = at - sum(len(words) for words in rows[:row])
    word = rows[row][column][:QUOTE_LENGTH]
    what = f"{name_of(row, column)} is '{word}', which is not a usable number; repair that frame or export the motion again"
    raise complaint(path, line_of(row), what)


def is_number(word: str) -> bool:
    """Whether a word is a number, NaN and infinity included."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def is_usable(word: str) -> bool:
    """Whether a word is a number that can be a length or an angle."""
    return is_number(word) and abs(float(word)) < LARGEST
