"""A better recogniser than that of the thesis: nearest windows, in a space in which the moments of actions stand apart.

Every frame of the examples is a candidate, not only onsets: windows of quiet standing and of the middle of actions speak against a new onset. The
space is that of Fisher's discriminants of the phases of the actions, so what tells moments apart counts, and what varies within one does not. Each
example is also learnt mirrored, slower and faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Array, Ints
from .examples import Event, Example, mirrored, warped, windows
from .features import COP_VELOCITY, STANCE

LOOK_BACK_S = 0.5  # s before a frame that its window begins
NEAR_S = 0.09  # s from an onset up to which windows are its own; those of the next so many s are neither
PHASES = 6  # pieces of an action that are to stand apart
SHRUNK = 0.2  # share of the scatter within phases that is taken to be alike in all directions: there are few examples
DIRECTIONS = 20  # of the space, at most
NEIGHBOURS = 3  # whose mean distance counts
# Windows of nothing are so many that some are near to everything. Against an action of which fewer examples than this are known, more of them have to
# be near; and it is not known so well what is unlike it.
ENOUGH = 22
MOST = 24_000  # windows that are learnt of nothing, more or less: those of large databases are many and alike
CERTAINTY = 4.0  # by so much squared distance is an action e times likelier than another
LIKELY = 0.5  # chance above which an onset is said
# What is less alike than so many times what onsets of a name are among each other (all but this share of them) is something unknown; and what changes
# less than so many times what they change by (again) is quiet. It is seen by the force of both feet, of which so much (of the weight) counts as much
# as the usual speed of the centre of pressure: they are the same whichever foot the force is taken for.
UNLIKE, LIVELY, ODD, FORCE_CHANGE = 1.3, 0.75, 0.05, 0.15
ALONE = 2  # takes of a name, its mirror image's counted, up to which it is known of one person only
AGAIN_S = 0.35  # s after an onset in which there is no other
WARPS = (0.8, 0.9, 1.1, 1.25)


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
        every = int(np.ceil(sum(len(example.track.times) for _, example in learnt) / MOST))
        pieces = [self._learnt(number, example, every) for number, example in learnt]
        rows, kinds, phases, whose = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        order = np.argsort(kinds, kind="stable")
        rows, kinds, phases, whose = rows[order], kinds[order], phases[order], whose[order]
        self._space = _Space(self.scale, rows.mean(axis=0), _discriminants(rows, phases))
        self._points, self._whose = self._space.points(rows), whose
        # Where the windows of nothing are, and of each name.
        edges = np.searchsorted(kinds, np.arange(2 + len(self.names)))
        self._own = [slice(int(start), int(end)) for start, end in pairwise(edges)]
        self._few = np.array([max(1.0, ENOUGH / max(1, len(np.unique(whose[own], axis=0)))) for own in self._own[1:]])
        self._lengths = (self._points**2).sum(axis=1)
        self._strange, self._quiet = self._limits(rows)

    def _learnt(self, number: int, example: Example, every: int) -> tuple[Array, Ints, Ints, Ints]:
        """Of the windows of an example, of nothing only of ``every`` so many: flat (N, W K); what begins there (N,): 0 nothing, 1… the actions by
        name; its phase (N,), a number for each piece of each action; and the example and action (N, 2) that it is of."""
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
        numbers = np.arange(frames)
        inside = (numbers >= self.back) & (numbers < frames - self.ahead) & ((kinds > 0) | ((kinds == 0) & (numbers % every == 0)))
        return self._flat(self._windows(example.track.per_foot, np.flatnonzero(inside))), kinds[inside], phases[inside], whose[inside]

    def _limits(self, rows: Array) -> tuple[Array, Array]:
        """For each name (A,): the squared distance from which on windows are unlike its onsets, and the change up to which they are quiet; of what
        was learnt as flat windows (N, W K)."""
        count = len(self.names)
        strange, quiet = np.full(count, np.inf), np.zeros(count)
        change = self._change(rows)
        for kind, own in enumerate(self._own[1:]):
            between = apart(self._points[own], self._points[own])
            # Windows of the same action, also of its copies, say nothing of how alike two of them are.
            same = (self._whose[own][:, None] == self._whose[own][None]).all(axis=2)
            found = np.sort(np.where(same, np.inf, between), axis=1)[:, :NEIGHBOURS]
            found = found[np.isfinite(found).all(axis=1)]
            if len(found):
                # The more takes show it, the more of what is unlike them all is still the same.
                takes = len(np.unique(self._whose[own][:, 0]))
                strange[kind] = UNLIKE * max(1.0, takes / ALONE) * self._few[kind] * np.quantile(found.mean(axis=1), 1 - ODD)
            if len(between):
                quiet[kind] = LIVELY * np.quantile(change[own], ODD)
        begins = change[self._own[0].stop:]
        return strange, np.maximum(quiet, LIVELY * np.quantile(begins, ODD)) if len(begins) else quiet

    def _change(self, flat: Array) -> Array:
        """(N,) how much the force and the speed of the centre of pressure change within flat windows (N, W K), in what is usual."""
        found = flat.reshape(len(flat), self.window, -1)
        force = (found[:, :, :2] * self.scale[:2]).sum(axis=2, keepdims=True) / FORCE_CHANGE
        moving = np.concatenate([force, found[:, :, COP_VELOCITY]], axis=2)
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

    def chances(self, per_foot: Array) -> Array:
        """(T, 1 + A) how likely it is that nothing, or each of the actions by name, begins on a frame of features (T, K)."""
        return self.chances_at(self._windows(per_foot, np.arange(len(per_foot))))[0]

    def chances_at(self, looked_at: Array) -> tuple[Array, Ints]:
        """As ``chances``, of windows (T, W, K) of features; and (T, A, 2) the example and the action that are most like it, of each name; −1 where
        that was not looked for."""
        flat = self._flat(looked_at)
        lively = self._change(flat)[:, None] >= self._quiet
        odds = np.zeros((len(flat), 1 + len(self.names)))
        odds[:, 0] = 1.0
        if not lively.any():  # who stands still begins nothing: then nobody has to look what it is like
            return odds, np.full((len(flat), len(self.names), 2), -1)
        away = apart(self._space.points(flat), self._points, self._lengths)
        nearest = np.zeros((len(flat), len(self.names), NEIGHBOURS))
        like = np.full((len(flat), len(self.names), 2), -1)
        counts = np.array([min(NEIGHBOURS, own.stop - own.start) for own in self._own[1:]])
        for kind, own in enumerate(self._own[1:]):
            if counts[kind]:
                named = away[:, own]
                like[:, kind] = self._whose[own.start + named.argmin(axis=1)]
                nearest[:, kind, :counts[kind]] = np.partition(named, counts[kind] - 1, axis=1)[:, :counts[kind]]
        near = np.where(counts > 0, np.sort(nearest, axis=2).sum(axis=2) / np.maximum(counts, 1), np.inf)
        known = self._own[0].stop
        if near.size and known:
            # What is nothing is as near to all names as to the likeliest: which of them it is, if any, depends on their own nearness alone.
            needed = np.clip(np.round(NEIGHBOURS * self._few).astype(int), 1, known)
            least = _least(away[:, self._own[0]], int(needed.max()))
            nothing = (np.cumsum(least, axis=1) / np.arange(1, 1 + least.shape[1]))[np.arange(len(flat)), needed[near.argmin(axis=1)] - 1]
            fits = (near <= self._strange) & lively
            odds[:, 1:] = np.where(fits, np.exp(np.clip((nothing[:, None] - near) / CERTAINTY, -30.0, 30.0)), 0.0)
        return odds / odds.sum(axis=1, keepdims=True), like

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
        best = int(odds[1:].argmax())
        likeliest = float(odds[1 + best])
        if likeliest <= LIKELY or likeliest < chances[0, 1:].max() or onset - self._onset < AGAIN_S:
            return None
        self._onset = onset
        return Event(known.names[best], onset, time, likeliest, int(most_like[best, 0]), int(most_like[best, 1]))


def _least(values: Array, count: int) -> Array:
    """(T, count) the least of values (T, N), in order; all, where there are fewer."""
    if values.shape[1] > count:
        values = np.partition(values, count - 1, axis=1)[:, :count]
    return np.sort(values, axis=1)


def apart(one: Array, other: Array, lengths: Array | None = None) -> Array:
    """(T, N) squared distances of rows (T, D) and (N, D), whose squared lengths (N,) may be known."""
    lengths = (other**2).sum(axis=1) if lengths is None else lengths
    return np.maximum((one**2).sum(axis=1)[:, None] + lengths - 2 * one @ other.T, 0.0)


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
