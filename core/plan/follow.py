"""Follow any clip: plan, keep what is found on disk, and replay it as a Result."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..context import Context
from ..errors import JobError, SimulationError
from ..measure.span import cut
from ..physics.state import State
from ..result import Result
from ..session import perform
from ..whole_file import in_its_place
from .aim import FPS
from .finish import finished
from .planned import Planned
from .planner import Level, Planner
from .settings import PRESET, Preset
from .stage import WINDOW, Stage
from .task import Task
from .team import Processes, Team, Threads

PLANNED = 0.96  # fraction of the time that planning takes; then what was found is replayed and smoothed
PASSES = 0.3  # how often a place that was lost is passed the next time; and so on
BLIND = 0.03  # of the usual time, that a window takes in which the body does not react yet
EVERY_S = 2.0  # s from one writing of what is found to the next
# What a file of it holds of each level, and of the planner.
LEVEL, STATE = ("snapshots", "knots", "plans", "past", "parents"), ("trouble", "tries", "retries", "lost_at")


def follow(task: Task, context: Context | None = None, preset: Preset = PRESET, enough: Callable[[Planner], bool] | None = None) -> Result:
    """Plan the task's clip and replay what was found: to its end, or until it is ``enough``.

    The context's progress is told after each window: the fraction of the clip that is done, and the furthest body. What is found is kept in its
    ``unfinished`` file, from which stopped work goes on. The file stays: whoever has saved the result may remove it.
    """
    context = context or Context()
    stage = Stage(task, preset)
    if stage.aim.frames < 2:
        raise JobError(f"There is nothing to follow in {task.job.duration:g} s of the clip: use more of it.")
    planner = planner_of(stage)
    if context.unfinished and context.unfinished.is_file() and not _read(context.unfinished, planner):
        context.say(f"'{context.unfinished}' is of other settings, another clip or another version: it is begun anew.")
    written, furthest, spent = time.monotonic(), 0, float(len(planner.levels) - 1)
    with stage.world, _team_of(stage, context) as team:
        while not (planner.done or (enough and enough(planner))):
            spent += _effort(planner, len(planner.levels) - 1, planner.tries)
            planner.advance(team)
            if context.unfinished and (planner.done or time.monotonic() - written > EVERY_S):
                _write(context.unfinished, planner)
                written = time.monotonic()
            found = len(planner.levels) - 1
            context.tell(PLANNED * spent / max(spent + _left(planner), 1e-9), _best(planner) if found > furthest else None, _doing(planner))
            furthest = max(furthest, found)
        context.tell(PLANNED, doing="Smoothing the motion and pinning the feet")
        return _finished(planner)


def _effort(planner: Planner, window: int, tries: int) -> float:
    """How long the search for a window takes, in usual ones, where the planner went back so often. Near the end there is less to look ahead to."""
    if window < planner.stage.blind:
        return BLIND
    search = planner.stage.search
    return (search.harder**tries if tries else search.first) * min(1.0, (planner.windows - window) / planner.quality.horizon)


def _left(planner: Planner) -> float:
    """How much is left to be planned, in usual windows, on average: who had to go back may be lost at the same place again."""
    now, trouble, most = len(planner.levels) - 1, planner.trouble, planner.stage.search.retries

    def between(first: int, end: int, tries: int) -> float:
        return sum(_effort(planner, window, tries) for window in range(first, end))

    def after(first: int, tries: int) -> float:
        """From a window on that is not in trouble: the harder search goes on for a while."""
        easier = min(max(first, trouble + planner.quality.horizon + 1), planner.windows) if tries else first
        return between(first, easier, tries) + between(easier, planner.windows, 0)

    def through(first: int, tries: int) -> float:
        """From a window on, through the trouble."""
        again = through(max(0, trouble - most[tries]), tries + 1) if tries < len(most) else 0.0
        passes = PASSES**tries
        return between(first, trouble + 1, tries) + passes * after(trouble + 1, tries) + (1.0 - passes) * again

    return through(now, planner.tries) if planner.tries and now <= trouble else after(now, planner.tries)


def _doing(planner: Planner) -> str:
    """What is planned now, in a sentence."""
    now, whole = (len(planner.levels) - 1) * WINDOW / FPS, (planner.stage.aim.frames - 1) / FPS
    again = f", the {('second', 'third', 'fourth')[min(planner.tries, 3) - 1]} time" if planner.tries else ""
    return f"Trying out moves for {now:.1f} of {whole:.1f} s of the clip{again}"


def kept(unfinished: Path, task: Task) -> Result:
    """What was found so far by work on ``task`` that was stopped."""
    planner = planner_of(Stage(task))
    if not _read(unfinished, planner):
        raise JobError(f"'{unfinished}' holds nothing that could be kept: nothing was found yet, or the clip has changed since.")
    with planner.stage.world:
        return _finished(planner)


def job_in(unfinished: Path) -> dict[str, Any]:
    """The job, as data, whose work is kept in a file."""
    return json.loads(str(_load(unfinished)["job"]))


@contextmanager
def _team_of(stage: Stage, context: Context) -> Iterator[Team]:
    """Who tries the plans of a stage out: threads or processes.

    Processes also share the work between the engine's steps. But where they are not forked, each would first have to load and prepare everything."""
    threads = stage.world.engine == "mujoco" and multiprocessing.get_start_method() != "fork"
    if not context.dask and (context.cores == 1 or threads):
        yield Threads(stage, context.cores)
        return
    with context.executor() as (executor, count):
        yield Processes(stage, executor, count)


def planner_of(stage: Stage) -> Planner:
    return Planner(stage, stage.preset.quality(stage.task.quality, stage.world.engine), stage.job.seed)


