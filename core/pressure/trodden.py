"""A recording of foot pressure as a reference: what a body does whose feet do what those of the recording did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..body import Body
from ..feet.stances import Stance
from ..reference import Reference
from ..reference.fragments import cut
from ..reference.reference import RATE
from ..signals import runs
from .devices import read
from .footwork import footwork_in
from .loads import NAMES, feet_of
from .manner import manner_in
from .recording import LEFT, RIGHT, Recording
from .stances import stances
from .strides import Walked, walk
from .walking import Walking, walked

STANDS = "Nobody steps in the recording, so the character stands."


@dataclass(frozen=True)
class Trodden:
    """A file of a device, and how it is acted.

    Attributes:
        latency: s that are known of what comes, as if it were heard live; None: all of it is known.
        step_width, arm_spread: m and rad, as ``strides`` takes them.
    """

    path: str
    latency: float | None = None
    step_width: float = 0.0
    arm_spread: float = 0.0

    @property
    def name(self) -> str:
        return Path(self.path).stem

    def reference(self, body: Body, seconds: float) -> Reference:
        """What a body does for so many seconds of it."""
        recording = read(self.path)
        found = self._walked(recording, body, seconds)
        motion = found.motion.slice(0.0, seconds)
        stood = [Stance(foot, start, end) for foot in (LEFT, RIGHT) for start, end in runs(found.stands[:motion.frames, foot])]
        stood.sort(key=lambda stance: (stance.start, stance.foot))
        notes = [STANDS] if not any(stance.start for stance in stood) else _of_one_foot(recording)
        return Reference(self.name, body, motion, stood, cut(motion, stood), recording.rate, list(recording.faults), notes)

    def _walked(self, recording: Recording, body: Body, seconds: float) -> Walked:
        if self.latency is None:
            return walk(footwork_in(recording), body, seconds, fps=RATE, manner=manner_in(recording, stances(recording)),
                        step_width=self.step_width, arm_spread=self.arm_spread)
        return walked(recording, Walking(body, recording.layout, self.latency, fps=RATE, calibrated=recording.calibrated,
                                         step_width=self.step_width, arm_spread=self.arm_spread))


def _of_one_foot(recording: Recording) -> list[str]:
    """A sentence where only one foot was measured."""
    feet = feet_of(recording)
    if feet not in ([LEFT], [RIGHT]):
        return []
    return [f"Only the {NAMES[feet[0]]} foot was measured: the {NAMES[1 - feet[0]]} one steps half-way between its steps."]
