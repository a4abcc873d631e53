"""Reel: a hit on a body that stands, which is more than its reflexes can catch: the steps are planned ahead, then it stands again."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..control.stander import STRATEGIES, TIME_STEP
from ..job import Job
from ..measure.contacts import footfalls
from ..measure.span import PER_FRAME
from ..motion import Motion
from ..plan.aim import FPS
from ..plan.follow import follow
from ..plan.stage import first_hit
from ..progress import Progress
from ..reference import Reference
from ..result import Result
from .lead import Lead
from .reflex import best, kept, stood

PLANNED_S = 1.6  # s after the hit, in which the body is caught
STANDS_S = 4.0  # s, in which it then comes to stand


def reeled(job: Job, reference: Reference, clip: Motion, progress: Progress | None, workers: int | None) -> Result | None:
    """What becomes of the body from the hit on, until it stands quietly, ``FPS`` frames a second; None where it falls all the same."""
    begin = first_hit(job) / FPS
    length = min(begin + PLANNED_S, clip.duration)
    caught = follow(dataclasses.replace(job, fps=FPS).lasting(length), progress, workers)
    after = None if caught.outcome["fell"] else _after(job, reference, clip, caught, begin)
    if after is None:
        return None
    whole = dataclasses.replace(caught, **{name: np.concatenate([getattr(caught, name), getattr(after, name)[1:]]) for name in PER_FRAME},
                                outcome=caught.outcome | after.outcome)
    steps = len(footfalls(whole))
    whole.outcome |= {"steps": steps, "strategy": STRATEGIES[1 + min(max(steps, 1), 3)]}
    return whole


def _after(job: Job, reference: Reference, clip: Motion, caught: Result, begin: float) -> Result | None:
    """How a body that was caught comes to stand; None where it does not."""
    body, time = reference.body, begin + (caught.frames - 1) / FPS
    moved = Motion(body.skeleton, FPS, caught.root_positions, caught.rotations)
    start = Lead.of(moved, 1.0 / TIME_STEP).start(body, -1)
    pose = clip.slice(min(time, clip.duration), clip.duration)
    task = dataclasses.replace(job, events=[], time_step=TIME_STEP, fps=FPS).lasting(STANDS_S)
    result, driver = best(lambda manners: stood(task, body, start, pose, reference.name, 0.0, manners))
    return result if kept(result, driver) else None
