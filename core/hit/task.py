"""How hits on a recording are to be taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from ..arrays import Array
from ..body import Body
from ..job import Job
from ..plan.task import Task
from ..reference.recordings import Recording
from .acting.task import Acting
from .held import Held

OF_PARTS = {"trunk": ("torso",), "head": ("head",), "arms": ("upper_arm", "forearm")}  # a part of the body, and the links whose joints are it


@dataclass(frozen=True)
class Manner:
    """How a hit is taken.

    Attributes:
        stiffness: factor of the whole body's stiffness.
        delay: s before the character reacts.
        soft: s that what was struck stays soft.
        back: s after the end of a hit, by which a body that flinches is as in the clip again.
        softness: of each of ``OF_PARTS``, times as soft as it is by itself; what is left out is as it is.
    """

    stiffness: float
    delay: float
    soft: float
    back: float
    softness: Mapping[str, float] = field(default_factory=dict)

    def firm(self, body: Body) -> Array:
        """(L,) how firm each joint is, times as firm as by itself."""
        of = {link: 1.0 / soft for part, soft in self.softness.items() for link in OF_PARTS[part]}
        return np.array([of.get(name.partition(".")[0], 1.0) for name in body.names])


@dataclass(frozen=True)
class HitTask:
    """A recording that is to be hit, and how the hits are to be taken.

    Attributes:
        response: "flinch", "balance", "stumble", "fall", or "auto": what fits the hit.
        home: whether a walker that was pushed aside goes back to the clip's way, instead of on from there.
        like: how a hit like this one was taken, which is tried first.
        after_fall: "lie" or "get_up": what a body does that fell. get_up: paths of recordings of people who get up. lies_for: s that it lies first.
        gains: of tracking, in place of the usual ones. quality, freedom, weights, strength: of plans, as in ``plan.task``.
        acting: how what was simulated is played.
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
    acting: Acting
    after_fall: str = "lie"
    get_up: tuple[str, ...] = ()
    lies_for: float = 1.0

    @property
    def waits(self) -> float:
        """s, for as long as which a body that fell and lies still waits for the next hit."""
        return self.lies_for if self.after_fall == "get_up" and self.get_up else inf

    def plan(self, job: Job) -> Task:
        """What is to be planned for a stumble in ``job``."""
        return Task(job, self.recording, self.quality, self.freedom, self.weights, self.strength, self.manner.delay,
                    self.like.knots)
