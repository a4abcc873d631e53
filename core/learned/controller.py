"""Controller: samples of a motion, and what they say to do in a state (Sok, Kim and Lee 2007, section 5.1).

A controller is a file of plain arrays: the states that samples were taken in, and what was done there.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Array, Ints
from ..errors import FormatError
from ..whole_file import whole_arrays, whole_file
from .senses import Weights

FORMAT = 1
PACE = 3.0  # distance of two samples of a change that were taken a second apart
STORED = np.float16  # states and moments: half a millimetre, half a milliradian
NEAR = 1e-4  # distance up to which a state is that of the sample itself: weights of 1 over less would know no other
STATIONARY, TRANSITION = "stationary", "transition"


@dataclass(frozen=True, eq=False)
class Controller:
    """N samples of F features, and what to do.

    Attributes:
        name: as people call it. kind: STATIONARY, which goes on for ever, or TRANSITION, which leads from one of these to another.
        body: a body preset's name or data, as in a job: whose samples these are.
        states: (N, F) weighted features, see ``Senses``. choices: (N, O) what to follow in them (see ``following``).
        moments: (M, C) what many samples share: where there are any, the first number of a choice is that of the moment which it begins with.
        sorts: (N,) samples of different sorts, as of one leg's steps and of the other's, are not mixed.
        times: (N,) s after its piece began that a sample was taken: of a TRANSITION, its change; of one that goes on for ever they count for nothing.
        sizes: (1 + refinements,) how many samples there were before and after each refinement.
        neighbours: how many samples are looked at. weights: of the features. every, time_step: s from one choice to the next, and of the engine.
        far: distance from the nearest sample beyond which a state is abnormal (section 5.2).
        following: how what was chosen is followed, and with which gains, as data. start: a state to begin in, as ``start.place_in`` takes it.
        made_by: the command that made it.
    """

    name: str
    kind: str
    body: str | dict[str, Any]
    states: Array
    choices: Array
    moments: Array
    sorts: Ints
    times: Array
    sizes: Ints
    neighbours: int
    weights: Weights
    every: float
    time_step: float
    far: float
    following: dict[str, Any]
    start: dict[str, Any]
    made_by: str = ""
    _centre: Array = field(init=False)
    _rows: Array = field(init=False)
    _lengths: Array = field(init=False)

    def __post_init__(self) -> None:
        # Single precision is twice as quick, and precise enough around the middle of the samples.
        centre = self.states.mean(axis=0)
        rows = (self.states - centre).astype(np.float32)
        for name, value in (("_centre", centre), ("_rows", rows), ("_lengths", (rows * rows).sum(axis=1))):
            object.__setattr__(self, name, value)

    @property
    def refinements(self) -> int:
        return len(self.sizes) - 1

    @property
    def lasts(self) -> float:
        """s that a change takes."""
        return float(self.times.max())

    def entry(self, state: Array, early: bool = False) -> tuple[float, float]:
        """Of features (F,) to the nearest sample, and the s into a change at which that was taken. ``early``: of a change rather one of the first."""
        which, away = self._nearest(state, 1, 0.0 if early else None)
        return float(away[0]), float(self.times[which[0]])

    def choose(self, state: Array, seconds: float = 0.0) -> tuple[Array, float]:
        """(C + O − 1,), or (O,) without moments: what to follow in a state of features (F,), the mean of the nearest samples, weighted by 1 over
        their distances; and the distance of the nearest one. ``seconds``: into a change, which goes on also where its states hardly differ."""
        which, away = self._nearest(state, self.neighbours, seconds if self.kind == TRANSITION else None)
        if away[0] <= NEAR:
            return self._whole(which[:1])[0], float(away[0])
        shares, sorts = 1.0 / away, self.sorts[which]
        if (sorts != sorts[0]).any():
            most = max(set(sorts.tolist()), key=lambda sort: float(shares[sorts == sort].sum()))
            shares = np.where(sorts == most, shares, 0.0)
        return shares @ self._whole(which) / shares.sum(), float(away[0])

    def _whole(self, which: Ints) -> Array:
        """What samples chose, with their moments."""
        chosen = self.choices[which]
        return np.concatenate([self.moments[chosen[:, 0].astype(int)], chosen[:, 1:]], axis=1) if len(self.moments) else chosen

    def _nearest(self, state: Array, count: int, seconds: float | None = None) -> tuple[Ints, Array]:
        """The samples that are nearest to a state, the nearest one first, and their distances; ``seconds`` into a change, where that counts."""
        row = (state - self._centre).astype(np.float32)
        squares = self._lengths - 2.0 * (self._rows @ row)
        if seconds is not None:
            squares += (PACE * (self.times - min(seconds, self.lasts))) ** 2
        count = min(count, len(squares))
        which = np.argpartition(squares, count - 1)[:count] if count > 1 else np.array([squares.argmin()])
        away = ((self._rows[which] - row) ** 2).sum(axis=1)
        if seconds is not None:
            away += (PACE * (self.times[which] - min(seconds, self.lasts))) ** 2
        away = np.sqrt(away)
        order = away.argsort()
        return which[order], away[order].astype(float)

    def refined(self, states: Array, choices: Array, sorts: Ints, times: Array, moments: Array) -> Controller:
        """With the samples of one more refinement, and all moments that there are by now."""
        return replace(self, moments=moments, states=np.concatenate([self.states, states]), choices=np.concatenate([self.choices, choices]),
                       sorts=np.concatenate([self.sorts, sorts]), times=np.concatenate([self.times, times]),
                       sizes=np.append(self.sizes, len(self.states) + len(states)))

    def after(self, refinements: int) -> Controller:
        """As it was after so many refinements; 0: the base regression."""
        size = int(self.sizes[refinements])
        return replace(self, states=self.states[:size], choices=self.choices[:size], sorts=self.sorts[:size], times=self.times[:size],
                       sizes=self.sizes[:refinements + 1])

    def began_as(self, base: Controller) -> bool:
        """Whether it was refined from what another one, which has no refinements, has learned, as files keep that."""
        about, other = (json.dumps([one.name, one.kind, one.body, one.following]) for one in (self, base))
        return about == other and np.array_equal(self.after(0).states.astype(STORED), base.states.astype(STORED))

    def save(self, path: str | Path) -> None:
        about = {"format": FORMAT, **{name: getattr(self, name) for name in DATA}, "weights": asdict(self.weights)}
        with whole_file(path) as file:
            np.savez_compressed(file, about=np.array(json.dumps(about)), states=self.states.astype(STORED), choices=self.choices.astype(np.float32),
                                moments=self.moments.astype(STORED), sorts=self.sorts.astype(np.int16), times=self.times.astype(np.float32),
                                sizes=self.sizes)


DATA = ("name", "kind", "body", "neighbours", "every", "time_step", "far", "following", "start", "made_by")  # fields that are stored as JSON


def load(path: str | Path) -> Controller:
    """A controller from its file."""
    with whole_arrays(path, "a learned controller", "learn it again, with 'learn-controller'") as arrays:
        about = json.loads(str(arrays["about"]))
        if about["format"] != FORMAT:
            raise FormatError(f"'{path}' is of another version of Footfall: learn it again, with 'learn-controller'.")
        states, choices, moments, sorts, times, sizes = (arrays[name] for name in ("states", "choices", "moments", "sorts", "times", "sizes"))
        fits = len(states) == len(choices) == len(sorts) == len(times) == sizes[-1]
        if not fits or not np.isfinite(states).all() or not np.isfinite(choices).all():
            raise ValueError("samples that do not fit together")
        return Controller(states=states.astype(float), choices=choices.astype(float), moments=moments.astype(float), sorts=sorts.astype(int),
                          times=times.astype(float), sizes=sizes.astype(int), weights=Weights(**about["weights"]),
                          **{name: about[name] for name in DATA})
