"""Push responses: bodies that stand and walk are pushed in a simulation, from all sides, at several heights and ever harder, until they fall.

They take it as a hit on a clip is taken (see ``hit``), so that what the database shows is what a simulation would. Only where all known ways fail,
a hit would go on for minutes, with other styles of balance for who stands and with plans for who walks: here the body falls.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from math import cos, pi, sin
from pathlib import Path

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..balance_styles import FEW, known_styles
from ..body import Body
from ..context import Context
from ..control.stander import TIME_STEP
from ..errors import JobError, SimulationError
from ..feet.loads import loaded
from ..feet.pin import with_steady_feet
from ..hit.acting.task import Acting
from ..hit.begin import at_hit
from ..hit.fall import fallen
from ..hit.flinch import Hit, flinched
from ..hit.gather import gathered, place
from ..hit.held import Held
from ..hit.join import joined
from ..hit.recover import recovered
from ..hit.reflex import Tried, best, stood
from ..hit.settings import ATTEMPTS, Attempt
from ..hit.take import fitting, mended
from ..hit.task import HitTask, Manner
from ..job import Job
from ..jobs import make_job
from ..kinematic.retargeted import shown
from ..kinematics import angular_momentum, center_of_mass, link_poses, velocity
from ..methods.hit import MANNER
from ..motion import Motion
from ..places import struck
from ..pushes.database import Database, Start
from ..pushes.ready import Ready
from ..pushes.response import FALL, IN_PLACE, NOTHING, RATE, STEPS, Response, differences
from ..reference import Reference
from ..reference.recordings import Recording
from ..result import Result
from ..signals import runs, softened
from .push_starts import FPS, STANCES, SYMMETRIC, moment, reference_of, starts

DIRECTIONS = 16
SPREAD = (0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15)  # the order in which they are pushed: each about half way between earlier ones
# Five heights: what share of the force each part of the body takes. The waist is where pelvis and torso meet.
HEIGHTS: dict[str, dict[str, float]] = {
    "hip": {"pelvis": 1.0}, "waist": {"pelvis": 0.5, "torso": 0.5}, "trunk": {"torso": 1.0}, "chest": {"chest": 1.0}, "head": {"head": 1.0}}
PUSH_S = 0.15  # s that a push lasts
LEVELS = (0.08, 0.2, 0.35, 0.5, 0.75, 1.0, 1.3, 1.65, 2.0)  # m/s that pushes give the body, until it falls; a hit flinches up to 0.12 or 0.25
EASY = 4  # of these, that are easy to take
GAIN_S = 0.5  # s from the beginning of a push, in which its momentum shows
SECONDS = 5.0  # s after a push in which the body must be back
FALL_S = 2.0  # s of a fall that are kept, at most
EVEN_S = 0.2  # s over which times of the clip are evened out, as a hit does
SAME = np.radians(0.5)  # rad: joints that are turned by less are as in the motion that was pushed
STILL_M_S = 0.1  # m/s of an ankle over the ground, below which a foot that carries weight stands
ROLL_S = 0.4  # s after a landing in which a foot comes to rest
SLIP_S, SWING_S = 0.1, 0.4  # s: of a slip that does not lift a foot, at most, and of a step, at most
STEP_M = 0.03  # m: a foot that comes down nearer to where it stood has not stepped
SAVE_S = 20.0  # s from one writing of the file to the next
USUAL = {"gains": {}, "quality": "normal", "freedom": 0.3, "weights": {}, "strength": "human",
         "like": Held(), "acting": Acting()}  # of a hit; only plans would go by quality, freedom, weights and strength

Cell = tuple[str, int, int, str]  # motion, moment, direction, height: all pushes that differ in strength only


def cells() -> list[Cell]:
    """All of them, those first that tell most: stopped early, a build has pushes from all sides on all motions. What would be the mirror image of
    another one is left out."""
    found = []
    for name, phase in starts():
        ways = DIRECTIONS // 2 + 1 if name in SYMMETRIC else DIRECTIONS
        found += [(name, phase, way, height) for way in range(ways) for height in HEIGHTS]

    heights = list(HEIGHTS)

    def late(cell: Cell) -> tuple[int, int, int]:
        _, _, way, height = cell
        if to_the_fall(cell):
            return (0 if height == "chest" else 2), 0, SPREAD.index(way)
        return 1, (way + heights.index(height)) % len(heights), SPREAD.index(way)

    return sorted(found, key=late)


def to_the_fall(cell: Cell) -> bool:
    """Whether these pushes go on until the body falls: near the limit each of them takes as long as ten weaker ones. The limits of all others lie
    between theirs."""
    _, _, way, height = cell
    return way % 2 == 0 if height == "chest" else way % 4 == 0 and height in ("hip", "head")


def title(cell: Cell) -> str:
    name, phase, way, height = cell
    return f"{name} {phase}, {360.0 * way / DIRECTIONS:g}°, {height}"


def taken(person: str, engine: str, cell: Cell) -> list[Response]:
    """Pushes of one kind, from weak ones to the first that makes the body fall, or only those that most bodies take."""
    found: list[Response] = []
    for level in LEVELS if to_the_fall(cell) else LEVELS[:EASY]:
        try:
            found.append(pushed(person, engine, cell, level))
        except SimulationError:  # the engine went wild: another strength may do
            continue
        if found[-1].strategy == FALL:
            break
    return found


def pushed(person: str, engine: str, cell: Cell, speed: float) -> Response:
    """The response of a body preset to a push that gives it ``speed`` (m/s)."""
    name, phase, way, height = cell
    reference = reference_of(person, name, engine, SECONDS + 3.0)
    body, clip = reference.body, reference.motion.resample(FPS).facing(0.0)
    begin, direction = moment(reference, name, phase), 2.0 * pi * way / DIRECTIONS
    heading = float(rotation.heading(clip.sample(begin)[1][0]))
    force = speed * body.mass / PUSH_S * np.array([cos(direction + heading), sin(direction + heading), 0.0])
    hits = [Hit(begin, PUSH_S, part, tuple((share * force).tolist())) for part, share in HEIGHTS[height].items()]
    clip = clip.slice(0.0, begin + SECONDS)
    job = make_job({"body": person, "duration": clip.duration, "fps": FPS, "engine": engine, "events": [hit.event() for hit in hits]})
    result, way = _result(job, reference, clip, hits)
    fell = result.outcome["fell"]
    result = mended(result, reference, clip, round(begin * FPS) + 1)
    # Steps that land before their time let the clip jump on: evened out, so that what is between the kept frames is as smooth as they are.
    late = result.times - result.clip_times
    if not fell:
        late = np.where(result.times > begin, softened(late, EVEN_S * FPS), late)
    own, motion = Motion(clip.skeleton, FPS, *clip.sample(result.times - late)), Motion(clip.skeleton, FPS, result.root_positions, result.rotations)
    frames = _kept(own, motion, begin, fell)
    velocities = velocity(center_of_mass(result) - _centres(body, own), FPS)
    back = rotation.from_axis_angle((0.0, 0.0, 1.0), -heading)
    columns = differences(body, _at(motion, frames), _at(own, frames), heading, rotation.rotate(back, velocities)[frames, :2],
                          late[frames])
    contacts = standing(result)
    walks = name not in STANCES
    caught = result.outcome.get("recovery_steps") or 0
    strategy = FALL if fell else IN_PLACE if result.outcome["response"] == "flinch" or not (caught or walks) else STEPS
    steps = landings(result, int(frames[0]), int(frames[-1]), heading)[:None if walks else caught]
    high = _height(result, body, HEIGHTS[height], int(frames[0])) / body.leg_length
    return Response(starts().index((name, phase)), direction, high, speed, strategy, way, _momentum(result, back, int(frames[0]), direction),
                    columns, from_landings(contacts[frames], steps), steps)


def _height(result: Result, body: Body, parts: Iterable[str], frame: int) -> float:
    """m over the ground of the middle between what is struck."""
    places, turns = (values[frame] for values in link_poses(result))
    points = [places[link] + rotation.rotate(turns[link], point) for link, point in (struck(body, part) for part in parts)]
    return float(np.mean(points, axis=0)[2])


def _result(job: Job, reference: Reference, clip: Motion, hits: list[Hit]) -> tuple[Result, int]:
    """How a hit is taken, and in which way, as ``Response.held_by`` has it."""
    way = NOTHING
    manner = Manner(**MANNER.usual)  # type: ignore[arg-type]
    response = fitting(reference, clip, hits)
    if response == "flinch":
        result: Result | None = shown(
            job, reference, flinched(reference.body, clip, reference.contacts_at(FPS, clip.frames), hits, manner, job.engine), clip)
    elif response == "balance":
        result, way = _balanced(job, reference, clip, hits, manner.delay)
    else:
        task = HitTask(Recording(""), response, manner, False, **USUAL)  # type: ignore[arg-type]
        result = recovered(job, task, reference, clip, hits)
        if result is not None:
            way = ATTEMPTS.index(Attempt(**result.outcome["held"]["attempt"]))
    if result is None or result.outcome["fell"]:
        result, way = fallen(job, reference, clip, hits, manner.delay, tried=result), NOTHING
    result.outcome["response"] = response
    return result, way


def _balanced(job: Job, reference: Reference, clip: Motion, hits: list[Hit], delay: float) -> tuple[Result, int]:
    """As ``hit.stand.balanced``, in the known styles only: to look for others where all of these fall takes ten times as long. The feet are gathered
    in any case. Also gives the number of the style."""
    begin = hits[0].time
    own, events, start = at_hit(reference, clip, hits, begin, TIME_STEP)
    simulated = dataclasses.replace(job, events=events, time_step=TIME_STEP, duration=own.duration)
    tried: Tried = []
    found, driver = best(lambda one: stood(simulated, reference.body, start, own, reference.name, delay, one.style, one.most_steps), 0, tried=tried,
                         few=FEW)
    style = min(tried, key=lambda one: one[0])[1]
    found.outcome |= {"strategy": driver.strategy, "recovery_steps": driver.steps}
    found = with_steady_feet(found, reference.body)
    last = min(int((begin + (found.frames - 1) / found.fps) * clip.fps + 1e-9), clip.frames - 1)
    after = clip.displace(np.tile(place(reference.body, clip, last / clip.fps, found), (clip.frames, 1)))
    result = joined(job, reference, clip, found, begin, lambda motion: gathered(reference.body, motion, after, last))
    return result, known_styles().index(dataclasses.replace(style, careful=True))


def _kept(own: Motion, motion: Motion, begin: float, fell: bool) -> Ints:
    """(K,) frames of a motion that are kept, at ``RATE``, from the push until the body does again what its ``own`` does, or lies."""
    first, every = round(begin * FPS), round(FPS / RATE)
    if fell:
        return np.arange(first, min(motion.frames, first + round(FALL_S * FPS) + 1), every)
    changed = np.abs((own.rotations * motion.rotations)[:, 1:].sum(axis=-1)).min(axis=1) < np.cos(0.5 * SAME)
    last = int(np.flatnonzero(np.append(True, changed[first:]))[-1]) + first
    count = -(-(last - first) // every) + 1
    return first + every * np.arange(min(count, (motion.frames - 1 - first) // every + 1))


def standing(result: Result) -> Bools:
    """(F, 2) whether each foot carries weight and stays where it is. A short slip does not lift it."""
    feet = [result.link_names.index(f"toes.{side}") for side in "LR"]
    speeds = np.linalg.norm(velocity(link_poses(result)[0][:, feet, :2], result.fps), axis=-1)
    stays = loaded(result) & (speeds < STILL_M_S)
    for foot in (0, 1):
        for start, end in runs(loaded(result)[:, foot] & ~stays[:, foot]):
            stays[start:end, foot] = end - start < SLIP_S * result.fps
    return stays


def from_landings(contacts: Bools, steps: Array) -> Bools:
    """(K, 2) contacts of a response, in which a foot stands from its landing in ``steps`` (as ``Response.steps``) on: what still moves soon after it
    rolls from heel to toe."""
    found, most = contacts.copy(), round(ROLL_S * RATE)
    for foot, seconds in steps[:, :2]:
        first = int(np.ceil(seconds * RATE - 1e-6))
        later = np.flatnonzero(found[first:first + most + 1, int(foot)])
        found[first:first + (later[0] if len(later) else 0), int(foot)] = True
    return found


def landings(result: Result, first: int, last: int, heading: float) -> Array:
    """(N, 5) steps that come down after frame ``first``, until ``last``, as ``Response.steps`` has them. ``heading``: rad, of the frame of these."""
    loads, (places, turns) = loaded(result), link_poses(result)
    back, rows = rotation.from_axis_angle((0.0, 0.0, 1.0), -heading), []
    for foot in (0, 1):
        link = result.link_names.index(("foot.L", "foot.R")[foot])
        for frame in (int(before) + 1 for before in np.flatnonzero(loads[1:, foot] & ~loads[:-1, foot])):
            rested = min(frame + round(SLIP_S * result.fps), result.frames - 1)
            lifted = places[max(first, frame - round(SWING_S * result.fps)), link]
            if first < frame <= last and np.linalg.norm((places[rested, link] - lifted)[:2]) > STEP_M:
                x, y, _ = rotation.rotate(back, places[rested, link] - result.root_positions[first])
                rows.append((foot, (frame - first) / result.fps, x, y, rotation.wrap(float(rotation.heading(turns[rested, link])) - heading)))
    return np.array(sorted(rows, key=lambda row: row[1])).reshape(-1, 5)


def _momentum(result: Result, back: Array, first: int, direction: float) -> Array:
    """(2, 6) as ``Response.momentum`` has it."""
    linear = float(result.masses.sum()) * velocity(center_of_mass(result), result.fps)
    both = np.concatenate([rotation.rotate(back, values) for values in (linear, angular_momentum(result))], axis=1)
    gained = (both - both[first])[first:first + round(GAIN_S * result.fps) + 1, :2] @ (cos(direction), sin(direction))
    return both[[first, first + int(np.argmax(gained))]]


def _centres(body: Body, motion: Motion) -> Array:
    """(F, 3) m, world, of the whole body's centre of mass."""
    places, turns = motion.world()
    return np.einsum("l,fld->fd", body.masses / body.mass, places + rotation.rotate(turns, body.com_offsets))


