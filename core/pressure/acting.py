"""A character that acts as feet do: foot pressure comes in frame by frame, poses come out a fixed latency behind it (thesis, sections 3.4 and 3.5).

While nothing is recognised, the body stands: its feet are where the recording has them, and its weight is where the feet press. When an action is
recognised, the one of the database that is most like it is played from its onset on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..errors import JobError
from ..motion import Motion
from .contacts import Contacts
from .database import TRACK_RATE, Database
from .examples import Event
from .features import Moment, Watch
from .joining import FASTEST, FASTEST_TURN, Fading, apart, turned
from .library import Library, Part
from .nearest import Ear, Nearest
from .prints import Place
from .reach import FEET, Feet, Reach
from .recording import LEFT, RIGHT, Layout, Recording
from .shift import Shift, onto, turn

LATENCY = 0.5  # s
FPS = 60.0  # poses a second
# s to either side over which the places where feet press are averaged: people sway slower than their pressure.
SWAY_S = 0.15
FURTHEST_SWAY = 0.25  # m that the body is moved for its weight, at most
GOES_ALONG = 0.84  # m that the centre of mass moves for every m of the pelvis while the feet stay


@dataclass(frozen=True, eq=False)
class Pose:
    """At a time of the stream (s): root (3,) m and rotations (J, 4) on the body's skeleton; whether each foot stands (2,); what is being done ("":
    standing), and how sure that is, from 0 to 1."""

    time: float
    root: Array
    rotations: Array
    stands: Bools
    action: str = ""
    confidence: float = 1.0


@dataclass
class Playing:
    """A piece of the library that is being played: of a part, from s ``start`` to s ``end`` of it; ``at``: s of it at the last pose."""

    part: Part
    start: float
    end: float
    at: float
    action: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, eq=False)
class Raw:
    """N poses of what is being played, moved to where the character is: roots (N, 3) m, rotations (N, J, 4), feet, how much each bears (N, 2), whether
    it is down (N, 2)."""

    roots: Array
    rotations: Array
    feet: Feet
    bearing: Array
    down: Bools

    def packed(self, frame: int) -> tuple[Array, Array, Array, Array, Array]:
        return self.roots[frame], self.rotations[frame], self.feet.balls[frame], self.feet.turns[frame], self.feet.toes[frame]


@dataclass
class Swing:
    """A foot is in the air that nothing recognised lifts: from ``start`` (s) until ``end``, where it comes down, if that is known."""

    start: float
    end: float = np.inf
    place: Place | None = None


@dataclass
class Foot:
    """A foot of the character: how what is played is moved to where it is, its place and direction, and what it does on its own."""

    shift: Shift
    swing: Swing | None = None


@dataclass
class Before:
    """The last poses, oldest first: as ``Raw.packed``, and their times (s)."""

    times: deque[float] = field(default_factory=lambda: deque(maxlen=2))
    poses: deque[tuple[Array, Array, Array, Array, Array]] = field(default_factory=lambda: deque(maxlen=2))


class Actor:
    """Hears foot pressure and gives poses."""

    def __init__(self, database: Database, body: Body, layout: Layout, latency: float = LATENCY, *, fps: float = FPS,
                 calibrated: bool = True) -> None:
        """
        Args:
            database: what can be recognised and played. body: who does it. layout: of the sensors. calibrated: whether they tell Pa, or counts.
            latency: s from a moment of the stream until its pose. fps: poses a second.
        """
        if not database.takes:
            raise JobError("The database has no takes: build one of some clips.")
        self.body, self.latency, self.fps = body, latency, fps
        self.library, self.database = Library(database, body), database
        self._watch = Watch(layout, calibrated, TRACK_RATE)
        self._ear = Ear(Nearest(database.examples, latency)) if database.names else None
        self.contacts = Contacts(layout)
        self._reach = Reach(body)
        self._events: deque[Event] = deque()
        self._made: deque[Pose] = deque()
        self._count = 0
        self._start: float | None = None
        self._heard = 0.0
        self._playing = self._standing()
        self._feet: tuple[Foot, Foot] | None = None
        self._fading: Fading | None = None
        self._before = Before()

    def hear(self, time: float, frame: Array) -> list[Pose]:
        """The poses that are due when a frame, pressures (S,), has come that was felt at a time (s)."""
        self._start = time if self._start is None else self._start
        self._heard = time
        for moment in self._watch.hear(time, frame):
            self._tick(moment)
        return self.due(time)

    def due(self, time: float) -> list[Pose]:
        """The poses that are due at a time (s) of the stream, a little before the next frame tells it."""
        due = []
        while self._made and self._made[0].time <= time - self.latency + 1e-9:
            due.append(self._made.popleft())
        return due

    def finish(self) -> list[Pose]:
        """The poses up to the last frame: nothing changes after it."""
        if self._start is None:
            return []
        self._make(self._heard + 0.5 / self.fps)
        due = [pose for pose in self._made if pose.time <= self._heard + 1e-9]
        self._made.clear()
        return due

    def _tick(self, moment: Moment) -> None:
        self.contacts.hear(moment)
        event = self._ear.hear(moment.time, moment.per_foot) if self._ear else None
        if event is not None:
            self._events.append(event)
        self._make(moment.time + 1.0 / TRACK_RATE - self.latency)

    def _make(self, until: float) -> None:
        """Makes all poses before a time (s)."""
        assert self._start is not None
        last = int(np.ceil((until - self._start) * self.fps - 1e-6))
        times = self._start + np.arange(self._count, last) / self.fps
        self._count = max(self._count, last)
        while len(times):
            times = times[self._play(times):]

    def _play(self, times: Array) -> int:
        """Makes the first poses at times (N,), up to where something else is to be played; returns how many."""
        playing = self._playing
        if self._feet is None:
            self._feet = self._set_out(playing)
        elif playing.at >= playing.end:
            self._join(self._standing(), float(times[0]))
            playing = self._playing
        sources = playing.at + np.arange(1, 1 + len(times)) / self.fps
        count = max(1, int((sources <= playing.end).sum()))
        raw = self._raw(playing, times[:count], sources[:count], moving=True)
        playing.at = float(sources[count - 1])
        self._finish(raw, times[:count], playing)
        return count

    def _finish(self, raw: Raw, times: Array, playing: Playing) -> None:
        """Poses of what is played: differences fade, feet are on the floor, legs reach."""
        roots, rotations, feet, above = raw.roots, raw.rotations, raw.feet, np.zeros_like(raw.bearing)
        if self._fading is not None:
            joints = rotations.shape[1]
            left = self._fading.at(times)
            of_root, of_joints, of_feet = np.split(left, [3, 3 + 3 * joints], axis=1)
            of_feet = of_feet.reshape(len(times), 2, 7)
            roots = roots + of_root
            rotations = turned(of_joints.reshape(len(times), joints, 3), rotations)
            feet = Feet(feet.balls + of_feet[..., :3], turned(of_feet[..., 3:6], feet.turns), feet.toes + of_feet[..., 6])
            above = of_feet[..., 2]
        feet = self._reach.on_the_floor(feet, raw.down, above)
        motion = self._reach.standing(roots, rotations, feet, raw.bearing, self.fps)
        if self._before.poses:
            before = self._before.poses[-1][1]
            motion = replace(motion, rotations=rotation.make_continuous(np.concatenate([before[None], motion.rotations]))[1:])
        for frame, time in enumerate(times):
            self._made.append(Pose(float(time), motion.root_positions[frame], motion.rotations[frame], raw.down[frame], playing.action,
                                   playing.confidence))
        for frame in range(max(0, len(times) - 2), len(times)):
            self._before.times.append(float(times[frame]))
            self._before.poses.append((motion.root_positions[frame], motion.rotations[frame], feet.balls[frame], feet.turns[frame], feet.toes[frame]))

    # What is played, and where

    def _standing(self) -> Playing:
        """Quiet standing."""
        piece = self.library.quiet[0]
        return Playing(self.library.parts[piece.part], piece.start, piece.end, piece.start)

    def _set_out(self, playing: Playing) -> tuple[Foot, Foot]:
        """Where the feet stand at first: where the pad has them, or else as they are played, around the origin and facing ahead."""
        part, frame = playing.part, int(playing.at * playing.part.motion.fps)
        grounds = [_ground(part, frame, foot) for foot in FEET]
        places = [self._ball(contact.place) if (contact := self.contacts.feet[foot][0]).place else None for foot in FEET]
        known = [foot for foot in FEET if places[foot] is not None]
        heading = float(rotation.heading(part.motion.rotations[frame, 0]))
        middle = np.mean([ground[:2] for ground in grounds], axis=0)
        usual = Shift((float(middle[0]), float(middle[1])), (0.0, 0.0), -heading)
        if len(known) == 1 and (only := places[known[0]]) is not None:
            usual = onto(grounds[known[0]], only)
        shifts = [onto(grounds[foot], place) if (place := places[foot]) else usual.about(grounds[foot][:2]) for foot in FEET]
        return Foot(shifts[LEFT]), Foot(shifts[RIGHT])

    def _ball(self, place: Place) -> tuple[float, float, float]:
        """x, y (m) of the ball of a foot at a place, and where it points (rad)."""
        ahead = self._reach.heel_to_ball
        return place.x + ahead * float(np.cos(place.yaw)), place.y + ahead * float(np.sin(place.yaw)), place.yaw

    def _join(self, new: Playing, time: float) -> None:
        """Goes over to another piece, so that its ``at`` is at the last pose; the feet stay where they are."""
        assert self._feet is not None
        self._playing = new
        step = 1.0 / self.fps
        last = self._before.poses[-1]
        frame = min(round(new.at * new.part.motion.fps), new.part.motion.frames - 1)
        for foot in FEET:
            ground = _ground(new.part, frame, foot)
            yaw = float(rotation.heading(last[3][foot]))
            self._feet[foot].shift = onto(ground, (float(last[2][foot, 0]), float(last[2][foot, 1]), yaw))
        raw = self._raw(new, time - np.array([2.0, 1.0]) * step, new.at - np.array([1.0, 0.0]) * step, moving=False)
        differences = [self._differences(pose, raw.packed(number)) for number, pose in enumerate(self._before.poses)]
        if len(differences) < 2:
            differences *= 2
        start, joints = differences[-1], raw.rotations.shape[1]
        fastest = np.full(len(start), FASTEST_TURN)
        fastest[:3] = FASTEST
        rate = (start - differences[0]) / step
        rate = np.clip(rate, -fastest, fastest)
        feet_rate, feet_start = rate[3 + 3 * joints:].reshape(2, 7), start[3 + 3 * joints:].reshape(2, 7)
        feet_rate[:, :3] = np.clip(feet_rate[:, :3], -FASTEST, FASTEST)
        feet_start[:, :2] = 0.0
        feet_rate[raw.down[-1], :2] = 0.0  # who stands does not slide
        self._fading = Fading(time - step, start, rate)

    @staticmethod
    def _differences(one: tuple[Array, ...], other: tuple[Array, ...]) -> Array:
        """(K,) of two packed poses: root, joints, and of each foot its ball, its turn and its toes."""
        feet = np.concatenate([one[2] - other[2], apart(one[3], other[3]), (one[4] - other[4])[:, None]], axis=1)
        return np.concatenate([one[0] - other[0], apart(one[1], other[1]).ravel(), feet.ravel()])

    def _raw(self, playing: Playing, times: Array, sources: Array, moving: bool) -> Raw:
        """What is played at times (N,) s of the stream, which are sources (N,) s of the part; ``moving``: feet in the air go on."""
        part, feet = playing.part, self._feet
        assert feet is not None
        frames = np.clip(sources * part.motion.fps, 0, part.motion.frames - 1)
        roots, rotations = part.motion.sample(sources)
        balls, toes, turns = _between(part.balls, frames), _between(part.toes, frames), rotation.normalize(_between(part.turns, frames))
        down, bearing, lift = self._grounded(playing, times, frames)
        shifts = []
        for number, time in enumerate(times):
            if moving:
                for foot in FEET:
                    self._go_on(foot, float(time), part, int(frames[number]))
            shifts.append((feet[LEFT].shift, feet[RIGHT].shift))
        share = bearing / np.maximum(bearing.sum(axis=1, keepdims=True), 1e-6)
        share = np.where(bearing.sum(axis=1, keepdims=True) > 1e-3, share, 0.5)
        for foot in FEET:
            own = [pair[foot] for pair in shifts]
            balls[:, foot] = _each(own, balls[:, foot])
            turns[:, foot] = rotation.multiply(turn(np.array([shift.yaw for shift in own])), turns[:, foot])
        balls[..., 2] += lift
        yaws = np.unwrap(np.array([[shift.yaw for shift in pair] for pair in shifts]), axis=1)
        yaw = (share * yaws).sum(axis=1)
        centres = _between(part.centres, frames)
        both = np.stack([roots, centres], axis=1)
        over = [share[:, foot, None] * _each([pair[foot] for pair in shifts], both).reshape(len(times), 6) for foot in FEET]
        roots, centres = (over[LEFT] + over[RIGHT]).reshape(len(times), 2, 3).transpose(1, 0, 2)
        rotations[:, 0] = rotation.multiply(turn(yaw), rotations[:, 0])
        if not playing.action:
            roots = roots + self._sway(times, centres, balls, turns)
        return Raw(roots, rotations, Feet(balls, turns, toes), bearing, down)

    def _sway(self, times: Array, centres: Array, balls: Array, turns: Array) -> Array:
        """(N, 3) m by which the body is to move, so that its weight, over centres (N, 3), is where the feet press."""
        late = [load for load in self.contacts.loads if times[0] - 4.0 * SWAY_S <= load.time <= times[-1] + 4.0 * SWAY_S]
        if not late:
            return np.zeros((len(times), 3))
        weights = np.exp(-0.5 * ((np.array([load.time for load in late]) - times[:, None]) / SWAY_S) ** 2)
        shares = np.array([load.shares for load in late])
        loaded = weights @ np.maximum(shares, 0.0)
        total = loaded.sum(axis=1, keepdims=True)
        presses = np.einsum("nt,tf,tfd->nfd", weights, shares, np.array([load.presses for load in late])) / np.maximum(loaded, 1e-6)[..., None]
        yaws = rotation.heading(turns)
        ahead = np.stack([np.cos(yaws), np.sin(yaws)], axis=-1)
        left = np.stack([-ahead[..., 1], ahead[..., 0]], axis=-1)
        pressed = balls[..., :2] + (presses[..., :1] - self._reach.heel_to_ball) * ahead + presses[..., 1:] * left
        middle = (loaded[..., None] * pressed).sum(axis=1) / np.maximum(total, 1e-6)
        away = np.where(total > 1e-3, middle - centres[:, :2], 0.0) / GOES_ALONG
        length = np.linalg.norm(away, axis=1, keepdims=True)
        away = away * np.minimum(1.0, FURTHEST_SWAY / np.maximum(length, 1e-6))
        return np.concatenate([away, np.zeros((len(times), 1))], axis=1)

    def _grounded(self, playing: Playing, times: Array, frames: Array) -> tuple[Bools, Array, Array]:
        """(N, 2) whether each foot is down, (N, 2) how much it bears, and (N, 2) m by which it is lifted besides."""
        nearest = np.round(frames).astype(int)
        return playing.part.contacts[nearest], _between(playing.part.bearing, frames), np.zeros((len(times), 2))

    def _go_on(self, foot: int, time: float, part: Part, frame: int) -> None:
        """A foot in the air is led to where it is to come down."""


def _ground(part: Part, frame: int, foot: int) -> tuple[float, float, float]:
    """x, y (m) of the ball of a foot, and where it points (rad)."""
    x, y, _ = part.balls[frame, foot]
    return float(x), float(y), float(part.yaws[frame, foot])


def _between(values: Array, frames: Array) -> Array:
    """(N, ...) values (F, ...) at frames (N,), also between them."""
    before = frames.astype(int)
    after = np.minimum(before + 1, len(values) - 1)
    share = (frames - before).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray((1.0 - share) * values[before] + share * values[after])


def _each(shifts: Sequence[Shift], places: Array) -> Array:
    """(N, ..., 3) m of places (N, ..., 3), each moved by its own shift."""
    if all(shift is shifts[0] for shift in shifts):
        return shifts[0].points(places)
    return np.stack([shift.points(place) for shift, place in zip(shifts, places, strict=True)])


def played(recording: Recording, database: Database, body: Body, latency: float = LATENCY, fps: float = FPS) -> list[Pose]:
    """All poses of a recording, as if it were a stream."""
    actor = Actor(database, body, recording.layout, latency, fps=fps, calibrated=recording.calibrated)
    poses = [pose for time, frame in zip(recording.times, recording.pressures, strict=True) for pose in actor.hear(float(time), frame)]
    return poses + actor.finish()


def act(recording: Recording, database: Database, body: Body, latency: float = LATENCY, fps: float = FPS) -> Motion:
    """A recording as a motion on a body: exactly what a stream of it gives."""
    poses = played(recording, database, body, latency, fps)
    return Motion(body.skeleton, fps, np.array([pose.root for pose in poses]), np.array([pose.rotations for pose in poses]))
