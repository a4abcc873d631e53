"""Variations: the same hits a little stronger or weaker, from a little further left or right, a little sooner or later."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from math import cos, radians, sin
from multiprocessing import get_context
from random import Random

from ..errors import FootfallError
from ..job import EVENTS, make_job
from ..result import Result

STRONGER, ASIDE, SOONER_S = 0.25, radians(20.0), 0.12  # parts of the force, rad and s, by which a hit varies at most

_said = None  # in a worker: where to tell how far it is


def varied(data: dict, count: int, seed: int = 0) -> list[dict]:
    """``count`` jobs like ``data``, the first of them as it is; the same ones for the same ``seed``."""
    random = Random(seed)
    jobs = [copy.deepcopy(data) for _ in range(count)]
    for job in jobs[1:]:
        # All hits of a variation change alike: two blows in a row stay two blows in a row.
        factor, angle, later = 1.0 + random.uniform(-STRONGER, STRONGER), random.uniform(-ASIDE, ASIDE), random.uniform(-SOONER_S, SOONER_S)
        for event in job["events"]:
            event["time"] = max(0.0, event["time"] + later)
            if event["type"] == "push":
                event["force"] = [factor * value for value in _turned(event["force"], angle)]
                continue
            event["mass"] = factor * event.get("mass", EVENTS["ball"]["mass"])
            if event.get("frame", "heading") == "heading":  # as seen from the body: it comes from further left or right
                event |= {name: _turned(event[name], angle) for name in ("position", "velocity")}
    return jobs


def _turned(vector: list[float], angle: float) -> list[float]:
    x, y, z = vector
    return [x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle), z]


def taken_all(jobs: list[dict], workers: int | None = None, progress: Callable[[int, float], None] | None = None) -> list[Result | FootfallError]:
    """The results of jobs, on ``workers`` processes (by default all cores), or what is wrong with them. ``progress``: called with the number of a
    job and the part of it that is done; may raise to stop."""
    context = get_context("spawn")
    said = context.SimpleQueue()
    executor = ProcessPoolExecutor(workers, context, _listen, (said,))
    try:
        tasks = [executor.submit(_taken, number, job) for number, job in enumerate(jobs)]
        for task in tasks:
            task.add_done_callback(lambda _: said.put(None))
        left = len(tasks)
        while left:
            news = said.get()
            left -= news is None
            if news and progress:
                progress(*news)
        return [task.result() for task in tasks]
    finally:
        executor.shutdown(cancel_futures=True)


def _listen(said: object) -> None:
    global _said
    _said = said


def _taken(number: int, data: dict) -> Result | FootfallError:
    from ..run import run

    told = 0.0

    def tell(part: float, _state: object) -> None:
        nonlocal told
        if part >= told + 0.02:
            told = part
            _said.put((number, part))

    try:
        result = run(make_job(data), tell, workers=1)
    except FootfallError as error:
        return error
    _said.put((number, 1.0))
    return result
