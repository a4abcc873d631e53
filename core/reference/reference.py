"""Reference: a recording made ready to be followed by a simulated body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..arrays import Array, Bools
from ..body import Body, make_body
from ..feet import level, plant, stances
from ..feet.stances import Stance
from ..formats import Clip
from ..motion import Motion
from ..retarget import body_of, retarget
from ..signals import nearby
from . import floor, fragments, lowpass
from .fragments import Fragment
from .repair import faults, mended, summary, with_sound_ankles

# Frames a second of every reference.
RATE = 120.0
# Hz of the low-pass filter: usually, and where someone runs or jumps.
CALM_HZ, LIVELY_HZ = 6.0, 9.0
# Seconds around a flight that count as running or jumping.
LIVELY_S = 0.4


# Compared by identity: arrays have no single answer to ==.
@dataclass(eq=False)
class Reference:
    """What a body is to do, frame by frame.

    Attributes:
        name: of the clip.
        body: whose skeleton the motion is on.
        motion: at ``RATE`` frames a second, low-passed, on a level floor at z = 0, with planted feet.
        stances: every time a foot stands.
        fragments: the clip cut at its footfalls.
        fps: frames a second of the file.
        faults: of the recording, whether repaired or not.
        notes: one sentence for each thing that was recognised or corrected.
        ground: (2,) m/s, velocity of the ground under the feet of a recording that walks in place. The motion goes over ground that stands still.
        begins, period: s of the recording at which the motion begins, and after which it does so again, where it is many rounds; or None.
        goes_on: whether the motion steps on, or goes round, after the end of the recording.
    """

    name: str
    body: Body
    motion: Motion
    stances: list[Stance]
    fragments: list[Fragment]
    fps: float
    faults: list[str]
    notes: list[str] = field(default_factory=list)
    ground: Array = field(default_factory=lambda: np.zeros(2))
    begins: float = 0.0
    period: float | None = None
    goes_on: bool = False

    @cached_property
    def contacts(self) -> Bools:
        """(F, 2) whether the left and right foot carry weight."""
        return stances.masks(self.stances, self.motion.frames)

    def contacts_at(self, fps: float, frames: int) -> Bools:
        """(frames, 2) the same at another rate."""
        return self.contacts_during(np.arange(frames) / fps)

    def contacts_during(self, times: Array) -> Bools:
        """(F, 2) the same at ``times`` (F,) s."""
        return self.contacts[np.minimum(np.round(times * self.motion.fps).astype(int), self.motion.frames - 1)]


def prepare(clip: Clip, body: Body | None = None, *, repair: bool = False, made: Callable[[Body, Motion], Motion] | None = None) -> Reference:
    """A Reference of a clip on a body, or on a body with the clip's own measures.

    Args:
        clip: as ``read_clip`` gives it.
        body: who is to do it; lengths may differ from the clip's.
        repair: interpolate over faults of the recording.
        made: what is made of the clip on the body, before its floor and its steps are looked for.
    """
    recorded_faults = faults(clip)
    clip, fault_notes = mended(clip, recorded_faults, repair)
    body = body or make_body(body_of(clip), clip.name)
    motion = retarget(clip, body)
    motion = (made(body, motion) if made else motion).resample(RATE)
    plane = floor.fit(body, motion)
    motion = floor.levelled(motion, plane)
    motion, sole_notes = level.flattened(body, motion)
    motion, ankle_notes = with_sound_ankles(body, motion)
    motion, shift = floor.lowered_to_soles(body, motion)
    found = stances.find(body, motion)
    lively = nearby(~np.any(stances.masks(found, motion.frames), axis=1), LIVELY_S * RATE)
    motion = lowpass.smoothed_by_pace(motion, CALM_HZ, LIVELY_HZ, lively)
    motion = plant.planted(body, motion, found)
    notes = [*clip.notes, *fault_notes, *floor.notes(plane, shift + plane.height), *sole_notes, *ankle_notes, *stances.notes(found)]
    return Reference(clip.name, body, motion, found, fragments.cut(motion, found), clip.motion.fps, summary(recorded_faults), notes)
