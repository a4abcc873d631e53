"""Tekscan: F-Scan insoles and mats, as ASCII (.asf, .csv).

Lines ``KEY value`` until ``ASCII_DATA @@``; then for each frame ``Frame 1``, rows of comma-separated numbers (``B``: no cell there), an empty line.
Row 0 is the toe end, columns run from left to right. Left and right insole are two files, ``…L`` and ``…R``: they are read together.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from ...arrays import Array, Bools, Ints
from ...errors import FormatError
from ..recording import EITHER, LEFT, RIGHT, Layout, Recording
from .frames import cut_off, grid, joined, pad, recording, sole
from .source import Source, parsed, quoted, words_of

KEY = re.compile(r"([A-Z][A-Z0-9_]+)[\s,;:]*(.*)")
# Keys after free lines of comments.
AFTER_COMMENTS = ("START_FRAME", "END_FRAME", "UNITS", "MIRROR_ROW", "MIRROR_COL", "ASCII_DATA")
SIDE = re.compile(r"(?P<long>left|right)|(?P<short>[lr])(?=[^a-z]*$)", re.IGNORECASE)
INSOLES = ("FSCAN", "F-SCAN", "3000", "3001", "INSOLE")
SOLE = 1.6  # times as long as wide: what has missing cells and is less so is no insole
SAME_RATE = 0.01  # share by which the rates of two insoles may differ


def matches(head: str) -> bool:
    return "ascii_data" in head or ("seconds_per_frame" in head and "sensor_type" in head) or head.startswith("data_type movie")


def read(source: Source) -> Recording:
    one = _read_one(source)
    foot = int(one.layout.feet[0])
    if foot == EITHER or not (beside := partner(source.path)):
        return one
    try:
        other = _read_one(Source.of(beside))
    except FormatError as error:
        return _with_fault(one, f"The other foot cannot be read: {error}")
    if other.layout.feet[0] != (LEFT + RIGHT - foot):
        return one
    if abs(other.rate - one.rate) > SAME_RATE * max(one.rate, 1e-9) or other.calibrated != one.calibrated:
        return _with_fault(one, f"'{beside.name}' beside it was recorded in another way, and is left out.")
    return joined(one, other) if foot == LEFT else joined(other, one)


def partner(path: Path) -> Path | None:
    """The file of the other foot that lies beside it: of ``walkL.asf`` it is ``walkR.asf``."""
    if not (found := _side(path.stem)):
        return None
    word = found.group()
    other = {"l": "r", "r": "l", "left": "right", "right": "left"}[word.lower()]
    other = other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
    beside = path.with_name(path.stem[:found.start()] + other + path.stem[found.end():] + path.suffix)
    return beside if beside.is_file() else None


def _side(name: str) -> re.Match[str] | None:
    """The last word or letter of a name that says which foot it is."""
    found = list(SIDE.finditer(name))
    return found[-1] if found else None


def _with_fault(one: Recording, fault: str) -> Recording:
    return Recording(one.device, one.layout, one.times, one.pressures, one.calibrated, one.forces, (*one.faults, fault), one.notes)


def _read_one(source: Source) -> Recording:
    header, at = _header(source)
    rows, columns = (source.count(*_field(source, header, key), key) for key in ("ROWS", "COLS"))
    along, across = (source.metres(*_field(source, header, key), key) for key in ("ROW_SPACING", "COL_SPACING"))
    unit = source.pascals(*header.get("UNITS", (at, "raw")))
    times, frames, faults = _frames(source, at, rows, columns, header)
    if not frames:
        raise source.wrong(None, "holds no whole frame; export the recording again")
    there = ~np.all([np.isnan(frame) for frame in frames], axis=0)
    if not there.any():
        raise source.wrong(at, "no cell has a number in any frame; export the recording again")
    notes: dict[str, object] = {key.lower(): header[key][1] for key in ("SENSOR_TYPE", "VERSION", "COMMENTS") if key in header}
    if "SATURATION_PRESSURE" in header and unit:
        notes["saturation"] = _pressure(source, *header["SATURATION_PRESSURE"], unit)
    kind = header.get("SENSOR_TYPE", (0, ""))[1].upper()
    values = np.array([frame[there] for frame in frames]) * (unit or 1.0)
    if any(name in kind for name in INSOLES) or (not there.all() and rows * along > SOLE * columns * across):
        foot, doubt = _foot(source, header, there)
        layout = sole(there, along, across, foot)
        faults += doubt
        device = "Tekscan F-Scan"
    else:
        layout, order = _mat(there, along, across)
        values = values[:, order]
        device = "Tekscan mat"
    return recording(source, device, layout, times, values, calibrated=unit is not None, faults=faults, notes=notes)


def _mat(there: Bools, along: float, across: float) -> tuple[Layout, Ints]:
    """The cells of a mat that are there, and in which order of those in the file: from the back to the front."""
    rows, columns = there.shape
    whole, back_first = pad(rows, columns, along, across), there[::-1].ravel()
    order = np.cumsum(there.ravel()).reshape(there.shape)[::-1].ravel()[back_first] - 1
    if there.all():
        return whole, order
    return Layout(whole.centres[back_first], whole.areas[back_first], whole.feet[back_first]), order


def _header(source: Source) -> tuple[dict[str, tuple[int, str]], int]:
    """Fields by name, each with the index of its line; the index of the first line of data."""
    fields: dict[str, tuple[int, str]] = {}
    comments: list[str] = []
    in_comments = False
    for at, line in enumerate(source.lines):
        words = line.strip().strip(",;")
        if words.startswith("ASCII_DATA"):
            fields["COMMENTS"] = (at, " ".join(comments))
            return fields, at + 1
        found = KEY.match(words)
        if found and (not in_comments or found.group(1) in AFTER_COMMENTS):
            fields.setdefault(found.group(1), (at, found.group(2)))
            in_comments = found.group(1) == "COMMENTS"
        elif words:
            comments.append(words)
    raise source.wrong(None, "has no line 'ASCII_DATA', after which the frames would come: export the recording again")


def _field(source: Source, header: dict[str, tuple[int, str]], key: str) -> tuple[int, str]:
    if key not in header:
        if key.endswith("_SPACING") and "SENSEL_AREA" in header:  # mm²
            at, text = header["SENSEL_AREA"]
            return at, f"{source.positive(at, text, 'SENSEL_AREA') ** 0.5:g} mm"
        raise source.wrong(None, f"does not say {key}: export the recording again")
    return header[key]


def _frames(source: Source, at: int, rows: int, columns: int, header: dict[str, tuple[int, str]]) -> tuple[list[float], list[Array], list[str]]:
    """Times (s), frames (rows, columns), and faults."""
    numbers: list[float] = []
    clock: list[float | None] = []
    frames: list[Array] = []
    faults = []
    while at <= source.last:
        line = source.lines[at].strip()
        if line.startswith("@@"):
            break
        if not line.lower().startswith("frame"):
            if line.strip(",; \f"):
                raise source.wrong(at, f"'{quoted(line)}' stands where the next frame belongs; export the recording again")
            at += 1
            continue
        words = words_of(line)
        number = parsed(re.sub(r"[^\d.]", "", words[0]) or "nan") if len(words) > 1 and "," in line else parsed(line[5:].strip(" ,;") or "nan")
        found = grid(source, at + 1, rows, columns, f"frame {len(frames) + 1}", ("B", "b"))
        if found is None:
            faults.append(cut_off(f"frame {len(frames) + 1}"))
            break
        numbers.append(len(frames) + 1.0 if number is None or np.isnan(number) else number)
        clock.append(parsed(words[1]) if len(words) > 1 and "," in line else None)
        frames.append(found[0])
        at = found[1]
    told = [time for time in clock if time is not None and not np.isnan(time)]
    if len(told) == len(frames) and len(set(told)) > len(told) // 2:
        return told, frames, faults
    period = source.positive(*_field(source, header, "SECONDS_PER_FRAME"), "SECONDS_PER_FRAME") if len(frames) > 1 else 1.0
    return [number * period for number in numbers], frames, faults


def _foot(source: Source, header: dict[str, tuple[int, str]], there: Array) -> tuple[int, list[str]]:
    """Which foot an insole is under, and what is doubtful about it."""
    inside = re.split(r"[\\/]", header.get("FILENAME", (0, ""))[1])[-1].rpartition(".")[0]
    for name in (source.path.stem, inside):
        if found := _side(name):
            return (LEFT if found.group()[0] in "lL" else RIGHT), []
    rows = np.flatnonzero(there.any(axis=1))
    toes = there[rows[:max(1, len(rows) // 8)]]
    columns = np.arange(there.shape[1])
    lean = float((toes * columns).sum() / toes.sum() - (there * columns).sum() / there.sum())
    # Toes are longest on the inner side, which is the right of a left foot.
    if abs(lean) > 0.02 * there.shape[1]:
        return (LEFT if lean > 0 else RIGHT), []
    return LEFT, ["The file does not say which foot it is; taken for the left one. End its name with L or R."]


def _pressure(source: Source, at: int, text: str, unit: float) -> float:
    """A pressure with its unit, in Pa."""
    value = source.first_number(at, text, "SATURATION_PRESSURE")
    said = text.split()[1:]
    return value * ((source.pascals(at, said[0]) if said else unit) or 1.0)
