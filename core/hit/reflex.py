"""Reflex: a body that keeps its balance by feedback alone, from a moment on until it stands quietly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from ..arrays import Array
from ..balance_styles import VARIED, BalanceStyle, known_styles, variations
from ..body import Body
from ..context import Context
from ..control.stander import REST_S, TIME_STEP, Stander
from ..errors import SimulationError
from ..job import Job
from ..motion import Motion
from ..physics import world_class
from ..physics.settings import BALANCING
from ..result import Result
from ..session import perform
from .ranges import strained
from .settings import STUMBLE

VARIATIONS = variations()
MORE: int = VARIATIONS["most"]
# m/s that a hit gives the body: from where to where it needs more and more often two steps, so that all known ways are tried; and other ways, too.
HARDER_M_S, HARDEST_M_S = (0.7, 1.2), (1.1, 2.0)
STILL = 0.7  # of the known ways that are left when the first has needed two steps or has fallen, that are tried on average
UNLUCKY = 0.5  # tries more than one, on average, for a hit that needs a step at most


class Balanced(Protocol):
    """Whoever keeps a body's balance. stands: whether it stands at last. steps: how many it has made."""

    @property
    def stands(self) -> bool: ...

    @property
    def steps(self) -> int: ...


Keeper = TypeVar("Keeper", bound=Balanced)
Cost = tuple[bool, bool, bool, int, float]  # the less the better, see ``_cost``
Tried = list[tuple[Cost, BalanceStyle, float]]  # costs, styles, and s until they fell


@dataclass(frozen=True)
class Try:
    """One way to keep the balance.

    Attributes:
        style: the way. most_steps: it may give up when it needs more: another one needs no more than these.
        number: of the try; the first is 1. ways: how many there are, at most. after: how many follow, as far as anybody can say; unlucky: how many
            more on average, where this one does not hold although it should.
        best: what the best one that stands has given so far.
    """

    style: BalanceStyle
    most_steps: int | None
    number: int
    ways: int
    after: float
    unlucky: float
    best: Result | None


def stood(job: Job, body: Body, start: dict[str, Any], motion: Motion, name: str, awake: float, style: BalanceStyle, most_steps: int | None = None,
          context: Context | None = None, rest: float = REST_S, firm: Array | None = None) -> tuple[Result, Stander]:
    """What becomes of a body that is placed as ``start`` says and is to stand as ``motion`` does, and the driver that kept its balance. Arguments as
    for ``Stander``. The job's time step is to be ``TIME_STEP``. "strained_rad" of the outcome: rad that a joint is beyond its range, and beyond where
    the motion has it, at most."""
    settings = replace(BALANCING, time_step=TIME_STEP, friction=job.friction, self_collision=True)
    with world_class(job.engine)(body, job.ground, job.obstacles, settings) as world:
        world.place(**start)
        driver = Stander(body, job, world.inertias, motion, name, awake, style, most_steps, rest, firm)
        found = perform(world, driver, job, context, after_fall=0.0)
    found.outcome["strained_rad"] = strained(found, body, motion.rotations)
    return found, driver


def kept(result: Result, driver: Balanced) -> bool:
    """Whether a body has kept its balance and stands quietly at last."""
    return driver.stands and not result.outcome["fell"]


