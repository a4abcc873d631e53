"""Fall: a hit that cannot be saved; the body goes down like a person and then lies still."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..context import Context
from ..control.faller import TIME_STEP
from ..control.falling import FALL
from ..fall import let_fall
from ..job import Job
from ..motion import Motion
from ..reference import Reference
from ..result import Result
from .begin import at_hit
from .flinch import Hit
from .join import MEASURED, joined


def fallen(job: Job, reference: Reference, clip: Motion, hits: list[Hit], delay: float, context: Context | None = None,
           tried: Result | None = None, waits: float = np.inf) -> Result:
    """The clip until the body begins to fall, and then the fall.

    Args:
        clip: the reference's motion as the result is to begin, at the job's rate. hits: in the world's axes. delay: s before the body reacts.
        waits: s, for as long as which a body that lies still waits for the next hit.
        tried: a result in which the body fell though it tried to stay up. Then the fall begins shortly before that, and not with the hit.
    """
    begin = min(hit.time for hit in hits)
    if tried is not None:
        clip = Motion(clip.skeleton, clip.fps, tried.root_positions, tried.rotations)
        begin, delay = max(tried.outcome["fell_at"] - FALL.gives_up_s, begin), 0.0
    found = _simulated(job, reference, clip, hits, begin, delay, waits, context)
    found.outcome["reason"] = "Fell, as it was asked to." if tried is None else tried.outcome.get("reason", "Fell.")
    result = joined(job, reference, _held(clip, begin + found.frames / found.fps), found, begin, lambda motion: motion)
    if tried is not None:
        before = int(begin * job.fps + 1e-9) + 1
        for name in MEASURED:
            getattr(result, name)[:before] = getattr(tried, name)[:before]
        result.clip_times[:] = tried.clip_times[np.minimum(np.arange(result.frames), before - 1)]
    return result


def _simulated(job: Job, reference: Reference, clip: Motion, hits: list[Hit], begin: float, delay: float, waits: float,
               context: Context | None) -> Result:
    """What becomes of the body from ``begin`` (s) on, until it lies still. ``delay``: s before it reacts."""
    own, events, start = at_hit(reference, clip, hits, begin, TIME_STEP)
    return let_fall(dataclasses.replace(job, events=events), reference.body, lambda world: world.place(**start), own, reference.name, delay, context,
                    waits=waits)


def _held(clip: Motion, seconds: float) -> Motion:
    """The clip, its last pose held until ``seconds``."""
    more = max(0, int(np.ceil(seconds * clip.fps)) + 1 - clip.frames)
    return Motion(clip.skeleton, clip.fps, np.concatenate([clip.root_positions, np.repeat(clip.root_positions[-1:], more, axis=0)]),
                  np.concatenate([clip.rotations, np.repeat(clip.rotations[-1:], more, axis=0)]))
