"""Wii Balance Board: four load cells, as CSV of whatever program recorded them.

A row of names, in any order and spelling that tells them: a time (s or ms), and the cells at the top left, top right, bottom left and bottom right,
in kg where the name does not say another unit (N, lb).
"""

from __future__ import annotations

import re

import numpy as np

from ...arrays import Array
from ..recording import EITHER, Layout, Recording
from .columns import Columns, read_columns, separator_of
from .frames import cut_off, recording
from .source import NEWTONS, SECONDS, Source, split

# m between the cells, from left to right and from the back to the front.
ACROSS, ALONG = 0.433, 0.238
# m² that stand for a cell: what it weighs is all there is, on whatever area.
AREA = 0.01
# As names read without spaces and signs; the order is that of a pad: the back row first, each from left to right.
CELLS = (re.compile(r"bl|bottomleft|backleft|rearleft|leftbottom"), re.compile(r"br|bottomright|backright|rearright|rightbottom"),
         re.compile(r"tl|topleft|frontleft|lefttop"), re.compile(r"tr|topright|frontright|righttop"))
TIME = re.compile(r"(t|times?|timestamp|elapsed|elapsedtime|timeelapsed)(ms|s|sec|seconds|msec|milliseconds)?|ms|sec|seconds|milliseconds")
UNITS = re.compile(r"(weight|load|sensor|cell|raw|force|kilograms?|kgs?|kgf|n|newtons?|lbs?)$")
PREFIXES = re.compile(r"^(sensor|cell|load|wii|weight)")
HEADER_LINES = 40


def matches(head: str) -> bool:
    return any(_found(line) for line in head.split("\n")[:HEADER_LINES])


def read(source: Source) -> Recording:
    at = next((at for at, line in enumerate(source.lines[:HEADER_LINES]) if _found(line)), None)
    if at is None:
        raise source.wrong(None, "does not name the columns time, TL, TR, BL and BR: export the recording again")
    columns = _found(source.lines[at]) or []
    names = split(source.lines[at], separator_of(source.lines[at]))
    table = read_columns(source, at, {names[n] for n in columns}.__contains__)
    if max(columns) >= len(table.names):
        raise source.wrong(at, "the names of the columns are broken off; export the recording again")
    ahead, left = 0.5 * ALONG, 0.5 * ACROSS
    centres = np.array([(-ahead, left), (-ahead, -left), (ahead, left), (ahead, -left)])
    layout = Layout(centres, np.full(4, AREA), np.full(4, EITHER), (2, 2))
    newtons = table.values[:, columns[1:]] * [_newtons(table.names[n]) for n in columns[1:]]
    return recording(source, "Wii Balance Board", layout, _seconds(table, columns[0]), np.maximum(newtons, 0.0) / AREA,
                     faults=[] if table.whole else [cut_off("its last row")])


def _found(line: str) -> list[int] | None:
    """The columns of the time and of the four cells, where a line names them all."""
    names = [_plain(name) for name in split(line, separator_of(line))]
    bare = [UNITS.sub("", PREFIXES.sub("", name)) for name in names]
    places = [next((n for n, name in enumerate(names) if TIME.fullmatch(name)), None)]
    places += [next((n for n, name in enumerate(bare) if pattern.fullmatch(name)), None) for pattern in CELLS]
    found = [place for place in places if place is not None]
    return found if len(found) == 5 else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _newtons(name: str) -> float:
    """Of one of what a column counts."""
    unit = re.search(r"(?<![a-z])(kgs?|kgf|n|newtons?|lbs?|lbf|g)(?![a-z])", name.lower().replace("_", " "))
    return NEWTONS[unit.group(1)] if unit else NEWTONS["kg"]


def _seconds(table: Columns, column: int) -> Array:
    """Times in s: in the unit that their name says, else in that which makes a rate of them that a board can have."""
    times, name = table.values[:, column], table.names[column].lower()
    if unit := re.search(r"(?<![a-z])(ms|msec|milliseconds|us|µs|s|secs?|seconds)(?![a-z])", name.replace("_", " ")):
        return times * SECONDS[unit.group(1)]
    steps = np.diff(times[np.isfinite(times)])
    return times * (1e-3 if len(steps) and np.median(np.abs(steps)) >= 1.0 else 1.0)
