"""A character that acts as feet do: foot pressure comes in frame by frame, poses come out a fixed latency behind it (thesis, sections 3.4 and 3.5).

While nothing is recognised, the body stands: its feet are where the recording has them, and its weight is where they press. When an action is
recognised, the one of the database that is most like it is played from its onset on, as fast as the feet do it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bools
from ..body import Body
from ..errors import JobError
from ..motion import Motion
from .bouts import Bouts
from .choosing import Choice, Choices
from .contacts import Contacts
from .database import Database
from .examples import Event
from .features import Moment, Watch
from .library import Library
from .nearest import Ear, Nearest
from .pacing import Pace
from .puppet import Piece, Puppet
from .reach import FEET
from .recording import Layout, Recording

LATENCY = 0.5  # s
FPS = 60.0  # poses a second
HELD, HELD_S = 0.09, 1.0  # m, mean over the joints, for a leg of a metre: who ends further from all standing than this stays like that for so many s
UNLIKE = 1.5  # mean square, in units of how much each feature varies: what is less alike than this is not played
BETTER = 0.6  # as unlike as what is played must an action be, to be played before that has ended
NEARLY_S = 0.4  # s before its end, an action is nearly done
TOLERATED_S = 0.12  # s by which feet may come down and lift too early or too late
ASTRAY_S = 0.3  # s after which an action is given up, while the feet do something else


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


class Learnt:
    """What an actor knows before it hears anything: it takes its time, and nobody has to know which device will send."""

    def __init__(self, database: Database, body: Body, latency: float = LATENCY) -> None:
        if not database.takes:
            raise JobError("The database has no takes: build one of some clips.")
        self.library = Library(database, body)
        first = self.library.quiet[0]
        self.library.part(first.take, first.start, first.end)
        self.nearest = Nearest(database.examples, latency) if database.names else None

    def rehearse(self) -> Iterator[None]:
        """Puts all that may be played on the body, piece by piece: so that nobody waits for one when it is to be played."""
        actions = [(number, action) for number, take in enumerate(self.library.database.takes) for action in take.example.actions if action.name]
        for take, start, end in [*((one.take, one.start, one.end) for one in self.library.quiet),
                                 *((number, action.start, action.end) for number, action in actions)]:
            self.library.part(take, start, end)
            yield


class Actor:
    """Hears foot pressure and gives poses."""

    def __init__(self, database: Database, body: Body, layout: Layout, latency: float = LATENCY, *, fps: float = FPS,
                 calibrated: bool = True, learnt: Learnt | None = None) -> None:
        """
        Args:
            database: what can be recognised and played. body: who does it. layout: of the sensors. calibrated: whether they tell Pa, or counts.
            latency: s from a moment of the stream until its pose. fps: poses a second.
            learnt: of this database, body and latency, where that was made before.
        """
        self.latency, self.fps = latency, fps
        learnt = learnt or Learnt(database, body, latency)
        self.library = learnt.library
        self.contacts = Contacts(layout)
        self._rate = database.rate
        self._watch = Watch(layout, calibrated, self._rate)
        # Insoles do not feel what a pad does: what was learnt of one is not recognised in the other.
        alike = (database.kind == "grid") == (layout.grid is not None)
        self._ear = Ear(learnt.nearest) if learnt.nearest and alike else None
        self._choices = Choices(self.library, self._rate, latency)
        self._puppet = Puppet(body, self.contacts, fps)
        # Feet on a pad step where it has them, also when they walk; where those in insoles go, is for who knows how people walk.
        self._bouts = Bouts(body, layout, calibrated, fps) if layout.grid is None else None
        self._moments: deque[Moment] = deque(maxlen=self._choices.window + 1)
        self._event: Event | None = None  # that was recognised, and has not begun to be played
        self._doing: tuple[str, float] = "", 1.0
        self._pace: Pace | None = None
        self._astray = 0.0  # s that the feet have been doing something else than what is played
        self._since = 0.0  # s at which it began to stand
        self._made: deque[Pose] = deque()
        self._count = 0
        self._start: float | None = None
        self._heard = 0.0

    def hear(self, time: float, frame: Array) -> list[Pose]:
        """The poses that are due when a frame, pressures (S,), has come that was felt at a time (s)."""
        self._start = time if self._start is None else self._start
        self._heard = time
        if self._bouts is not None:
            self._bouts.hear(time - self._start, frame)
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
        self._moments.append(moment)
        event = self._ear.hear(moment.time, moment.per_foot) if self._ear else None
        self._event = event or self._event
        self._make(moment.time + 1.0 / self._rate - self.latency)

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
        self._turn_to(float(times[0]))
        piece = self._puppet.piece
        if piece is None or piece.walks:
            return self._walk(times)
        pace = 1.0
        if self._pace is not None:
            pace = self._pace.go(float(times[0]) - 1.0 / self.fps, piece.at, len(times) / self.fps, self.contacts)
        sources = np.minimum(piece.at + pace * np.arange(1, 1 + len(times)) / self.fps, piece.end)
        count = 1 + int((sources[:-1] < piece.end).sum()) if piece.active or self._loops(piece) else len(times)
        if self._event is not None:
            count = max(1, min(count, int((times < self._event.onset - 1e-9).sum())))
        self._watch_feet(times[:count], self._show(times[:count], sources[:count]))
        return count

    def _walk(self, times: Array) -> int:
        """The same while somebody walks."""
        assert self._bouts is not None and self._start is not None
        part = self._bouts.part(times - self._start)
        walk = Piece(part, 0.0, 0.0, np.inf, active=True, walks=True)
        if self._puppet.piece is None:
            self._puppet.begin(walk)
        self._puppet.piece = walk
        self._show(times, (part.motion.frames - len(times) + np.arange(len(times))) / self.fps)
        return len(times)

    def _show(self, times: Array, sources: Array) -> Bools:
        """Makes poses at times (N,) s of the stream, which are sources (N,) s of what is played; returns which feet stand (N, 2)."""
        roots, rotations, stands = self._puppet.play(times, sources)
        self._made.extend(Pose(float(time), roots[n], rotations[n], stands[n], *self._doing) for n, time in enumerate(times))
        return stands

    @staticmethod
    def _loops(piece: Piece) -> bool:
        return not piece.active and piece.end > piece.start

    def _turn_to(self, time: float) -> None:
        """Whether something else is played from a time (s) on."""
        piece, step = self._puppet.piece, 1.0 / self.fps
        if piece is None:
            if self._bouts is not None and self._bouts.begins(0.0):
                self._bouts.set_off(0.0)
                self._doing = "walk", 1.0
            else:
                self._puppet.begin(self._standing())
        elif self._bouts is not None and self._walks(self._bouts, piece, time):
            return
        elif self._event is not None and self._event.onset <= time + 1e-9:
            event, self._event = self._event, None
            seen = self._around(event.onset)
            new = self._choices.best(event, seen)
            if self._goes_on(piece, seen, new):
                return
            self._astray = 0.0
            self._doing, self._pace = (event.name, event.confidence), Pace(new.part.example, new.start, new.end, event.onset)
            self._puppet.join(Piece(new.part, new.start, new.start + (time - event.onset) - step, new.end, active=True), time)
        elif piece.active and (piece.at >= piece.end or self._astray > ASTRAY_S):
            self._doing, self._pace, self._since = ("", 1.0), None, time
            self._puppet.join(self._standing(), time)
        elif not piece.active and ((piece.at >= piece.end and self._loops(piece)) or (not self._loops(piece) and time > self._since + HELD_S)):
            self._since = np.inf if not self._loops(piece) else self._since
            self._puppet.join(self._standing(held=False), time)

    def _walks(self, bouts: Bouts, piece: Piece, time: float) -> bool:
        """Whether somebody walks at a time (s)."""
        assert self._start is not None
        begun = time - self._start
        if piece.walks and bouts.ends(begun):
            self._doing, self._since = ("", 1.0), time
            self._puppet.join(self._standing(), time)
        elif not piece.walks and bouts.begins(begun, sure=piece.active):
            bouts.set_off(begun)
            self._doing, self._pace = ("walk", 1.0), None
            before = bouts.part(np.zeros(0))
            self._puppet.join(Piece(before, 0.0, before.motion.duration, np.inf, active=True, walks=True), time)
        else:
            return piece.walks
        self._event = None
        return True

    def _watch_feet(self, times: Array, stands: Bools) -> None:
        """How long an action has not done what the feet do: one stands (N, 2) that is in the air in the recording, also a little later and before; or
        the other way round."""
        for time, now in zip(times, stands, strict=True):
            around = time - TOLERATED_S, time, time + TOLERATED_S
            wrong = any(all(self.contacts.at(foot, moment).down != bool(now[foot]) for moment in around) for foot in FEET)
            self._astray = max(0.0, self._astray + (1.0 if wrong else -0.5) / self.fps)

    def _goes_on(self, piece: Piece, seen: Array, new: Choice) -> bool:
        """Whether it goes on as it does, because a new action would be too unlike what the feet do, features ``seen`` (W, K) around its onset; or not
        much more like it than the action that is played."""
        if new.unlike > UNLIKE:
            return True
        if not piece.active or self._pace is None or piece.at + NEARLY_S > piece.end:
            return False
        return BETTER * self._choices.unlike(piece.part, piece.at, self._pace.pace, seen) < new.unlike

    def _standing(self, held: bool = True) -> Piece:
        """The quiet standing that is most like what was played last; where none is, that goes on, ``held`` as it is."""
        before, pieces = self._puppet.piece, self.library.quiet
        best = pieces[0]
        if before is not None:
            pose = before.part.places[before.part.frame(before.at)]
            away = np.array([float(np.linalg.norm(piece.pose - pose)) for piece in pieces])
            best = pieces[int(away.argmin())]
            if held and away.min() > HELD:
                return Piece(before.part, before.at, before.at, before.at)
        return Piece(self.library.part(best.take, best.start, best.end), best.start, best.start, best.end)

    def _around(self, onset: float) -> Array:
        """(W, K) features around an onset (s), as far as they are known; what is not is as at the edge."""
        last = max(number for number, moment in enumerate(self._moments) if moment.time <= onset + 1e-6 or number == 0)
        at = np.clip(last + np.arange(-self._choices.back, self._choices.ahead + 1), 0, len(self._moments) - 1)
        return np.array([self._moments[number].per_foot for number in at])


def played(recording: Recording, database: Database, body: Body, latency: float = LATENCY, fps: float = FPS) -> list[Pose]:
    """All poses of a recording, as if it were a stream."""
    actor = Actor(database, body, recording.layout, latency, fps=fps, calibrated=recording.calibrated)
    poses = [pose for time, frame in zip(recording.times, recording.pressures, strict=True) for pose in actor.hear(float(time), frame)]
    return poses + actor.finish()


def act(recording: Recording, database: Database, body: Body, latency: float = LATENCY, fps: float = FPS) -> Motion:
    """A recording as a motion on a body: exactly what a stream of it gives."""
    return as_motion(played(recording, database, body, latency, fps), body, fps, fps)[0]


def as_motion(poses: Sequence[Pose], body: Body, fps: float, rate: float) -> tuple[Motion, Bools]:
    """Poses, ``fps`` a second, as a motion with ``rate`` frames a second, and which feet stand in it (F, 2)."""
    whole = Motion(body.skeleton, fps, np.array([pose.root for pose in poses]), np.array([pose.rotations for pose in poses]))
    motion = whole if rate == fps else whole.resample(rate)
    nearest = np.minimum(np.round(np.arange(motion.frames) * fps / rate).astype(int), len(poses) - 1)
    return motion, np.array([pose.stands for pose in poses])[nearest]
