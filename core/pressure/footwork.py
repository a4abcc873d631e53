"""What is known of when feet stand: of all of a recording, or of as much as was heard so far."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from .recording import LEFT, RIGHT, Recording
from .stances import stances

# Both feet down for longer (s) is standing, and not a part of a step; of one foot, of which the other is not known, its own stance.
STANDS_S, ONE_STANDS_S = 0.6, 1.2
STRIDE_S, SWING_S = 2.2, 1.0  # no stride, and no swing, of someone who walks takes longer (s)
USUAL_STRIDE_S, USUAL_STANCE = 1.1, 0.62  # s of a stride, and the share of it that a foot stands, of people about whom nothing is known


@dataclass(frozen=True)
class Footwork:
    """When feet stand.

    Attributes:
        spans: of the left and the right foot (strike, lift) s in order; -inf where it stood before, inf where it stands on or is not known yet.
        until: s up to which this is known; what is later may come.
    """

    spans: tuple[list[tuple[float, float]], list[tuple[float, float]]]
    until: float

    def at(self, foot: int, time: float) -> tuple[float, float] | None:
        """The stance of a foot at a time; None where it is in the air."""
        found = self.last(foot, time)
        return found if found and time < found[1] else None

    def last(self, foot: int, time: float) -> tuple[float, float] | None:
        """The stance of a foot that began last."""
        index = bisect_right(self.spans[foot], (time, inf)) - 1
        return self.spans[foot][index] if index >= 0 else None

    def next_strike(self, foot: int, time: float) -> float | None:
        """s of its first strike after a time, if it is known."""
        index = bisect_right(self.spans[foot], (time, inf))
        return self.spans[foot][index][0] if index < len(self.spans[foot]) else None

    def next_lift(self, foot: int, time: float) -> float | None:
        """s of its first lift after a time, if it is known."""
        return next((lift for _, lift in self.spans[foot] if time < lift < inf), None)

    def step_time(self, before: float) -> float | None:
        """s of a step, by the last stride before a time, or else by the first of all; where there is none, by a step; None where nobody walks."""
        steps = sorted((later, 0.5 * (later - strike)) for spans in self.spans for (strike, _), (later, _) in pairwise(spans)
                       if later - strike < STRIDE_S)
        if not steps:
            strikes = sorted(strike for spans in self.spans for strike, _ in spans if strike > -inf)
            steps = [(later, later - strike) for strike, later in pairwise(strikes) if later - strike < 0.5 * STRIDE_S]
        return next((length for end, length in reversed(steps) if end <= before), steps[0][1]) if steps else None


def footwork_in(recording: Recording) -> Footwork:
    """Of a whole recording of insoles; where all stances are of one foot, the other one is put between them."""
    spans = [[(-inf if stance.strike is None else stance.strike, inf if stance.lift is None else stance.lift)
              for stance in stances(recording) if stance.foot == foot] for foot in (LEFT, RIGHT)]
    return completed(spans, [bool(own) for own in spans], float(recording.times[-1]))


def completed(spans: list[list[tuple[float, float]]], measured: Sequence[bool], until: float) -> Footwork:
    """Of what both feet did; where only one of them was ``measured``, the other one is put between its stances; where none was, both stand."""
    left, right = spans
    if measured[0] and not measured[1]:
        right = _between(left, until)
    elif measured[1] and not measured[0]:
        left = _between(right, until)
    elif not any(measured):
        left = right = [(-inf, inf)]
    return Footwork((left, right), until)


def turns_taken(footwork: Footwork, time: float) -> int:
    """How many swings, left and right in turn and without a rest between them, belong to what the feet do at a time (s): 0 where they stand."""
    swings = sorted((lift, strike, foot) for foot in (0, 1)
                    for (_, lift), (strike, _) in pairwise([*footwork.spans[foot], (inf, inf)]) if lift < inf)
    taken: list[tuple[float, float, int]] = []
    for lift, strike, foot in swings:
        before = taken[-1] if taken else None
        if before and (before[2] == foot or lift - before[1] > STANDS_S or before[1] - before[0] > SWING_S):
            if time < before[1] + STANDS_S:
                break
            taken = []
        taken.append((lift, strike, foot))
    return len(taken) if taken and taken[0][0] <= time < taken[-1][1] + STANDS_S else 0


def only_walks(footwork: Footwork) -> bool:
    """Whether all that the feet do is walking."""
    swings = [lift for foot in (0, 1) for _, lift in footwork.spans[foot] if 0.0 < lift < inf]
    return bool(swings) and all(turns_taken(footwork, lift) >= 2 for lift in swings)


def begins_walking(footwork: Footwork) -> bool:
    """Whether the recording begins in the middle of a walk, and not with someone who stands."""
    lifts = [footwork.next_lift(foot, 0.0) for foot in (0, 1)]
    if any(footwork.at(foot, 0.0) is None for foot in (0, 1)):
        return any(spans for spans in footwork.spans)
    return any(lift is not None and lift < STANDS_S for lift in lifts)


def with_past(footwork: Footwork, strides: int = 3) -> Footwork:
    """The same with some strides before the recording, in the cadence of its first ones, of someone who was walking already."""
    step = footwork.step_time(-inf) or 0.5 * USUAL_STRIDE_S
    firsts = [_first(footwork.spans[foot], step) for foot in (0, 1)]
    spans = []
    for foot in (0, 1):
        own, found, other = footwork.spans[foot], firsts[foot], firsts[1 - foot]
        first = found if found is not None else other + step if other is not None else foot * step
        rest = [(first, own[0][1]), *own[1:]] if own and own[0][0] == -inf else own
        stance = _stance(own, step)
        spans.append([*((first - 2 * step * n, first - 2 * step * n + stance) for n in range(strides, 0, -1)), *rest])
    return Footwork((spans[0], spans[1]), footwork.until)


def _stance(own: list[tuple[float, float]], step: float) -> float:
    """s that a foot stands in a stride, by the first stance of which all is known."""
    return next((lift - strike for strike, lift in own if strike > -inf and lift - strike < STRIDE_S), USUAL_STANCE * 2 * step)


def _first(own: list[tuple[float, float]], step: float) -> float | None:
    """s at which a foot struck first, also before the recording; None where it is not known."""
    if not own or own[0][0] > -inf:
        return own[0][0] if own else None
    known = own[0][1] - _stance(own, step) if own[0][1] < inf else own[1][0] - 2 * step if len(own) > 1 else -0.25 * step
    return min(known, -0.02)  # it stood when the recording began


def _between(own: list[tuple[float, float]], until: float) -> list[tuple[float, float]]:
    """The stances of a foot that was not measured: it strikes half-way between the strikes of the other one, and swings for as long."""
    found: list[tuple[float, float]] = []
    stands = -inf  # since when it stands, if it does
    stride, swing = USUAL_STRIDE_S, (1.0 - USUAL_STANCE) * USUAL_STRIDE_S
    known = [later - strike for (strike, _), (later, _) in pairwise(own) if later - strike < STRIDE_S]
    stride = known[0] if known else stride
    for index, (strike, lift) in enumerate(own):
        later = own[index + 1][0] if index + 1 < len(own) else inf
        long = lift - max(strike, 0.0) > ONE_STANDS_S if lift < inf else until - max(strike, 0.0) > ONE_STANDS_S
        if later - strike < STRIDE_S:
            stride = later - strike
        if later < inf and lift < inf:
            swing = min(later - lift, 0.45 * stride)
        if long and strike > -inf:
            # It comes beside the other, and both stand.
            middle = strike + 0.5 * stride
        elif long:
            continue
        else:
            begun = strike if strike > -inf else lift - USUAL_STANCE * stride
            middle = begun + 0.5 * (later - begun if later - begun < STRIDE_S else stride)
        if middle - swing > max(stands, 0.0) or stands == -inf:
            found.append((stands, middle - swing))
            stands = middle
    found.append((stands, inf))
    return [span for span in found if span[1] > span[0]]
