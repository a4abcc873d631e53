"""Recover: a hit on a clip that walks or runs, taken by tracking it: steps land where they catch the body (Lee, Kim and Lee 2010).

Before the hit the clip is as it was. Then physics has the body: the steps of the clip wait for its feet, and land where it needs them. When the body
does again what the clip does, the clip goes on at the same phase of a step, from the place to which the body was pushed and the way it faces there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..context import Context
from ..control.data_driven import Gains
from ..control.driver import Driver
from ..control.tracker import Tracker, gains_of
from ..errors import SimulationError
from ..feet.loads import BEARING
from ..feet.pin import with_steady_feet
from ..feet.slide import frame_slides
from ..job import Job
from ..kinematic.retargeted import shown
from ..kinematics import body_weight
from ..measure.following import off_clip
from ..measure.span import cut
from ..motion import Motion
from ..physics import State, world_class
from ..physics.settings import TRACKING
from ..physics.state import PerJoint
from ..places import chain, link_of
from ..reference import Reference
from ..result import Result
from ..session import perform
from ..signals import smooth_step
from .begin import at_hit
from .belt import ground_of
from .flinch import Hit
from .held import Held
from .home import homeward, nearing
from .join import MEASURED
from .ranges import strained
from .rejoin import rejoined
from .settings import APART, ATTEMPTS, STUMBLE, Attempt
from .task import HitTask, Manner

LOOK_S = 0.03  # s from one comparison with the clip to the next
LOST_M_S = (0.8, 1.7)  # m/s that hits give the body: from where to where they are more and more often lost in all attempts
HARD_M_S, FEW = 1.3, 5  # m/s that hits give the body, from which on only the first few attempts are made: nearly none of the others holds then
FURTHER = 2  # attempts that are made after the first one that holds, for one whose feet shuffle less
FOLLOWS_S = 1.5  # s after any moment, in which the body is back in the clip or has fallen, on average


class Recovering(Tracker):
    """Tracks a clip from ``begin`` (s) on, until the body does again what the clip does. It reacts to a hit only after the delay that ``manner`` has.

    Attributes:
        times: s of the simulation, s of the clip, and steps made, at each moment of control.
        back: s, the beginning of the step from which on the body does what the clip does; None before.
        begun: m that it was off the clip, and s, at the beginning of each step a while after the hits.
    """

    def __init__(self, body: Body, job: Job, reference: Reference, inertias: Array, begin: float, attempt: Attempt, gains: Gains, manner: Manner):
        """``gains``: the usual ones, which the attempt changes."""
        super().__init__(body, job, [reference], inertias, attempt.bent(gains), stance_width=APART, begin=begin)
        self.law.beside, self.follower.earliest = attempt.beside * body.leg_length, attempt.earliest
        self._numb = [(event["time"], event["time"] + manner.delay) for event in job.events]
        # What a hit has done shows only after a while: who seems to walk as before at once has not taken it yet.
        self._over = max(event["time"] + event["duration"] for event in job.events) + manner.delay
        self._firm, self._usual = attempt.firm, manner.firm(body) ** 0.5
        self._struck = [(event["time"], event["time"] + event["duration"] + manner.soft, chain(body, link_of(body, event["part"])))
                        for event in job.events]
        self._looked = 0.0
        self.times: list[tuple[float, float, int]] = []
        self.back: float | None = None
        self.begun: list[tuple[float, float]] = []

    @property
    def done(self) -> float:
        time = self.times[-1][0] if self.times else 0.0
        return time / (time + FOLLOWS_S)

    @property
    def finished(self) -> bool:
        return super().finished or (self.back is not None and self.times[-1][0] > self.back + STUMBLE.fade_s)

    def torques(self, state: State) -> PerJoint:
        self.law.aware = 0.0 if any(start <= state.time < end for start, end in self._numb) else 1.0
        self._soften(state.time)
        steps = self.steps
        torques, step = super().torques(state), self.follower.step
        self.times.append((state.time, min(self.follower.frame, step.end) / step.course.fps, self.steps))
        if self.steps > steps and self.back is None and state.time > self._over:
            self.back = state.time
            if state.time > self._over + STUMBLE.steps_s:
                self.begun.append((self._off(), state.time))
        if self.back is not None and state.time - self._looked > LOOK_S:
            self._looked = state.time
            if self._off() > STUMBLE.like:
                self.back = None
        return torques

    def down(self, state: State, ground: float) -> bool:
        """By its height and tilt alone: who reels is off the clip for a while, and whether it comes back is looked at anyway."""
        return Driver.down(self, state, ground)

    def _soften(self, time: float) -> None:
        """Make the joints of what was struck as soft as they are at ``time`` (s)."""
        firm = self.law.firm[:, 0]
        firm[:] = 1.0
        for start, end, links in self._struck:
            if start <= time < end + STUMBLE.firm_s:
                back = float(smooth_step(np.array((time - end) / STUMBLE.firm_s)))
                firm[links] = np.minimum(firm[links], self._firm + back * (1.0 - self._firm))
        firm *= self._usual

    def _off(self) -> float:
        """m that the joints are off the clip's, seen from the pelvis, on average."""
        away = self.law.pose.origins - self.shown()
        return float(np.linalg.norm(away[1:] - away[0], axis=1).mean())


