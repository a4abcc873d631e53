"""Rejoin: a body that has taken a hit goes over into its clip again, wherever it has come to stand, and is exactly the clip from then on.

There is no physics in it. The clip is moved and turned on the ground to where the body is. Each foot goes over into it in one swing: in the clip's
own, or, where it stands in the clip all the while and is elsewhere, in a step that is made for it.
"""

from __future__ import annotations

import numpy as np

from .. import feet, ranges, rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import legs
from ..feet.drag import LEAST_LIFT, SHORT, stepped
from ..job import Job
from ..kinematic.retargeted import shown
from ..motion import Motion
from ..reference import Reference
from ..result import Result
from ..signals import runs, smooth_step
from .home import there
from .join import MEASURED
from .settings import GATHER, STUMBLE

BACK_S = 2.4  # s after the last hit, at which a body is in the clip again, but for a foot that has still to swing
EXACT = np.radians(0.4)  # rad of a joint: who is nearer is the clip
SWING_S = 0.12  # s: a foot that lands sooner than this goes over with its next swing
LATER_S = (0.6, 0.0)  # s by which that swing may end later at most; the second where to wait for it strains a joint by more than ``STRAIN`` (rad)
STRAIN = np.radians(5.0)
STEP_S = 0.4  # s that a step takes that the clip does not have
FLAT_S = 0.15  # s in which a foot that is in the air where nothing more was found, and stands in the clip, comes down
THERE, LEVER = 0.005, 0.1  # m: a foot that is no further from where the clip has it needs no step; m that it is off for each rad that it is askew


def exact(result: Result, job: Job, reference: Reference, clip: Motion, hit: float) -> Result:
    """The result of a body that stayed up, with the clip exactly, but for its place, from ``BACK_S`` after ``hit`` (s) on, the end of the last hit.

    ``clip``: the reference's motion as the result begins, at its rate."""
    fps, end = clip.fps, min(int((hit + BACK_S) * clip.fps), result.frames - 1)
    own = clip.sample(result.clip_times)[1]
    off = np.abs((own * result.rotations)[:, 1:].sum(axis=-1)).min(axis=1) < np.cos(0.5 * EXACT)
    start = max(end - round(STUMBLE.steps_s * fps), int(hit * fps) + 1)
    if not off[end:].any() or start >= end:
        return result
    times = np.concatenate([result.clip_times[:start], np.arange(result.clip_times[start], clip.duration + 1e-9, 1.0 / fps)])
    motion = Motion(clip.skeleton, fps, result.root_positions[:len(times)], rotation.make_continuous(result.rotations[:len(times)]))
    contacts = reference.contacts_during(times)
    stance = int(np.argmax(result.foot_forces[start, :, 2]))
    back, goal = rejoined(reference.body, motion, Motion(clip.skeleton, fps, *clip.sample(times)), contacts, start, min(end, len(times) - 1), stance)
    whole = shown(job, reference, back, goal, times)
    whole.reference_positions[:start] = result.reference_positions[:start]
    whole.outcome |= {name: value for name, value in result.outcome.items() if name not in ("simulated_s", "end_position_m")}
    for name in MEASURED:
        getattr(whole, name)[:start] = getattr(result, name)[:start]
    whole.stance[:start] = result.stance[:start]
    return whole


def rejoined(body: Body, motion: Motion, clip: Motion, contacts: Bools, start: int, end: int, stance: int) -> tuple[Motion, Motion]:
    """As ``_led`` does, without waiting for the clip's own steps where that would strain the legs."""
    own = ranges.own_excess(clip.rotations, body)
    ways = []
    for later in LATER_S:
        back, goal = _led(body, motion, clip, contacts, start, end, stance, later)
        strain = float(ranges.strained(back.rotations[start:], body, own)[1].max())
        if strain <= STRAIN:
            return back, goal
        ways.append((strain, back, goal))
    _, back, goal = min(ways, key=lambda way: way[0])
    return back, goal


