"""Take the hits of a job: the clip until the first one, then what becomes of it."""

from __future__ import annotations

import dataclasses
import time
from functools import cache
from typing import Any

import numpy as np

from .. import presets, ranges, rotation
from ..arrays import Array, Bools
from ..context import Context
from ..errors import JobError
from ..feet.drag import without_drags
from ..feet.slide import bearing_slides
from ..job import Job, in_world
from ..kinematic.retargeted import shown
from ..kinematics import fastest
from ..measure.span import cut
from ..motion import Motion
from ..reference import Reference
from ..reference.recordings import lasting, own_length
from ..result import Result
from ..signals import softened
from .acting.act import acted
from .ball import Flight, thrown
from .belt import ground_of, on_belt
from .fall import fallen
from .flinch import Hit, flinched
from .foretold import foretold
from .getup import got_up
from .held import Held
from .ranges import forced, in_range
from .rejoin import exact
from .settings import AUTO, STUMBLE
from .stand import balanced, stands
from .stumble import stumbled
from .task import HitTask

FALL_S = 1.2  # s that it takes to simulate a fall, more or less, for the progress
DOWN = 0.2  # of the time that it takes to fall and to get up again, after which the body is down
SETTLE_S = 3.0  # s after the last hit, in which the body is to come to rest where the clip ends standing; who stands all the while is waited for
STILL_M_S, AFTER_S = 0.03, 0.25  # m/s of every joint, below which the body rests, and s for which that is shown
CHANGED = np.radians(0.5)  # rad: joints that are turned by less are as in the clip
ROUNDS, FORCED = 5, 2  # in which joints and feet are mended, and joints forced
EASED, STEADY = np.radians(4.5), 0.008  # rad beyond its range that no joint, and m of slide that no foot, need be mended any further
EVEN_S = 0.2  # s over which times of the clip are evened out
LIMBS = ("upper_arm", "forearm", "hand", "head")


def taken(job: Job, task: HitTask, context: Context) -> Result:
    """The clip with the job's hits on it, from the origin, facing the job's heading.

    It lasts until the hits are taken. A clip that goes round does so to the end of a round. One that ends standing is held as it ends until the body
    has come to rest.
    """
    reference, seconds, sure = _long_enough(job, task)
    ground = ground_of(reference.motion, reference.ground, job.facing)
    clip = reference.motion.slice(0.0, seconds).resample(job.fps).facing(job.facing)
    shown_as = _on_belt(clip, ground)
    balls = [thrown(reference.body, shown_as, event) for event in sorted(_balls(job), key=lambda event: event["time"])]
    pushed = _pushed(dataclasses.replace(job, duration=seconds), balls)
    rises = task.after_fall == "get_up"
    result = _hit(pushed, task, reference, clip, sure, context.within(0.0, DOWN) if rises else context)
    before = int(min(event["time"] for event in pushed.events) * job.fps + 1e-6) + 1  # frames on which the clip is as it was
    result = mended(result, reference, clip, before)
    if rises and result.outcome["fell"]:
        result = got_up(result, job, task, reference, clip, hits_of(pushed, clip), context.within(DOWN, 1.0))
    result.outcome["hit_s"] = [min(event["time"] for event in pushed.events), max(event["time"] + event["duration"] for event in pushed.events)]
    # Whenever the simulation has begun.
    result.root_positions[:before], result.rotations[:before] = clip.root_positions[:before], clip.rotations[:before]
    result = _ended(result, job, task.recording.loop, reference, clip)
    if not task.acting.plain:
        result = acted(result, reference.body, clip, _evened(result), hits_of(pushed, clip), task.manner.delay, task.acting)
    if ground.any():
        result = on_belt(result, clip, ground)
    times = _first_round(_evened(result), task, reference)
    roots, rotations = shown_as.sample(times)
    return dataclasses.replace(_with_balls(result, balls), job=job.to_dict(), clip_times=reference.begins + times, clip_roots=roots,
                               clip_rotations=rotations)


