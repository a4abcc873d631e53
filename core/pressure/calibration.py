"""Calibration: a person shows some actions of a database, and is recognised by how that person does them.

It is known what was done and in what order, so it has only to be found when: where the pressure is most like that of the database's actions of those
names, one after the other. How far it differs counts relative to how much happens, so somebody may do more or less than the database does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Ints
from ..errors import JobError
from .database import Database
from .examples import Action, Example, between, mirrored, warped, windows
from .features import STANCE, Track, track
from .recording import Recording

REPEATED = 2  # times that each action is asked for
SEEN_S = (0.5, 1.2)  # s before and after an onset that are compared
WARPS = (0.8, 1.0, 1.25)  # times as long as in the database that the person may take
SHORTER = 0.6  # of the shortest that is known: no action ends sooner
UNLIKE = 0.75  # from 0, the same, to 1, nothing in common: from here on it is something else
AROUND_S = 1.0  # s before and after an action that are kept with it


@dataclass(frozen=True, eq=False)
class _Known:
    """What the database knows of a name: flat windows (N, W K) around onsets, and how long the actions last (s), at least and usually."""

    windows: Array
    shortest: float
    usual: float


@dataclass(frozen=True)
class Shown:
    """An action that was found in a recording: its name, when it began and ended (s), and how unlike the database's it is, from 0 to 1."""

    name: str
    start: float
    end: float
    unlike: float


def calibrated(database: Database, recordings: Sequence[tuple[str, Recording, Sequence[str]]]) -> tuple[Database, list[list[Shown]]]:
    """The database with how a person does some of its actions, and what was found in each recording. What the person has shown before of the same
    names is forgotten.

    Args:
        recordings: what each is called, the recording, and the names of the actions in it, one after the other.
    """
    examples, everything = [], []
    for called, recording, names in recordings:
        felt, shown = found(database, called, recording, names)
        everything.append(shown)
        whole = Example(felt, [Action(one.name, one.start, one.end) for one in shown], [], called)
        examples += [replace(between(whole, action.start - AROUND_S, action.end + AROUND_S), actions=[action]) for action in whole.actions]
    own = {action.name for example in examples for action in example.actions}
    kept = [example for example in database.calibration if not own & {action.name for action in example.actions}]
    return replace(database, calibration=kept + examples), everything


def found(database: Database, called: str, recording: Recording, names: Sequence[str]) -> tuple[Track, list[Shown]]:
    """The track of a recording, and the actions in it, which are called ``names`` one after the other."""
    for name in names:
        database.check(name)
    if (recording.layout.grid is None) == (database.kind == "grid"):
        there, wanted = ("a pad", "insoles") if recording.layout.grid is not None else ("insoles", "a pad")
        raise JobError(f"'{called}' is of {there}, and the database is of {wanted}: build a database of the same clips with another --pad.")
    felt = track(recording, database.rate)
    scale = np.maximum(np.concatenate([take.example.track.per_foot for take in database.takes]).std(axis=0), 1e-6)
    known = {name: _known(database, name, scale) for name in set(names)}
    seen = _seen(felt, np.arange(len(felt.times)), scale)
    unlike = np.stack([_unlike(seen, known[name].windows) for name in names])
    onsets = _one_after_the_other(unlike, [max(1, round(SHORTER * known[name].shortest * felt.rate)) for name in names])
    if onsets is None or (missed := [name for name, row, at in zip(names, unlike, onsets, strict=True) if row[at] > UNLIKE]):
        what = f"'{missed[0]}' was not found" if onsets is not None else f"there is no room for {len(names)} actions"
        raise JobError(f"In '{called}' {what}: do {', '.join(names)} in this order, and stand still for a second before and after each.")
    starts = [float(felt.times[at]) for at in onsets]
    ends = [min(start + known[name].usual, following) for name, start, following in zip(names, starts, [*starts[1:], float(felt.times[-1])],
                                                                                         strict=True)]
    return felt, [Shown(name, start, end, float(row[at])) for name, start, end, row, at in zip(names, starts, ends, unlike, onsets, strict=True)]


def _known(database: Database, name: str, scale: Array) -> _Known:
    rows, lasting = [], []
    for take in database.takes:
        for example in (take.example, mirrored(take.example)):
            for longer in WARPS:
                copy = warped(example, longer)
                own = [action for action in copy.actions if action.name == name]
                rows += [_seen(copy.track, np.array([copy.frame(action.start)]), scale)[0] for action in own]
                lasting += [action.end - action.start for action in own]
    return _Known(np.array(rows), min(lasting), float(np.median(lasting)))


def _seen(felt: Track, frames: Ints, scale: Array) -> Array:
    """(N, W K) what is compared around frames (N,): how it changes, not how somebody stands."""
    seen = windows(felt.per_foot, frames, *(round(reach * felt.rate) for reach in SEEN_S)) / scale
    seen[:, :, STANCE] -= seen[:, :2, STANCE].mean(axis=1, keepdims=True)
    return seen.reshape(len(seen), -1)


def _unlike(seen: Array, known: Array) -> Array:
    """(T,) from 0 to 1, how unlike the nearest of windows (N, W K) those (T, W K) are."""
    happens = (seen**2).sum(axis=1)[:, None] + (known**2).sum(axis=1)
    return np.clip(1.0 - 2.0 * seen @ known.T / np.maximum(happens, 1e-9), 0.0, 1.0).min(axis=1)


def _one_after_the_other(costs: Array, lasting: Sequence[int]) -> list[int] | None:
    """The frames of actions with costs (A, T), each at least ``lasting`` frames after the one before, that cost least in all; None where they do not
    fit."""
    count, frames = costs.shape
    total = costs[0]
    came: list[Ints] = []
    for number in range(1, count):
        best = np.minimum.accumulate(total)
        # The frame that the best so far was on.
        where = np.maximum.accumulate(np.where(total <= best, np.arange(frames), 0))
        gap = lasting[number - 1]
        if gap >= frames:
            return None
        total = np.concatenate([np.full(gap, np.inf), costs[number, gap:] + best[:frames - gap]])
        came.append(np.concatenate([np.zeros(gap, dtype=int), where[:frames - gap]]))
    if not np.isfinite(total.min()):
        return None
    found_ = [int(total.argmin())]
    for origin in reversed(came):
        found_.append(int(origin[found_[-1]]))
    return found_[::-1]