def best(attempt: Callable[[Try], tuple[Result, Keeper]], more: int | None = MORE, speed: float = 0.0, tried: Tried | None = None,
         few: int = 1, first: BalanceStyle | None = None) -> tuple[Result, Keeper]:
    """The best of what ``attempt`` gives (see ``stood``) for all known styles: one that stands in the end rather than not, that does not strain
    its joints by more than a stumble may, with the fewest steps, and nearest to where it stood. One of these that needs a single step, or none, is
    taken at once, and one that needs more steps than another may give up.

    Where none of them stands, they are tried without care for the joints, and then up to ``more`` variations of those that stay up longest, until one
    does: near the limit of what can be caught it is little things that decide. With None for ``more``, nothing of this is done.

    ``speed``: m/s that the hit gives the body, by which it is guessed how many tries there will be. ``tried``: what was tried before, none of which
    stands, and is not tried again; what is tried now is added to it. ``few``: steps, up to which a way is taken at once.
    ``first``: what is tried before all known styles.
    """
    found: tuple[Result, Keeper] | None = None
    trouble = SimulationError("No way to keep the balance was tried.")
    tried = [] if tried is None else tried
    known = len(known_styles()) + (first is not None and first not in known_styles())
    for number, style in enumerate(_candidates(tried, more, first), start=len(tried) + 1):
        try:
            stands = found if found and kept(*found) else None
            after = _expected(number, more, speed, stands is not None)
            unlucky = UNLUCKY if number == 1 else 0.0
            most = stands[1].steps if stands and not _strains(stands[0]) else None
            result, driver = attempt(
                Try(style, most, number, known if stands else known + _careless(more), after, unlucky, stands and stands[0]))
        except SimulationError as error:  # where the engine goes wild with one style, another may hold
            trouble = error
            continue
        cost = _cost(result, driver)
        if found is None or all(cost < other for other, _, _ in tried):
            found = result, driver
        tried.append((cost, style, result.outcome["fell_at"] or np.inf))
        if cost[:4] <= (False, False, False, few):
            break
    if found is None:
        raise trouble
    return found


def _careless(more: int | None) -> int:
    """How many ways are left at most when none of the known styles has held."""
    return 0 if more is None else len(known_styles()) + more


def expected(speed: float, more: int | None) -> float:
    """How many tries it takes in all, as a rule, to find a way to take a hit that gives the body ``speed`` (m/s)."""
    return 1.0 + UNLUCKY + _share(speed, *HARDER_M_S) * (len(known_styles()) - 1) + _share(speed, *HARDEST_M_S) * _careless(more)


def _expected(number: int, more: int | None, speed: float, stands: bool) -> float:
    """How many tries follow try ``number``, as a rule. ``stands``: whether one of those before it has held."""
    left = len(known_styles()) - number
    if number == 1:
        return expected(speed, more) - 1.0 - UNLUCKY
    if left < 0:
        return 0.5 * (left + _careless(more))
    if speed < HARDER_M_S[1]:
        return STILL * left
    return left + (0.0 if stands else _share(speed, *HARDEST_M_S) * _careless(more))


def _share(speed: float, low: float, high: float) -> float:
    """From 0 for hits that are weaker than ``low`` (m/s) to 1 for those above ``high``."""
    return min(max((speed - low) / (high - low), 0.0), 1.0)


def _candidates(tried: Tried, more: int | None, first: BalanceStyle | None) -> Iterator[BalanceStyle]:
    """The ``first`` one, the known styles, and then, as long as none in ``tried`` stands, these without care for their joints, and up to ``more``
    others; for None neither."""
    known = [style for _, style, _ in tried]
    yield from (style for style in [*([first] if first else []), *(one for one in known_styles() if one != first)] if style not in known)
    if more is None:
        return
    for style in (replace(style, careful=False) for style in known_styles()):
        if _none_stands(tried) and style not in known:
            yield style
    random = np.random.default_rng(VARIATIONS["seed"])
    for number in range(more):
        parents = sorted(tried, key=lambda one: (one[0][:2], -one[2]))[:VARIATIONS["parents"]]
        if not parents or not _none_stands(tried):
            return
        logs = VARIATIONS["spread"] * random.standard_normal(len(VARIED))
        yield parents[number % len(parents)][1].varied(dict(zip(VARIED, logs, strict=True)))


def _cost(result: Result, driver: Balanced) -> Cost:
    """Whether it fell, whether it does not stand quietly, whether it strains its joints, how many steps it made, and how many m it has moved. So of
    two that fall the one is better that falls at once: one that falls after many steps has thrown its limbs about."""
    moved = result.root_positions[-1, :2] - result.root_positions[0, :2]
    return result.outcome["fell"], not driver.stands, _strains(result), driver.steps, float(np.hypot(*moved))


def _none_stands(tried: Tried) -> bool:
    return all(cost[:2] != (False, False) for cost, _, _ in tried)


def _strains(result: Result) -> bool:
    return bool(result.outcome.get("strained_rad", 0.0) > STUMBLE.strain)