def mended(result: Result, reference: Reference, clip: Motion, before: int) -> Result:
    """The result, with no joint beyond its range and no foot that skates from frame ``before`` on until it is as the clip."""
    own = clip.sample(result.clip_times)[1]
    changed = np.abs((own * result.rotations)[:, 1:].sum(axis=-1)).min(axis=1) < np.cos(0.5 * CHANGED)
    changed = np.logical_or.accumulate(changed[::-1])[::-1]  # until the last frame that is not as in the clip
    changed[:before] = False
    own = ranges.own_excess(clip.rotations, reference.body)
    found, eased = result, []  # with m that feet slide in what has its joints in their ranges
    for _ in range(ROUNDS):  # a foot that is turned to be in range may slide for that, and one that steps may be beyond it
        result = in_range(without_drags(result, reference.body, changed), reference.body, clip.rotations, changed)
        if ranges.strained(result.rotations, reference.body, own)[1].max() < EASED:
            eased.append((max(bearing_slides(result, before, changed), default=0.0), result))
            if eased[-1][0] < STEADY:
                return result
    if ranges.strained(found.rotations, reference.body, own)[1].max() < EASED:
        eased.append((max(bearing_slides(found, before, changed), default=0.0), found))
    if eased:
        return min(eased, key=lambda one: one[0])[1]
    for _ in range(FORCED):
        result = forced(without_drags(result, reference.body, changed), reference.body, clip.rotations, changed)
    return result


def _on_belt(clip: Motion, ground: Array) -> Motion:
    """The clip as it was recorded, over ground that moves with the velocity ``ground`` (2,) m/s."""
    return clip.displace(np.outer(np.arange(clip.frames) / clip.fps, [*ground, 0.0]))


def _evened(result: Result) -> Array:
    """(F,) result.clip_times without the jumps where a foot has landed before its time, so that nothing jumps that goes by them."""
    if result.outcome["fell"]:
        return result.clip_times
    late = result.times - result.clip_times
    even = softened(late, EVEN_S * result.fps)
    return np.where(result.times <= result.outcome["hit_s"][0], result.clip_times, result.times - even)


def as_before(result: Result) -> Bools:
    """(F,) whether a frame of a body that was hit is as the clip has it: all before the hit, and those after it has recovered."""
    own, mine = result.clip_rotations[:, 1:], result.rotations[:, 1:]
    changed = np.flatnonzero((np.abs((own * mine).sum(axis=-1)) < np.cos(0.5 * CHANGED)).any(axis=1))
    frames = np.arange(result.frames)
    first = int(result.outcome["hit_s"][0] * result.fps + 1e-6) + 1
    return (frames < first) | (frames > (changed[-1] if len(changed) else -1))


def _first_round(times: Array, task: HitTask, reference: Reference) -> Array:
    """(F,) s of the reference while it is the recording itself, from s of it as it goes on after that."""
    if reference.period is not None:
        times = np.where(times > reference.period, times % reference.period, times)
    return np.minimum(times, own_length(task.recording) - reference.begins)


def _hit(job: Job, task: HitTask, reference: Reference, clip: Motion, sure: float, context: Context) -> Result:
    """The clip with the job's pushes on it. ``sure``: s until which it can be followed; who falls later would have to hold a pose that none can."""
    hits = hits_of(job, clip)
    response = fitting(reference, clip, hits) if task.response == "auto" else task.response
    if task.like == Held():
        task = dataclasses.replace(task, like=foretold(reference, clip, min(hits, key=lambda hit: hit.time)))
    began = time.monotonic()
    result = _taken(response, job, task, reference, clip, hits, sure, context)
    response = result.outcome.get("response", response)
    if result.outcome["fell"] and response != "fall" and result.outcome["fell_at"] > sure:
        result = _until(result, round(sure * job.fps) + 1)
        result.outcome |= {"fell": False, "fell_at": None}
    elif result.outcome["fell"] and response != "fall":
        response = "fall"
        result = fallen(job, reference, clip, hits, task.manner.delay, context.amid(time.monotonic() - began, FALL_S, 0.0), tried=result,
                        waits=task.waits)
    if not (result.outcome["fell"] or task.home):  # who goes back to its path is led there for longer
        result = exact(result, job, reference, clip, max(hit.end for hit in hits))
    result.outcome["response"] = response
    return result


