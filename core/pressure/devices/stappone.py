"""Stappone: insoles of 12 sensors, as CSV.

A row a frame and insole: ``sole_id`` (1 the left, 2 the right), ``timestamp`` (ms), inertial sensors, ``pressure_01`` … ``pressure_12``, ``corrupt``.
Pressures are raw counts, which are not 0 without load: that of every sensor's quietest moments is taken off.
"""

from __future__ import annotations

import re

import numpy as np

from ...arrays import Array
from ..insoles import STAPPONE_ROWS, USUAL_SIZE, both, in_a_line, stappone
from ..recording import LEFT, Recording
from .columns import read_columns
from .frames import cut_off, recording
from .source import Source

SOLES = (1, 2)  # the left, the right
# Per cent of the frames in which a sensor is without load.
UNLOADED = 2.0
# Periods by which the frames of two soles may be apart to be of one moment.
NEAR = 1.5


def matches(head: str) -> bool:
    return "sole_id" in head and "pressure_0" in head


def read(source: Source) -> Recording:
    at = next((at for at, line in enumerate(source.lines) if "sole_id" in line.lower()), None)
    if at is None:
        raise source.wrong(None, "does not name its columns: export the recording again")
    table = read_columns(source, at, lambda name: re.match(r"sole_id|timestamp|pressure|corrupt", name.lower()) is not None)
    names = [name.lower() for name in table.names]
    sensors = sorted((int(match.group(1)), n) for n, name in enumerate(names) if (match := re.fullmatch(r"pressure_?(\d{1,3})", name)))
    if not sensors or "timestamp" not in names or "sole_id" not in names:
        raise source.wrong(at, "columns 'sole_id', 'timestamp' and 'pressure_01' are needed; export the recording again")
    values = table.values[:, [n for _, n in sensors]].copy()
    if "corrupt" in names:
        values[np.nan_to_num(table.values[:, names.index("corrupt")]) != 0.0] = np.nan
    ids, times = table.values[:, names.index("sole_id")], table.values[:, names.index("timestamp")] * 1e-3
    soles = [(foot, times[ids == sole], values[ids == sole]) for foot, sole in enumerate(SOLES) if (ids == sole).any()]
    if not soles:
        raise source.wrong(at + 1, "no row is of sole 1 or 2; export the recording again")
    known = len(sensors) == sum(STAPPONE_ROWS)
    insole = stappone(USUAL_SIZE) if known else in_a_line(len(sensors), USUAL_SIZE)
    faults = [] if table.whole else [cut_off("its last row")]
    if known:
        faults.append("Where the sensors are is not known; they are taken for rows from the heel to the toes. Do not trust the centre of pressure.")
    else:
        faults.append(f"Insoles of {len(sensors)} sensors are not known; their sensors are taken for a line from the heel to the toes.")
    clock, counts = _together(soles)
    layouts = [insole.layout(foot) for foot, *_ in soles]
    layout = both(*layouts) if len(layouts) == 2 else layouts[0]
    return recording(source, "Stappone", layout, clock, above_rest(counts), calibrated=False, faults=faults)


def above_rest(counts: Array) -> Array:
    """(T, S) counts above those of each sensor's quietest moments."""
    spoke = ~np.isnan(counts).all(axis=0)
    rest = np.zeros(counts.shape[1])
    rest[spoke] = np.nanpercentile(counts[:, spoke], UNLOADED, axis=0)
    return np.maximum(counts - rest, 0.0)


def _together(soles: list[tuple[int, Array, Array]]) -> tuple[Array, Array]:
    """Times and values of one or both soles, at the times of the one that has more frames."""
    if len(soles) == 1:
        return soles[0][1], soles[0][2]
    leader = max(soles, key=lambda sole: len(sole[1]))
    clock = leader[1]
    apart = NEAR * float(np.median(np.abs(np.diff(clock)))) if len(clock) > 1 else np.inf
    blocks = []
    for sole in soles:
        if sole is leader:
            blocks.append(sole[2])
            continue
        order = np.argsort(sole[1], kind="stable")
        theirs = sole[1][order]
        after = np.clip(np.searchsorted(theirs, clock), 0, len(theirs) - 1)
        before = np.maximum(after - 1, 0)
        nearest = np.where(np.abs(theirs[after] - clock) <= np.abs(theirs[before] - clock), after, before)
        block = sole[2][order][nearest]
        block[~(np.abs(theirs[nearest] - clock) <= apart)] = np.nan
        blocks.append(block)
    return clock, np.concatenate(blocks if soles[0][0] == LEFT else blocks[::-1], axis=1)
