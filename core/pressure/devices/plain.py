"""Footfall's own CSV of a recording: for devices that are not known, and to write one out. docs/foot_pressure.md describes it.

    # footfall pressure
    # device, My insoles
    # unit, kPa
    # sensor, left_1, left, 0.030, 0.010, 0.0002        name, foot, m ahead and to the left, m²
    time, left_1, …                                     s, and a column for every sensor
    0.00, 12.5, …
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...whole_file import whole_file
from ..recording import EITHER, LEFT, RIGHT, Layout, Recording
from .columns import read_columns, separator_of
from .frames import cut_off, recording
from .source import NEWTONS, Source, plain_unit, quoted, split

TITLE = "footfall pressure"
FEET = {"left": LEFT, "right": RIGHT, "either": EITHER}
NAMES = {foot: name for name, foot in FEET.items()}
# Of two columns that are all of a foot's force: where the middle of a foot is (m ahead of the heel), and m² that stand for it.
MIDDLE, AREA = 0.12, 0.01
LARGEST_PLACE = 100.0  # m


def matches(head: str) -> bool:
    first = head.lstrip("\ufeff \n")
    return first.lstrip("#\" ").startswith(TITLE)


def read(source: Source) -> Recording:
    fields, sensors, at = _header(source)
    table = read_columns(source, at)
    names = [name.lower() for name in table.names]
    if not names or names[0] != "time":
        raise source.wrong(at, "the first column must be called 'time'; name the columns in this line")
    if not sensors and set(names[1:]) == {"left", "right"}:
        sensors = {name: (at, (FEET[name], MIDDLE, 0.0, AREA)) for name in names[1:]}
        fields.setdefault("unit", (at, "N"))
    column = {name: number for number, name in reversed(list(enumerate(names)))}  # a pad has thousands of them
    missing = [name for name in sensors if name not in column]
    if missing or not sensors:
        what = f"there is no column '{quoted(missing[0])}' for this sensor" if missing else "no line '# sensor' says where the sensors are"
        raise source.wrong(sensors[missing[0]][0] if missing else at, f"{what}; docs/foot_pressure.md shows how it is written")
    places = [place for _, place in sensors.values()]
    areas = np.array([place[3] for place in places])
    grid = _grid(source, fields, len(places))
    layout = Layout(np.array([place[1:3] for place in places]), areas, np.array([place[0] for place in places]), grid)
    unit_at, unit = fields.get("unit", (at, "kPa"))
    newtons = NEWTONS.get(plain_unit(unit))
    pascals = source.pascals(unit_at, unit) if newtons is None else newtons
    values = table.values[:, [column[name] for name in sensors]] * (pascals or 1.0) / (1.0 if newtons is None else areas)
    forces = None
    if {"left_force", "right_force"} & set(names):
        nothing = np.full(len(values), np.nan)
        forces = np.stack([table.values[:, names.index(name)] if name in names else nothing for name in ("left_force", "right_force")], axis=1)
    device = fields.get("device", (0, "Own device"))[1]
    return recording(source, device, layout, table.values[:, 0], values, calibrated=pascals is not None, forces=forces,
                     faults=[] if table.whole else [cut_off("its last row")])


def write(path: str | Path, felt: Recording, exact: bool = False) -> None:
    """Write a recording so that ``read`` gives it back; ``exact``: to the last bit."""
    time_form, form, place_form = (".17g", ".17g", ".17g") if exact else (".6f", ".8g", ".6g")
    layout = felt.layout
    names = [f"{NAMES[int(foot)]}_{number}" for number, foot in enumerate(layout.feet, start=1)]
    lines = [f"# {TITLE}", f"# device, {felt.device}", f"# unit, {'Pa' if felt.calibrated else 'counts'}"]
    lines += [f"# note, {fault}" for fault in felt.faults]
    if layout.grid:
        lines.append(f"# grid, {layout.grid[0]}, {layout.grid[1]}")
    lines += [f"# sensor, {name}, {NAMES[int(foot)]}, {x:{place_form}}, {y:{place_form}}, {area:{form}}"
              for name, foot, (x, y), area in zip(names, layout.feet, layout.centres, layout.areas, strict=True)]
    lines.append(",".join(["time", *names, *(("left_force", "right_force") if felt.forces is not None else ())]))
    told = np.empty((len(felt.times), 0)) if felt.forces is None else felt.forces
    for time, pressures, forces in zip(felt.times, felt.pressures, told, strict=True):
        lines.append(",".join([f"{time:{time_form}}", *("" if np.isnan(value) else f"{value:{form}}" for value in (*pressures, *forces))]))
    with whole_file(path) as file:
        file.write(("\n".join(lines) + "\n").encode())


def _header(source: Source) -> tuple[dict[str, tuple[int, str]], dict[str, tuple[int, tuple[int, float, float, float]]], int]:
    """Fields; sensors by name: the index of their line, foot, x, y, area; the index of the line of names."""
    fields: dict[str, tuple[int, str]] = {}
    sensors: dict[str, tuple[int, tuple[int, float, float, float]]] = {}
    for at, line in enumerate(source.lines):
        text = line.strip().strip('"')
        if text and not text.startswith("#"):
            return fields, sensors, at
        words = split(text.lstrip("# "), separator_of(text))
        key = words[0].lower()
        if key == "sensor":
            name, place = _sensor(source, at, words[1:])
            if name in sensors:
                raise source.wrong(at, f"the sensor '{quoted(name)}' is there twice")
            sensors[name] = (at, place)
        elif len(words) > 1:
            fields.setdefault(key, (at, ", ".join(word for word in words[1:] if word)))
    raise source.wrong(None, "ends before the names of the columns; docs/foot_pressure.md shows how it is written")


def _sensor(source: Source, at: int, words: list[str]) -> tuple[str, tuple[int, float, float, float]]:
    """Name, foot, place and area of a sensor."""
    if len(words) < 5 or words[1].lower() not in FEET:
        raise source.wrong(at, "a sensor is '# sensor, name, left|right|either, x, y, area'")
    x, y, area = source.numbers(at, words[2:5])
    if not (abs(x) < LARGEST_PLACE and abs(y) < LARGEST_PLACE and 0.0 < area < LARGEST_PLACE):
        raise source.wrong(at, "the place (m) and the area (m²) of this sensor make no sense")
    return words[0].lower(), (FEET[words[1].lower()], x, y, area)


def _grid(source: Source, fields: dict[str, tuple[int, str]], sensors: int) -> tuple[int, int] | None:
    if "grid" not in fields:
        return None
    at, text = fields["grid"]
    sides = [source.count(at, word, "the grid") for word in text.split(",")]
    if len(sides) != 2 or sides[0] * sides[1] != sensors:
        raise source.wrong(at, f"the grid has rows and columns, and as many sensors as both together: there are {sensors}")
    return sides[0], sides[1]