def recovered(job: Job, task: HitTask, reference: Reference, clip: Motion, hits: list[Hit], context: Context | None = None,
              attempts: Sequence[Attempt] = ATTEMPTS, instead: float = 0.0) -> Result | None:
    """The first of some attempts that holds and whose feet do not shuffle; where the few next ones shuffle, too, the best of these. None where all
    fall or are lost.

    Args:
        clip: the reference's motion as the result is to begin, at the job's rate. hits: in the world's axes.
        instead: how long what follows takes where this finds nothing, in attempts: for the progress.
    """
    first = int(min(hit.time for hit in hits) * clip.fps + 1e-9)
    own, events, start = at_hit(reference, clip, hits, first / clip.fps, job.time_step)
    simulated = dataclasses.replace(job, events=events, duration=own.duration + STUMBLE.longer_s)
    settings = dataclasses.replace(TRACKING, time_step=job.time_step, friction=job.friction, self_collision=True)
    given = sum(float(np.linalg.norm(hit.force)) * hit.seconds for hit in hits) / reference.body.mass
    lost = min(max((given - LOST_M_S[0]) / (LOST_M_S[1] - LOST_M_S[0]), 0.03), 0.97)
    best, least, gains = None, (np.inf, np.inf), gains_of(task.gains)
    like = task.like.attempt
    ways = [*([like] if like else []), *(attempt for attempt in attempts if attempt != like)][:FEW if given > HARD_M_S else None]
    further = FURTHER
    for number, attempt in enumerate(ways):
        if best is not None:
            if not further:
                break
            further -= 1
        with world_class(job.engine)(reference.body, job.ground, settings=settings) as world:
            world.place(**start)
            driver = Recovering(reference.body, simulated, reference, world.inertias, first / clip.fps, attempt, gains, task.manner)
            try:
                found = perform(world, driver, simulated, context and _telling(context, number, len(ways), best and best[0], instead, lost),
                                after_fall=0.0)
            except SimulationError:  # where the engine goes wild in one attempt, another may hold
                continue
        found = _while_near(found, driver)
        tail = round(STUMBLE.tail_s * found.fps)
        saved = driver.back is not None or (
            not reference.goes_on and not found.outcome["fell"] and off_clip(found)[-tail:].mean() < STUMBLE.lost)
        if not saved:
            continue
        shuffled, strain = _shuffled(found), strained(found, reference.body, clip.rotations)
        quality = max(0.0, strain - STUMBLE.strain), shuffled
        if quality < least:
            best, least, held = (found, driver), quality, Held(attempt=attempt)
        if quality[0] == 0.0 and shuffled < STUMBLE.shuffle:
            break
    if best is None:
        return None
    result = _joined(job, task.home, reference, clip, first, with_steady_feet(best[0], reference.body), best[1])
    result.outcome["held"] = held.data
    result.outcome["strained_rad"] = round(float(least[0]), 3)
    return result


