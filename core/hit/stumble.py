"""Stumble: a hit on any clip that the body takes on its feet: by tracking the clip's steps, and where that does not hold, by planning ahead from the
moment when it reacts.

Before the hit the clip is as it was. Then physics has the body: for the reaction delay it does nothing about the hit, and from there on plans keep it
up that know where it is. They follow the clip in its own time and go back to its way where they can. Once the body is back, it is the clip again.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from ..context import Context
from ..job import Job
from ..motion import Motion
from ..plan.aim import FPS
from ..plan.follow import follow
from ..plan.stage import first_hit
from ..reference import Reference
from ..result import Result
from ..signals import smooth_step
from .flinch import Hit
from .home import homeward, nearing, there
from .join import joined
from .recover import recovered
from .settings import STUMBLE
from .task import HitTask

# How long things take, for the progress: s of one core for a second of the clip that is planned, and for an attempt to track it.
PLAN_S, ATTEMPT_S = {"draft": 10.0, "normal": 30.0, "fine": 80.0}, 0.4
SLOWER = 3.0  # times as long as MuJoCo, that pybullet needs to try plans


def stumbled(job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], context: Context) -> Result:
    """The clip with hits after which the body steps, reels and goes on, or falls.

    ``clip``: the reference's motion as the result is to begin, at the job's rate. ``hits``: in the world's axes."""
    pace = PLAN_S[task.quality] * (1.0 if job.engine == "mujoco" else SLOWER) / context.cores
    seconds = min(job.duration, max(hit.end for hit in hits) + STUMBLE.plan_s) if reference.goes_on else job.duration
    planning = pace * max(0.0, seconds - min(hit.time for hit in hits)) / ATTEMPT_S
    began = time.monotonic()
    result = recovered(job, task, reference, clip, hits, context, instead=planning)
    if result is not None:
        return result
    found = follow(task.plan(dataclasses.replace(job, fps=FPS, duration=seconds)),
                   dataclasses.replace(context.amid(time.monotonic() - began, planning * ATTEMPT_S, 0.0), unfinished=None))
    begin = first_hit(job) / FPS
    away = np.linalg.norm(Motion(reference.body.skeleton, FPS, found.root_positions, found.rotations).world()[0] - found.reference_positions, axis=-1)
    far = np.flatnonzero(away.max(axis=1) > STUMBLE.back)
    back = begin + (int(far[-1]) + 1 if len(far) else 0) / FPS + STUMBLE.back_s
    times, end = np.arange(clip.frames) / clip.fps, begin + (found.frames - 1) / found.fps
    if reference.goes_on and not found.outcome["fell"]:
        # After the plan there is only the clip: until then the body goes over into it in its own steps.
        start = int(min(back, end - STUMBLE.steps_s - STUMBLE.fade_s) * clip.fps)
        stance = int(found.stance[round((start / clip.fps - begin) * found.fps)])
        near = smooth_step((times * clip.fps - start) / (STUMBLE.steps_s * clip.fps))
        contacts = reference.contacts_at(clip.fps, clip.frames)

        def back_to_clip(motion: Motion) -> Motion:
            goal = there(reference.body, clip, motion, start, stance)
            if task.home:
                goal = homeward(reference.body, goal, clip, contacts, start + round(STUMBLE.steps_s * clip.fps))
            return nearing(reference.body, motion, goal, contacts, near)

        return joined(job, reference, clip, found, begin, back_to_clip)
    weights = smooth_step((times - back) / STUMBLE.fade_s)
    return joined(job, reference, clip, found, begin, lambda motion: motion.blend(clip, weights))
