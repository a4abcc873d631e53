"""Practice: a body finds out what becomes of its half cycles, by walking some, and keeps that as the linear model of its walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..body import Body
from ..control.cycle_model import VARIABLES, CycleModel, fitted
from ..control.pose_graph import RATE, PoseGraph, exchanged
from ..physics import choose_engine, world_class
from ..physics.settings import PLANNING, WorldSettings
from ..start import place_on_soles
from .foresight import Begun, Ended, Foresight, mirrored
from .servos import servos_of

FIRST, FIRST_HALVES = 24, 3  # bodies that walk with chance changes only, and for how many half cycles
WALKERS, HALVES, ROUNDS = 4, 16, 6  # that are kept on the cycle by what is known so far
AT_FIRST, LATER, TURNS = 0.6, 0.25, 0.03  # standard deviations of chance changes, as multiples of their usual size, and of turns, rad
GOOD = 14.0  # half cycles that walkers make, on average, once the model will do
ENOUGH, REMEMBERED = 500, 1500  # samples
SEED, TIME_STEP = 0, 1.0 / 240.0
EVERY = round(1.0 / (RATE * TIME_STEP))
QUIET, COUNTED = 24, 12  # half cycles that are walked without chance, and the last of them, of which what is usual is taken


def known_on(graph: PoseGraph, body: Body, speeds: Sequence[float], threads: int,
             told: Callable[[float], None] = lambda _: None) -> tuple[PoseGraph, list[float]]:
    """The graph, which is scaled to a body, as this body walks it, with the linear models of that; and at which speeds (m/s) of its family this body
    falls. They are left out, unless it falls at all of them.

    Args: speeds: m/s at which it is to go. told: called with the fraction that is done.
    """
    graphs, known, falls = graph.members(min(speeds), max(speeds)), [], []
    for number, one in enumerate(graphs):
        def report(made: int, _: float, number: int = number) -> None:
            told((number + made / (ROUNDS + 1)) / len(graphs))

        with world_class(choose_engine(preferred=("mujoco", "pybullet")))(body, settings=settings()) as world:
            world.set_servos(*servos_of(one, body))
            place_on_soles(world, one.start)
            foresight, start = Foresight(world, EVERY, threads), world.snapshot()
            learned = replace(one, model=practised(foresight, one, start, report))
            quiet = walked_quietly(foresight, learned, start, exchanged(one.poses[-1]))
            if quiet:
                known.append(quiet.usual(learned))
            else:
                falls.append(learned)
    # Between those that the body can walk it may fall; with one that it cannot, it surely does.
    first, *others = known or falls
    return replace(first, name=graph.name, variants=tuple(others)), [one.speed for one in falls]


def settings() -> WorldSettings:
    """Of a world in which cycles are practised."""
    return replace(PLANNING, time_step=TIME_STEP, self_collision=False, creeping=False)


@dataclass(frozen=True)
class Quiet:
    """A walk without chance. speed: m/s. values: (V,), and factors: (C,), what is usual in it."""

    speed: float
    values: Array
    factors: Array

    def usual(self, graph: PoseGraph) -> PoseGraph:
        """The graph that walks so by itself: how its poses are always changed becomes part of them."""
        model = graph.model
        assert model is not None
        return replace(graph.changed(self.factors), speed=self.speed, model=replace(model, cycle=self.values))


def walked_quietly(foresight: Foresight, graph: PoseGraph, start: Array, before: Array) -> Quiet | None:
    """A walk straight ahead from a snapshot (S,), after targets (J, 3); None where it falls."""
    assert graph.model is not None
    to_come, none = graph.model.to_come(), np.zeros(1)
    snapshots, last, values, made, places = start[None], before[None], [], [], []
    for half in range(QUIET):
        begun = Begun(snapshots, last, none, half % 2, none)
        chosen, _, _ = foresight.choose(graph, to_come, begun)
        ends = foresight.end(graph, begun, chosen)
        if not ends.upright[0]:
            return None
        snapshots, last = ends.snapshots, ends.last
        values.append(ends.values[0])
        made.append(chosen[0])
        places.append(ends.positions[0, 0])
    speed = (places[-1] - places[-1 - COUNTED]) / (COUNTED * graph.frames / RATE)
    return Quiet(float(speed), np.mean(values[-COUNTED:], axis=0), np.mean(made[-COUNTED:], axis=0))


def practised(foresight: Foresight, graph: PoseGraph, start: Array, report: Callable[[int, float], None]) -> CycleModel:
    """The linear model of a walk. It is good enough once walkers that are disturbed make most of their half cycles with it.

    Args:
        start: (S,) snapshot at the beginning of a half cycle on the left leg.
        report: called after each round with its number, from 1, and how many half cycles its walkers made.
    """
    generator, changes = np.random.default_rng(SEED), len(graph.changes)
    samples, _ = _walked(foresight, replace(graph, model=None), start, generator, FIRST, FIRST_HALVES, AT_FIRST)
    known = fitted(samples, changes)
    for number in range(1, ROUNDS + 1):
        new, made = _walked(foresight, replace(graph, model=known), start, generator, WALKERS, HALVES, LATER)
        samples = np.concatenate([samples, new])[-REMEMBERED:]
        known = fitted(samples, changes)
        report(number, made)
        if made >= GOOD and len(samples) > ENOUGH:
            break
    return known


def _walked(foresight: Foresight, graph: PoseGraph, start: Array, generator: np.random.Generator, walkers: int, halves: int,
            spread: float) -> tuple[Array, float]:
    """Samples as ``fitted`` takes them, and the mean number of half cycles that were made."""
    changes, most = len(graph.changes), np.array([change.most for change in graph.changes])
    snapshots, before = np.repeat(start[None], walkers, axis=0), np.repeat(exchanged(graph.poses[-1:]), walkers, axis=0)
    values, facing, to_come = np.zeros((walkers, 0)), np.zeros(walkers), graph.model.to_come() if graph.model else None
    found, made = [np.zeros((0, 2 * len(VARIABLES) + 2 * changes + 1))], 0

    def note(begun: Begun, values: Array, chosen: Array, ends: Ended) -> None:
        if half:  # nobody knows the variables before the first one
            turned = mirrored(1.0, begun.stance) * begun.turns[:, None]
            found.append(np.concatenate([values, chosen, turned, ends.values], axis=1)[ends.upright])

    for half in range(halves):
        turns = TURNS * generator.standard_normal(len(snapshots))
        facing = facing + turns
        begun = Begun(snapshots, before, turns, half % 2, facing)
        chosen = spread * generator.standard_normal((len(snapshots), changes))
        if to_come is not None:
            best, every, tried = foresight.choose(graph, to_come, begun)
            note(begun.repeated(changes + 1), np.repeat(values, changes + 1, axis=0), every, tried)
            chosen = chosen + best
        chosen = np.clip(chosen, -most, most)
        ends = foresight.end(graph, begun, chosen)
        note(begun, values, chosen, ends)
        well = ends.upright
        made += int(well.sum())
        if not well.any():
            break
        values = np.concatenate([ends.values, chosen], axis=1)[well]
        facing, snapshots, before = facing[well], ends.snapshots[well], ends.last[well]
    return np.concatenate(found), made / walkers