def _while_near(found: Result, driver: Recovering) -> Result:
    """What was found. Of a body that has never quite done what the clip does, or fell in the end, but was near to it for long enough to go over into
    the clip, only until then: a run is hard to track for long, also when the hit is over."""
    until = found.outcome["simulated_s"] if found.outcome["fell_at"] is None else found.outcome["fell_at"]
    off, time = min((step for step in driver.begun if step[1] + STUMBLE.fade_s < until), default=(np.inf, 0.0))
    if driver.back is not None or off > STUMBLE.near:
        return found
    driver.back, frames = time, int(np.ceil((time + STUMBLE.fade_s) * found.fps)) + 1
    return dataclasses.replace(cut(found, 0, min(frames, found.frames)), outcome={**found.outcome, "fell": False, "fell_at": None})


def _telling(context: Context, number: int, ways: int, best: Result | None, instead: float, lost: float) -> Context:
    """The context of an attempt, of which ``number`` were made before it. The more have failed, the less the others can be expected to hold."""
    left = ways - number - 1
    after = 0.7 * left + instead * lost ** ((left + 1) / ways) if best is None else 0.9 * left
    return context.showing(best).amid(number, 1.0, after, f"Trying {number + 1} of {ways} ways to keep walking")


def _shuffled(found: Result) -> float:
    """m that feet have slid. It counts fully where they bore the body, and less where they carried less weight."""
    share = np.clip(found.foot_forces[:, :, 2] / (BEARING * body_weight(found)), 0.0, 1.0)
    return float((frame_slides(found) * share).sum())


def _joined(job: Job, home: bool, reference: Reference, clip: Motion, first: int, found: Result, driver: Recovering) -> Result:
    """The clip until its frame ``first``, what was found, and the clip again."""
    fps, physical = clip.fps, found.frames
    moments, times, steps = np.array(driver.times).T
    at = np.searchsorted(moments, np.arange(physical) / fps + 1e-9, side="right") - 1
    times, steps = times[at], steps[at]
    motion = Motion(clip.skeleton, fps, found.root_positions, rotation.make_continuous(found.rotations))
    goal, back = Motion(clip.skeleton, fps, *clip.sample(times)), physical - 1
    if driver.back is not None and times[int(np.ceil(driver.back * fps - 1e-9))] + STUMBLE.fade_s < clip.duration:
        back = int(np.ceil(driver.back * fps - 1e-9))
        times = np.concatenate([times[:back], np.arange(times[back], clip.duration, 1.0 / fps)])
        own, contacts = Motion(clip.skeleton, fps, *clip.sample(times)), reference.contacts_during(times)
        end = min(back + round(STUMBLE.fade_s * fps), physical - 1)
        motion, goal = rejoined(reference.body, motion, own, contacts, back, end, int(found.stance[back]))
        if home:
            # In place, and not as far on as it would have walked in the meantime.
            late = (first + np.arange(len(times))) / fps - times
            own = own.displace(np.outer(-late, [*ground_of(reference.motion, reference.ground, job.facing), 0.0]))
            goal = homeward(reference.body, goal, own, contacts, end)
            motion = nearing(reference.body, motion, goal, contacts, (np.arange(len(times)) >= end).astype(float))
        physical = min(back, len(times))
    whole, beside = (Motion(clip.skeleton, fps, np.concatenate([clip.root_positions[:first + 1], piece.root_positions[1:]]),
                            np.concatenate([clip.rotations[:first + 1], piece.rotations[1:]])) for piece in (motion, goal))
    result = shown(job, reference, whole, beside, np.concatenate([np.arange(first + 1) / fps, times[1:]]))
    for name in (*MEASURED, "stance", "reference_positions"):
        getattr(result, name)[first + 1:first + physical] = getattr(found, name)[1:physical]
    result.outcome |= {"recovered_after_s": None if driver.back is None else round(driver.back, 3), "recovery_steps": int(steps[back]),
                       "detour_m": round(_detour(result.root_positions[first:first + back + 1], clip), 3)}
    return result


def _detour(roots: Array, clip: Motion) -> float:
    """m that a pelvis at ``roots`` (F, 3) is off the clip's way, at most."""
    return float(np.linalg.norm(roots[:, None, :2] - clip.root_positions[None, :, :2], axis=-1).min(axis=1).max())
