"""Novel pedar: insoles of 99 sensors, as ASCII (.asc).

``file name: …``, ``sensor type: y-…`` (the letters before the dash are the size), ``scanning rate [Hz]: 100``, ``pressure values in kPa``, ``left
insole: 1,2,…``, then ``time[secs] 1 … 99 1 … 99`` and rows: the time, the left insole, the right one. Rows that begin with a word, as MVP and MPP,
are left out.
"""

from __future__ import annotations

import re

import numpy as np

from ..insoles import PEDAR_SIZES, USUAL_SIZE, Insole, both, pedar
from ..recording import LEFT, RIGHT, Layout, Recording
from .frames import cut_off, recording
from .novel import is_header, novel_header, table
from .source import Source, quoted

SENSORS = 99


def matches(head: str) -> bool:
    return re.search(r"pressure values in|^\s*time\s*\[secs?\]", head, re.MULTILINE) is not None and ("insole" in head or "sensor type" in head)


def read(source: Source) -> Recording:
    header = novel_header(source)
    begin = next((at for at, line in enumerate(source.lines) if is_header(line)), None)
    if begin is None:
        raise source.wrong(None, "has no row 'time[secs] 1 2 …', after which the frames would come: export the recording again")
    ids, times, values, whole = table(source, begin)
    insole, faults = _insole(header.kind)
    sides = [_under(insole, foot, numbers) for foot, numbers in _feet(source, begin, ids, header.text)]
    layout = both(*sides) if len(sides) == 2 else sides[0]
    if not whole:
        faults.append(cut_off())
    return recording(source, "Novel pedar", layout, times, values * (header.unit or 1.0), calibrated=header.unit is not None, faults=faults,
                     notes={"sensor_type": header.kind})


def _feet(source: Source, at: int, ids: list[int], text: str) -> list[tuple[int, list[int]]]:
    """(foot, its sensors) of the columns: numbers begin anew with the other insole."""
    if ids == list(range(1, 2 * SENSORS + 1)):  # the columns had no names
        ids = [*ids[:SENSORS], *ids[:SENSORS]]
    if not ids or not all(1 <= number <= SENSORS for number in ids):
        raise source.wrong(at, f"sensors are not numbered from 1 to {SENSORS}, as those of pedar are; export the recording again")
    anew = [n for n in range(1, len(ids)) if ids[n] <= ids[n - 1]]
    if len(anew) > 1:
        raise source.wrong(at, "there are sensors of more than two insoles; export the recording again")
    if anew:
        return [(LEFT, ids[:anew[0]]), (RIGHT, ids[anew[0]:])]
    only_right = re.search(r"right insole", text) and not re.search(r"left insole", text)
    return [(RIGHT if only_right else LEFT, ids)]


def _under(insole: Insole, foot: int, numbers: list[int]) -> Layout:
    """Where those sensors are that the file has of one foot."""
    whole, chosen = insole.layout(foot), np.array(numbers) - 1
    return Layout(whole.centres[chosen], whole.areas[chosen], whole.feet[chosen])


def _insole(kind: str) -> tuple[Insole, list[str]]:
    letters = re.match(r"[a-z]*", kind.lower().strip()).group()  # type: ignore[union-attr]
    if letters in PEDAR_SIZES:
        return pedar(*PEDAR_SIZES[letters]), []
    return pedar(USUAL_SIZE), [f"The size of the insole '{quoted(kind)}' is not known; taken for European size {USUAL_SIZE:g}."]


