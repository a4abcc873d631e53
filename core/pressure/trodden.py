"""A recording of foot pressure as a reference: what a body does whose feet do what those of the recording did."""

from __future__ import annotations

from pathlib import Path

from ..body import Body
from ..feet.stances import Stance
from ..reference import Reference
from ..reference.fragments import cut
from ..reference.reference import RATE
from ..signals import runs
from .devices import read
from .footwork import footwork_of
from .stances import stances
from .strides import walk
from .walking import Walking, walked


def reference_of(path: str, body: Body, seconds: float, *, latency: float | None = None, step_width: float = 0.0,
                 arm_spread: float = 0.0) -> Reference:
    """So many seconds of a recording on a body. ``latency``: s that are known of what comes; None: all of it. The rest as in ``strides``."""
    recording = read(path)
    if latency is None:
        footwork = footwork_of(stances(recording), float(recording.times[-1]))
        found = walk(footwork, body, seconds, fps=RATE, step_width=step_width, arm_spread=arm_spread)
    else:
        walking = Walking(body, recording.layout, latency, fps=RATE, calibrated=recording.calibrated, step_width=step_width, arm_spread=arm_spread)
        found = walked(recording, walking)
    motion = found.motion.slice(0.0, seconds)
    stood = [Stance(foot, start, end) for foot in (0, 1) for start, end in runs(found.stands[:motion.frames, foot])]
    stood.sort(key=lambda stance: (stance.start, stance.foot))
    return Reference(Path(path).stem, body, motion, stood, cut(motion, stood), recording.rate, list(recording.faults))
