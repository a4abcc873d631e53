"""Fall: a hit that cannot be saved; the body goes down like a person and then lies still."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

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
from .settings import FALL

TIME_STEPS = (TIME_STEP, TIME_STEP / 2, TIME_STEP / 4)  # s, each tried where the engine goes wild with the one before, or throws up a body that lies
THROWN_M_S = 2.0  # m/s upward, from which on a body that lies was thrown up


def fallen(job: Job, reference: Reference, clip: Motion, hits: list[Hit], delay: float, context: Context | None = None,
           tried: Result | None = None) -> Result:
    """The clip until the body begins to fall, and then the fall.

    Args:
        clip: the reference's motion as the result is to begin, at the job's rate. hits: in the world's axes. delay: s before the body reacts.
        tried: a result in which the body fell though it tried to stay up. Then the fall begins shortly before that, and not with the hit.
    """
    begin = min(hit.time for hit in hits)
    if tried is not None:
        clip = Motion(clip.skeleton, clip.fps, tried.root_positions, tried.rotations)
        begin, delay = max(tried.outcome["fell_at"] - FALL.gives_up_s, begin), 0.0
    found = _steadily(lambda time_step: _simulated(job, reference, clip, hits, begin, delay, time_step, context))
    found.outcome["reason"] = "Fell, as it was asked to." if tried is None else tried.outcome.get("reason", "Fell.")
    result = joined(job, reference, _held(clip, begin + FALL.longest_s), found, begin, lambda motion: motion)
    if tried is not None:
        before = int(begin * job.fps + 1e-9) + 1
        for name in MEASURED:
            getattr(result, name)[:before] = getattr(tried, name)[:before]
        result.clip_times[:] = tried.clip_times[np.minimum(np.arange(result.frames), before - 1)]
    return result


def _steadily(simulated: Callable[[float], Result]) -> Result:
    """What ``simulated`` gives for the first of ``TIME_STEPS`` with which the engine behaves, or else for the smallest that gives anything."""
    found = None
    for time_step in TIME_STEPS:
        try:
            found = simulated(time_step)
        except SimulationError:
            if found is None and time_step == TIME_STEPS[-1]:
                raise
            continue
        if not _thrown_up(found):
            break
    assert found is not None  # else the last one has raised
    return found


def _simulated(job: Job, reference: Reference, clip: Motion, hits: list[Hit], begin: float, delay: float, time_step: float,
               context: Context | None) -> Result:
    """What becomes of the body from ``begin`` (s) on, until it lies still. ``delay``: s before it reacts."""
    own, events, start = at_hit(reference, clip, hits, begin, time_step)
    own_job = dataclasses.replace(job, events=events, time_step=time_step, duration=FALL.longest_s)
    settings = dataclasses.replace(FALLING, time_step=time_step, friction=job.friction)
    with world_class(job.engine)(reference.body, job.ground, job.obstacles, settings) as world:
        world.place(**start)
        driver = Faller(reference.body, own_job, own, reference.name, delay)
        # Where the engine goes wild this is tried again: who watches waits for one that is good.
        seen = context and context.showing(None).within(0.0, 1.0, "Letting it fall as a person does")
        found = perform(world, driver, own_job, seen, after_fall=np.inf)
    found.outcome |= {"fell": True, "fell_at": driver.fell_at or (found.frames - 1) / found.fps}
    return found


def _thrown_up(found: Result) -> bool:
    """Whether a body that lay has risen faster than a person can: then the engine has put energy in."""
    lies = found.root_positions[round(found.outcome["fell_at"] * found.fps):, 2]
    return bool((np.diff(lies) * found.fps > THROWN_M_S).any())


def _held(clip: Motion, seconds: float) -> Motion:
    """The clip, its last pose held until ``seconds``."""
    more = max(0, int(np.ceil(seconds * clip.fps)) + 1 - clip.frames)
    return Motion(clip.skeleton, clip.fps, np.concatenate([clip.root_positions, np.repeat(clip.root_positions[-1:], more, axis=0)]),
                  np.concatenate([clip.rotations, np.repeat(clip.rotations[-1:], more, axis=0)]))
