"""Fit: a gait that walks on one body as it does on the body that it was made for, found by trying on that very body.

By dynamic similarity alone a gait carries over to bodies of a person's build. On others (long arms, short legs, hips that are far apart) it may fall.
Three minutes are enough for some hundred trials; so few directions are searched, each of them the same in half of the states of a step. What is
wanted is measured on the gait itself: how it walks on its own body, in this body's lengths and times. So every gait that walks is fitted alike.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import presets
from ..arrays import Array
from ..body import Body
from ..context import Context
from ..control.gait import whole_data
from ..errors import JobError, SimulationError
from ..jobs import make_job
from ..measure.norms import Norm, curves
from ..measure.span import steady
from ..measure.walking import figures
from ..methods.gait import goes_ahead, walk
from ..physics import choose_engine, engines
from ..result import Result
from ..search.minimise import minimise
from .parameters import halves, moved, rounded
from .walking import BANDS, FALL, FORCES, PELVIS, POSTURE, misses, turns_of

MINUTES = 3.0
TRIAL_S, CHECK_S = 8.0, 20.0  # s of a trial, and of a check
POPULATION = 16  # trials of a generation
FINALISTS = 4  # that are checked
CHECKED = 0.2  # of the time is left for the checks
FAR, NEAR = 0.5, 0.2  # how far it looks as long as nothing walks, and then
GOOD = 15.0  # cost from which on nobody looks for less
OWN_BODY = "average_man"  # that gaits are made for
KEPT = ("friction", "step_width", "stance_width", "arm_spread", "self_collision")  # of a job: it walks in its trials as it will there
CURVE_SD = 5.0  # degrees that a joint may be off how it moves on the gait's own body, for a cost of 1
UNASKED = ("momentum", "head", "power", "ratio", "push_off", "ordeals")  # terms of the cost of a walk that say nothing of likeness
WEIGHTS = {"curves": 30.0, "steps": 0.5, "force": 0.2, "heading": 0.1}  # what one sees first counts most; force and heading are soon far off
MISSED = 3.0  # cost of a term from which on the gait misses it on its own body: then it is not asked of this one

Job = dict[str, Any]
Task = tuple[dict[str, Any], str, Job, "Aim"]


@dataclass(frozen=True)
class Aim:
    """What is wanted of the walk on this body: ``wish`` and ``norms`` as ``walking.misses`` takes them."""

    wish: dict[str, Any]
    norms: dict[str, Norm]


@dataclass(frozen=True)
class Trial:
    """What became of a walk: its cost, s that it walked, and ``measure.walking.figures`` of it (none of one that fell)."""

    cost: float
    seconds: float
    figures: dict[str, float]

    @property
    def holds(self) -> bool:
        return bool(self.figures)


@dataclass(frozen=True)
class Fitted:
    """Attributes:
        gait: the gait's data, whole, as it suits this body; None where nothing better was found.
        before, after: checks of ``CHECK_S`` by scaling alone, and fitted.
        trials: how many there were, without the checks.
    """

    gait: dict[str, Any] | None
    before: Trial
    after: Trial
    trials: int

    @property
    def sentence(self) -> str:
        if self.gait is None and not self.trials:
            return f"It needs no fit: by scaling alone it {_said(self.before)}, as on the body that the gait was made for."
        if self.gait is None:
            return f"Nothing better was found in {self.trials} trials: by scaling alone it {_said(self.before)}."
        return f"Fitted in {self.trials} trials: it {_said(self.after)}; by scaling alone it {_said(self.before)}."


def _said(trial: Trial) -> str:
    if not trial.holds:
        return f"falls after {trial.seconds:.1f} s"
    return f"walks at {trial.figures['speed']:.2f} m/s in steps of {trial.figures['step_length']:.2f} m"


def fit(name: str, job: Job, context: Context, *, seconds: float = 60.0 * MINUTES, trials: int | None = None, seed: int = 1) -> Fitted:
    """Look for the numbers of a gait with which it walks on the body of a job, on all cores of the context.

    Args:
        name: of the gait, or the path of its file.
        job: data of a job; its body, engine, constant speed and ``KEPT`` count.
        seconds: of wall-clock time, at most, but for what the last checks may take longer.
        trials: stop after this many instead: the same ones find the same gait again.
    """
    data, began = whole_data(presets.load("gaits", name)), time.monotonic()
    if not goes_ahead(data):
        raise JobError(f"'{Path(name).stem}' does not walk ahead, so it cannot be fitted: choose a walk or a run.")
    engine, body = choose_engine(job.get("engine", "auto")), presets.body(job.get("body", OWN_BODY))
    setting = {key: job[key] for key in KEPT if key in job} | {"body": job.get("body", OWN_BODY), "engine": engine, "fps": 60, "duration": TRIAL_S,
                                                                  "catches_itself": False}  # it is judged by itself
    if not data.get("start"):
        setting["start"] = "rest"
    if isinstance(job.get("speed"), (int, float)):
        setting["speed"] = float(job["speed"])
    whole = make_job({**setting, "gait": name})  # refuses what is no job before anything is done
    context.tell(0.0, doing=f"Trying the gait '{Path(name).stem}' by scaling alone")
    aim = wanted(data, name, body, setting)
    with context.executor() as (executor, _):
        before, = executor.map(tried, [(data, name, {**setting, "duration": CHECK_S}, aim)])
        if before.seconds == 0.0:  # it flew apart: what is small needs small steps of time
            data = {**data, "time_step": whole.time_step * min(0.7, (body.leg_length / presets.body(OWN_BODY).leg_length) ** 0.5)}
        search = _Search(data, name, setting, aim, executor, context)
        if before.cost > GOOD:
            search.run(before, seed, trials, began + (math.inf if trials else (1.0 - CHECKED) * seconds))
        after, found = search.finalist(before)
    return Fitted(found if after.cost < before.cost else None, before, after, len(search.tried))


def wanted(data: dict[str, Any], name: str, body: Body, setting: Job) -> Aim:
    """How the gait walks on its own body, in lengths and times of this one (dynamic similarity)."""
    own, job = presets.body(OWN_BODY), {"body": OWN_BODY, "engine": setting["engine"], "duration": TRIAL_S, "fps": 60}
    result = _walked(data, name, job)
    steadily = steady(result)
    found = {} if result.outcome["fell"] else {**figures(steadily, None), **turns_of(steadily)}
    if not found or "speed" not in found:
        raise JobError(f"The gait '{Path(name).stem}' does not walk on the body that it was made for: fit another one.")
    length, hips = body.leg_length / own.leg_length, _hips(body) / _hips(own)
    scales = {"cadence": length**-0.5, "rise": length, "step_width": hips}
    bands: dict[str, tuple[float, float, float]] = {}
    for figure, (_, _, miss) in {**BANDS, **FORCES, **PELVIS, **POSTURE}.items():
        scale = scales.get(figure, 1.0)
        value = scale * found[figure]
        if figure == "step_width" and setting.get("step_width"):
            value = setting["step_width"]
        bands[figure] = (value - scale * miss, value + scale * miss, scale * miss)
    norms = {joint: Norm(curve.mean(axis=0), np.full(curve.shape[1], CURVE_SD)) for joint, curve in curves(steadily).items()}
    missed = misses(result, {"without": UNASKED}, norms)  # beside people, for what is not relative to the gait itself
    unasked = [term for term in ("landing", "symmetry", "velocity", "heading", "slide", "smoothness") if missed[term] @ missed[term] > MISSED]
    speed = setting.get("speed", found["speed"] * length**0.5)
    return Aim({"speed": speed, "bands": bands, "without": [*UNASKED, *unasked], "weights": WEIGHTS}, norms)


def _hips(body: Body) -> float:
    """m from hip to hip."""
    return 2.0 * abs(float(body.offsets[body.names.index("thigh.L"), 1]))


def _walked(data: dict[str, Any], name: str, job: Job) -> Result:
    return walk(make_job({**job, "gait": name, "fits": {name: data}}))


def tried(task: Task) -> Trial:
    """Walk once, in a worker. A walk that goes over into another gait to stay up has fallen, as far as this gait goes; its first steps out of a stand
    may be another's."""
    data, name, job, aim = task
    seconds = float(job["duration"])
    try:
        result = _walked(data, name, job)
    except SimulationError:
        return Trial(3.0 * FALL, 0.0, {})
    own = np.array(result.gait_names)[result.gaits] == Path(name).stem
    left = np.flatnonzero(own[:-1] & ~own[1:])
    walked = min(float(result.outcome["fell_at"] or seconds), float(result.times[left[0]]) if len(left) else seconds if own.any() else 0.0)
    if walked < seconds:
        return Trial(FALL * (2.0 - walked / seconds), walked, {})
    missed = np.concatenate(list(misses(result, aim.wish, aim.norms).values()))
    return Trial(float(missed @ missed), seconds, figures(steady(result), None))


