"""Reflex: a body that keeps its balance by feedback alone, from a moment on until it stands quietly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from ..body import Body
from ..context import Context
from ..control.balance import VARIED, BalanceStyle
from ..control.stander import REST_S, TIME_STEP, Stander, known_styles, variations
from ..errors import SimulationError
from ..job import Job
from ..motion import Motion
from ..physics import world_class
from ..physics.settings import BALANCING
from ..result import Result
from ..session import perform

VARIATIONS = variations()
MORE: int = VARIATIONS["most"]


class Balanced(Protocol):
    """Whoever keeps a body's balance. stands: whether it stands at last. steps: how many it has made."""

    @property
    def stands(self) -> bool: ...

    @property
    def steps(self) -> int: ...


Keeper = TypeVar("Keeper", bound=Balanced)
Cost = tuple[bool, bool, int, float]  # the less the better, see ``_cost``


def stood(job: Job, body: Body, start: dict[str, Any], motion: Motion, name: str, awake: float, style: BalanceStyle, most_steps: int | None = None,
          context: Context | None = None, rest: float = REST_S) -> tuple[Result, Stander]:
    """What becomes of a body that is placed as ``start`` says and is to stand as ``motion`` does, and the driver that kept its balance. Arguments as
    for ``Stander``. The job's time step is to be ``TIME_STEP``."""
    settings = replace(BALANCING, time_step=TIME_STEP, friction=job.friction, self_collision=True)
    with world_class(job.engine)(body, job.ground, job.obstacles, settings) as world:
        world.place(**start)
        driver = Stander(body, job, world.inertias, motion, name, awake, style, most_steps, rest)
        return perform(world, driver, job, context, after_fall=0.0), driver


def kept(result: Result, driver: Balanced) -> bool:
    """Whether a body has kept its balance and stands quietly at last."""
    return driver.stands and not result.outcome["fell"]


def best(attempt: Callable[[BalanceStyle, int | None], tuple[Result, Keeper]], more: int = MORE) -> tuple[Result, Keeper]:
    """The best of what ``attempt`` gives (see ``stood``) for all known styles: one that stands in the end rather than not, with the fewest steps, and
    nearest to where it stood. One that needs a single step, or none, is taken at once, and one that needs more steps than another may give up.

    Where none of them stands, up to ``more`` variations of those that stay up longest are tried, too, until one does: near the limit of what can be
    caught it is little things that decide.
    """
    found: tuple[Result, Keeper] | None = None
    trouble = SimulationError("No way to keep the balance was tried.")
    tried: list[tuple[Cost, BalanceStyle, float]] = []
    for style in _candidates(tried, more):
        try:
            result, driver = attempt(style, found[1].steps if found and kept(*found) else None)
        except SimulationError as error:  # where the engine goes wild with one style, another may hold
            trouble = error
            continue
        cost = _cost(result, driver)
        if all(cost < other for other, _, _ in tried):
            found = result, driver
        tried.append((cost, style, result.outcome["fell_at"] or np.inf))
        if cost[:3] <= (False, False, 1):
            break
    if found is None:
        raise trouble
    return found


def _candidates(tried: list[tuple[Cost, BalanceStyle, float]], more: int) -> Iterator[BalanceStyle]:
    """The known styles, and then up to ``more`` others, as long as none in ``tried`` (costs, styles, and s until they fell) stands."""
    yield from known_styles()
    random = np.random.default_rng(VARIATIONS["seed"])
    for number in range(more):
        parents = sorted(tried, key=lambda one: (one[0][:2], -one[2]))[:VARIATIONS["parents"]]
        if not parents or parents[0][0][:2] == (False, False):
            return
        logs = VARIATIONS["spread"] * random.standard_normal(len(VARIED))
        yield parents[number % len(parents)][1].varied(dict(zip(VARIED, logs, strict=True)))


def _cost(result: Result, driver: Balanced) -> Cost:
    """Whether it fell, whether it does not stand quietly, how many steps it made, and how many m it has moved. So of two that fall the one is better
    that falls at once: one that falls after many steps has thrown its limbs about."""
    moved = result.root_positions[-1, :2] - result.root_positions[0, :2]
    return result.outcome["fell"], not driver.stands, driver.steps, float(np.hypot(*moved))