def _at(motion: Motion, frames: Ints) -> Motion:
    return dataclasses.replace(motion, root_positions=motion.root_positions[frames], rotations=motion.rotations[frames])


def build(person: str, engine: str, output: Path, context: Context, made_by: str, seconds: float = np.inf,
          wanted: Callable[[Cell], bool] = lambda cell: True) -> Database:
    """Simulate the responses of a body preset and write them to ``output``, now and then while it works. What is there already is not done again.

    Args:
        seconds: after which nothing new is begun. wanted: which pushes are made.
    """
    database = _begun(person, engine, output, made_by)
    left = [cell for cell in cells() if wanted(cell) and title(cell) not in database.done]
    before, began, saved = len(database.done), time.monotonic(), time.monotonic()
    with context.executor() as (executor, count):
        waiting: dict[Future[list[Response]], Cell] = {}
        todo = iter(left)
        _fill(waiting, executor.submit, person, engine, todo, count)
        while waiting:
            done, _ = wait(list(waiting), timeout=SAVE_S, return_when=FIRST_COMPLETED)
            for task in done:
                cell = waiting.pop(task)
                database.responses.extend(task.result())
                database.done.append(title(cell))
            if time.monotonic() - began < seconds:
                _fill(waiting, executor.submit, person, engine, todo, count)
            context.tell((len(database.done) - before) / len(left), doing=f"Pushing it; {len(database.responses)} responses so far")
            if time.monotonic() - saved > SAVE_S:
                _save(database, output)
                saved = time.monotonic()
    _save(database, output)
    return database


