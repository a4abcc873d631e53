"""Recognition when the whole recording is there: dynamic time warping of all of it onto the examples at once (thesis, end of section 3.5.3).

At every moment the person is at some frame of some example, or stands quietly. From frame to frame an example goes on, slower or faster; where an
action has ended, any other may begin. The way through the recording that fits best as a whole is found by dynamic programming.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Ints
from .examples import Event, Example, mirrored, windows
from .nearest import AGAIN_S, Nearest, apart

LATENCY = 1.0  # s, of the recogniser whose chances of onsets count along the way
REACH_S = 0.25  # s to either side of a frame that are compared
BEGIN = 2.0  # cost of beginning an action: as much as half a frame that does not fit
ONSET = 4.0  # how much the chance of an onset counts, per unit of its logarithm
STEPS = ((0, 1.0), (1, 0.0), (2, 0.5))  # frames that an example may go on by in one, and what that costs


class Warping:
    """Learns from examples; ``recognise`` finds what was done in a whole recording."""

    def __init__(self, examples: Sequence[Example], *, stance: bool = True, variants: bool = True) -> None:
        """As for ``Nearest``, whose chances of onsets are weighed along the way."""
        self.nearest = Nearest(examples, LATENCY, stance=stance, variants=variants)
        self.reach = round(REACH_S * self.nearest.rate)
        copies = [(number, copy) for number, example in enumerate(examples) for copy in ([example, mirrored(example)] if variants else [example])]
        pieces: list[Array] = []
        quiet: list[Array] = []
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._of: list[tuple[int, int]] = []
        self._names: list[str] = []
        count = 0
        for number, example in copies:
            seen = self._seen(example.track.per_foot)
            quiet.append(seen[example.quiet_frames()])
            for which, action in enumerate(example.actions):
                start, end = example.frame(action.start), example.frame(action.end)
                # An action that the track ends in is not known to its end.
                if action.name and end > start and action.end <= example.track.times[-1]:
                    pieces.append(seen[start:end])
                    self._begins.append(count)
                    count += end - start
                    self._ends.append(count - 1)
                    self._of.append((number, which))
                    self._names.append(action.name)
        self._frames = np.concatenate(pieces)
        self._scale = np.maximum(self._frames.std(axis=0), 1e-6)
        still = np.concatenate(quiet)
        self._still = still[:: max(1, len(still) // 200)] if len(still) else self._frames[:1] * 0.0

    def _seen(self, per_foot: Array) -> Array:
        """(T, W K) what is compared on each frame of features (T, K)."""
        found = windows(per_foot / self.nearest.scale, np.arange(len(per_foot)), self.reach, self.reach)
        if not self.nearest.stance:
            found = np.diff(found, axis=1)
        return found.reshape(len(found), -1)

    def recognise(self, per_foot: Array, times: Array) -> list[Event]:
        """What was done in features (T, K) at times (T,) s."""
        seen = self._seen(per_foot)
        costs = apart(seen / self._scale, self._frames / self._scale) / seen.shape[1]
        still = apart(seen / self._scale, self._still / self._scale).min(axis=1) / seen.shape[1]
        chances = self.nearest.chances(per_foot)
        begin = np.array([self.nearest.names.index(name) for name in self._names])
        onset = -ONSET * np.log(np.clip(chances[:, 1:], 1e-3, 1.0) / np.clip(chances[:, :1], 1e-3, 1.0))[:, begin]
        way = self._way(costs, still, onset)
        events: list[Event] = []
        for frame, state in enumerate(way):
            if frame > 0 and state in self._begins and way[frame - 1] != state:
                which = self._begins.index(state)
                chance = float(chances[frame, 1 + begin[which]])
                number, action = self._of[which]
                event = Event(self._names[which], float(times[frame]), float(times[-1]), chance, number, action)
                if events and event.onset - events[-1].onset < AGAIN_S:
                    # Begun twice at once is begun once.
                    events[-1] = max(events[-1], event, key=lambda one: one.confidence)
                else:
                    events.append(event)
        return events

    def _way(self, costs: Array, still: Array, onset: Array) -> Ints:
        """(T,) the frame of the examples that each frame is, or −1 for quiet standing: the cheapest way through costs (T, N) and those of standing
        still (T,), where action a begins at a further cost onset (T, A)."""
        frames, count = costs.shape
        begins, ends = np.array(self._begins), np.array(self._ends)
        last_of = np.repeat(ends, ends - begins + 1)
        first_of = np.repeat(begins, ends - begins + 1)
        position = np.arange(count)
        ahead = [position - step >= first_of for step, _ in STEPS]
        total, quiet = costs[0].copy(), float(still[0])
        came = np.zeros((frames, count), dtype=int)
        quiet_came = np.zeros(frames, dtype=int)
        near_end = position >= last_of - 1  # an action may be cut short by a frame
        for frame in range(1, frames):
            ended = np.where(near_end, total, np.inf)
            best_end = int(ended.argmin())
            options = np.stack([np.where(possible, total[np.maximum(position - step, 0)] + price, np.inf)
                                for possible, (step, price) in zip(ahead, STEPS, strict=True)])
            choice = options.argmin(axis=0)
            value = options[choice, position]
            origin = position - np.array([step for step, _ in STEPS])[choice]
            before, where = (quiet, -1) if quiet <= ended[best_end] else (float(ended[best_end]), best_end)
            fresh = before + BEGIN + onset[frame]
            better = fresh < value[begins]
            value[begins[better]], origin[begins[better]] = fresh[better], where
            came[frame], quiet_came[frame] = origin, where
            total, quiet = value + costs[frame], before + float(still[frame])
        way = np.zeros(frames, dtype=int)
        way[-1] = -1 if quiet <= total.min() else int(total.argmin())
        for frame in range(frames - 1, 0, -1):
            way[frame - 1] = quiet_came[frame] if way[frame] < 0 else came[frame, way[frame]]
        return way
