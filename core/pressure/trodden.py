"""A recording of foot pressure as a reference: what a body does whose feet do what those of the recording did.

Who does nothing but walk walks in the steps of the recording (``strides``). Anything else is for an actor, who knows a database (``acting``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from ..arrays import Bools
from ..body import Body
from ..feet.stances import Stance
from ..motion import Motion
from ..reference import Reference
from ..reference.fragments import cut
from ..reference.reference import RATE
from ..signals import runs
from .acting import FPS, as_motion, played
from .database import Database
from .devices import read
from .footwork import footwork_in, only_walks
from .loads import NAMES, feet_of
from .manner import manner_in
from .recording import LEFT, RIGHT, Recording
from .stances import stances
from .strides import walk

WHOLE_S = 1.0  # s that an actor is behind the feet, where all of a recording is known
STEPS = "Nothing in the recording was recognised, so the character does no more than step when and where its feet do."
STANDS = "Nobody steps in the recording, and nothing in it was recognised, so the character stands."


@dataclass(frozen=True)
class Done:
    """Something that is done: what, and when it begins (s)."""

    name: str
    time: float


@dataclass(frozen=True)
class Trodden:
    """A file of a device, and how it is acted.

    Attributes:
        database: a file of motions with their pressure; "": the one that comes with Footfall.
        latency: s that are known of what comes, as if it were heard live; None: all of it is known.
        step_width, arm_spread: m and rad, of who walks, as ``strides`` takes them.
    """

    path: str
    database: str = ""
    latency: float | None = None
    step_width: float = 0.0
    arm_spread: float = 0.0

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def reference(self, body: Body, seconds: float) -> Reference:
        """What a body does for so many seconds of it."""
        return self.acted(body, seconds)[0]

    def acted(self, body: Body, seconds: float) -> tuple[Reference, list[Done]]:
        """The same, and what is done in it."""
        recording = recording_at(self.path)
        # Where feet are on a pad, it knows itself, and an actor keeps to it.
        footwork = footwork_in(recording) if self.latency is None and recording.layout.grid is None else None
        if footwork is not None and only_walks(footwork):
            found = walk(footwork, body, seconds, fps=RATE, manner=manner_in(recording, stances(recording)), step_width=self.step_width,
                         arm_spread=self.arm_spread)
            motion, stands, done = found.motion, found.stands, [Done("walk", float(found.times[0]))]
        else:
            motion, stands, done = self._played(recording, body)
        motion = motion.slice(0.0, seconds)
        stood = [Stance(foot, start, end) for foot in (LEFT, RIGHT) for start, end in runs(stands[:motion.frames, foot])]
        stood.sort(key=lambda stance: (stance.start, stance.foot))
        notes = _of_one_foot(recording) if done else [STEPS if any(stance.start > 0 for stance in stood) else STANDS]
        return Reference(self.name, body, motion, stood, cut(motion, stood), recording.rate, list(recording.faults), notes), done

    def _played(self, recording: Recording, body: Body) -> tuple[Motion, Bools, list[Done]]:
        """By an actor: the motion at ``RATE``, its stances (F, 2), and what is done."""
        poses = played(recording, Database.load(self.database), body, self.latency or WHOLE_S)
        done = [Done(name, next(some).time) for name, some in groupby(poses, key=lambda pose: pose.action) if name]
        return *as_motion(poses, body, FPS, RATE), done


def recording_at(path: str) -> Recording:
    """A file of a device, read once in a process, however often it is asked for, so that nobody may change it."""
    return _read(path, Path(path).stat().st_mtime)


@lru_cache(maxsize=4)
def _read(path: str, changed: float) -> Recording:
    return read(path)


def _of_one_foot(recording: Recording) -> list[str]:
    """A sentence where only one foot was measured."""
    feet = feet_of(recording)
    if feet not in ([LEFT], [RIGHT]):
        return []
    return [f"Only the {NAMES[feet[0]]} foot was measured: the {NAMES[1 - feet[0]]} one steps half-way between its steps."]
