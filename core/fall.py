"""Fall: what becomes of a body that cannot be saved, until it lies still. In a walk, a tracked clip or after a hit it is the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .body import Body
from .context import Context
from .control.driver import Driver
from .control.faller import TIME_STEP, Faller
from .control.falling import FALL
from .errors import SimulationError
from .guard import LONGEST_S
from .job import Job
from .measure.span import PER_FRAME, cut
from .motion import Motion
from .others import boxes
from .physics import World, world_class
from .physics.settings import FALLING
from .result import Result
from .session import Session, Supervisor

TIME_STEPS = (TIME_STEP, TIME_STEP / 2, TIME_STEP / 4)  # s, each tried where the engine goes wild with the one before, or throws up a body that lies
WALKED = 0.8  # fraction of the time after which the fall follows, of work that falls
THROWN_M_S = 2.0  # m/s upward, from which on a body that lies was thrown up
LED = ("stance", "states", "gaits", "headings", "speeds", "reference_positions")  # fields of a Result that say what was asked of the body


def perform_to_rest(world: World, driver: Driver, job: Job, context: Context | None = None, supervise: Supervisor | None = None,
                    counts: Callable[[Result], bool] = lambda until: True) -> Result:
    """As ``session.perform``, but a body that falls goes on until it lies still, also beyond the end of the job.

    ``counts``: whether a fall does, by what there is until then; one that does not ends there.
    """
    session = Session(world, driver, job, supervise, after_fall=0.0, remembers=True)
    try:
        session.run(context)
    except SimulationError:
        if len(session.moments) < 2:
            raise
        session.wild, session.fell_at = True, session.moments[-1].time
    if session.fell_at is None and driver.tipping(session.state, world.ground_height(*session.state.position[:2])):
        session.fell_at = session.state.time
    result = session.result()
    return result if session.fell_at is None or not counts(result) else _gone_on(session, result, context)


def _gone_on(session: Session, before: Result, context: Context | None) -> Result:
    """The result ``before`` of a session that fell, from shortly before that on with a body that falls like a person."""
    job, body = session.job, session.world.body
    last = _gives_up(session)
    moment = session.moments[last]
    thrown = session.thrown[:moment.balls]
    later = tuple(event for event in job.events if event["type"] == "push" or (event["type"] == "ball" and event["time"] > moment.time + 1e-9))
    pose = Motion(body.skeleton, job.fps, before.root_positions[last:last + 1], before.rotations[last:last + 1])

    def start(world: World) -> None:
        for name, mass, radius in thrown:
            world.throw_ball(name, mass, radius, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        world.resume(moment.snapshot)

    found = let_fall(dataclasses.replace(job, events=later), body, start, pose, before.gait_names[-1], moment.time,
                     context and context.within(WALKED, 1.0), self_collision=job.self_collision, thrown=thrown)
    return _joined(cut(before, 0, last + 1), found, len(boxes(job.obstacles)) + moment.balls)


def _gives_up(session: Session) -> int:
    """The frame from which on the body falls: the last one on which it was not on its way down, if that is not too long before it had fallen. A body
    that went wild falls from before that."""
    assert session.fell_at is not None
    end = session.fell_at - (LONGEST_S if session.wild else 0.0)
    frames = [number for number, moment in enumerate(session.moments) if moment.time <= end + 1e-9]
    late = [number for number in frames if session.moments[number].time >= session.fell_at - FALL.gives_up_s]
    steady = [number for number in late if not session.moments[number].tips]
    return steady[-1] if steady else late[0] if late else max(frames, default=0)


def let_fall(job: Job, body: Body, start: Callable[[World], None], motion: Motion, name: str, reacts: float, context: Context | None = None, *,
             self_collision: bool = True, thrown: Sequence[tuple[str, float, float]] = (), waits: float = 0.0) -> Result:
    """A body that falls until it lies still, or until the engine goes wild, with the longest time step that does not.

    Args:
        job: its events are those still to come, in the world's time. start: puts body and things into their places.
        motion: what the body does until it reacts, at ``reacts`` s. name: of that.
        self_collision: False for a body whose legs may be in each other at the start: they would be thrown apart.
        thrown: balls that ``start`` brings: name, kg, radius (m).
        waits: s, for as long as which a body that lies still waits for the next push.
    """
    found: Result | None = None
    # Where the engine goes wild it is tried again: who watches waits for a fall that is good.
    unseen = context and context.showing(None).within(0.0, 1.0, "Letting it fall as a person does")
    for time_step in TIME_STEPS:
        try:
            found = _simulated(job, body, start, motion, name, reacts, time_step, unseen, self_collision, thrown, waits)
        except SimulationError:
            if found is None and time_step == TIME_STEPS[-1]:
                raise
            continue
        if not found.outcome["cut_short"]:
            break
    assert found is not None  # else the last one has raised
    return found


def _simulated(job: Job, body: Body, start: Callable[[World], None], motion: Motion, name: str, reacts: float, time_step: float,
               context: Context | None, self_collision: bool, thrown: Sequence[tuple[str, float, float]], waits: float) -> Result:
    last = max((event["time"] + event["duration"] for event in job.events if event["type"] == "push"), default=0.0) if waits else 0.0
    own = dataclasses.replace(job, time_step=time_step, duration=max(0.0, last) + FALL.longest_s)
    settings = dataclasses.replace(FALLING, time_step=time_step, friction=job.friction, self_collision=self_collision)
    with world_class(job.engine)(body, job.ground, job.obstacles, settings) as world:
        start(world)
        begin = world.time
        driver = Faller(body, own, motion, name, reacts, waits)
        session = Session(world, driver, own, after_fall=0.0, thrown=thrown)
        session.run(context)
    found = session.result()
    lies = found.frames - 1 if driver.fell_at is None else round((driver.fell_at - begin) * found.fps)
    wild = _wild_from(found, lies) if not session.wild else found.frames - 1
    if wild is not None:
        found = cut(found, 0, max(1, wild))
    found.outcome |= {"fell": True, "fell_at": driver.fell_at or begin + (found.frames - 1) / found.fps, "cut_short": wild is not None}
    return found


def _wild_from(found: Result, lies: int) -> int | None:
    """The frame from which on a body that lies, from frame ``lies`` on, rises faster than a person can: then the engine has put energy in."""
    thrown = np.flatnonzero(np.diff(found.root_positions[lies:, 2]) * found.fps > THROWN_M_S)
    return None if not len(thrown) else lies + int(thrown[0]) + 1


def _joined(before: Result, found: Result, things: int) -> Result:
    """``before``, and then what was ``found``, whose first frame is the last one before. ``things``: how many there were then."""
    frames = found.frames - 1
    arrays: dict[str, Any] = {}
    for name in PER_FRAME:
        first, then = getattr(before, name), getattr(found, name)[1:]
        if name in LED and len(first):
            then = np.repeat(first[-1:], frames, axis=0)
        elif name.startswith("object_"):
            # A ball that is not thrown yet waits where it will appear.
            first = np.concatenate([first[:, :things], np.repeat(getattr(found, name)[:1, things:], before.frames, axis=0)], axis=1)
        arrays[name] = np.concatenate([first, then]) if len(first) else first
    outcome = {**before.outcome, "fell": True, **{key: found.outcome[key] for key in ("simulated_s", "end_position_m", "cut_short")}}
    return dataclasses.replace(before, **arrays, object_names=found.object_names, outcome=outcome)
