"""Which action of a database is played when one was recognised: the one that is most like what the feet did around the onset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .examples import Action, Event, Example, mirrored, other_side, windows
from .library import Library, Part

LOOK_BACK_S = 0.25  # s before an onset that are compared
SLACK_S = 0.25  # s by which what is played may be too early or too late
MIRRORED = 1.2  # times as unlike must an action be that was done on the right side, before a mirrored one is played instead


@dataclass(frozen=True, eq=False)
class Choice:
    """A part of the library, from ``start`` until ``end`` (s of it), and how unlike what was recognised is what the feet did."""

    part: Part
    start: float
    end: float
    unlike: float


class Choices:
    """All actions of a library that have a name, and their mirror images, with what the feet do around their onsets."""

    def __init__(self, library: Library, rate: float, latency: float) -> None:
        """``rate``: frames a second of the features that are compared. ``latency``: s after an onset that are."""
        self.library = library
        self.back, self.ahead = round(LOOK_BACK_S * rate), int(latency * rate + 1e-6)
        self._names: list[str] = []
        self._of: list[tuple[int, int, bool]] = []
        rows = []
        for part, take in enumerate(library.database.takes):
            for example, flipped in ((take.example, False), (mirrored(take.example), True)):
                for number, action in enumerate(example.actions):
                    if action.name:
                        self._names.append(action.name)
                        self._of.append((part, number, flipped))
                        rows.append(self._around(example, action))
        self._rows = np.array(rows)
        # How the person who is recognised does it is not played, but is what to compare with.
        self._others = [(action.name, self._around(example, action)) for example in library.database.calibration for action in example.actions]
        every = np.concatenate([take.example.track.per_foot for take in library.database.takes])
        self._scale = np.maximum(every.std(axis=0), 1e-6)

    @property
    def window(self) -> int:
        """Frames that are compared."""
        return self.back + 1 + self.ahead

    def _around(self, example: Example, action: Action) -> Array:
        """(W, K) features around the onset of an action."""
        return np.asarray(windows(example.track.per_foot, np.array([example.frame(action.start)]), self.back, self.ahead)[0])

    def best(self, event: Event, seen: Array) -> Choice:
        """What is played for an event; ``seen``: features (W, K) around its onset."""
        name = self.library.database.shown(event.name)
        own = [number for number, one in enumerate(self._names) if one == name]
        away = self._away(self._rows[own], seen)
        # A kick with the left leg is a better one than the mirror image of one with the right; where names have no side, it counts what is alike.
        flipped = np.array([self._of[number][2] for number in own])
        away = np.where(flipped, (MIRRORED if other_side(name) == name else MIRRORED**2) * away, away)
        part, number, mirror = self._of[own[int(away.argmin())]]
        action = self.library.database.takes[part].example.actions[number]
        found = self.library.part(part, action.start, action.end)
        same = [row for one, row in zip(self._names, self._rows, strict=True) if one == event.name]
        same += [row for one, row in self._others if one == event.name]
        return Choice(found.mirrored if mirror else found, action.start, action.end, float(self._away(np.array(same), seen).min()))

    def _away(self, rows: Array, seen: Array) -> Array:
        """(N,) how unlike features (W, K) are rows (N, W, K) of them."""
        return np.asarray((((rows - seen) / self._scale) ** 2).mean(axis=(1, 2)))

    def unlike(self, part: Part, at: float, pace: float, seen: Array) -> float:
        """How unlike what is played, at s ``at`` of a part, is what the feet do, ``seen`` as for ``best``: at its best within ``SLACK_S``."""
        track = part.example.track
        slack = round(SLACK_S * track.rate)
        around = at + (pace * np.arange(-self.back, self.ahead + 1) + np.arange(-slack, slack + 1)[:, None]) / track.rate
        frames = np.clip(np.round((around - track.times[0]) * track.rate).astype(int), 0, len(track.times) - 1)
        return float(self._away(track.per_foot[frames], seen).min())