def _until(result: Result, frames: int) -> Result:
    """The first ``frames`` of a result."""
    if frames >= result.frames:
        return result
    result = cut(result, 0, frames)
    result.outcome |= {"simulated_s": round((frames - 1) / result.fps, 6), "end_position_m": [round(float(v), 4) for v in result.root_positions[-1]]}
    return result


def _long_enough(job: Job, task: HitTask) -> tuple[Reference, float, float]:
    """What is to be done; for how many s at most: as long as the job says, and until the hits can be taken; and until when it surely can be done."""
    body, last = presets.body(job.body), max(event["time"] + event.get("duration", 0.0) for event in job.events)
    reference = lasting(task.recording, body, max(job.duration, last + STUMBLE.most_s))
    if reference.goes_on:
        return reference, max(job.duration, last + STUMBLE.most_s), np.inf
    end, seconds = own_length(task.recording), job.duration
    if job.duration >= end - 1.0 / job.fps and reference.contacts_during(np.array([end])).any():
        balances = stands(reference, reference.motion, min(event["time"] for event in job.events)) and stands(reference, reference.motion, end)
        seconds = max(seconds, last + (STUMBLE.most_s if balances else SETTLE_S))
    return lasting(task.recording, body, seconds), seconds, np.inf if stands(reference, reference.motion, end) else job.duration


def _ended(result: Result, job: Job, loop: bool, reference: Reference, clip: Motion) -> Result:
    """The result for as long as the job lasts, and until the hits are taken: until the clip goes on as it was, or until nothing moves."""
    frames = round(job.duration * job.fps) + 1
    if result.outcome["fell"]:
        return result
    own = clip.sample(result.clip_times)[1][:, 1:]
    changed = np.abs((own * result.rotations[:, 1:]).sum(axis=-1)).min(axis=1) < np.cos(0.5 * CHANGED)
    if reference.goes_on:
        frames = max(frames, int(np.flatnonzero(np.append(True, changed))[-1]) + round(AFTER_S * job.fps))
        if reference.period is not None and not loop:
            frames = _whole_rounds(result.clip_times, reference.period, job.fps, frames)
    elif changed[frames - 1:].any():
        moving = np.append(True, fastest(result) > STILL_M_S)
        frames = max(frames, int(np.flatnonzero(moving)[-1]) + 1 + round(AFTER_S * job.fps))
    return _until(result, frames)


def _whole_rounds(times: Array, period: float, fps: float, frames: int) -> int:
    """``frames`` or more, so that a clip that goes round, shown at ``times`` (F,) s, ends where a round ends."""
    before = np.floor((times[frames - 1:] + 0.5 / fps) / period)
    ends = np.flatnonzero(before > np.floor((times[frames - 1] - 0.5 / fps) / period))
    return frames + int(ends[0]) if len(ends) else len(times)


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


def _taken(response: str, job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], sure: float, context: Context) -> Result:
    def stumbling() -> Result:
        result = stumbled(job, task, reference, clip, hits, sure, context)
        result.outcome["response"] = "stumble"
        return result

    if response == "stumble":
        return stumbling()
    if response == "balance":
        rather = cache(stumbling) if task.response == "auto" else None
        if rather and task.like.knots and not (result := rather()).outcome["fell"]:
            return result
        return balanced(job, reference, clip, hits, task, context, rather)
    if response == "fall":
        return fallen(job, reference, clip, hits, task.manner.delay, context, waits=task.waits)
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
