"""Balance: a hit on a clip that stands, taken with ankles, hips and steps; then the clip goes on where the body has come to stand.

The body is led by feedback that knows nothing of the hit. All known styles of it are tried; where it falls with all of them, others are tried, too,
unless the hit is more than anybody could take.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from ..balance_styles import FEW
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
from .gather import gathered, place, turned
from .held import Held
from .join import joined
from .reflex import MORE, Tried, Try, best, kept, stood
from .rejoin import rejoined
from .settings import AUTO, GATHER
from .task import HitTask

AFTERWARDS = 0.15  # of the time of a try, that it takes to join what was found with the clip
SOONER = 0.5  # of the time of a try, that another one takes when one has held: it gives up as soon as it needs more steps


def balanced(job: Job, reference: Reference, clip: Motion, hits: list[Hit], task: HitTask, context: Context,
             rather: Callable[[], Result] | None = None) -> Result:
    """The clip with hits that the body takes on its feet.

    Args:
        clip: the reference's motion as the result is to begin, at the job's rate. hits: in the world's axes.
        rather: what else is tried where none of the known styles holds, before others are looked for. Where that holds, it is the result.
    """
    begin = min(hit.time for hit in hits)
    if not stands(reference, clip, begin):
        raise JobError(f"At {begin:g} s the clip does not stand on both feet: hit it where it stands, or take the response 'stumble'.")
    looked = _looking(job, reference, clip, hits, begin, task, context)
    catches = _given(hits, reference) < AUTO["catch_m_s"]
    found, holds = looked(None if rather else MORE if catches else 0)
    if rather and not holds:
        other = rather()
        if not other.outcome["fell"]:
            return other
        if catches:
            another, holds = looked(int(AUTO["others"]))
            found = another if holds else found
    found = with_steady_feet(found, reference.body)
    last = min(int((begin + (found.frames - 1) / found.fps) * clip.fps + 1e-9), clip.frames - 1)
    # The clip goes on from the place where the body has come to stand.
    after = clip.displace(np.tile(place(reference.body, clip, last / clip.fps, found), (clip.frames, 1)))

    def back_to_clip(motion: Motion) -> Motion:
        if abs(turned(motion, clip, last)) > GATHER.little:
            return gathered(reference.body, motion, after, last)
        known = dataclasses.replace(motion, root_positions=motion.root_positions[:last + 1], rotations=motion.rotations[:last + 1])
        contacts, stance = reference.contacts_at(clip.fps, clip.frames), int(np.argmax(found.foot_forces[-1, :, 2]))
        return rejoined(reference.body, known, clip, contacts, last, last + round(GATHER.step_s * clip.fps), stance)[0]

    return joined(job, reference, clip, found, begin, back_to_clip)


def stands(reference: Reference, clip: Motion, time: float) -> bool:
    """Whether the clip stands at ``time`` (s): both feet on the ground, and slow."""
    frame = min(round(time * clip.fps), clip.frames - 1)
    near = slice(max(0, frame - 2), frame + 3)
    roots = clip.root_positions[near, :2]
    speed = float(np.linalg.norm(roots[-1] - roots[0])) * clip.fps / max(len(roots) - 1, 1)
    return bool(reference.contacts_at(clip.fps, clip.frames)[frame].all()) and speed < AUTO["stands_m_s"]


def _given(hits: list[Hit], reference: Reference) -> float:
    """m/s that the hits give the body."""
    return float(np.linalg.norm(np.sum([np.multiply(hit.force, hit.seconds) for hit in hits], axis=0))) / reference.body.mass


def _looking(job: Job, reference: Reference, clip: Motion, hits: list[Hit], begin: float, task: HitTask,
             context: Context) -> Callable[[int | None], tuple[Result, bool]]:
    """Looks for a way in which the body stands quietly in the end: first among the known styles, and then, but for None, without care for the joints
    and among so many others as it is asked for. It gives what becomes of the body from ``begin`` (s) on, at the job's rate, and whether it stands."""
    own, events, start = at_hit(reference, clip, hits, begin, TIME_STEP)
    job = dataclasses.replace(job, events=events, time_step=TIME_STEP, duration=own.duration)
    given = _given(hits, reference)
    tried: Tried = []
    like = task.like.style
    before = 0.0

    def attempt(one: Try) -> tuple[Result, Stander]:
        nonlocal before
        pace = 1.0 if one.best is None else SOONER
        trying = context.showing(one.best).hoping(before, pace, pace * one.after + AFTERWARDS, pace * one.unlucky,
                                                  f"Trying {one.number} of {one.ways} ways to keep its balance")
        before += pace
        return stood(job, reference.body, start, own, reference.name, task.manner.delay, one.style, one.most_steps, trying,
                     firm=task.manner.firm(reference.body))

    def looked(others: int | None) -> tuple[Result, bool]:
        result, driver = best(attempt, others, given, tried, FEW, like)
        style = min(tried, key=lambda one: one[0])[1]
        result.outcome |= {"strategy": driver.strategy, "recovery_steps": driver.steps, "held": Held(style=style).data}
        return result, kept(result, driver)

    return looked