def _save(database: Database, output: Path) -> None:
    """In an order that does not depend on which worker was done first."""
    database.responses.sort(key=lambda one: (one.start, one.direction, one.height, one.speed))
    database.done.sort()
    database.save(output)


def _fill(waiting: dict[Future[list[Response]], Cell], submit: Callable[..., Future[list[Response]]], person: str, engine: str,
          todo: Iterator[Cell], count: int) -> None:
    """Give each of ``count`` workers something to do."""
    while len(waiting) < count:
        cell = next(todo, None)
        if cell is None:
            return
        waiting[submit(taken, person, engine, cell)] = cell


def _begun(person: str, engine: str, output: Path, made_by: str) -> Database:
    """The database in a file that is gone on with, or an empty one."""
    if output.exists():
        database = Database.load(output)
        if database.person != person:
            raise JobError(f"'{output}' is the database of another body, {database.person}: choose another file.")
        return database
    found = []
    for name, phase in starts():
        reference = reference_of(person, name, engine, SECONDS + 3.0)
        label = f"{name} {phase}" if name not in STANCES else name
        ready = Ready.of(reference.body, reference.motion.resample(FPS), reference.contacts_at(FPS, int(reference.motion.duration * FPS) + 1))
        found.append(Start(label, name not in STANCES, ready.features[round(moment(reference, name, phase) * FPS)]))
    return Database(person, found, [], [], made_by)
