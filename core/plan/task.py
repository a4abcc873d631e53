"""Task: what is to be planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..job import Job
from ..reference.recordings import Maker, Recording


@dataclass(frozen=True)
class Task:
    """A body is to follow a recording in a job's world.

    Attributes:
        quality: how long a plan is looked for, as presets/plan.json names it. strength: how strong the body is, likewise.
        freedom: 0: stick to the clip, 1: physics first. weights: how much it matters that feet, hands, head and trunk go where the clip has them.
        react_after: s from a push of the job until the body reacts to it; until the first push it does what the clip does. None: nothing hits it.
        like: (windows, D) rad, knots of a plan for something like this, with which the search begins.
    """

    job: Job
    recording: Recording | Maker
    quality: str
    freedom: float
    weights: Mapping[str, float]
    strength: str
    react_after: float | None = None
    like: tuple[tuple[float, ...], ...] = ()

    @property
    def is_hit(self) -> bool:
        return self.react_after is not None
