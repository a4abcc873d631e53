"""Stumble: a hit on any clip that the body takes on its feet: by tracking the clip's steps, and where that does not hold, by planning ahead from the
moment when it reacts.

Before the hit the clip is as it was. Then physics has the body: for the reaction delay it does nothing about the hit, and from there on plans keep it
up that know where it is. They follow the clip in its own time and go back to its way where they can. Once the body has done for a while what the clip
does, or after some seconds, it goes over into the clip.
"""

from __future__ import annotations

import dataclasses
import time
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
from .home import homeward
from .join import joined
from .recover import recovered
from .rejoin import BACK_S, rejoined
from .settings import STUMBLE
from .task import HitTask

# How long things take, for the progress: s of one core for a second of the clip that is planned, and for an attempt to track it.
PLAN_S, ATTEMPT_S = {"draft": 10.0, "normal": 30.0, "fine": 80.0}, 0.4
# How hard plans are looked for, one after the other, until one holds.
TRIED = {"draft": ("draft",), "normal": ("draft", "normal"), "fine": ("normal", "fine")}
NO_FURTHER = 1  # windows of a plan by which the second look for one must have come further than the first, to be worth a third one
SLOWER = 3.0  # times as long as MuJoCo, that pybullet needs to try plans


def stumbled(job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], sure: float, context: Context) -> Result:
    """The clip with hits after which the body steps, reels and goes on, or falls.

    ``clip``: the reference's motion as the result is to begin, at the job's rate. ``hits``: in the world's axes. ``sure``: s until which the clip
    can be followed: nobody looks for a way to hold the pose in which it ends in the air."""
    first, last = min(hit.time for hit in hits), max(hit.end for hit in hits)
    seconds = min(job.duration, last + STUMBLE.plan_s)
    engine = choose_engine("auto", ("mujoco", "pybullet"))  # what tries plans faster, whatever the body was tracked in
    pace = (seconds - first) * (1.0 if engine == "mujoco" else SLOWER) / context.cores
    planning = [pace * PLAN_S[quality] for quality in TRIED[task.quality]]
    began = time.monotonic()
    result = recovered(job, task, reference, clip, hits, context, instead=sum(planning) / ATTEMPT_S)
    if result is not None and not result.outcome.pop("strained_rad"):
        return result
    begin = first_hit(job) / FPS
    planners: list[Planner] = []

    def enough(planner: Planner) -> bool:
        planners[:] = [planner]
        return _caught(planner, last - begin) or begin + (len(planner.levels) - 1) * WINDOW / FPS > sure

    for number, quality in enumerate(TRIED[task.quality]):
        # Who falls though it was tried harder falls; who holds in the first try needs no other.
        telling = context.hoping(time.monotonic() - began, planning[number], 0.0, sum(planning[number + 1:]))
        plan = dataclasses.replace(task, quality=quality).plan(dataclasses.replace(job, fps=FPS, duration=seconds, engine=engine))
        found = follow(plan, dataclasses.replace(telling, unfinished=None), enough=enough)
        if not found.outcome["fell"] or result is not None or _in_vain(planners[0]):
            break
    if result is not None and found.outcome["fell"]:
        return result
    if not found.outcome["fell"] and begin + found.outcome["simulated_s"] > sure and not _caught(planners[0], last - begin):
        found.outcome |= {"fell": True, "fell_at": found.outcome["simulated_s"]}
    end = min(int((begin + (found.frames - 1) / found.fps) * clip.fps + 1e-6), clip.frames - 1)
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
