"""A recording of foot pressure as a reference: what a body does whose feet do what those of the recording did."""

from __future__ import annotations

from math import inf
from pathlib import Path

from ..body import Body
from ..feet.stances import Stance
from ..reference import Reference
from ..reference.fragments import cut
from ..reference.reference import RATE
from .contacts import Contacts, contacts_of
from .devices import read
from .stances import stances
from .strides import walk


def reference_of(path: str, body: Body, seconds: float, arm_spread: float = 0.0) -> Reference:
    """So many seconds of a recording on a body."""
    recording = read(path)
    contacts = contacts_of(stances(recording), float(recording.times[-1]))
    motion = walk(contacts, body, seconds, fps=RATE, arm_spread=arm_spread)
    found = stood(contacts, motion.frames, RATE)
    return Reference(Path(path).stem, body, motion, found, cut(motion, found), recording.rate, list(recording.faults))


def stood(contacts: Contacts, frames: int, fps: float) -> list[Stance]:
    """The stances of a motion of so many frames that has these contacts."""
    found = []
    for foot in (0, 1):
        for strike, lift in contacts.spans[foot]:
            start, end = (0 if strike == -inf else max(round(strike * fps), 0)), (frames if lift == inf else min(round(lift * fps), frames))
            if end > start:
                found.append(Stance(foot, start, end))
    return sorted(found, key=lambda stance: (stance.start, stance.foot))
