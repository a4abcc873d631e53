"""Balance: a hit on a clip that stands, taken with ankles, hips and steps; then the clip goes on where the body has come to stand.

The body is led by feedback that knows nothing of the hit. All known styles of it are tried; where it falls with all of them, others are tried, too,
unless the hit is more than anybody could take.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..context import Context
from ..control.stander import TIME_STEP, Stander
from ..errors import JobError
from ..feet.pin import with_steady_feet
from ..job import Job
from ..motion import Motion
from ..reference import Reference
from ..result import Result
from .begin import at_hit
from .flinch import Hit
from .gather import gathered, place
from .join import joined
from .reflex import MORE, Try, best, stood
from .settings import AUTO
from .task import Manner

AFTERWARDS = 0.15  # of the time of a try, that it takes to join what was found with the clip
SOONER = 0.5  # of the time of a try, that another one takes when one has held: it gives up as soon as it needs more steps


def balanced(job: Job, reference: Reference, clip: Motion, hits: list[Hit], manner: Manner, context: Context) -> Result:
    """The clip with hits that the body takes on its feet.

    ``clip``: the reference's motion as the result is to begin, at the job's rate. ``hits``: in the world's axes. ``manner``: it may step after its
    delay."""
    begin = min(hit.time for hit in hits)
    if not stands(reference, clip, begin):
        raise JobError(f"At {begin:g} s the clip does not stand on both feet: hit it where it stands, or take the response 'stumble'.")
    found = _simulated(job, reference, clip, hits, begin, manner, context)
    found = with_steady_feet(found, reference.body)
    last = min(int((begin + (found.frames - 1) / found.fps) * clip.fps + 1e-9), clip.frames - 1)
    # The clip goes on from the place where the body has come to stand.
    after = clip.displace(np.tile(place(reference.body, clip, last / clip.fps, found), (clip.frames, 1)))
    return joined(job, reference, clip, found, begin, lambda motion: gathered(reference.body, motion, after, last))


def stands(reference: Reference, clip: Motion, time: float) -> bool:
    """Whether the clip stands at ``time`` (s): both feet on the ground, and slow."""
    frame = min(round(time * clip.fps), clip.frames - 1)
    near = slice(max(0, frame - 2), frame + 3)
    roots = clip.root_positions[near, :2]
    speed = float(np.linalg.norm(roots[-1] - roots[0])) * clip.fps / max(len(roots) - 1, 1)
    return bool(reference.contacts_at(clip.fps, clip.frames)[frame].all()) and speed < AUTO["stands_m_s"]


def _simulated(job: Job, reference: Reference, clip: Motion, hits: list[Hit], begin: float, manner: Manner, context: Context) -> Result:
    """What becomes of the body from ``begin`` (s) on, until it stands quietly, at the job's rate."""
    own, events, start = at_hit(reference, clip, hits, begin, TIME_STEP)
    job = dataclasses.replace(job, events=events, time_step=TIME_STEP, duration=own.duration)
    given = float(np.linalg.norm(np.sum([np.multiply(hit.force, hit.seconds) for hit in hits], axis=0))) / reference.body.mass
    more = MORE if given < AUTO["catch_m_s"] else 0

    before = 0.0

    def attempt(one: Try) -> tuple[Result, Stander]:
        nonlocal before
        pace = 1.0 if one.best is None else SOONER
        trying = context.showing(one.best).hoping(before, pace, pace * one.after + AFTERWARDS, pace * one.unlucky,
                                                  f"Trying {one.number} of {one.ways} ways to keep its balance")
        before += pace
        return stood(job, reference.body, start, own, reference.name, manner.delay, one.style, one.most_steps, trying,
                     firm=manner.firm(reference.body))

    result, driver = best(attempt, more, given)
    result.outcome |= {"strategy": driver.strategy, "recovery_steps": driver.steps}
    return result
