"""How hits on a recording are to be taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..job import Job
from ..plan.task import Task
from ..reference.recordings import Recording
from .held import Held


@dataclass(frozen=True)
class Manner:
    """How a hit is taken.

    Attributes:
        stiffness: factor of the whole body's stiffness.
        delay: s before the character reacts.
        soft: s that what was struck stays soft.
        back: s after the end of a hit, by which a body that flinches is as in the clip again.
    """

    stiffness: float
    delay: float
    soft: float
    back: float


@dataclass(frozen=True)
class HitTask:
    """A recording that is to be hit, and how the hits are to be taken.

    Attributes:
        response: "flinch", "balance", "stumble", "fall", or "auto": what fits the hit.
        home: whether a walker that was pushed aside goes back to the clip's way, instead of on from there.
        like: how a hit like this one was taken, which is tried first.
        gains: of tracking, in place of the usual ones. quality, freedom, weights, strength: of plans, as in ``plan.task``.
    """

    recording: Recording
    response: str
    manner: Manner
    home: bool
    like: Held
    gains: Mapping[str, Any]
    quality: str
    freedom: float
    weights: Mapping[str, float]
    strength: str

    def plan(self, job: Job) -> Task:
        """What is to be planned for a stumble in ``job``."""
        return Task(job, self.recording, self.quality, self.freedom, self.weights, self.strength, self.manner.delay,
                    self.like.knots)
