"""Leading: a response that steps, with its steps where and when a body catches itself (see ``catch`` and ``onward``), and the body over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bools
from ..signals import runs, smooth_step
from .response import ANKLE, RATE, ROOT

MOST = 2  # steps that are led; what comes after them goes with them
STOOD_S = 0.1  # s after a walker's landing, from when on the foot is where it stands
STEPPED_M = 0.03  # m: a foot that comes down nearer to where it stood has not stepped
PACES = (0.3, 3.0)  # times as fast as it was, that a response is shown


@dataclass(frozen=True)
class Led:
    """Where a step is to come down: foot (0 left, 1 right), s after the push at which it leaves the ground and lands, and m (2,), heading frame, that
    the ankle is then from where the clip has it. nominal: s after which it lands in the clip, where that walks."""

    foot: int
    begin: float
    land: float
    place: Array
    nominal: float = 0.0

    def sized(self, factor: float) -> Led:
        """For a body that is larger by a factor: lengths and times go with it (dynamic similarity)."""
        pace = factor**0.5
        return Led(self.foot, pace * self.begin, pace * self.land, factor * self.place, pace * self.nominal)


@dataclass(frozen=True)
class Landing:
    """A step of a response: foot, its frames in the air, the last frame on which it stands then, and m (2,) that the ankle is there from where the
    motion has it."""

    foot: int
    lift: int
    land: int
    end: int
    place: Array


def landings(frames: Array, contacts: Bools) -> list[Landing]:
    """The steps in frames (K, COLUMNS) and contacts (K, 2) of a response, as they land."""
    found = []
    for foot in (0, 1):
        column = ANKLE.start + 3 * foot
        stances = runs(contacts[:, foot])
        for (_, lift), (land, end) in zip([(0, 0), *stances], stances, strict=False):
            place, before = frames[(land + end - 1) // 2, column:column + 2], frames[max(lift - 1, 0), column:column + 2]
            if land > 0 and np.linalg.norm(place - before) > STEPPED_M:
                found.append(Landing(foot, lift, land, end - 1, place))
    return sorted(found, key=lambda one: one.land)


def walked(frames: Array, contacts: Bools, steps: Array) -> list[Landing]:
    """The same of a walker, whose steps (N, 5) are known, as ``Response.steps``; feet that come down where they would have anyway are among them."""
    found = []
    for foot, seconds in zip(steps[:, 0].astype(int).tolist(), steps[:, 1].tolist(), strict=True):
        land, column = min(int(np.ceil(seconds * RATE - 1e-6)), len(frames) - 1), ANKLE.start + 3 * foot
        stood = np.flatnonzero(contacts[:land, foot] & ~contacts[1:land + 1, foot])
        left = np.flatnonzero(~contacts[land + 1:, foot])
        rests = min(land + round(STOOD_S * RATE), len(frames) - 1)
        end = land + int(left[0]) if len(left) else len(frames) - 1
        found.append(Landing(foot, int(stood[-1]) if len(stood) else 0, land, end, frames[rests, column:column + 2]))
    return found


Pair = tuple[Landing, Led]  # a step of a response, and where it is to be


def matched(own: list[Landing], led: list[Led]) -> list[Pair]:
    """Steps of a response and where they are to be, as long as it is the same foot's turn."""
    pairs = []
    for landing, goal in zip(own, led[:MOST], strict=False):
        if landing.foot != goal.foot:
            break
        pairs.append((landing, goal))
    return pairs


def retimed(pairs: list[Pair], count: int, fps: float, pace: float, shortest: float) -> Array:
    """(n,) frames of a response of ``count`` frames that frames of a clip at ``fps`` show after a push, so that its steps begin and land in time.

    ``pace``: times as fast as it was that it is shown else. ``shortest``: s that it lasts, at least."""
    shown, wanted = [0.0], [0.0]
    for landing, goal in pairs:
        for frame, seconds in ((landing.lift, goal.begin), (landing.land, goal.land)):
            time = seconds - wanted[-1]
            if time > 0.0 and PACES[0] < (frame - shown[-1]) / RATE / time < PACES[1]:
                shown.append(float(frame))
                wanted.append(seconds)
    length = max(wanted[-1] + (count - 1 - shown[-1]) / RATE / pace, shortest)
    since = np.arange(1, int(np.ceil(length * fps)) + 1) / fps
    return np.where(since > wanted[-1], shown[-1] + (since - wanted[-1]) * pace * RATE, np.interp(since, wanted, shown))


def waiting(pairs: list[Pair], frames: Array, late: Array, at: Array, fps: float, pace: float) -> Array:
    """(n,) s by which a clip that walks is late at frames ``at`` (n,) of a response, so that its feet come down when those of the response do.

    frames: (K,) and late: (n,) s, the same as the response has it at its own frames, and at those. The rest as in ``retimed``."""
    gone, wanted = [0.0], [0.0]
    for landing, goal in pairs:
        gone.append(landing.land / RATE / pace - float(frames[landing.land]))
        wanted.append(goal.nominal)
    passed = at / RATE / pace - late
    since = np.arange(1, len(at) + 1) / fps
    shown = np.where(passed > gone[-1], wanted[-1] + passed - gone[-1], np.interp(passed, gone, wanted))
    return np.asarray(since - shown)


def moved(pairs: list[Pair], others: list[Landing], columns: Array, at: Array) -> Array:
    """The columns (n, COLUMNS) of a response at frames ``at`` (n,), with its steps in their places, and the pelvis over the feet.

    ``others``: the steps that come after those, and go with them: in the end all has moved as the foot has that stays."""
    offs, last, stood = np.zeros((len(at), 2, 2)), np.zeros((2, 2)), np.zeros((2, 2))
    for landing, goal in pairs:
        off = goal.place - landing.place
        offs[:, landing.foot] += _done(landing, at) * (off - last[landing.foot])
        last[landing.foot], stood[landing.foot] = off, landing.place
    end = last[int(np.argmin(np.linalg.norm(stood - columns[-1, ROOT][:2], axis=1)))]
    for landing in others:
        offs[:, landing.foot] += _done(landing, at) * (end - last[landing.foot])
        last[landing.foot] = end
    caught = pairs[-1][0].land
    body = offs.mean(axis=1) + smooth_step((at - caught) / max(at[-1] - caught, 1.0))[:, None] * (end - last.mean(axis=0))
    found = columns.copy()
    found[:, ROOT.start:ROOT.start + 2] += body
    for foot in (0, 1):
        found[:, ANKLE.start + 3 * foot:ANKLE.start + 3 * foot + 2] += offs[:, foot]
    for landing, goal in pairs:
        column = ANKLE.start + 3 * landing.foot
        found[(at >= landing.land) & (at <= landing.end), column:column + 2] = goal.place
    return found


def _done(landing: Landing, at: Array) -> Array:
    """(n, 1) how far a step has come at frames (n,), from 0 to 1."""
    return smooth_step((at - landing.lift) / max(landing.land - landing.lift, 1))[:, None]
