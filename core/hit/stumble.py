"""Stumble: a hit on any clip that the body takes on its feet: by tracking the clip's steps, and where that does not hold, by planning ahead from the
moment when it reacts.

Before the hit the clip is as it was. Then physics has the body: for the reaction delay it does nothing about the hit, and from there on plans keep it
up that know where it is. They follow the clip in its own time and go back to its way where they can. Once the body has done for a while what the clip
does, or after some seconds, it goes over into the clip.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from ..context import Context
from ..job import Job
from ..motion import Motion
from ..physics import choose_engine
from ..plan.aim import FPS
from ..plan.follow import follow
from ..plan.planner import Planner
from ..plan.stage import WINDOW, first_hit
from ..reference import Reference
from ..result import Result
from .flinch import Hit
from .home import homeward
from .join import joined
from .recover import recovered
from .rejoin import rejoined
from .settings import STUMBLE
from .task import HitTask

# How long things take, for the progress: s of one core for a second of the clip that is planned, and for an attempt to track it.
PLAN_S, ATTEMPT_S = {"draft": 10.0, "normal": 30.0, "fine": 80.0}, 0.4
# How hard plans are looked for, one after the other, until one holds.
TRIED = {"draft": ("draft",), "normal": ("draft", "normal"), "fine": ("normal", "fine")}
SLOWER = 3.0  # times as long as MuJoCo, that pybullet needs to try plans


def stumbled(job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], context: Context) -> Result:
    """The clip with hits after which the body steps, reels and goes on, or falls.

    ``clip``: the reference's motion as the result is to begin, at the job's rate. ``hits``: in the world's axes."""
    first, last = min(hit.time for hit in hits), max(hit.end for hit in hits)
    seconds = min(job.duration, last + STUMBLE.plan_s)
    engine = choose_engine("auto", ("mujoco", "pybullet"))  # what tries plans faster, whatever the body was tracked in
    pace = (seconds - first) * (1.0 if engine == "mujoco" else SLOWER) / context.cores
    planning = [pace * PLAN_S[quality] for quality in TRIED[task.quality]]
    began = time.monotonic()
    result = recovered(job, task, reference, clip, hits, context, instead=sum(planning) / ATTEMPT_S)
    if result is not None:
        return result
    begin = first_hit(job) / FPS
    for number, quality in enumerate(TRIED[task.quality]):
        # Who falls though it was tried harder falls; who holds in the first try needs no other.
        telling = context.hoping(time.monotonic() - began, planning[number], 0.0, sum(planning[number + 1:]))
        plan = dataclasses.replace(task, quality=quality).plan(dataclasses.replace(job, fps=FPS, duration=seconds, engine=engine))
        found = follow(plan, dataclasses.replace(telling, unfinished=None), enough=lambda planner: _follows(planner, last - begin))
        if not found.outcome["fell"]:
            break
    end = min(int((begin + (found.frames - 1) / found.fps) * clip.fps + 1e-6), clip.frames - 1)
    start = max(end - round(STUMBLE.steps_s * clip.fps), int(last * clip.fps) + 1)
    contacts = reference.contacts_at(clip.fps, clip.frames)

    def back_to_clip(motion: Motion) -> Motion:
        stance = int(np.argmax(found.foot_forces[min(round((start / clip.fps - begin) * found.fps), found.frames - 1), :, 2]))
        back, _ = rejoined(reference.body, motion, clip, contacts, start, end, stance)
        return homeward(reference.body, back, clip, contacts, end) if task.home else back

    return joined(job, reference, clip, found, begin, back_to_clip, start)


def _follows(planner: Planner, hit: float) -> bool:
    """Whether a planned body that was hit until ``hit`` (s) has long done what the clip does, wherever it is."""
    windows = int(np.ceil(STUMBLE.steps_s * FPS / WINDOW))
    levels = planner.levels[1:]
    return len(levels) - windows > hit * FPS / WINDOW and all(level.distance < STUMBLE.back for level in levels[-windows:])
