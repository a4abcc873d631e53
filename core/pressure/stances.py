"""Steps in a recording: when a foot comes down, and when it is lifted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bools
from ..signals import runs
from .loads import feet_of, force
from .recording import Recording

# Shares of a foot's usual greatest force: it stands from the first on, until there is less than the second.
LOAD_ON, LOAD_OFF = 0.10, 0.06
# Per cent of the frames whose force is below the usual greatest one.
USUAL_PEAK = 98.0
# No swing and no stance of a person is shorter (s).
SWING_S, STANCE_S = 0.12, 0.05
# Silence of a device (s) that is bridged.
BRIDGED_S = 0.2
# Of a device that is not calibrated: per cent of the frames in which the foot is in the air; and the share of the greatest force above which even
# these frames show a foot that stands.
IN_THE_AIR, STANDS = 2.0, 0.5


@dataclass(frozen=True)
class Stance:
    """A foot (LEFT, RIGHT, or EITHER of a pad) on the ground.

    strike, lift: s; None where the recording began or ended with the foot on the ground. peak: N, or counts.
    """

    foot: int
    strike: float | None
    lift: float | None
    peak: float


def stances(recording: Recording) -> list[Stance]:
    """All of them, in the order in which they began."""
    found = [stance for foot in feet_of(recording) for stance in of_force(recording.times, force(recording, foot), foot, recording.calibrated)]
    return sorted(found, key=lambda stance: (-1.0 if stance.strike is None else stance.strike, stance.foot))


def of_force(times: Array, felt: Array, foot: int, calibrated: bool = True) -> list[Stance]:
    """The stances of a foot from its force (T,) over times (T,)."""
    if not np.isfinite(felt).any():
        return []
    level = bridged(times, felt)
    peak = float(np.percentile(level, USUAL_PEAK))
    if not calibrated:
        floor = float(np.percentile(level, IN_THE_AIR))
        if floor < STANDS * peak:
            level, peak = level - floor, peak - floor
    if peak <= 0.0:
        return []
    standing = _without_chatter(times, _hysteresis(level, LOAD_ON * peak, LOAD_OFF * peak))
    # A foot that stands when its sensors are first heard, or last, did not come down then.
    first, *_, last = np.flatnonzero(np.isfinite(felt)).repeat(2)
    return [Stance(foot, _crossing(times, level, start, LOAD_ON * peak) if start > first else None,
                   _crossing(times, level, end, LOAD_OFF * peak) if end <= last else None, float(np.nanmax(felt[start:end], initial=0.0)))
            for start, end in runs(standing)]


def bridged(times: Array, felt: Array) -> Array:
    """(T,) with short silences bridged; a foot that says nothing for longer is taken for one in the air."""
    silent = np.isnan(felt)
    level = np.where(silent, 0.0, felt)
    for start, end in runs(silent):
        if start > 0 and end < len(felt) and times[end] - times[start - 1] <= BRIDGED_S:
            level[start:end] = np.interp(times[start:end], times[[start - 1, end]], felt[[start - 1, end]])
    return level


def _hysteresis(level: Array, on: float, off: float) -> Bools:
    """(T,) True from where it is above ``on`` until it is below ``off``."""
    said = np.where(level > on, 1, np.where(level < off, 0, -1))
    at = np.maximum.accumulate(np.where(said >= 0, np.arange(len(said)), -1))
    return np.where(at >= 0, said[np.maximum(at, 0)] == 1, level > off)


def _without_chatter(times: Array, standing: Bools) -> Bools:
    """Without swings, then without stances, that are too short."""
    standing = standing.copy()
    for of, shortest in ((False, SWING_S), (True, STANCE_S)):
        for start, end in runs(standing == of):
            if start > 0 and end < len(times) and times[end] - times[start] < shortest:
                standing[start:end] = not of
    return standing


def _crossing(times: Array, level: Array, at: int, threshold: float) -> float:
    """When, between the frame before ``at`` and ``at``, the level went through a threshold."""
    before, after = float(level[at - 1]), float(level[at])
    share = (threshold - before) / (after - before) if after != before else 1.0
    return float(times[at - 1] + min(max(share, 0.0), 1.0) * (times[at] - times[at - 1]))
