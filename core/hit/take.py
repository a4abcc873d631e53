"""Take the hits of a job: the clip until the first one, then what becomes of it."""

from __future__ import annotations

from .. import presets, rotation
from ..job import Job, in_world
from ..kinematic.retargeted import shown
from ..motion import Motion
from ..progress import Progress
from ..recording import references_of
from ..result import Result
from .flinch import Hit, Manner, flinched
from .stumble import stumbled


def taken(job: Job, progress: Progress | None = None, workers: int | None = None) -> Result:
    """The clip with the job's hits on it, from the origin, facing the job's heading. ``progress``: as in ``simulate``."""
    reference = references_of(job.reference, presets.body(job.body))[0]
    clip = reference.motion.resample(job.fps).facing(job.heading[0][1])
    response = job.reference["response"]
    if response == "stumble":
        result = stumbled(job, reference, clip, progress, workers)
    else:
        contacts = reference.contacts_at(job.fps, clip.frames)
        motion = flinched(reference.body, clip, contacts, hits_of(job, clip), Manner(**job.reference["manner"]), job.engine, progress)
        result = shown(job, reference, motion, clip)
    result.outcome["response"] = response
    return result


def hits_of(job: Job, clip: Motion) -> list[Hit]:
    """The job's pushes, in the world's axes."""
    hits = []
    for event in job.events:
        _, rotations = clip.sample(event["time"])
        force = in_world(event, "force", float(rotation.heading(rotations[0])))
        hits.append(Hit(event["time"], event["duration"], event["part"], force))
    return hits
