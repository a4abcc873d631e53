"""What recognisers learn from and what they say: tracks with actions and quiet pieces marked in them, and events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Array, Bools, Ints
from .features import Track


@dataclass(frozen=True)
class Action:
    """Somebody does something: its name, and s of the track from its onset until its end. What has no name ("") is neither learnt nor judged."""

    name: str
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class Example:
    """A track in which it is known what was done.

    Attributes:
        track: the features. actions: in order of time. quiet: (start, end) s of quiet standing.
        source: of what clip it is.
    """

    track: Track
    actions: list[Action]
    quiet: list[tuple[float, float]] = field(default_factory=list)
    source: str = ""

    def frame(self, time: float) -> int:
        """The frame nearest to a time."""
        return int(np.clip(round((time - self.track.times[0]) * self.track.rate), 0, len(self.track.times) - 1))

    def quiet_frames(self) -> Bools:
        """(T,) which frames are quiet."""
        on = np.zeros(len(self.track.times), dtype=bool)
        for start, end in self.quiet:
            on |= (self.track.times >= start) & (self.track.times <= end)
        return on


@dataclass(frozen=True)
class Event:
    """A recogniser says that an action began.

    Attributes:
        name: of the action. onset: s at which it began. said: s of the stream at which it is said. confidence: from 0 to 1.
        example, action: which of those that were learnt from is most like it, and which of its actions.
    """

    name: str
    onset: float
    said: float
    confidence: float
    example: int
    action: int


def windows(values: Array, frames: Ints, back: int, ahead: int) -> Array:
    """(N, back + 1 + ahead, K) of values (T, K) around frames (N,); before the first and after the last frame those are held."""
    at = np.clip(frames[:, None] + np.arange(-back, ahead + 1), 0, len(values) - 1)
    return values[at]


def other_side(name: str) -> str:
    """A name with left and right exchanged."""
    return name.replace("left", "\0").replace("right", "left").replace("\0", "right")


def mirrored(example: Example) -> Example:
    """The example as a person would do it on the other side."""
    track = example.track
    ten = track.ten[:, [0, 1, 3, 2, 4, 5, 6, 7, 8, 9]] * ([1.0, -1.0] + 8 * [1.0])
    per_foot = track.per_foot[:, [1, 0, 3, 2, 4, 5, 6, 7, 8, 9, 12, 13, 10, 11]] * [1, 1, 1, 1, 1, -1, -1, 1, 1, -1, 1, -1, 1, -1]
    actions = [replace(action, name=other_side(action.name)) for action in example.actions]
    return replace(example, track=replace(track, ten=ten, per_foot=per_foot), actions=actions)


def without(example: Example, names: set[str]) -> Example:
    """The example with these names taken away: what they were is neither learnt nor judged."""
    return replace(example, actions=[replace(action, name="") if action.name in names else action for action in example.actions])


def warped(example: Example, longer: float) -> Example:
    """The example done in ``longer`` times its time."""
    track, first = example.track, float(example.track.times[0])
    times = first + np.arange(int((len(track.times) - 1) * longer) + 1) / track.rate
    source = first + (times - first) / longer

    def stretched(values: Array, velocities: list[int]) -> Array:
        found = np.stack([np.interp(source, track.times, column) for column in values.T], axis=1)
        found[:, velocities] /= longer
        return found

    def moved(time: float) -> float:
        return first + (time - first) * longer

    return Example(Track(times, track.rate, stretched(track.ten, [0, 1]), stretched(track.per_foot, list(range(8, 14)))),
                   [replace(action, start=moved(action.start), end=moved(action.end)) for action in example.actions],
                   [(moved(start), moved(end)) for start, end in example.quiet], example.source)


def between(example: Example, start: float, end: float) -> Example:
    """The piece of an example from ``start`` until before ``end``, s, with the actions that begin in it."""
    track = example.track
    on = (track.times >= start) & (track.times < end)
    return Example(replace(track, times=track.times[on], ten=track.ten[on], per_foot=track.per_foot[on]),
                   [action for action in example.actions if start <= action.start < end],
                   [(max(one, start), min(other, end)) for one, other in example.quiet if one < end and other > start], example.source)
