"""Take the hits of a job: the clip until the first one, then what becomes of it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .. import presets, rotation
from ..context import Context
from ..errors import JobError
from ..job import Job, in_world
from ..kinematic.retargeted import shown
from ..kinematics import fastest
from ..measure.span import cut
from ..motion import Motion
from ..reference import Reference
from ..reference.recordings import lasting, own_length
from ..result import Result
from .ball import Flight, thrown
from .fall import fallen
from .flinch import Hit, flinched
from .settings import AUTO
from .stand import balanced, stands
from .stumble import stumbled
from .task import HitTask

SETTLE_S = 2.0  # s after the last hit, in which the body is to come to rest where the clip ends standing
STILL_M_S, AFTER_S = 0.03, 0.25  # m/s of every joint, below which the body rests, and s for which that is shown
LIMBS = ("upper_arm", "forearm", "hand", "head")


def taken(job: Job, task: HitTask, context: Context) -> Result:
    """The clip with the job's hits on it, from the origin, facing the job's heading.

    A clip that ends standing is held as it ends until the body has come to rest.
    """
    reference = lasting(task.recording, presets.body(job.body), job.duration)
    longer = dataclasses.replace(job, duration=_length(job, task, reference))
    if longer.duration > job.duration:
        reference = lasting(task.recording, reference.body, longer.duration)
    clip = reference.motion.resample(job.fps).facing(job.facing)
    balls = [thrown(reference.body, clip, event) for event in sorted(_balls(job), key=lambda event: event["time"])]
    pushed = _pushed(longer, balls)
    result = _with_balls(_until_still(_hit(pushed, task, reference, clip, context), job, task.recording.loop), balls)
    times = np.minimum(result.clip_times, own_length(task.recording)) if not task.recording.loop else result.clip_times
    roots, rotations = clip.sample(times)
    result.outcome["hit_s"] = [min(event["time"] for event in pushed.events), max(event["time"] + event["duration"] for event in pushed.events)]
    return dataclasses.replace(result, job=job.to_dict(), clip_times=times, clip_roots=roots, clip_rotations=rotations)


def _hit(job: Job, task: HitTask, reference: Reference, clip: Motion, context: Context) -> Result:
    """The clip with the job's pushes on it."""
    hits = hits_of(job, clip)
    response = fitting(reference, clip, hits) if task.response == "auto" else task.response
    result = _taken(response, job, task, reference, clip, hits, context)
    if result.outcome["fell"] and response != "fall":
        response = "fall"
        result = fallen(job, reference, clip, hits, task.manner.delay, context, tried=result)
    result.outcome["response"] = response
    return result


def _length(job: Job, task: HitTask, reference: Reference) -> float:
    """How long the result is to be, s: as the job says; or, if the job goes to the end of a clip that stands there, until the body can be at rest."""
    end = reference.motion.duration
    if task.recording.loop or job.duration < end - 1.0 / job.fps or not stands(reference, reference.motion, end):
        return job.duration
    return max(job.duration, max(event["time"] + event.get("duration", 0.0) for event in job.events) + SETTLE_S)


def _until_still(result: Result, job: Job, loop: bool) -> Result:
    """The result for as long as the job lasts; without a loop beyond that until nothing moves."""
    frames = round(job.duration * job.fps) + 1
    if not loop:
        moving = np.append(True, fastest(result) > STILL_M_S)
        frames = max(frames, int(np.flatnonzero(moving)[-1]) + 1 + round(AFTER_S * job.fps))
    if result.outcome["fell"] or frames >= result.frames:
        return result
    result = cut(result, 0, frames)
    result.outcome |= {"simulated_s": round((frames - 1) / job.fps, 6), "end_position_m": [round(float(v), 4) for v in result.root_positions[-1]]}
    return result


def _balls(job: Job) -> list[dict[str, Any]]:
    return [event for event in job.events if event["type"] == "ball"]


def _pushed(job: Job, balls: list[Flight]) -> Job:
    """The job with a push in place of each ball that meets the body."""
    if not balls:
        return job
    events = [event for event in job.events if event["type"] == "push"] + [ball.hit.event() for ball in balls if ball.hit]
    if not events:
        raise JobError(f"The ball thrown at {balls[0].time:g} s misses the character: aim it at another place, or throw it at another time.")
    return dataclasses.replace(job, events=tuple(events))


def _with_balls(result: Result, balls: list[Flight]) -> Result:
    times = np.arange(result.frames) / result.fps
    places = np.stack([ball.at(times) for ball in balls], axis=1) if balls else np.zeros((result.frames, 0, 3))
    return dataclasses.replace(result, object_names=[f"ball {number}" for number in range(1, len(balls) + 1)], object_positions=places,
                               object_rotations=rotation.identity((result.frames, len(balls))))


def _taken(response: str, job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], context: Context) -> Result:
    if response == "stumble":
        return stumbled(job, task, reference, clip, hits, context)
    if response == "balance":
        return balanced(job, reference, clip, hits, task.manner.delay, context)
    if response == "fall":
        return fallen(job, reference, clip, hits, task.manner.delay, context)
    contacts = reference.contacts_at(job.fps, clip.frames)
    motion = flinched(reference.body, clip, contacts, hits, task.manner, job.engine, context)
    return shown(job, reference, motion, clip)


def fitting(reference: Reference, clip: Motion, hits: list[Hit]) -> str:
    """The response that fits the size of the hits, and whether the body stands when the first one comes. It is never "fall": whether the body falls
    shows when it has tried not to."""
    speed = sum(float(np.linalg.norm(hit.force)) * hit.seconds for hit in hits) / reference.body.mass
    limbs = all(hit.part.startswith(LIMBS) for hit in hits)
    if speed < AUTO["flinch_limb_m_s" if limbs else "flinch_m_s"]:
        return "flinch"
    return "balance" if stands(reference, clip, min(hit.time for hit in hits)) else "stumble"


def hits_of(job: Job, clip: Motion) -> list[Hit]:
    """The job's pushes, in the world's axes."""
    hits = []
    for event in job.events:
        _, rotations = clip.sample(event["time"])
        force = in_world(event, "force", float(rotation.heading(rotations[0])))
        hits.append(Hit(event["time"], event["duration"], event["part"], force))
    return hits
