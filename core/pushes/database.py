"""The database of push responses as a file, and as it is searched."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .. import presets
from ..arrays import Array, Bools, Ints
from ..body import Body
from ..errors import FormatError, JobError
from ..rotation import wrap
from ..skeleton import LINKS, mirror_name
from ..whole_file import whole_arrays, whole_file
from .leading import landings
from .onward import Walked
from .response import ANKLE, BALL, COLUMNS, FALL, FOOT, RATE, ROOT, SPEED, STEPS, STRATEGIES, TURN, Response, mirrored

FOLDER = presets.FOLDER / "pushes"
FORMAT = 2
FINE = 4096.0  # steps of a number in a file to a unit: a quarter of a millimetre, a seventieth of a degree
TRACED_S = (0.3, 0.5, 0.7, 1.0)  # s after a push
CATCH_S = 1.0  # s of a response in which a body catches itself; what moves later is its way back
ABOUT = ("start", "direction", "height", "speed", "strategy", "held_by")  # of a response, in a file


@dataclass(frozen=True, eq=False)
class Start:
    """A moment of a motion that was pushed.

    Attributes:
        name: of the motion, and of the moment where it walks. walks: whether it does.
        features: (D,) as ``response.features`` gives them.
    """

    name: str
    walks: bool
    features: Array

    def mirrored(self) -> Start:
        """The same with left and right exchanged."""
        other = [LINKS.index(mirror_name(link)) for link in LINKS]
        return replace(self, name=f"{self.name}, mirrored", features=(self.features.reshape(2, len(LINKS), 3)[:, other] * (1.0, -1.0, 1.0)).ravel())


@dataclass(frozen=True, eq=False)
class Database:
    """Attributes:
        person: the body that was pushed, as a job's "body". starts: what was pushed. responses: how the pushes were taken.
        done: names of the pieces of a build that are in it. made_by: the command.
    """

    person: dict[str, Any] | str
    starts: list[Start]
    responses: list[Response]
    done: list[str]
    made_by: str

    @cached_property
    def body(self) -> Body:
        return presets.body(self.person)

    def counts(self) -> dict[str, int]:
        """How many responses there are of each strategy; mirror images are not counted."""
        return {name: sum(response.strategy == index for response in self.responses) for index, name in enumerate(STRATEGIES)}

    def save(self, path: str | Path) -> None:
        """Whole, or not at all. Frames are stored as steps from one to the next, because small numbers pack well."""
        rows = np.concatenate([np.diff(np.round(one.frames * FINE), axis=0, prepend=0.0) for one in self.responses] or [np.zeros((0, COLUMNS))])
        steps = [one.steps for one in self.responses]
        arrays: dict[str, Any] = {
            "format": np.array(FORMAT), "data": np.array(json.dumps({
                "person": self.person, "starts": [[start.name, start.walks] for start in self.starts], "done": self.done, "made_by": self.made_by})),
            "features": np.array([start.features for start in self.starts], dtype=np.float32),
            "lengths": np.array([len(one.frames) for one in self.responses], dtype=np.int32),
            "frames": np.stack([rows.T.astype("<i2") & 255, rows.T.astype("<i2") >> 8]).astype(np.int16).astype(np.uint8),
            "contacts": np.packbits(np.concatenate([one.contacts for one in self.responses] or [np.zeros((0, 2), dtype=bool)]).T, axis=1),
            "momentum": np.array([one.momentum for one in self.responses], dtype=np.float32),
            "step_counts": np.array([len(one) for one in steps], dtype=np.int32),
            "steps": np.concatenate(steps or [np.zeros((0, 5))]).astype(np.float32),
            **{name: np.array([getattr(one, name) for one in self.responses]).astype(np.float32) for name in ABOUT}}
        with whole_file(path) as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Database:
        with whole_arrays(path, "a database of pushes", "build it again with push-database build") as data:
            if int(data["format"]) != FORMAT:
                raise FormatError(f"'{path}' was written by another version of Footfall: build the database again.")
            described = json.loads(str(data["data"]))
            starts = [Start(name, walks, row.astype(float)) for (name, walks), row in zip(described["starts"], data["features"], strict=True)]
            return cls(described["person"], starts, list(_responses(data)), described["done"], described["made_by"])

    def prepare(self) -> None:
        """Do now what a first push, and a first push in the middle of a response, would wait for."""
        _ = self.index, self.rows, self.walked

    @cached_property
    def index(self) -> Index:
        return Index.of(self)

    @cached_property
    def walked(self) -> Walked:
        return Walked.of(self.responses, [start.walks for start in self.starts])

    @cached_property
    def rows(self) -> Rows:
        return Rows.of(self)


def _responses(data: Any) -> Iterable[Response]:
    low, high = data["frames"]
    rows = (low.astype(np.int16) | (high.astype(np.int16) << 8)).T.astype(float) / FINE
    ends = np.cumsum(data["lengths"])
    contacts = np.unpackbits(data["contacts"], axis=1, count=len(rows)).T.astype(bool)
    lengths, momentum = data["lengths"], data["momentum"].astype(float)  # each look into a file unpacks all of an array
    steps = np.split(data["steps"].astype(float), np.cumsum(data["step_counts"])[:-1]) if len(ends) else []
    about = {name: data[name] for name in ABOUT}
    for number, end in enumerate(ends):
        span = slice(end - lengths[number], end)
        yield Response(int(about["start"][number]), float(about["direction"][number]), float(about["height"][number]), float(about["speed"][number]),
                       int(about["strategy"][number]), int(about["held_by"][number]), momentum[number], np.cumsum(rows[span], axis=0),
                       contacts[span], steps[number])


@dataclass(frozen=True, eq=False)
class Index:
    """A database made ready for a quick search: R responses, the second half mirror images of the first.

    Attributes:
        starts: (S, D) features of what was pushed, mirror images after the others. walks: (S,) whether that walks.
        start: (R,) which of them. directions: (R,) rad. heights: (R,) leg lengths. speeds: (R,) m/s. strategies: (R,).
        traces: (R, T) m, where pelvis and ankles are at ``TRACED_S``, seen in the direction of the push, more than in the clip.
        twists: (R,) rad that a foot is turned against the pelvis, at most.
        first: (R,) the foot that steps first, 0 left, 1 right; -1 where none does, or where it walks. places: (R, 2, 2) m (forward, left) that the
            first two steps are off from where the foot was; not a number where there is none. caught: (R,) steps that catch the body.
        cells: (C, 3) start, direction and height of all pushes that differ in strength only.
        calm, held: (C,) m/s up to which the body stays in place, and up to which it stays up; not a number where no push went so far.
    """

    starts: Array
    walks: Bools
    start: Ints
    directions: Array
    heights: Array
    speeds: Array
    strategies: Ints
    traces: Array
    twists: Array
    first: Ints
    places: Array
    caught: Ints
    cells: Array
    calm: Array
    held: Array

    @classmethod
    def of(cls, database: Database) -> Index:
        given, count = database.starts, len(database.starts)
        one = np.array([[r.start, r.direction, r.height, r.speed, r.strategy] for r in database.responses]).reshape(-1, 5)
        other = one * (1.0, -1.0, 1.0, 1.0, 1.0) + (count, 0.0, 0.0, 0.0, 0.0)
        start, direction, height, speed, strategy = np.concatenate([one, other]).T
        twists = np.tile([_twist(r.frames) for r in database.responses], 2)
        traces = np.array([_trace(*frames_of(database, number), direction[number]) for number in range(len(direction))])
        steps = [_first_steps(*frames_of(database, number)) if strategy[number] == STEPS and not given[int(start[number]) % count].walks
                 else (-1, np.full((2, 2), np.nan)) for number in range(len(direction))]
        keys = np.round(np.stack([start, wrap(direction), height], axis=1), 4)
        cells, own = np.unique(keys, axis=0, return_inverse=True)
        own = own.ravel()
        calm, held = (np.array([_limit(speed[own == cell], strategy[own == cell] >= level) for cell in range(len(cells))]) for level in (1, FALL))
        return cls(np.array([s.features for s in (*given, *(s.mirrored() for s in given))]), np.array([s.walks for s in (*given, *given)]),
                   start.astype(int), wrap(direction), height, speed, strategy.astype(int), traces, twists,
                   np.array([foot for foot, _ in steps], dtype=int), np.array([places for _, places in steps]).reshape(-1, 2, 2),
                   np.tile([len(r.steps) for r in database.responses], 2).astype(int), cells, calm, held)


def _trace(frames: Array, contacts: Bools, direction: float) -> Array:
    """(T,) as ``Index.traces`` has it."""
    at = np.minimum((np.array(TRACED_S) * RATE).astype(int), len(frames) - 1)
    places = frames[at][:, [*range(ROOT.start, ROOT.start + 2), *range(ANKLE.start, ANKLE.start + 2), *range(ANKLE.start + 3, ANKLE.start + 5)]]
    c, s = np.cos(direction), np.sin(direction)
    return np.asarray(places.reshape(len(at), 3, 2) @ np.array([[c, -s], [s, c]])).ravel()


def _first_steps(frames: Array, contacts: Bools) -> tuple[int, Array]:
    """As ``Index.first`` and ``Index.places`` have them."""
    found, places = landings(frames, contacts)[:2], np.full((2, 2), np.nan)
    for number, landing in enumerate(found):
        if not number or (landing.foot != found[0].foot and landing.lift >= found[0].land - 1):  # one foot after the other
            places[number] = landing.place
    return (found[0].foot if found else -1), places


def _twist(frames: Array) -> float:
    """rad that a foot is turned against the pelvis, at most, in frames (K, COLUMNS); more than the clip has it."""
    return float(np.abs(frames[:, [FOOT.start + 2, FOOT.start + 5]] - frames[:, [TURN.start + 2]]).max())


def _limit(speeds: Array, beyond: Bools) -> float:
    """m/s half way between the strongest push that a body took in one way and the next one, which went ``beyond``; of (N,) pushes. Not a number where
    none did."""
    order = np.argsort(speeds)
    speeds, beyond = speeds[order], beyond[order]
    if not beyond.any():
        return float("nan")
    first = int(np.argmax(beyond))
    return float(0.5 * (speeds[first - 1] + speeds[first])) if first else 0.5 * float(speeds[0])


@dataclass(frozen=True, eq=False)
class Rows:
    """Frames of all responses in which the body stays up, mirror images among them, while it is catching itself: N poses that another push may come
    in.

    Attributes:
        numbers, at: (N,) the response, in the index, and the frame of it. contacts: (N, 2). angles: (N, A) rad, of the joints in ``BALLS``.
        speeds, directions: (N,) m/s and rad, the momentum that can still be recovered from: that of the push until it is largest (equation 4.4),
            and then what is left of it.
    """

    numbers: Ints
    at: Ints
    contacts: Bools
    angles: Array
    speeds: Array
    directions: Array

    @classmethod
    def of(cls, database: Database) -> Rows:
        index, parts = database.index, []
        for number in np.flatnonzero(index.strategies != FALL):
            frames, contacts = (values[:round(CATCH_S * RATE) + 1] for values in frames_of(database, int(number)))
            way = np.array([np.cos(index.directions[number]), np.sin(index.directions[number])])
            left = frames[:, SPEED] @ way
            left[:int(np.argmax(left)) + 1] = index.speeds[number]
            parts.append((np.full(len(frames), number), np.arange(len(frames)), contacts, frames[:, BALL], np.maximum(left, 0.0),
                          np.full(len(frames), index.directions[number])))
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def frames_of(database: Database, number: int) -> tuple[Array, Bools]:
    """Frames (K, COLUMNS) and contacts (K, 2) of response ``number`` of the index, mirror images among them."""
    own = database.responses[number % len(database.responses)]
    if number < len(database.responses):
        return own.frames, own.contacts
    return mirrored(own.frames), own.contacts[:, ::-1]


def steps_of(database: Database, number: int) -> Array:
    """(N, 5) as ``Response.steps``, of response ``number`` of the index, mirror images among them."""
    own = database.responses[number % len(database.responses)].steps
    return own if number < len(database.responses) else (1.0, 0.0, 0.0, 0.0, 0.0) + own * (-1.0, 1.0, 1.0, -1.0, -1.0)


def shipped(body: Body) -> Path:
    """The file of the database whose person is most like ``body``, of those that are shipped."""
    files = sorted(FOLDER.glob("*.npz"))
    if not files:
        raise JobError("No database of pushes is installed: build one with push-database build, and name it with --database.")
    return min(files, key=lambda file: abs(np.log(presets.body(file.stem).mass / body.mass)))

