"""Reel: a hit on a body that stands, which is more than its reflexes can catch: the steps are planned ahead, then it stands again."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..control.data_driven import INERTIA_FLOOR, SOLE_TWIST
from ..control.stander import STRATEGIES, TIME_STEP, Stander, known_manners
from ..job import Job
from ..measure.contacts import footfalls
from ..measure.span import PER_FRAME
from ..motion import Motion
from ..physics import world_class
from ..plan.aim import FPS
from ..plan.follow import follow
from ..plan.stage import first_hit
from ..progress import Progress
from ..reference import Reference
from ..result import Result
from ..simulate import perform
from .lead import Lead

PLANNED_S = 1.6  # s after the hit, in which the body is caught
STANDS_S = 4.0  # s, in which it then comes to stand


def reeled(job: Job, reference: Reference, clip: Motion, progress: Progress | None, workers: int | None) -> Result | None:
    """What becomes of the body from the hit on, until it stands quietly, ``FPS`` frames a second; None where it falls all the same."""
    begin = first_hit(job) / FPS
    length = min(begin + PLANNED_S, clip.duration)
    caught = follow(dataclasses.replace(job, fps=FPS, duration=length, source=job.source | {"duration": length}), progress, workers)
    if caught.outcome["fell"]:
        return None
    stood, stands = _stood(job, reference, clip, caught, begin)
    if not stands:
        return None
    whole = dataclasses.replace(caught, **{name: np.concatenate([getattr(caught, name), getattr(stood, name)[1:]]) for name in PER_FRAME},
                                outcome=caught.outcome | stood.outcome)
    steps = len(footfalls(whole))
    whole.outcome |= {"steps": steps, "strategy": STRATEGIES[1 + min(max(steps, 1), 3)]}
    return whole


def _stood(job: Job, reference: Reference, clip: Motion, caught: Result, begin: float) -> tuple[Result, bool]:
    """What becomes of a body that was caught, and whether it has come to stand."""
    body, time = reference.body, begin + (caught.frames - 1) / FPS
    moved = Motion(body.skeleton, FPS, caught.root_positions, caught.rotations)
    start = Lead.of(moved, 1.0 / TIME_STEP).start(body, -1)
    pose = clip.slice(min(time, clip.duration), clip.duration)
    for manners in known_manners():
        task = dataclasses.replace(job, events=[], time_step=TIME_STEP, fps=FPS, duration=STANDS_S, source=job.source | {"duration": STANDS_S})
        with world_class(job.engine)(body, job.ground, job.obstacles, time_step=TIME_STEP, friction=job.friction, self_collision=True,
                                     inertia_floor=INERTIA_FLOOR, sole_twist=SOLE_TWIST) as world:
            world.place(**start)
            driver = Stander(body, task, world.inertias, pose, reference.name, 0.0, manners)
            result = perform(world, driver, task)
        if driver.stands and not result.outcome["fell"]:
            break
    return result, driver.stands and not result.outcome["fell"]
