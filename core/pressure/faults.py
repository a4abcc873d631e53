"""What is wrong with a recording, as far as it can be seen in it: sensors that are dead or at their limit, frames that are missing."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..signals import runs
from .loads import feet_of, force
from .recording import Recording

# At their limit are several sensors that stay at the greatest pressure of all for so many frames, or one that stays there for so many seconds.
SEVERAL_STAY, ONE_STAYS_S = 2, 0.15
FRAMES = 5  # fewer tell nothing of limits
FEW_SENSORS = 20  # a foot with no more has none that is never stepped on
NEIGHBOURS = 6  # that a sensor in the midst of others has at least
STEPPED_ON = 0.1  # share of the usual greatest pressure
REACH = 1.6  # sides of a sensor within which others are its neighbours
GAP = 1.6  # times the usual time between frames
DROPOUT_S = 0.15  # a foot does not leave and come back with all its weight within this time
WEIGHT = 0.3  # share of the greatest force that counts as weight there


def faults_of(recording: Recording) -> list[str]:
    """A sentence each: what the reader found, and what is seen in the frames."""
    return [*recording.faults, *_gaps(recording), *_silences(recording), *_limits(recording), *_dead(recording)]


def _gaps(recording: Recording) -> list[str]:
    steps = np.diff(recording.times)
    if len(steps) < 2:
        return []
    at = np.flatnonzero(steps > GAP * np.median(steps))
    if not len(at):
        return []
    longest = at[np.argmax(steps[at])]
    places = f"{len(at)} places" if len(at) > 1 else "1 place"
    return [f"Frames are missing in {places}; the longest gap is {steps[longest]:.3g} s, at {recording.times[longest]:.2f} s."]


def _silences(recording: Recording) -> list[str]:
    """Frames that say nothing, or nothing but 0 in the midst of a stance."""
    found = []
    silent = np.isnan(recording.pressures).all(axis=1)
    if silent.any():
        found.append(f"{int(silent.sum())} frame{'s say' if silent.sum() > 1 else ' says'} nothing at all.")
    lost = 0
    for foot in feet_of(recording):
        felt = force(recording, foot)
        weight = WEIGHT * float(np.nanmax(felt, initial=0.0))
        for start, end in runs(felt == 0.0):
            inside = start > 0 and end < len(felt)
            if inside and min(felt[start - 1], felt[end]) > weight > 0.0 and recording.times[end] - recording.times[start] < DROPOUT_S:
                lost += end - start
    if lost:
        found.append(f"{lost} frame{'s drop' if lost > 1 else ' drops'} to nothing in the midst of a stance.")
    return found


def _limits(recording: Recording) -> list[str]:
    """Sensors that stay at the greatest pressure there is."""
    values = np.nan_to_num(recording.pressures)
    greatest = float(values.max(initial=0.0))
    if len(values) < FRAMES or greatest <= 0.0:
        return []
    limit = min(float(recording.notes.get("saturation") or greatest), greatest)
    at_limit = values >= limit * (1.0 - 1e-9)
    stays = np.array([max((end - start for start, end in runs(column)), default=0) for column in at_limit[:, at_limit.any(axis=0)].T])
    stuck = int((stays >= SEVERAL_STAY).sum())
    if stuck < 2 and not (stays >= max(FRAMES, ONE_STAYS_S * recording.rate)).any():
        return []
    unit = f"{limit / 1e3:.0f} kPa" if recording.calibrated else f"{limit:.0f} counts"
    return [f"{stuck} sensor{'s are' if stuck > 1 else ' is'} at the limit, {unit}: the true pressure was greater."]


def _dead(recording: Recording) -> list[str]:
    """Sensors that never change while all around them do."""
    values, layout = recording.pressures, recording.layout
    if len(values) < 2:
        return []
    heard = ~np.isnan(values).all(axis=0)
    low = np.where(heard, np.where(np.isnan(values), np.inf, values).min(axis=0), 0.0)
    high = np.where(heard, np.where(np.isnan(values), -np.inf, values).max(axis=0), 0.0)
    still, dead = low == high, 0
    for foot in feet_of(recording):
        under = layout.feet == foot
        quiet, lively = np.flatnonzero(under & still), np.flatnonzero(under & ~still)
        if not len(lively) or not len(quiet):
            continue
        if under.sum() <= FEW_SENSORS:
            dead += len(quiet)
        else:
            stepped_on = lively[high[lively] > STEPPED_ON * np.median(high[lively])]
            reach = REACH * float(np.sqrt(np.median(layout.areas[under])))
            near = _around(layout.centres[quiet], layout.centres[under], reach) - 1  # not itself
            felt = _around(layout.centres[quiet], layout.centres[stepped_on], reach)
            dead += int(((near >= NEIGHBOURS) & (felt == near)).sum())
    if not dead:
        return []
    return [f"{dead} sensors are dead: they never change, though all around them do." if dead > 1 else
            "1 sensor is dead: it never changes, though all around it do."]


def _around(points: Array, others: Array, reach: float) -> Array:
    """(P,) how many others (O, 2) are within reach of each point (P, 2)."""
    found = np.zeros(len(points))
    for begin in range(0, len(points), 256):  # a few at a time: pads have thousands
        apart = points[begin:begin + 256, None] - others
        found[begin:begin + 256] = (np.hypot(apart[..., 0], apart[..., 1]) < reach).sum(axis=1)
    return found
