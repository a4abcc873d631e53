"""Reflex: a body that keeps its balance by feedback alone, from a moment on until it stands quietly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ..body import Body
from ..context import Context
from ..control.balance import VARIED, Manners
from ..control.stander import TIME_STEP, Stander, known_manners, variations
from ..errors import SimulationError
from ..job import Job
from ..motion import Motion
from ..physics import world_class
from ..physics.settings import BALANCING
from ..result import Result
from ..session import perform

VARIATIONS = variations()
MORE: int = VARIATIONS["most"]


def stood(job: Job, body: Body, start: dict, motion: Motion, name: str, awake: float, manners: Manners,
          context: Context | None = None) -> tuple[Result, Stander]:
    """What becomes of a body that is placed as ``start`` says and is to stand as ``motion`` does, and who kept its balance; arguments as for ``Stander``.
    The job's time step is to be ``TIME_STEP``."""
    settings = replace(BALANCING, time_step=TIME_STEP, friction=job.friction, self_collision=True)
    with world_class(job.engine)(body, job.ground, job.obstacles, settings) as world:
        world.place(**start)
        driver = Stander(body, job, world.inertias, motion, name, awake, manners)
        return perform(world, driver, job, context, after_fall=0.0), driver


def kept(result: Result, driver: Stander) -> bool:
    """Whether a body has kept its balance and stands quietly at last."""
    return driver.stands and not result.outcome["fell"]


def best(attempt: Callable[[Manners], tuple[Result, Stander]], more: int = MORE) -> tuple[Result, Stander]:
    """Of what ``attempt`` gives (see ``stood``) for all manners that are known: one that stands in the end rather than not, with the fewest steps, and
    nearest to where it stood. Who needs one step or none is taken at once.

    Where none of them stands, up to ``more`` variations of those that stay up longest are tried, too, until one does: near the limit of what can be
    caught it is little things that decide.
    """
    found, trouble, tried = None, None, []
    for manners in _candidates(tried, more):
        try:
            result, driver = attempt(manners)
        except SimulationError as error:  # what goes wild in one manner may hold in another
            trouble = error
            continue
        cost = _cost(result, driver)
        if all(cost < other for other, _, _ in tried):
            found = result, driver
        tried.append((cost, manners, result.outcome["fell_at"] or np.inf))
        if cost[:3] <= (False, False, 1):
            break
    if found is None:
        raise trouble
    return found


def _candidates(tried: list[tuple[tuple, Manners, float]], more: int) -> Iterator[Manners]:
    """The manners that are known, then as long as none of those in ``tried``, which come with their costs and s until they fell, stands, ``more`` others."""
    yield from known_manners()
    random = np.random.default_rng(VARIATIONS["seed"])
    for number in range(more):
        parents = sorted(tried, key=lambda one: (one[0][:2], -one[2]))[:VARIATIONS["parents"]]
        if not parents or parents[0][0][:2] == (False, False):
            return
        logs = VARIATIONS["spread"] * random.standard_normal(len(VARIED))
        yield parents[number % len(parents)][1].varied(dict(zip(VARIED, logs)))


def _cost(result: Result, driver: Stander) -> tuple:
    """The less the better: whether it fell, whether it does not stand quietly, how many steps it made, and how many m it has moved. Who falls is to fall
    at once: who stays up for long and falls after all does so by throwing its limbs about."""
    moved = result.root_positions[-1, :2] - result.root_positions[0, :2]
    return result.outcome["fell"], not driver.stands, driver.steps, float(np.hypot(*moved))
