"""A footprint and nothing else: a CSV with rows of numbers from the heel to the toes, no names, no times."""

from __future__ import annotations

import re

from ..recording import EITHER, LEFT, RIGHT, Recording
from .frames import grid, pad, recording
from .source import Source, is_numeric, without_empty_end, words_of

CELL = 5e-3  # m: most platforms have four cells a square centimetre
SMALLEST = 8  # rows and columns that a footprint must have


def matches(head: str) -> bool:
    rows = [words_of(line) for line in head.split("\n")[:SMALLEST]]
    return len(rows) == SMALLEST and len(rows[0]) >= SMALLEST and all(len(row) == len(rows[0]) and all(map(is_numeric, row)) for row in rows)


def read(source: Source) -> Recording:
    columns = len(without_empty_end(words_of(source.lines[0])))
    rows = sum(1 for line in source.lines if line.strip(",;\t "))
    found = grid(source, 0, rows, columns, "the footprint")
    if found is None:
        raise source.wrong(source.last, "the last row is broken off; export the footprint again")
    side = re.search(r"[lr](?=[^a-z]*$)", source.path.stem, re.IGNORECASE)
    foot = EITHER if side is None else LEFT if side.group() in "lL" else RIGHT
    return recording(source, "Footprint", pad(rows, columns, CELL, CELL, foot), [0.0], found[0].reshape(1, -1), calibrated=False,
                     faults=[f"The file does not say its unit, nor how large its cells are; taken for {CELL * 1e3:g} mm."])
