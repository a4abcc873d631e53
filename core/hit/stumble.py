"""Stumble: a hit on any clip that the body takes on its feet: by tracking the clip's steps, and where that does not hold, by planning ahead from the
moment when it reacts.

Before the hit the clip is as it was. Then physics has the body: for the reaction delay it does nothing about the hit, and from there on plans keep it
up that know where it is. They follow the clip in its own time and go back to its way where they can. Once the body has done for a while what the clip
does, or after some seconds, it goes over into the clip.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from itertools import pairwise

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
from .held import Held
from .home import homeward
from .join import joined
from .recover import recovered
from .rejoin import BACK_S, rejoined
from .settings import STUMBLE
from .task import HitTask

# How long things take, for the progress: s of one core for a second of the clip that is planned, and for an attempt to track it.
PLAN_S, ATTEMPT_S = {"sketch": 7.0, "normal": 30.0, "fine": 80.0}, 0.4
# How hard plans are looked for, one after the other, until one holds.
TRIED = {"draft": ("sketch",), "normal": ("sketch", "normal"), "fine": ("normal", "fine")}
NO_FURTHER = 1  # windows of a plan by which the second look for one must have come further than the first, to be worth a third one
ENGINES = ("mujoco", "pybullet")  # the one that tries plans faster first
SLOWER = 3.0  # times as long as MuJoCo, that pybullet needs to try plans


def stumbled(job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], sure: float, context: Context) -> Result:
    """The clip with hits after which the body steps, reels and goes on, or falls.

    ``clip``: the reference's motion as the result is to begin, at the job's rate. ``hits``: in the world's axes. ``sure``: s until which the clip
    can be followed: nobody looks for a way to hold the pose in which it ends in the air."""
    if task.like.knots:  # a hit like this one was held by a plan, and not by tracking
        planned = _planned(job, task, reference, clip, hits, sure, context, TRIED[task.quality][:1])
        if not planned.outcome["fell"]:
            return planned
        task = dataclasses.replace(task, like=Held())
    seconds = (min(job.duration, max(hit.end for hit in hits) + STUMBLE.plan_s) - min(hit.time for hit in hits)) / context.cores
    pace = seconds * (1.0 if choose_engine("auto", ENGINES) == "mujoco" else SLOWER)
    planning = [pace * PLAN_S[quality] for quality in TRIED[task.quality]]
    began = time.monotonic()
    tracked = recovered(job, task, reference, clip, hits, context, instead=sum(planning) / ATTEMPT_S)
    if tracked is not None and not tracked.outcome.pop("strained_rad"):
        return tracked
    # Where tracking holds, if only by straining joints, it need not be looked for a plan for long.
    qualities = TRIED[task.quality] if tracked is None else TRIED[task.quality][:1]
    telling = context.hoping(time.monotonic() - began, planning[0], 0.0, sum(planning[1:]))
    planned = _planned(job, task, reference, clip, hits, sure, telling, qualities)
    return tracked if tracked is not None and planned.outcome["fell"] else planned


def _planned(job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], sure: float, context: Context,
             qualities: Sequence[str]) -> Result:
    """The same, planned ahead: looked for as hard as ``qualities`` say, one after the other."""
    last, begin = max(hit.end for hit in hits), first_hit(job) / FPS
    # What tries plans faster, whatever the body was tracked in.
    job_of_plan = dataclasses.replace(job, fps=FPS, duration=min(job.duration, last + STUMBLE.plan_s), engine=choose_engine("auto", ENGINES))
    planners: list[Planner] = []

    def enough(planner: Planner) -> bool:
        planners[:] = [planner]
        return _caught(planner, last - begin) or begin + (len(planner.levels) - 1) * WINDOW / FPS > sure

    for quality in qualities:
        plan = dataclasses.replace(task, quality=quality).plan(job_of_plan)
        found = follow(plan, dataclasses.replace(context, unfinished=None), enough=enough)
        if not found.outcome["fell"] or _in_vain(planners[0]):
            break
    seconds = (found.frames - 1) / found.fps
    if not found.outcome["fell"] and begin + seconds > sure and not _caught(planners[0], last - begin):
        found.outcome |= {"fell": True, "fell_at": seconds}
    found.outcome["held"] = Held(knots=tuple(tuple(row) for row in planners[0].found().round(4).tolist())).data
    end = min(int((begin + seconds) * clip.fps + 1e-6), clip.frames - 1)
    near = min(end - round(STUMBLE.back_s * clip.fps), int((last + BACK_S - STUMBLE.steps_s) * clip.fps))
    start = max(near, int(last * clip.fps) + 1)
    contacts = reference.contacts_at(clip.fps, clip.frames)

    def back_to_clip(motion: Motion) -> Motion:
        stance = int(np.argmax(found.foot_forces[min(round((start / clip.fps - begin) * found.fps), found.frames - 1), :, 2]))
        known = dataclasses.replace(motion, root_positions=motion.root_positions[:end + 1], rotations=motion.rotations[:end + 1])
        back, _ = rejoined(reference.body, known, clip, contacts, start, start + round(STUMBLE.steps_s * clip.fps), stance)
        return homeward(reference.body, back, clip, contacts, end) if task.home else back

    return joined(job, reference, clip, found, begin, back_to_clip, start)


def _in_vain(planner: Planner) -> bool:
    """Whether the body was lost where it had been lost before, though it was looked harder from the hit on: looking harder still would not help."""
    return planner.lost_at is not None and planner.lost_at <= planner.trouble + NO_FURTHER


def _caught(planner: Planner, hit: float) -> bool:
    """Whether a planned body that was hit until ``hit`` (s) does for a while what the clip does, at its pace, wherever it is."""
    windows = int(np.ceil(STUMBLE.back_s * FPS / WINDOW))
    levels = planner.levels[-windows - 1:]
    return (len(planner.levels) - windows > hit * FPS / WINDOW + planner.stage.blind
            and all(level.distance < STUMBLE.back for level in levels)
            and all(abs(after.drift - before.drift) < STUMBLE.strays * WINDOW / FPS for before, after in pairwise(levels)))
