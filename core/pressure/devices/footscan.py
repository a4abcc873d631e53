"""RSscan footscan: a plate that people step on; a workbook (.xls), or the same as text with tabs (.txt, and often also called .xls).

In the first column ``Scanning speed; …``, then for each foot ``Right foot data``, ``Rectangle bottom``, ``left``, ``width``, ``height`` with the
number on the next row, and frames: ``Frame 1 (2.00 ms)``, rows of newtons a cell. The first row is the heel's, columns run from left to right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...arrays import Array
from ..insoles import both
from ..recording import EITHER, LEFT, RIGHT, Layout, Recording
from .frames import check_size, cut_off, grid, pad, recording
from .source import WORD, Source, is_numeric, parsed, without_empty_end, words_of
from .spreadsheet import MAGIC, lines_of

ALONG, ACROSS = 7.62e-3, 5.08e-3  # m, of a cell
FRAME = re.compile(r"frame\s*(\d+)?\s*(?:\(\s*([\d.,]+)\s*(m?s)\w*\s*\))?", re.IGNORECASE)
TITLE = re.compile(r"^[\s\"]*frame\s*\d+\s*\(\s*[\d.,]+\s*m?s|^[\s\"]*rectangle (bottom|left|width|height)", re.MULTILINE)
FOOT = re.compile(r"\b(left|right)\s+foot\s+data", re.IGNORECASE)
SPEED = re.compile(r"([\d.,]+)\s*(?:hertz|hz)", re.IGNORECASE)
MEASURES = {"bottom": "bottom", "left": "left", "width": "columns", "height": "rows"}
USUAL_SPEED = 500.0


class Workbook(Source):
    """A file whose lines are the rows of a sheet."""

    @cached_property
    def lines(self) -> list[str]:
        try:
            return lines_of(self.data)
        except ValueError as error:
            raise self.wrong(None, f"cannot be read, because {error}: save it again in Excel, or export the recording as text") from error

    @cached_property
    def head(self) -> str:
        return "\n".join(self.lines[:200]).lower()


@dataclass
class _Rectangle:
    """Where one foot stood (cells of the plate), its frames and their times (s)."""

    foot: int
    bottom: int = 0
    left: int = 0
    columns: int = 0
    rows: int = 0
    times: list[float] = field(default_factory=list)
    frames: list[Array] = field(default_factory=list)


def matches(head: str) -> bool:
    return TITLE.search(head) is not None


def opened(source: Source) -> Source:
    """The same file as what it is."""
    return Workbook(source.path, source.data) if source.data.startswith(MAGIC) else source


def read(source: Source) -> Recording:
    rectangles, faults = _rectangles(source)
    rectangles = [rectangle for rectangle in rectangles if rectangle.frames]
    if not rectangles:
        raise source.wrong(None, "holds no whole frame; export the recording again")
    if len(rectangles) == 1:
        only = rectangles[0]
        layout = pad(only.rows, only.columns, ALONG, ACROSS, only.foot)
        return _recorded(source, layout, only.times, np.array([frame.ravel() for frame in only.frames]), faults)
    return _together(source, rectangles, faults)


def _together(source: Source, rectangles: list[_Rectangle], faults: list[str]) -> Recording:
    """Several places on one plate at one clock; a foot that has no frame at a time was not on the plate."""
    times = sorted({time for rectangle in rectangles for time in rectangle.times})
    check_size(source, len(times), sum(rectangle.rows * rectangle.columns for rectangle in rectangles))
    layout: Layout | None = None
    blocks = []
    for rectangle in rectangles:
        where = pad(rectangle.rows, rectangle.columns, ALONG, ACROSS, rectangle.foot)
        moved = where.centres + (rectangle.bottom * ALONG, -(rectangle.left + 0.5 * rectangle.columns) * ACROSS)
        where = Layout(moved, where.areas, where.feet)
        layout = where if layout is None else both(layout, where)
        known, nothing = dict(zip(rectangle.times, rectangle.frames, strict=True)), np.zeros((rectangle.rows, rectangle.columns))
        blocks.append(np.array([known.get(time, nothing).ravel() for time in times]))
    assert layout is not None
    return _recorded(source, layout, times, np.concatenate(blocks, axis=1), faults)


def _recorded(source: Source, layout: Layout, times: list[float], newtons: Array, faults: list[str]) -> Recording:
    return recording(source, "RSscan footscan", layout, times, np.nan_to_num(newtons) / (ALONG * ACROSS), faults=faults)


def _rectangles(source: Source) -> tuple[list[_Rectangle], list[str]]:
    """The feet that are in the file, and faults."""
    speed, at = USUAL_SPEED, 0
    found: list[_Rectangle] = []
    while at <= source.last:
        text = source.lines[at].strip(' \t\f"')
        if "speed" in text.lower() and (told := SPEED.findall(text)):
            speed = max((value for word in told if (value := parsed(word))), default=USUAL_SPEED)  # 0 of a foot that was not recorded
        elif foot := FOOT.search(text):
            found.append(_Rectangle(LEFT if foot.group(1).lower() == "left" else RIGHT))
        elif frame := FRAME.match(text):
            if not found:
                found.append(_Rectangle(_foot(source)))
            next_at = _frame(source, at, found[-1], frame, speed)
            if next_at is None:
                return found, [cut_off(f"frame {len(found[-1].frames) + 1}")]
            at = next_at
            continue
        elif found and not found[-1].frames and (name := _measured(text)):
            at = _measure(source, at, found[-1], name)
        at += 1
    return found, []


def _measured(text: str) -> str | None:
    """Which measure of the rectangle a line names."""
    found = re.match(r"rectangle\s+(bottom|left|width|height)\b", text, re.IGNORECASE)
    return MEASURES[found.group(1).lower()] if found else None


def _measure(source: Source, at: int, rectangle: _Rectangle, name: str) -> int:
    """A measure of the rectangle: beside its name, or on the next row. Returns the index of the line that has it."""
    if not WORD.search(source.lines[at]):
        at = min(at + 1, source.last)
    found = WORD.search(source.lines[at])
    text = found.group() if found else ""
    if name in ("rows", "columns"):
        setattr(rectangle, name, source.count(at, text, f"the rectangle's {name}"))
    elif is_numeric(text):
        setattr(rectangle, name, round(min(max(source.number(at, text), -1e4), 1e4)))
    return at


def _frame(source: Source, at: int, rectangle: _Rectangle, frame: re.Match[str], speed: float) -> int | None:
    """Read the frame whose title is at that line. Returns the index of the line after it; None where the file ends."""
    if not rectangle.rows or not rectangle.columns:
        rectangle.rows, rectangle.columns = _shape(source, at + 1)
    got = grid(source, at + 1, rectangle.rows, rectangle.columns, f"frame {len(rectangle.frames) + 1}")
    if got is None:
        return None
    time = len(rectangle.frames) / speed
    if frame.group(2):
        time = source.number(at, frame.group(2)) * (1e-3 if frame.group(3).lower() == "ms" else 1.0)
    rectangle.times.append(time)
    rectangle.frames.append(got[0])
    return got[1]


def _shape(source: Source, at: int) -> tuple[int, int]:
    """Rows and columns of a frame that begins at a line: until the next empty one."""
    begin = at
    while at <= source.last and (words := without_empty_end(words_of(source.lines[at].strip(" \f")))) and is_numeric(words[0]):
        at += 1
    if at == begin:
        raise source.wrong(min(begin, source.last), "a frame has no rows; export the recording again")
    return at - begin, len(without_empty_end(words_of(source.lines[begin].strip(" \f"))))


def _foot(source: Source) -> int:
    """As the file's name has it."""
    name = source.path.stem.lower()
    return LEFT if "left" in name else RIGHT if "right" in name else EITHER