def _led(body: Body, motion: Motion, clip: Motion, contacts: Bools, start: int, end: int, stance: int, later: float) -> tuple[Motion, Motion]:
    """``motion`` until frame ``start``, and exactly the clip, moved and turned on the ground, from ``end`` on and once its feet have landed; and the
    clip as it is moved.

    Args:
        motion: what was found. Where it ends before frame ``end``, it goes on as the clip does, from where it is; what comes later does not matter.
        clip: frame by frame as it is to go on. contacts: (F, 2) of it. stance: the foot that stays where it is at ``start``.
        later: s after frame ``end`` at which a swing of the clip may end in which a foot goes over.
    """
    last = min(end, motion.frames - 1, clip.frames - 1)
    goal = there(body, clip, motion, start, stance, GATHER.little)
    motion = _onward(motion, goal, last)
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    (places, turns), (own, own_turns) = (tuple(values[:, ankles] for values in one.world()) for one in (motion, goal))
    _step_on(places, turns, own, own_turns, last, motion.fps)
    askew = np.abs(rotation.wrap(rotation.heading(own_turns[start]) - rotation.heading(turns[start])))
    away = np.maximum(np.linalg.norm((own - places)[start, :, :2], axis=-1), LEVER * askew)
    done, lifts = swings(contacts, start, end + round(later * motion.fps), away, stance, motion.fps)
    goals = places + done[..., None] * (own - places)
    goals[..., 2] += lifts * GATHER.lift * body.leg_length * np.clip(away / SHORT, LEAST_LIFT, 1.0)
    near = smooth_step((np.arange(motion.frames) - start) / max(1, end - start))
    bends = rotation.log(rotation.slerp(motion.rotations[:, toes], goal.rotations[:, toes], done))[..., 1]
    lowered = legs.lowered(body, motion.blend(goal, near), goals, contacts & (lifts == 0.0))
    reached = legs.reaching(body, lowered, goals, rotation.slerp(turns, own_turns, done), bends)
    before, after = np.arange(motion.frames) <= start, (near == 1.0) & (done == 1.0).all(axis=1)
    roots, rotations = reached.root_positions.copy(), reached.rotations.copy()
    for frames, one in ((before, motion), (after, goal)):
        roots[frames], rotations[frames] = one.root_positions[frames], one.rotations[frames]
    return Motion(clip.skeleton, clip.fps, roots, rotation.make_continuous(rotations)), goal


def _onward(motion: Motion, goal: Motion, last: int) -> Motion:
    """The motion until its frame ``last``; from then on it goes as ``goal``, every joint as far from it as it is then."""
    roots = goal.root_positions + (motion.root_positions[last] - goal.root_positions[last])
    rotations = rotation.multiply(goal.rotations, rotation.multiply(rotation.conjugate(goal.rotations[last]), motion.rotations[last]))
    roots[:last + 1], rotations[:last + 1] = motion.root_positions[:last + 1], motion.rotations[:last + 1]
    return Motion(goal.skeleton, goal.fps, roots, rotation.make_continuous(rotations))


def _step_on(places: Array, turns: Array, own: Array, own_turns: Array, last: int, fps: float) -> None:
    """Let feet (F, 2, 3) m, (F, 2, 4) go on from frame ``last`` as those of the clip, ``own``, do: as far beside them as they are then, but soon flat
    where those are flat, and no higher."""
    later = np.arange(last + 1, len(places))
    left = 1.0 - smooth_step((later - last) / (FLAT_S * fps))
    away = places[last] - own[last]
    places[later] = own[later] + away * (1.0, 1.0, 0.0) + left[:, None, None] * (away * (0.0, 0.0, 1.0))
    off = rotation.multiply(turns[last], rotation.conjugate(own_turns[last]))
    yaw = rotation.from_axis_angle((0.0, 0.0, 1.0), rotation.heading(off))
    tilt = rotation.log(rotation.multiply(rotation.conjugate(yaw), off))
    turns[later] = rotation.multiply(yaw, rotation.multiply(rotation.exp(left[:, None, None] * tilt), own_turns[later]))


def swings(contacts: Bools, start: int, end: int, away: Array, stance: int, fps: float) -> tuple[Array, Array]:
    """(F, 2) how far each foot has gone over, and (F, 2) how high it is lifted for that, both from 0 to 1. ``away``: (2,) m from where the clip has
    each foot. One whose step the clip does not have makes it when the other one has landed."""
    frames = np.arange(len(contacts))
    done, lifts = np.zeros((len(frames), 2)), np.zeros((len(frames), 2))
    free = start
    for foot in (1 - stance, stance):
        swing = _swing(contacts[:, foot], start, end, fps)
        if swing is None and away[foot] < THERE:
            done[:, foot] = smooth_step((frames - start) / max(1, end - start))
            continue
        lift, landing = swing or (free, free + round(STEP_S * fps))
        share = (frames - lift) / max(1, landing - lift)
        done[:, foot], lifts[:, foot] = stepped(share)
        free = max(free, landing)
    return done, lifts


def _swing(stands: Bools, start: int, end: int, fps: float) -> tuple[int, int] | None:
    """First frame and landing of the swing in which a foot goes over; None where the clip has none in time."""
    for lift, landing in runs(~stands):
        if landing > start + SWING_S * fps and landing <= end and landing < len(stands):
            return max(lift, start), landing
    return None
