"""A better recogniser than that of the thesis: nearest windows, in a space in which the moments of actions stand apart.

Every frame of the examples is a candidate, not only onsets: windows of quiet standing and of the middle of actions speak against a new onset. The
space is that of Fisher's discriminants of the phases of the actions, so what tells moments apart counts, and what varies within one does not. Each
example is also learnt mirrored, slower and faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Ints
from .examples import Event, Example, mirrored, warped, windows
from .features import STANCE

LOOK_BACK_S = 0.5  # s before a frame that its window begins
NEAR_S = 0.09  # s from an onset up to which windows are its own; those of the next so many s are neither
PHASES = 6  # pieces of an action that are to stand apart
SHRUNK = 0.2  # share of the scatter within phases that is taken to be alike in all directions: there are few examples
DIRECTIONS = 20  # of the space, at most
NEIGHBOURS = 3  # whose mean distance counts
# Windows of nothing are so many that some are near to everything. Against an action of which fewer examples than this are known, more of them have to
# be near, by the square; and it is not known so well what is unlike it.
ENOUGH = 22
CERTAINTY = 4.0  # by so much squared distance is an action e times likelier than another
LIKELY = 0.5  # chance above which an onset is said
# What is less alike than so many times what onsets of a name are among each other (all but this share of them) is something unknown; and what changes
# less than so many times what they change by (again) is quiet.
UNLIKE, LIVELY, ODD = 1.3, 0.75, 0.05
CHANGES = [0, 1, 4, 5]  # the features by which it is seen: forces and centre of pressure
AGAIN_S = 0.35  # s after an onset in which there is no other
WARPS = (0.88, 1.13)


@dataclass(frozen=True, eq=False)
class _Space:
    """Windows (N, W, K) become points (N, D): scaled by (K,), less ``middle`` (W K,), times ``directions`` (W K, D)."""

    scale: Array
    middle: Array
    directions: Array

    def points(self, flat: Array) -> Array:
        return (flat - self.middle) @ self.directions


class Nearest:
    """Learns from examples; ``stream`` recognises.

    Attributes:
        names: of the actions that are known. scale: (K,) of the features, by which they are made alike. rate: frames a second.
    """

    def __init__(self, examples: Sequence[Example], latency: float = 0.5, *, stance: bool = True, variants: bool = True) -> None:
        """All examples have the same rate.

        Args:
            latency: s from an onset until it is said, at most. One frame of it is spent on seeing that the next one is not likelier.
            stance: whether it counts how somebody stands, or only how that changes within a window.
            variants: learn mirrored, slower and faster copies, too.
        """
        self.rate = examples[0].track.rate
        self.stance, self.latency = stance, latency
        self.back, self.ahead = round(LOOK_BACK_S * self.rate), max(0, int(latency * self.rate + 1e-6) - 1)
        learnt = list(enumerate(examples))
        if variants:
            learnt += [(number, mirrored(example)) for number, example in learnt]
            learnt += [(number, warped(example, longer)) for number, example in learnt for longer in WARPS]
        self.names = sorted({action.name for _, example in learnt for action in example.actions if action.name})
        scale = np.concatenate([example.track.per_foot for example in examples]).std(axis=0)
        self.scale = np.maximum(scale, 1e-6)
        pieces = [self._learnt(number, example) for number, example in learnt]
        rows, kinds, phases, whose = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        self._space = _Space(self.scale, rows.mean(axis=0), _discriminants(rows, phases))
        self._points, self._kinds, self._whose = self._space.points(rows), kinds, whose
        self._strange, self._quiet = self._limits(rows)

    def _learnt(self, number: int, example: Example) -> tuple[Array, Ints, Ints, Ints]:
        """Of all windows of an example: flat (N, W K); what begins there (N,): 0 nothing, 1… the actions by name; its phase (N,), a number for each
        piece of each action; and the example and action (N, 2) that it is of."""
        frames = len(example.track.times)
        kinds, phases = np.zeros(frames, dtype=int), np.zeros(frames, dtype=int)
        whose = np.full((frames, 2), (number, -1))
        near = round(NEAR_S * self.rate)
        for which, action in enumerate(example.actions):
            start, end = example.frame(action.start), example.frame(action.end)
            if not action.name:
                kinds[max(0, start - 2 * near):end] = -1
                continue
            name = 1 + self.names.index(action.name)
            phases[start:end] = name * (PHASES + 1) + np.linspace(0, PHASES, end - start, endpoint=False).astype(int)
            beside = np.arange(max(0, start - 2 * near), min(frames, start + 2 * near + 1))
            kinds[beside] = np.where(np.abs(beside - start) <= near, name, np.where(kinds[beside] > 0, kinds[beside], -1))
            whose[start:end] = number, which
        phases = np.where(kinds > 0, -kinds, phases)
        inside = (np.arange(frames) >= self.back) & (np.arange(frames) < frames - self.ahead) & (kinds >= 0)
        return self._flat(self._windows(example.track.per_foot, np.flatnonzero(inside))), kinds[inside], phases[inside], whose[inside]

    def _limits(self, rows: Array) -> tuple[Array, float]:
        """Squared distance (A,) from which on windows are unlike the onsets of each name, and the change up to which they are quiet, of what was
        learnt as flat windows (N, W K)."""
        strange = np.full(len(self.names), np.inf)
        for kind in range(1, 1 + len(self.names)):
            own = self._kinds == kind
            between = apart(self._points[own], self._points[own])
            # Windows of the same action, also of its copies, say nothing of how alike two of them are.
            same = (self._whose[own][:, None] == self._whose[own][None]).all(axis=2)
            found = np.sort(np.where(same, np.inf, between), axis=1)[:, :NEIGHBOURS]
            found = found[np.isfinite(found).all(axis=1)]
            if len(found):
                strange[kind - 1] = UNLIKE * self._few(kind) * np.quantile(found.mean(axis=1), 1 - ODD)
        begins = self._kinds > 0
        return strange, LIVELY * float(np.quantile(self._change(rows[begins]), ODD)) if begins.any() else 0.0

    def _few(self, kind: int) -> float:
        """1, or how many times too few examples of an action are known."""
        return max(1.0, ENOUGH / max(1, len(np.unique(self._whose[self._kinds == kind], axis=0))))

    def _change(self, flat: Array) -> Array:
        """(N,) how much forces and centre of pressure change within flat windows (N, W K), in their usual scatter."""
        moving = flat.reshape(len(flat), self.window, -1)[:, :, CHANGES]
        return np.sqrt(((moving - moving.mean(axis=1, keepdims=True)) ** 2).mean(axis=(1, 2)))

    @property
    def window(self) -> int:
        """Frames that are looked at to tell what begins on one of them."""
        return self.back + 1 + self.ahead

    def _flat(self, looked_at: Array) -> Array:
        """(N, W K) of windows (N, W, K) of features."""
        found = looked_at / self.scale
        if not self.stance:
            found[:, :, STANCE] -= found[:, :2, STANCE].mean(axis=1, keepdims=True)
        return found.reshape(len(found), found.shape[1] * found.shape[2])

    def _windows(self, per_foot: Array, frames: Ints) -> Array:
        """(N, W, K) of features (T, K) around frames (N,)."""
        return windows(per_foot, frames, self.back, self.ahead)

    def chances(self, per_foot: Array) -> tuple[Array, Ints]:
        """(T, 1 + A) how likely it is that nothing, or each of the actions by name, begins on a frame of features (T, K); and (T, 2) the example and
        the action that are most like it."""
        return self.chances_at(self._windows(per_foot, np.arange(len(per_foot))))

    def chances_at(self, looked_at: Array) -> tuple[Array, Ints]:
        """As ``chances``, of windows (T, W, K) of features."""
        flat = self._flat(looked_at)
        away = apart(self._space.points(flat), self._points)
        nothing = np.sort(away[:, self._kinds == 0], axis=1)
        odds = np.zeros((len(flat), 1 + len(self.names)))
        odds[:, 0] = 1.0
        quiet = self._change(flat) < self._quiet
        for kind in range(1, 1 + len(self.names)):
            own = away[:, self._kinds == kind]
            near = np.sort(own, axis=1)[:, :NEIGHBOURS].mean(axis=1) if own.size else np.full(len(flat), np.inf)
            against = nothing[:, :round(NEIGHBOURS * self._few(kind) ** 2)].mean(axis=1)
            fits = (near <= self._strange[kind - 1]) & ~quiet
            odds[:, kind] = np.where(fits, np.exp(np.clip((against - near) / CERTAINTY, -30.0, 30.0)), 0.0)
        best = np.where(self._kinds > 0, away, np.inf)
        return odds / odds.sum(axis=1, keepdims=True), self._whose[best.argmin(axis=1)]

    def stream(self, per_foot: Array, times: Array) -> list[Event]:
        """What is recognised in features (T, K) at times (T,) s, each frame with no more of what follows than the latency allows."""
        ear = Ear(self)
        return [event for time, row in zip(times, per_foot, strict=True) if (event := ear.hear(float(time), row)) is not None]


class Ear:
    """Recognises as the frames of a track come in one after the other."""

    def __init__(self, recogniser: Nearest) -> None:
        self.recogniser = recogniser
        self._rows: list[Array] = []
        self._times: list[float] = []
        self._before: tuple[float, Array, Ints] | None = None  # the last frame: time, chances, and what is most like it
        self._onset = -np.inf

    def hear(self, time: float, per_foot: Array) -> Event | None:
        """What is known to have begun now that features (K,) at ``time`` (s) have come: something that began no longer than
        ``recogniser.latency`` ago, or nothing."""
        known = self.recogniser
        self._rows.append(per_foot)
        self._times.append(time)
        if len(self._rows) <= known.ahead:
            return None
        # Before the first frame it is taken to be held.
        window = np.array(([self._rows[0]] * known.window + self._rows)[-known.window:])
        self._rows, self._times = self._rows[-known.window:], self._times[-known.window:]
        chances, like = known.chances_at(window[None])
        before, self._before = self._before, (self._times[-1 - known.ahead], chances[0], like[0])
        if before is None or not known.names:
            return None
        onset, odds, most_like = before
        likeliest = float(odds[1:].max())
        if likeliest <= LIKELY or likeliest < chances[0, 1:].max() or onset - self._onset < AGAIN_S:
            return None
        self._onset = onset
        name = known.names[int(odds[1:].argmax())]
        return Event(name, onset, time, likeliest, int(most_like[0]), int(most_like[1]))


def apart(one: Array, other: Array) -> Array:
    """(T, N) squared distances of rows (T, D) and (N, D)."""
    return np.maximum((one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T, 0.0)


def _discriminants(rows: Array, phases: Ints) -> Array:
    """(W K, D) the directions in which phases (N,) of rows (N, W K) stand apart, scaled so that they scatter by 1 within a phase."""
    kinds = np.unique(phases)
    means = np.array([rows[phases == kind].mean(axis=0) for kind in kinds])
    within = rows - means[np.searchsorted(kinds, phases)]
    scatter = within.T @ within / len(rows)
    scatter = (1 - SHRUNK) * scatter + SHRUNK * np.trace(scatter) / len(scatter) * np.eye(len(scatter))
    sizes, axes = np.linalg.eigh(scatter)
    whitened = axes / np.sqrt(sizes)
    counts = np.array([(phases == kind).sum() for kind in kinds])
    away = (means - rows.mean(axis=0)) @ whitened
    _, turned = np.linalg.eigh(away.T @ (away * counts[:, None]))
    return whitened @ turned[:, ::-1][:, :max(1, min(DIRECTIONS, len(kinds) - 1))]
