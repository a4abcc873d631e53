"""Moticon OpenGo: insoles of 16 sensors (older ones 13), as text with tabs.

``# key: value`` lines, the last of them the names of the columns: time, ``left pressure 1[N/cm²]`` …, ``left total force[N]``, ``left center of
pressure X[…]``, the same of the right foot. Insoles do not begin at once: what is blank is not known.
"""

from __future__ import annotations

import re

import numpy as np

from ...arrays import Array
from ...errors import FormatError
from ..insoles import MOTICON, MOTICON_SIZE_0, USUAL_SIZE, both, in_a_line, moticon
from ..recording import LEFT, RIGHT, Layout, Recording
from .frames import cut_off, recording
from .source import SECONDS, WORD, Source, parsed, without_empty_end, words_of

COLUMN = re.compile(r"(left|right)\s+(pressure\s*(\d{1,3})|total force|cent(?:er|re) of pressure ([xy]))\s*(?:\[(.*)\])?", re.IGNORECASE)
SIZES = range(-1, 11)


def matches(head: str) -> bool:
    return re.search(r"(left|right) pressure\s*\d+\s*(\[|\t|$)", head, re.MULTILINE) is not None and "time" in head


def read(source: Source) -> Recording:
    names, begin = _names(source)
    rows, whole = _rows(source, names, begin)
    faults = [] if whole else [cut_off("its last row")]
    found = {(match.group(1).lower(), match.group(2).lower()): (n, match) for n, name in enumerate(names) if (match := COLUMN.match(name))}
    layouts: list[Layout] = []
    blocks, unit = [], 1e4
    size, doubt = _size(source)
    for foot, side in ((LEFT, "left"), (RIGHT, "right")):
        columns = sorted((int(match.group(3)), n, match.group(5)) for (of, _), (n, match) in found.items() if of == side and match.group(3))
        if not columns:
            continue
        unit = source.pascals(begin - 1, columns[0][2] or "N/cm2") or 1.0
        known = [number for number, *_ in columns] == list(range(1, len(MOTICON) + 1))
        if not known and not layouts:
            doubt.append(f"Insoles of {len(columns)} sensors are not known; their sensors are taken for a line from the heel to the toes.")
        layouts.append((moticon(size) if known else in_a_line(len(columns), size)).layout(foot))
        blocks.append(rows[:, [n for _, n, _ in columns]])
    if not layouts:
        raise source.wrong(begin - 1, "no column is a pressure; export the recording again")
    layout = both(*layouts) if len(layouts) == 2 else layouts[0]
    when = _time_column(names)
    times = rows[:, when] * _second(names[when], rows[:, when])
    return recording(source, "Moticon OpenGo", layout, times, np.concatenate(blocks, axis=1) * unit,
                     forces=_of_both(rows, found, "total force"), faults=[*faults, *doubt], notes=_notes(source))


def _names(source: Source) -> tuple[list[str], int]:
    """The names of the columns, and the index of the line after them."""
    for at, line in enumerate(source.lines):
        if COLUMN.search(line):
            return [word.strip().strip('"') for word in words_of(line.strip().lstrip("# "))], at + 1
    raise source.wrong(None, "does not name its columns: export the recording again")


def _time_column(names: list[str]) -> int:
    return next((n for n, name in enumerate(names) if name.lower().startswith("time")), 0)


def _rows(source: Source, names: list[str], begin: int) -> tuple[Array, bool]:
    """(T, columns) with NaN for what is no number, as the names of events; and whether the last row is whole."""
    rows: list[Array] = []
    needed = sorted({_time_column(names), *(n for n, name in enumerate(names) if COLUMN.match(name))})
    for at in range(begin, source.last + 1):
        line = source.lines[at]
        if not line.strip() or line.startswith("#"):
            continue
        words = words_of(line)
        if at < source.last:
            words += [""] * (len(names) - len(words))  # some programs take empty columns off the end of a line
        if len(without_empty_end(words)) > len(names):
            raise source.wrong(at, f"the row has {len(words)} columns where {len(names)} belong; export the recording again")
        try:
            if len(words) <= needed[-1]:
                return _whole(source, rows), False
            row = np.full(len(names), np.nan)
            row[needed] = source.numbers(at, [words[n] for n in needed])
        except FormatError:
            if at != source.last:
                raise
            return _whole(source, rows), False
        rows.append(row)
    return _whole(source, rows), True


def _whole(source: Source, rows: list[Array]) -> Array:
    if not rows:
        raise source.wrong(None, "holds no whole row; export the recording again")
    return np.array(rows)


def _size(source: Source) -> tuple[float, list[str]]:
    """European, and what is doubtful about it."""
    for line in source.lines:
        if not line.startswith("#"):
            break
        if re.match(r"#\s*size", line, re.IGNORECASE) and (found := WORD.search(line)):
            number = parsed(found.group())
            if number is not None and number in SIZES:
                return MOTICON_SIZE_0 + 2.0 * number, []
            if number is not None and 20 <= number <= 60:
                return number, []
    return USUAL_SIZE, [f"The size of the insoles is not known; taken for European size {USUAL_SIZE:g}."]


def _second(name: str, times: Array) -> float:
    """Seconds of a unit of the first column: as its name says, else by how it counts."""
    if (found := re.search(r"[\[(](.*?)[\])]", name)) and found.group(1).strip().lower() in SECONDS:
        return SECONDS[found.group(1).strip().lower()]
    steps = np.diff(times[np.isfinite(times)])
    return 1e-3 if len(steps) and np.median(steps) >= 2.0 else 1.0


def _of_both(rows: Array, found: dict[tuple[str, str], tuple[int, re.Match[str]]], what: str) -> Array | None:
    """(T, 2) of a column that both feet have; NaN of a foot that has none; None where neither has."""
    if not any((side, what) in found for side in ("left", "right")):
        return None
    nothing = np.full(len(rows), np.nan)
    return np.stack([rows[:, found[side, what][0]] if (side, what) in found else nothing for side in ("left", "right")], axis=1)


def _notes(source: Source) -> dict[str, str]:
    """What the comments say."""
    notes: dict[str, str] = {}
    for line in source.lines:
        if not line.startswith("#"):
            break
        key, colon, value = line.lstrip("# ").partition(":")
        if colon and "\t" not in line:
            notes[key.strip().lower().replace(" ", "_")] = value.strip()
    return notes
