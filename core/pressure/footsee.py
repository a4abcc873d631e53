"""The recogniser of the thesis (section 3.4): activity, windows around onsets with hat weights, the quiet motion as a candidate, quality relative to
activity, and monitoring with a time warp before a new search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from .examples import Event, Example, windows

LOOK_BACK = 6  # frames
LATENCY_FRAMES = 2  # the frame itself and one of buffering, on top of those ahead
ACTIVE_SHARE = 0.95  # of the quiet frames that are learnt from are less active than what is active
WARP = 2  # frames that a motion may be slower or faster from one to the next
# Of the frames of two actions of the same name, one beside the other from their onsets on, this share match better than what is given up. The thesis
# does not say how poor a match is given up.
MATCHING = 0.99


def frames_ahead(latency: float, rate: float) -> int:
    """How many frames may be looked at after the one that is recognised, for a latency in s."""
    return max(0, round(latency * rate + 1e-6) - LATENCY_FRAMES)


class FootSee:
    """Learns from examples; ``stream`` recognises."""

    def __init__(self, examples: Sequence[Example], latency: float = 1.0) -> None:
        """All examples have the same rate. ``latency``: s, from which the frames ahead follow: ten at 12 Hz and one second."""
        self.examples = list(examples)
        rate = examples[0].track.rate
        self.ahead, self.latency = frames_ahead(latency, rate), latency
        everything = np.concatenate([example.track.ten for example in examples])
        quiet = np.concatenate([example.track.ten[example.quiet_frames()] for example in examples])
        quiet = quiet if len(quiet) > 1 else everything
        self.variance = np.maximum(everything.var(axis=0), 1e-12)
        self.quiet, self.quiet_variance = quiet.mean(axis=0), np.maximum(quiet.var(axis=0), 1e-3 * self.variance)
        self.active = float(np.quantile(self.activity(quiet), ACTIVE_SHARE))
        steps = np.arange(-LOOK_BACK, self.ahead + 1)
        self.hat = np.where(steps <= 0, 1 + steps / (LOOK_BACK + 1), 1 - steps / (self.ahead + 1))
        self.onsets = [(number, which) for number, example in enumerate(examples) for which, action in enumerate(example.actions) if action.name]
        self.names = [examples[number].actions[which].name for number, which in self.onsets]
        self.templates = np.array([windows(example.track.ten, np.array([example.frame(action.start)]), LOOK_BACK, self.ahead)[0]
                                   for example in examples for action in example.actions if action.name])
        self.still = np.broadcast_to(self.quiet, self.templates.shape[1:])
        self.poor = self._usual()

    def activity(self, rows: Array) -> Array:
        """(N,) how far features (N, 10) are from quiet standing, in its own scatter."""
        return ((rows - self.quiet) ** 2 / self.quiet_variance).sum(axis=-1)

    def distances(self, window: Array, templates: Array) -> Array:
        """(N,) motion distance (equation 3.2) of a window (W, 10) from templates (N, W, 10)."""
        return (self.hat * ((window - templates) ** 2 / self.variance).sum(axis=-1)).sum(axis=-1)

    def _usual(self) -> float:
        """The quality, distance relative to activity, that actions match each other with: see ``MATCHING``."""
        found = []
        for number, template in enumerate(self.templates):
            others = [other for other, name in enumerate(self.names) if other != number and name == self.names[number]]
            if others:
                best = others[int(self.distances(template, self.templates[others]).argmin())]
                for one, other in zip(self._along(number), self._along(best), strict=False):
                    found.append(float(self.distances(one, other[None])[0]) / self._liveliness(one, other))
        return float(np.quantile(found, MATCHING)) if found else np.inf

    def _along(self, template: int) -> Array:
        """(N, W, 10) the windows of an action from its onset to its end."""
        number, which = self.onsets[template]
        example = self.examples[number]
        action = example.actions[which]
        return windows(example.track.ten, np.arange(example.frame(action.start), example.frame(action.end)), LOOK_BACK, self.ahead)

    def _liveliness(self, window: Array, template: Array) -> float:
        """Activity of both windows where they are aligned."""
        return float(self.activity(window[LOOK_BACK]) + self.activity(template[LOOK_BACK])) + 1e-9

    def stream(self, track_ten: Array, times: Array) -> list[Event]:
        """What is recognised in features (T, 10) at times (T,) s, each frame with no more of what follows than the latency allows."""
        events: list[Event] = []
        activity = self.activity(track_ten)
        playing: tuple[int, int] | None = None  # the template that is followed, and the frame of its example
        for frame in range(len(track_ten) - self.ahead):
            window = windows(track_ten, np.array([frame]), LOOK_BACK, self.ahead)[0]
            if playing is not None:
                playing = self._monitored(window, *playing)
                if playing is not None:
                    continue
            if activity[frame] <= self.active:
                continue
            apart = self.distances(window, self.templates)
            best = int(apart.argmin())
            if self.distances(window, self.still[None])[0] <= apart[best]:
                continue
            number, which = self.onsets[best]
            playing = best, self.examples[number].frame(self.examples[number].actions[which].start)
            others = apart[[name != self.names[best] for name in self.names]]
            confidence = float(1.0 - apart[best] / others.min()) if len(others) and others.min() > 0 else 1.0
            events.append(Event(self.names[best], float(times[frame]), float(times[frame]) + self.latency, confidence, number, which))
        return events

    def _monitored(self, window: Array, template: int, at: int) -> tuple[int, int] | None:
        """The template that goes on, and its next frame, warped where that is nearer; None where it has ended or does not match any more."""
        number, which = self.onsets[template]
        example = self.examples[number]
        last = example.frame(example.actions[which].end)
        candidates = np.arange(at + 1 - WARP, at + 2 + WARP)
        candidates = candidates[(candidates >= 0) & (candidates < len(example.track.times))]
        if not len(candidates) or at + 1 >= last:
            return None
        views = windows(example.track.ten, candidates, LOOK_BACK, self.ahead)
        apart = self.distances(window, views) + 1e-6 * np.abs(candidates - at - 1)
        best = int(apart.argmin())
        # Held at the same frame for long is no motion: at least it creeps on.
        following = max(int(candidates[best]), at + (1 if candidates[best] <= at - 1 else 0))
        if apart[best] / self._liveliness(window, views[best]) > self.poor:
            return None
        return template, following
