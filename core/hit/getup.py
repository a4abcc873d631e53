"""Get up: a body that fell after a hit lies for a while, gets up as somebody in a recording does, and goes on with its clip.

Physics has the body from how it lies until it stands: the recording is followed by planning ahead. Where no plan holds, the body is led without
physics. From the stand the clip goes on at the moment that is most like it, wherever the body stands and whichever way it faces.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import feet, rotation
from ..arrays import Array
from ..context import Context
from ..control.falling import FALL
from ..feet import legs
from ..feet.drag import SHORT
from ..feet.loads import loaded
from ..job import Job
from ..kinematic.retargeted import retargeted, shown
from ..kinematics import fastest
from ..measure.span import PER_FRAME
from ..motion import Motion
from ..physics import choose_engine
from ..plan.aim import FPS
from ..plan.follow import follow
from ..plan.task import Task
from ..reference import Reference, poses
from ..result import Result
from ..signals import smooth_step
from .fall import fallen
from .flinch import Hit, flinched
from .home import there
from .join import MEASURED
from .rejoin import swings
from .rising import Rising, on_the_ground, rising
from .settings import AUTO, GATHER, RISE
from .stumble import TRIED
from .task import HitTask

PLANNED, KINEMATIC = "planned", "kinematic"  # how a body has got up, as result.outcome["got_up"] says it
HELD = 5  # frames of a pose, enough to see that it does not move
AFTER_S = 0.25  # s of the clip that are shown once the body is in it again
STAYS_DOWN = "It stays down: add a recording of somebody who gets up, and it will."


def got_up(fall: Result, job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], context: Context) -> Result:
    """The result of a body that fell, which lies for as long as the task says, gets up, and does the rest of the clip. Who is hit meanwhile flinches,
    or falls again and gets up again.

    ``clip``: the reference's motion as the result begins, at its rate. ``hits``: in the world's axes."""
    if not task.get_up:
        fall.outcome["notes"] = [*fall.outcome.get("notes", ()), STAYS_DOWN]
        return fall
    fps, lies = fall.fps, _lies_from(fall, task.lies_for)
    begin = lies + round(task.lies_for * fps)
    fall = _held(fall, begin + 1)
    way = rising(task.get_up, task.recording.repair, reference.body, fall.root_positions[-1], fall.rotations[-1])
    found, how = _risen(job, task, way, reference, context)
    risen = _joining(fall, Motion(clip.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations)).resample(fps))
    risen = on_the_ground(reference.body, risen)
    stood = begin + risen.frames - 1
    motion = Motion(clip.skeleton, fps, np.concatenate([fall.root_positions, risen.root_positions[1:]]),
                    rotation.make_continuous(np.concatenate([fall.rotations, risen.rotations[1:]])))
    fell_in = float(fall.clip_times[-1])
    after = _afterwards(reference, clip, motion, job.duration, fell_in, task.recording.loop)
    times = np.concatenate([np.full(stood + 1, after[0]), after])
    back, goal = _gone_on(reference, motion, Motion(clip.skeleton, fps, *clip.sample(times)), times)
    # What the clip has beside the body, as fingers, goes over while the body rises.
    times[:begin + 1], times[begin:stood + 1] = fall.clip_times, fell_in + smooth_step(np.linspace(0.0, 1.0, risen.frames)) * (after[0] - fell_in)
    whole = shown(job, reference, back, goal, times)
    whole.reference_positions[:begin + 1] = fall.reference_positions
    at = np.minimum(np.round(np.arange(1, risen.frames) / fps * found.fps).astype(int), found.frames - 1)
    for name in (*MEASURED, "stance"):
        getattr(whole, name)[:begin + 1], getattr(whole, name)[begin + 1:stood + 1] = getattr(fall, name), getattr(found, name)[at]
    fell_at = fall.outcome["fell_at"]
    whole.outcome |= {name: value for name, value in fall.outcome.items() if name not in ("simulated_s", "end_position_m")}
    whole.outcome |= {"got_up": how, "way_up": way.name, "lay_s": round((begin - lies) / fps, 3), "up_after_s": round(stood / fps - fell_at, 3)}
    return _hit_again(whole, job, task, reference, clip, [hit for hit in hits if begin / fps < hit.time < whole.times[-1]], context)


def _hit_again(up: Result, job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], context: Context) -> Result:
    """The result of a body that gets up, with hits that come meanwhile, or later."""
    if not hits:
        return up
    motion = Motion(clip.skeleton, up.fps, up.root_positions, rotation.make_continuous(up.rotations))
    if all(hit.speed(reference.body.mass) < AUTO["flinch_m_s"] for hit in hits):
        moved = flinched(reference.body, motion, loaded(up), hits, task.manner, job.engine, context)
        return dataclasses.replace(up, root_positions=moved.root_positions, rotations=moved.rotations)
    falls = dataclasses.replace(up, outcome={**up.outcome, "fell_at": min(hit.time for hit in hits)})
    again = fallen(job, reference, motion, hits, 0.0, context, tried=falls, waits=task.waits)
    again = got_up(again, job, task, reference, clip, hits, context)
    # The first fall is the one that is told.
    later = again.outcome["fell_at"] - up.outcome["fell_at"]
    again.outcome = {**up.outcome, **again.outcome, "fell_at": up.outcome["fell_at"], "falls": again.outcome.get("falls", 1) + 1,
                     "up_after_s": round(again.outcome["up_after_s"] + later, 3)}
    return again


def _lies_from(fall: Result, seconds: float) -> int:
    """The first frame from which on a body that fell lies still for so many seconds, or to the end."""
    first, rests = int(fall.outcome["fell_at"] * fall.fps), max(1, round(max(seconds, FALL.rest_s) * fall.fps))
    moves = np.flatnonzero(np.append(fastest(fall)[first:] > RISE.still_m_s, False))
    ends = np.append(moves, fall.frames + rests) + first  # the last one is far enough from any other
    starts = np.append(first, ends[:-1] + 1)
    return int(starts[np.flatnonzero(ends - starts >= rests)[0]])


def _held(result: Result, frames: int) -> Result:
    """The result for so many frames: cut, or with its last frame held."""
    at = np.minimum(np.arange(frames), result.frames - 1)
    return dataclasses.replace(result, **{name: getattr(result, name)[at] for name in PER_FRAME if len(getattr(result, name))})


def _risen(job: Job, task: HitTask, way: Rising, reference: Reference, context: Context) -> tuple[Result, str]:
    """The body on its way up from where it lies, and how that was made."""
    up = way.reference(reference.body, np.inf)
    rises = dataclasses.replace(job, events=(), duration=up.motion.duration, heading=((0.0, float(rotation.heading(np.array(way.rotations[0])))),))
    for quality in TRIED[task.quality]:
        planned = dataclasses.replace(rises, fps=FPS, engine=choose_engine("auto", ("mujoco", "pybullet")))
        found = follow(Task(planned, way, quality, task.freedom, task.weights, task.strength), dataclasses.replace(context, unfinished=None))
        if not found.outcome["fell"]:
            return found, PLANNED
    return retargeted(rises, up), KINEMATIC


def _joining(fall: Result, risen: Motion) -> Motion:
    """The way up, from exactly how the body lies at the end of ``fall``: what differs there fades."""
    fade = 1.0 - smooth_step(np.arange(risen.frames) / (RISE.ease_s * risen.fps))
    place = fall.root_positions[-1] * (1.0, 1.0, 0.0) - risen.root_positions[0] * (1.0, 1.0, 0.0)
    roots = risen.root_positions + place + np.outer(fade, (fall.root_positions[-1] - risen.root_positions[0]) * (0.0, 0.0, 1.0))
    return dataclasses.replace(risen, root_positions=roots, rotations=_fading(risen.rotations, fall.rotations[-1], 0, fade[:, None]))


def _afterwards(reference: Reference, clip: Motion, motion: Motion, seconds: float, since: float, loop: bool) -> Array:
    """(F,) s of the clip, frame by frame after the last one of ``motion``, on which the body stands. The clip goes on at the moment after ``since``
    (s) that is most like that stand, and gets under way little by little; to its end, which is at ``seconds``, or, of a ``loop``, until it all has
    lasted as long as that."""
    fps = clip.fps
    last = since + (reference.period or RISE.stride_s) if reference.goes_on else max(seconds, since)
    frames = np.arange(int(since * fps + 1e-6), min(int(last * fps + 1e-6), clip.frames - 1) + 1)
    stands = reference.contacts_at(fps, clip.frames)[frames]
    ready = stands.all(axis=1) if stands.all(axis=1).any() else stands.any(axis=1) if stands.any() else np.ones(len(frames), dtype=bool)
    held = Motion(clip.skeleton, fps, np.repeat(motion.root_positions[-1:], HELD, axis=0), np.repeat(motion.rotations[-1:], HELD, axis=0))
    away = poses.distances(poses.features(reference.body, held)[0], poses.features(reference.body, clip)[frames])
    begins = frames[int(np.argmin(np.where(ready, away + RISE.wait_m_s * (frames - frames[0]) / fps, np.inf)))] / fps
    until = max(seconds - motion.duration + begins if loop else seconds, begins + RISE.back_s + (RISE.step_s if reference.goes_on else 0.0) + AFTER_S)
    if reference.period is not None and not loop:
        until = reference.period * np.ceil(until / reference.period - 1e-6)
    rates = smooth_step(np.arange(1, int((until - begins + RISE.begins_s) * fps) + 1) / (RISE.begins_s * fps))
    times = begins + np.cumsum(rates) / fps
    return times[times <= until + 0.5 / fps]


def _gone_on(reference: Reference, motion: Motion, clip: Motion, times: Array) -> tuple[Motion, Motion]:
    """``motion``, and after its last frame, on which the body stands, the clip at ``times`` (F,) s; and the clip as it is turned and moved for that.
    What the stand differs from the clip fades; the feet come to their places with their next step in the clip, or with one that is made for it."""
    body, start, frames = reference.body, motion.frames - 1, np.arange(clip.frames)
    contacts = reference.contacts_during(times)
    stance = int(np.argmax([np.argmin(np.append(stands[start:], False)) for stands in contacts.T]))  # that foot which stands longest
    held = np.minimum(frames, start)
    stood = dataclasses.replace(motion, root_positions=motion.root_positions[held], rotations=motion.rotations[held])
    goal = there(body, clip, stood, start, stance)
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    (places, turns), (own, own_turns) = (tuple(values[:, ankles] for values in one.world()) for one in (stood, goal))
    away = np.linalg.norm((own - places)[start, :, :2], axis=-1)
    end = min(start + round(RISE.back_s * clip.fps), clip.frames - 1)
    done, lifts = swings(contacts, start, end, away, stance, clip.fps)
    left = 1.0 - smooth_step((frames - start) / max(1, end - start))
    roots = goal.root_positions + left[:, None] * (stood.root_positions - goal.root_positions)[start]
    leading = Motion(clip.skeleton, clip.fps, roots, _fading(goal.rotations, stood.rotations[start], start, left[:, None]))
    goals = own + (1.0 - done)[..., None] * (places - own)[start]
    goals[..., 2] += lifts * GATHER.lift * body.leg_length * np.minimum(1.0, away / SHORT)
    bends = rotation.log(_fading(goal.rotations[:, toes], stood.rotations[start, toes], start, 1.0 - done))[..., 1]
    turned = _fading(own_turns, turns[start], start, 1.0 - done)
    leading = legs.lowered(body, leading, goals, contacts & (lifts == 0.0))
    reached = legs.reaching(body, leading, goals, turned, bends)
    # A foot that rolls in the clip, from another stand than this one, would dip into the floor.
    goals[..., 2] += np.where(done < 1.0, np.maximum(0.0, -feet.soles(body, reached)[..., 2].min(axis=-1)), 0.0)
    reached = legs.reaching(body, leading, goals, turned, bends)
    roots, rotations = reached.root_positions.copy(), reached.rotations.copy()
    for at, one in ((frames <= start, stood), ((left == 0.0) & (done == 1.0).all(axis=1), goal)):
        roots[at], rotations[at] = one.root_positions[at], one.rotations[at]
    roots[:start], rotations[:start] = motion.root_positions[:start], motion.rotations[:start]
    return Motion(clip.skeleton, clip.fps, roots, rotation.make_continuous(rotations)), goal


def _fading(turns: Array, begun: Array, start: int, left: Array) -> Array:
    """(F, J, 4) turns that at frame ``start`` are as ``begun`` (J, 4), and of whose difference then a part ``left`` (F, J) or (F, 1) stays."""
    off = rotation.multiply(rotation.conjugate(turns[start]), begun)
    return rotation.multiply(turns, rotation.slerp(rotation.identity(off.shape[:-1]), off, left))
