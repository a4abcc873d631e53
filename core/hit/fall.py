"""Fall: a hit that cannot be saved; the body goes down like a person and then lies still."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..context import Context
from ..errors import SimulationError
from ..job import Job
from ..motion import Motion
from ..physics import world_class
from ..physics.settings import FALLING
from ..reference import Reference
from ..result import Result
from ..session import perform
from .begin import at_hit
from .faller import TIME_STEP, Faller
from .flinch import Hit
from .join import MEASURED, joined

LONGEST_S = 3.0  # s from the hit, or from the moment when it gives up, to the end
TIME_STEPS = (TIME_STEP, TIME_STEP / 2, TIME_STEP / 4)  # s, each tried where the one before goes wild, or throws up what lies …
THROWN_M_S = 2.0  # … at so many m/s
GIVES_UP_S = 0.4  # s before the hips are down: from then on nothing would have helped


def fallen(job: Job, reference: Reference, clip: Motion, hits: list[Hit], delay: float, context: Context | None = None,
           tried: Result | None = None) -> Result:
    """``clip``: the reference's motion as the result is to begin, at the job's rate. ``hits``: in the world's axes. ``delay``: s before the body reacts.
    ``tried``: how it fell while it tried to stay up: so it begins then, and not with the hit."""
    begin = min(hit.time for hit in hits)
    if tried is not None:
        clip = Motion(clip.skeleton, clip.fps, tried.root_positions, tried.rotations)
        begin, delay = max(tried.outcome["fell_at"] - GIVES_UP_S, begin), 0.0
    found = None
    for time_step in TIME_STEPS:
        try:
            found = _simulated(job, reference, clip, hits, begin, delay, time_step, context)
        except SimulationError:
            if found is None and time_step == TIME_STEPS[-1]:
                raise
            continue
        if not _thrown_up(found):
            break
    found.outcome["reason"] = "Fell, as it was asked to." if tried is None else tried.outcome.get("reason", "Fell.")
    result = joined(job, reference, _held(clip, begin + LONGEST_S), found, begin, lambda motion: motion)
    if tried is not None:
        before = int(begin * job.fps + 1e-9) + 1
        for name in MEASURED:
            getattr(result, name)[:before] = getattr(tried, name)[:before]
    return result


def _simulated(job: Job, reference: Reference, clip: Motion, hits: list[Hit], begin: float, delay: float, time_step: float,
               context: Context | None) -> Result:
    """What becomes of the body from ``begin`` (s) on, until it lies still. ``delay``: s before it reacts."""
    own, events, start = at_hit(reference, clip, hits, begin, time_step)
    own_job = dataclasses.replace(job, events=events, time_step=time_step, duration=LONGEST_S)
    settings = dataclasses.replace(FALLING, time_step=time_step, friction=job.friction)
    with world_class(job.engine)(reference.body, job.ground, job.obstacles, settings) as world:
        world.place(**start)
        driver = Faller(reference.body, own_job, own, reference.name, delay)
        found = perform(world, driver, own_job, context, after_fall=np.inf)
    found.outcome |= {"fell": True, "fell_at": driver.fell_at or (found.frames - 1) / found.fps}
    return found


def _thrown_up(found: Result) -> bool:
    """Whether a body that lay has risen faster than one can: with energy that the engine has put in."""
    lies = found.root_positions[round(found.outcome["fell_at"] * found.fps):, 2]
    return bool((np.diff(lies) * found.fps > THROWN_M_S).any())


def _held(clip: Motion, seconds: float) -> Motion:
    """The clip, its last pose held until ``seconds``."""
    more = max(0, int(np.ceil(seconds * clip.fps)) + 1 - clip.frames)
    return Motion(clip.skeleton, clip.fps, np.concatenate([clip.root_positions, np.repeat(clip.root_positions[-1:], more, axis=0)]),
                  np.concatenate([clip.rotations, np.repeat(clip.rotations[-1:], more, axis=0)]))