def _best(planner: Planner) -> State:
    """The best body at the end of what is found."""
    world = planner.stage.world
    world.resume(planner.levels[-1].snapshots[0])
    return world.read()


def _finished(planner: Planner) -> Result:
    result, stage = replayed(planner), planner.stage
    at = np.minimum(np.round(np.arange(len(result.root_positions)) * FPS / result.fps).astype(int), stage.aim.frames - 1)
    # A body that was hit stands on the feet that bear weight, wherever the clip has them.
    return finished(result, stage.body, stage.aim.planted[at] | bool(stage.hits), bool(stage.hits))


def replayed(planner: Planner) -> Result:
    """What was found as one continuous simulation, with its outcome."""
    stage, knots = planner.stage, planner.found()
    hits = [event | {"time": hit.first / FPS, "duration": (hit.end - hit.first) / FPS, "force": hit.force, "frame": "world"}
            for event, hit in zip(stage.job.events, stage.hits, strict=True)]
    job = dataclasses.replace(stage.job, time_step=stage.world.time_step, events=tuple(hits))
    if not len(knots):
        raise SimulationError(f"The very beginning of '{stage.task.recording.path}' cannot be held; check its first frames, or begin later.")
    driver = Planned(stage, knots, stage.task.recording.name)
    stage.world.resume(planner.levels[0].snapshots[0])
    result = perform(stage.world, driver, job)
    planned = round(min(len(knots) * WINDOW, stage.aim.frames - 1) * job.fps / FPS) + 1
    result = cut(result, 0, min(planned, result.frames))
    result.job = stage.job.to_dict()
    result.torques[:] = _torques(planner, knots, len(result.torques), job.fps)
    lost = None if planner.lost_at is None else planner.lost_at * WINDOW / FPS
    result.outcome |= {"fell": lost is not None, "fell_at": lost, "retries": planner.retries}
    if planner.lost_at is not None:
        result.outcome["reason"] = _why(planner, planner.lost_at)
    return result


def _torques(planner: Planner, knots: Array, frames: int, fps: float) -> Array:
    """(frames, L, 3) N·m of the servos, as they were when the plan was tried."""
    stage = planner.stage
    targets = stage.targets(0, np.zeros((1, len(stage.spread))), knots[None])
    found = stage.world.rollouts(planner.levels[0].snapshots[:1], targets, stage.steps, every=WINDOW, pushes=stage.pushes(0)).torques[0]
    # Each one is of the end of its frame of the plan.
    at = np.ceil(np.arange(frames) * FPS / fps - 1e-9).astype(int) - 1
    return found[np.clip(at, 0, len(found) - 1)]


def _why(planner: Planner, window: int) -> str:
    """One sentence on where and how the clip was lost in a window, with the way out."""
    stage, level, frame = planner.stage, planner.levels[-1], min(window * WINDOW + WINDOW, planner.stage.aim.frames - 1)
    stage.world.resume(level.snapshots[0])
    state, aim = stage.world.read(), stage.aim
    lower = aim.roots[frame, 2] - state.position[2]
    back = rotation.conjugate(aim.rotations[frame, 0])
    lean = rotation.rotate(back, rotation.rotate(np.array(state.rotation), (0.0, 0.0, 1.0)))
    side = max((("forward", lean[0]), ("backward", -lean[0]), ("to the left", lean[1]), ("to the right", -lean[1])), key=lambda way: way[1])
    if level.drift >= stage.cost.limits.astray:
        how = f"has drifted {level.drift:.1f} m off the clip's way"
    elif lower > 0.05:
        how = f"leans {side[0]} and is {100 * lower:.0f} cm lower than the clip"
    else:
        how = f"is {100 * level.distance:.0f} cm off the clip"
    return (f"Lost the clip at {window * WINDOW / FPS:.1f} s, where the body {how}; try quality 'fine', strength 'hero', more freedom, or "
            "the clip up to there.")


# -- what is found so far, on disk -----------------------------------------------------------------------------------------


def _write(path: Path, planner: Planner) -> None:
    """Write what is found so far: all of it, or, where that fails, nothing."""
    levels, stage = planner.levels[1:], planner.stage
    arrays: dict[str, Any] = {name: np.array([getattr(level, name) for level in levels]) for name in LEVEL}
    state = {name: getattr(planner, name) for name in STATE}
    figures = np.array([(level.distance, level.drift, level.lost) for level in levels])
    try:
        with in_its_place(path) as file:
            np.savez(file, job=json.dumps(stage.job.to_dict()), digest=_digest(planner), state=json.dumps(state), figures=figures, **arrays)
    except OSError as error:
        raise JobError(f"'{path}' cannot be written ({error.strerror or error}): free some space, or choose another folder.") from error


def _digest(planner: Planner) -> str:
    return f"{planner.stage.digest()} {planner.quality}"


def _load(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            data = dict(file)
        missing = {"job", "digest", "state", "figures", *LEVEL} - set(data)
    except FileNotFoundError as error:
        raise JobError(f"There is no '{path}': no plan was stopped there.") from error
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise JobError(f"'{path}' holds no plan that could be gone on with ({error}): delete it to begin anew.") from error
    if missing:
        raise JobError(f"'{path}' holds no plan that could be gone on with: delete it to begin anew.")
    return data


def _read(path: Path, planner: Planner) -> bool:
    """Go on from what is there; False if there is nothing, or if it is of another job, clip or version."""
    data = _load(path)
    if str(data["digest"]) != _digest(planner) or not len(data["figures"]):
        return False
    state = json.loads(str(data["state"]))
    for name in STATE:
        setattr(planner, name, state[name])
    for row, (distance, drift, lost) in enumerate(data["figures"].tolist()):
        planner.levels.append(Level(**{name: data[name][row] for name in LEVEL}, distance=distance, drift=drift, lost=bool(lost)))
    return True