@dataclass
class _Search:
    """The trials of a fit, by CMA-ES: first far around, until something walks, then near that. ``tried``: every point with its trial."""

    data: dict[str, Any]
    name: str
    setting: Job
    aim: Aim
    executor: Executor
    context: Context
    tried: list[tuple[Array, Trial]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parameters = halves(self.data)

    def run(self, before: Trial, seed: int, trials: int | None, until: float) -> None:
        """Search until it is good, or there were so many ``trials``, or the time (s, monotonic) is over."""
        point, least, began = np.zeros(len(self.parameters)), before.cost, time.monotonic()
        population = min(POPULATION, trials or POPULATION)

        def costs_of(points: list[Array], _: int) -> Iterator[float]:
            tasks = [(self.at(one), self.name, self.setting, self.aim) for one in points]
            for one, trial in zip(points, self.executor.map(tried, tasks), strict=True):
                self.tried.append((one.copy(), trial))
                share = len(self.tried) / trials if trials else (time.monotonic() - began) / (until - began)
                self.context.tell(min(1.0, share) * (1.0 - CHECKED), doing=self._doing())
                yield trial.cost

        for spread, enough in ((FAR, FALL), (NEAR, GOOD)):
            generations = None if trials is None else (trials - len(self.tried)) // population
            if least > enough and generations != 0 and time.monotonic() < until:
                known = None if before.seconds == 0.0 and not self.tried else least  # in smaller steps of time the gait itself may hold
                found = minimise(costs_of, point, spread, seed=seed, population=population, start_cost=known, seconds=until - time.monotonic(),
                                 generations=generations, better=partial(_enough, enough))
                point, least = found.point, found.cost

    def at(self, point: Array) -> dict[str, Any]:
        """The gait at a point of the search, its variants at other speeds moved alike."""
        steps = point.tolist()
        moved_all = [moved(one, self.parameters, steps) for one in (self.data, *self.data["variants"])]
        found: dict[str, Any] = rounded({**moved_all[0], "variants": moved_all[1:]})
        return found

    def finalist(self, before: Trial) -> tuple[Trial, dict[str, Any]]:
        """The best walk that holds when it is checked, and its data: in all engines that are here, if one of the best does that."""
        walks = sorted((pair for pair in self.tried if pair[1].holds), key=lambda pair: pair[1].cost)[:FINALISTS]
        engine, found = self.setting["engine"], (before, self.data)
        where = [engine, *(other for other in engines() if other != engine)]
        for number, (point, _) in enumerate(walks):
            gait = self.at(point)
            self.context.tell(1.0 - CHECKED * (1.0 - number / len(walks)), doing=f"Checking the best ones, {number + 1} of {len(walks)}")
            here, *elsewhere = self.executor.map(tried, [(gait, self.name, {**self.setting, "duration": CHECK_S, "engine": one}, self.aim)
                                                         for one in where])
            if here.cost < found[0].cost:
                found = (here, gait)
            if here.holds and all(one.holds for one in elsewhere):
                return here, gait
        return found

    def _doing(self) -> str:
        """What is looked for now, and how far it has come."""
        best = min((trial for _, trial in self.tried), key=lambda trial: trial.cost)
        if not best.holds:
            longest = max(trial.seconds for _, trial in self.tried)
            return f"Looking for a walk that holds; the best of {len(self.tried)} stayed up for {longest:.1f} s"
        return f"Making it look better; the best of {len(self.tried)} is {best.cost:.0f} off, {GOOD:.0f} is good"


def _enough(most: float, _: Array, cost: float) -> bool:
    return cost <= most
