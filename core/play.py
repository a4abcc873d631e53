"""Play: a simulation that is played like a game. What the body is told as it goes is kept with its times; told again, it does the same, bit for bit.

It is told things at beats, a fixed time apart, so that what it does depends on nothing but what it is told and when. A fall goes on as a fall, from
the last frame on which the body was not on its way down; "up" puts the body back on its feet where it is. "method" has it led by another method: that
takes over at a moment that is like its own beginning; where none comes, the body is put into that beginning, where it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot
from typing import Any

import numpy as np

from .arrays import Array, Vector
from .context import Context
from .control.driver import Driver
from .control.faller import Faller
from .control.steering import FACING
from .errors import SimulationError
from .fall import LED
from .job import Job
from .measure.report import times
from .measure.span import PER_FRAME, cut
from .motion import Motion
from .others import boxes
from .physics import State, World, world_class
from .physics.settings import FALLING
from .progress import rotations_of
from .result import Result
from .rotation import wrap
from .session import Moment, Session

BEATS = 60  # a second
LONGEST_S = 3600.0
LATE = 1e-6  # s by which times that are written down may be off
SIDEWAYS = 1.5  # m/s² that a body which turns is drawn aside at most: who is fast turns slowly
STEADY_S = 0.5  # s that a body which was put on its feet is given to stand, before it sets off
WAITS_S = 2.0  # s for a moment that is like the beginning of another method
ALIKE, AS_FAST = 0.15, 0.4  # rad, of joints in the mean, and m/s, up to which it is
AHEAD = 0.8  # rad that the wanted heading runs ahead of where the body faces
TIME_STEP = 0.001  # s of a fall: a longer one might go wild, and a fall that is watched cannot be tried again

Begin = Callable[[Job], tuple[World, Driver]]
Change = Callable[[Job, dict[str, Any]], Job]


@dataclass(frozen=True)
class _Following:
    """Who is to lead a body by another method. ``begins``: as the body begins by that; ``told_at``: s, when it was told."""

    job: Job
    world: World
    driver: Driver
    begins: State
    told_at: float

    def is_like(self, state: State) -> bool:
        """Whether a body could go on from this state as if it had just begun."""
        now, then = (np.array(rotations_of(one))[1:] for one in (state, self.begins))
        apart = 2.0 * np.arccos(np.minimum(np.abs(np.sum(now * then, axis=1)), 1.0))
        faster = hypot(*state.velocity[:2]) - hypot(*self.begins.velocity[:2])
        return bool(np.sqrt(np.mean(apart**2)) < ALIKE and abs(faster) < AS_FAST)


class Lying(Faller):
    """Falls, and lies until somebody puts it on its feet."""

    finished = False


class Play:
    """A body that is played.

    Attributes:
        job: with what it was told so far, and as long as it went so far: run again, it gives the same result.
        led: the job by the method that leads it now.
        falls: how often it fell. over: whether it can go on no more. why: a sentence on why.
    """

    def __init__(self, job: Job, begin: Begin, change: Change):
        """``begin``: a world with the body in its place, at the origin, and who leads it from there. ``change``: the job by the method that an event
        names."""
        self.job, self._begin, self._change = replace(job, events=(), duration=0.0), begin, change
        self.led = self.job
        self._following: _Following | None = None  # who is to lead it as soon as may be
        self.falls, self.over, self.why = 0, False, ""
        self._coming = deque(sorted(job.events, key=lambda event: event["time"]))
        self._beats = 0
        self._parts: list[tuple[Result, int, bool]] = []  # what was recorded before: with how many things in it, and whether it is of a fall
        self._steps = 0
        self._heading = self._aim = job.facing  # rad: as it is led, and as it was told
        self._steered: float | None = None  # the heading that the driver knows
        self._turn, self._speed = 0.0, None  # rad/s; m/s
        self._gait, self._changes = "", False  # that it was told last, and whether that is still to be done
        self._ready = STEADY_S  # s from which on it can set off
        self._up = False
        self._fell_at = 0.0
        world, driver = begin(self._own((), LONGEST_S))
        self._session = Session(world, driver, self._own((), LONGEST_S), after_fall=0.0, remembers=True)

    @property
    def time(self) -> float:
        """s, of the next beat."""
        return self._beats / BEATS

    @property
    def state(self) -> State:
        """The body as it was last seen."""
        return self._session.state

    @property
    def falling(self) -> bool:
        """Whether it falls, or lies."""
        return isinstance(self._session.driver, Lying)

    @property
    def lies(self) -> bool:
        driver = self._session.driver
        return isinstance(driver, Lying) and driver.fell_at is not None

    @property
    def gait_name(self) -> str:
        return self._session.driver.gait_name

    def balls(self) -> list[tuple[Vector, float]]:
        """Where those that were thrown are (m), and their radii (m)."""
        thrown = self._session.thrown
        places = self._session.world.object_poses()
        return [(place, radius) for (place, _), (_, _, radius) in zip(places[len(places) - len(thrown):], thrown, strict=True)]

    def tell(self, event: dict[str, Any]) -> None:
        """Let an event happen at the next beat, whatever its time says."""
        self._coming.append({**event, "time": round(self.time, 6)})

    def beat(self) -> None:
        """Go on to the next beat."""
        while self._coming and self._coming[0]["time"] <= self.time + LATE:
            self._do(self._coming.popleft())
        if self._changes and self.time > self._ready:
            self._changes = False
            self._session.driver.change(self._gait)
        self._steer()
        self._beats += 1
        self.job = replace(self.job, duration=round(self.time, 6))
        try:
            while not self.over and self._session.world.time < self.time - LATE:
                if self._session.step() or self._session.over:
                    self._look()
        except SimulationError as error:
            self.over, self.why = True, str(error)
        if not self.over and self.time >= LONGEST_S:
            self.over, self.why = True, f"The take ends here, because it is {LONGEST_S / 60:.0f} minutes long: no take may be longer."

    def result(self) -> Result:
        """What was recorded so far."""
        self._keep()
        whole, _, _ = self._parts[0]
        for part in self._parts[1:]:
            whole = _joined(whole, *part)
        self._parts.pop()
        state, falls = self._session.state, self.falling
        outcome: dict[str, Any] = {
            "fell": falls, "fell_at": self._fell_at if falls else None, "simulated_s": round(self.time, 6), "falls": self.falls,
            "end_position_m": [round(v, 4) for v in state.position], "gait": self.gait_name, "steps": self._steps + (self._session.driver.steps or 0)}
        ups = f"It fell {times(self.falls)}, and was put back on its feet {times(self.falls - falls)}." if self.falls > falls else ""
        if notes := [note for note in (ups, self.why) if note]:
            outcome["notes"] = notes
        if falls:
            outcome["reason"] = f"Fell at {self._fell_at:.2f} s while in '{self.gait_name}', and was not put back on its feet."
        return replace(whole, job=self.job.to_dict(), outcome=outcome)

    def close(self) -> None:
        self._session.world.close()
        if self._following:
            self._following.world.close()

    # -- what it is told -----------------------------------------------------------------------------------------------

    def _do(self, event: dict[str, Any]) -> None:
        self.job = replace(self.job, events=(*self.job.events, event))
        kind = event["type"]
        if kind == "steer":
            self._aim = self._aim if event["heading"] is None else event["heading"]
            self._turn, self._speed = event["turn"] or 0.0, event["speed"]
            self._steered = None
        elif kind == "gait":
            self._gait, self._changes = event["gait"], True
        elif kind == "up":
            self._up = True
        elif kind == "method":
            self._call(event)
        else:
            self._session.add(event)

    def _steer(self) -> None:
        """Bring the heading a little nearer to the one that is wanted, no faster than a body of this speed can turn."""
        state, driver = self.state, self._session.driver
        self._aim += self._turn / BEATS
        if not self.falling:
            fast = hypot(state.velocity[0], state.velocity[1])
            most = min(FACING.fastest, SIDEWAYS / max(fast, 1e-3)) / BEATS
            faces, turned = driver.faces(state), max(-most, min(most, wrap(self._aim - self._heading)))
            ahead = wrap(self._heading + turned - faces)
            self._heading += turned + max(-AHEAD, min(AHEAD, ahead)) - ahead
        if self._heading != self._steered:
            self._steered = self._heading
            driver.steer(self._heading, self._speed)

    # -- falls, and back on its feet -----------------------------------------------------------------------------------

    def _look(self) -> None:
        """At a recorded frame: whether somebody else is to lead the body from now on."""
        session = self._session
        del session.moments[:-1]
        moment = session.moments[-1]
        following = self._following
        if following and (self._up if self.falling else following.is_like(session.state) or moment.time > following.told_at + WAITS_S):
            self._up = False
            self._go_on(moment, self._take_over(moment, following))
        elif self._up:
            self._up = False
            self._go_on(moment, self._stand(moment))
            self._gait = self._session.driver.acts.get(self._gait, self._gait)  # nothing that is done once is done again
            self._ready, self._changes = moment.time + STEADY_S, bool(self._gait)
        elif not self.falling and (session.fell_at is not None or moment.tips):
            self.falls, self._fell_at = self.falls + 1, moment.time
            self._go_on(moment, self._fall(moment))
        elif session.over:
            self.over, self.why = True, "The take ends here, because the engine put in energy of its own: try another engine, or another time step."

    def _go_on(self, moment: Moment, following: tuple[World, Driver, Job]) -> None:
        """Go on from a moment with a new world and a new driver, which ``following`` gives."""
        self._keep()
        session, (world, driver, job) = self._session, following
        session.world.close()
        self._steps += session.driver.steps or 0
        self._session = Session(world, driver, job, after_fall=0.0, remembers=True, thrown=session.thrown[:moment.balls])
        self._steered = None

    def _own(self, events: tuple[dict[str, Any], ...], seconds: float, job: Job | None = None) -> Job:
        return replace(job or self.led, events=events, duration=seconds, heading=((0.0, self._heading),), speed=None)

    def _later(self, moment: Moment) -> Job:
        """The job with the pushes that are not over at a moment, and the balls that are not thrown yet."""
        events = tuple(event for event in self.job.events if (event["type"] == "push" and event["time"] + event["duration"] > moment.time)
                       or (event["type"] == "ball" and event["time"] > moment.time + 1e-9))
        return self._own(events, LONGEST_S)

    def _resume(self, world: World, moment: Moment) -> None:
        for name, mass, radius in self._session.thrown[:moment.balls]:
            world.throw_ball(name, mass, radius, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        world.resume(moment.snapshot)

    def _call(self, event: dict[str, Any]) -> None:
        """Have somebody ready who leads the body by another method."""
        if self._following:
            self._following.world.close()
        job = self._change(self.job, event)
        world, driver = self._begin(self._own((), LONGEST_S, job))
        self._following = _Following(job, world, driver, world.read(), self.time)

    def _take_over(self, moment: Moment, following: _Following) -> tuple[World, Driver, Job]:
        """The body as it is, or where that is nothing to go on from, as the method begins."""
        like = not self.falling and following.is_like(self.state)
        self.led, self._following, self._gait, self._changes = following.job, None, "", False
        job, world = self._later(moment), following.world
        if like:
            self._resume(world, moment)
        else:
            self._put(world, following.begins, moment)
        return world, following.driver, job

    def _stand(self, moment: Moment) -> tuple[World, Driver, Job]:
        """The body as it begins, where it is now."""
        job = self._later(moment)
        world, driver = self._begin(job)
        self._put(world, world.read(), moment)
        return world, driver, job

    def _put(self, world: World, begun: State, moment: Moment) -> None:
        """Put the body as it begins where it is now."""
        lift = world.ground_height(0.0, 0.0)
        self._resume(world, moment)
        x, y, _ = world.read().position
        world.place((x, y, begun.position[2] - lift + world.ground_height(x, y)), begun.rotation, begun.joints, begun.velocity,
                    begun.angular_velocity, begun.joint_velocities)

    def _fall(self, moment: Moment) -> tuple[World, Driver, Job]:
        """A body that falls like a person."""
        session = self._session
        seen = session.result()
        job, body = replace(self._later(moment), time_step=TIME_STEP), session.world.body
        settings = replace(FALLING, time_step=TIME_STEP, friction=job.friction, self_collision=job.self_collision)
        world = world_class(job.engine)(body, job.ground, job.obstacles, settings)
        self._resume(world, moment)
        pose = Motion(body.skeleton, job.fps, seen.root_positions[-1:], seen.rotations[-1:])
        return world, Lying(body, job, pose, session.driver.gait_name, moment.time), job

    def _keep(self) -> None:
        """Put what this session recorded to the other parts."""
        self._parts.append((self._session.result(), len(boxes(self.job.obstacles)) + len(self._session.thrown), self.falling))


def replay(job: Job, begin: Begin, change: Change, context: Context) -> Result:
    """A job that is played, to its end."""
    play, beats = Play(job, begin, change), round(job.duration * BEATS)
    try:
        for beat in range(beats):
            play.beat()
            if play.over:
                break
            context.tell((beat + 1) / beats, play.state, "Playing it again")
        return play.result()
    finally:
        play.close()


def _joined(before: Result, after: Result, things: int, falls: bool) -> Result:
    """``before``, and then ``after``, which begins on its last frame. ``things``: how many there are in that; ``falls``: whether nobody leads it."""
    after = cut(after, 1, after.frames)
    names = before.gait_names + [name for name in after.gait_names if name not in before.gait_names]
    arrays: dict[str, Any] = {}
    for name in PER_FRAME:
        first, then = getattr(before, name), getattr(after, name)
        if name == "gaits":
            then = np.array([names.index(after.gait_names[number]) for number in then], dtype=first.dtype)
        elif name.startswith("object_"):
            first = _with_things(first, then, things)
        elif falls and name in LED and len(first):
            then = np.repeat(first[-1:], after.frames, axis=0)
        # What not all methods have, as the recording that is followed, the whole has not.
        arrays[name] = np.concatenate([first, then]) if len(first) and len(then) == after.frames else first[:0]
    return replace(before, **arrays, gait_names=names, object_names=after.object_names if after.frames else before.object_names)


def _with_things(first: Array, then: Array, things: int) -> Array:
    """Poses (F, O, …) of things with those that came later, which wait where they will appear."""
    more = then[:1, first.shape[1]:things]
    return np.concatenate([first, np.repeat(more, len(first), axis=0)], axis=1) if len(then) else first
