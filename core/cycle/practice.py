"""Practice: a body finds out what becomes of its half cycles, by walking some, and keeps that as the linear model of its walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..body import Body
from ..control.cycle_model import VARIABLES, CycleModel, fitted
from ..control.limit_cycle import factors, tries
from ..control.pose_graph import RATE, PoseGraph, exchanged
from ..physics import choose_engine, world_class
from ..physics.settings import PLANNING
from ..start import place_in
from .cycler import servos_of
from .foresight import Foresight, HalfCycle, mirrored

FIRST, FIRST_HALVES = 24, 3  # bodies that walk with chance changes only, and for how many half cycles
WALKERS, HALVES, ROUNDS = 4, 16, 6  # that are kept on the cycle by what is known so far
AT_FIRST, LATER, TURNS = 0.6, 0.25, 0.03  # standard deviations of chance changes, as multiples of their usual size, and of turns, rad
REMEMBERED = 2400  # samples
SEED, TIME_STEP = 0, 1.0 / 240.0
TOLD = 0.3  # fraction of the time of a walk that practice before it is expected to take


def known_on(graph: PoseGraph, body: Body, speeds: Sequence[float], threads: int, told: Callable[[float], None] = lambda _: None) -> PoseGraph:
    """The graph, which is scaled to a body, with linear models of this body.

    Args: speeds: m/s at which it is to go. told: called with the fraction that is done.
    """
    graphs = graph.members(min(speeds), max(speeds))
    known = []
    for number, one in enumerate(graphs):
        def report(made: int, _: float, number: int = number) -> None:
            told((number + made / ROUNDS) / len(graphs))

        settings = replace(PLANNING, time_step=TIME_STEP, self_collision=False, creeping=False)
        with world_class(choose_engine(preferred=("mujoco", "pybullet")))(body, settings=settings) as world:
            world.set_servos(*servos_of(one, body))
            place_in(world, one.start)
            foresight = Foresight(world, round(1.0 / (RATE * TIME_STEP)), threads)
            known.append(replace(one, model=practised(foresight, one, world.snapshot(), report)))
    return replace(known[0], name=graph.name, variants=tuple(known[1:]))


def practised(foresight: Foresight, graph: PoseGraph, start: Array, report: Callable[[int, float], None] | None = None) -> CycleModel:
    """The linear model of a walk. It is good enough once all walkers make all their half cycles with it.

    Args:
        start: (S,) snapshot at the beginning of a half cycle on the left leg.
        report: called after each round with its number, from 1, and how many half cycles its walkers made.
    """
    generator, changes = np.random.default_rng(SEED), len(graph.changes)
    samples, _ = _walked(foresight, graph, start, None, generator, FIRST, FIRST_HALVES, AT_FIRST)
    known = fitted(samples, changes)
    for number in range(1, ROUNDS + 1):
        new, made = _walked(foresight, graph, start, known, generator, WALKERS, HALVES, LATER)
        samples = np.concatenate([samples, new])[-REMEMBERED:]
        known = fitted(samples, changes)
        if report:
            report(number, made)
        if made == HALVES and number > 1:
            break
    return known


def _walked(foresight: Foresight, graph: PoseGraph, start: Array, known: CycleModel | None, generator: np.random.Generator, walkers: int, halves: int,
            spread: float) -> tuple[Array, float]:
    """Samples as ``fitted`` takes them, and the mean number of half cycles that were made."""
    changes, most = len(graph.changes), np.array([change.most for change in graph.changes])
    snapshots, before = np.repeat(start[None], walkers, axis=0), np.repeat(exchanged(graph.poses[-1:]), walkers, axis=0)
    begun, facing, to_come = np.zeros((walkers, 0)), np.zeros(walkers), known.to_come() if known else None
    found, made = [np.zeros((0, 2 * len(VARIABLES) + 2 * changes + 1))], 0

    def gone(chosen: Array, times: int) -> HalfCycle:
        """What comes of so many tries of each walker. What they began with, and what came of it, are samples."""
        rows = [np.repeat(row, times, axis=0) for row in (begun, turns, snapshots, before, facing)]
        ends = foresight.half(graph, rows[2], rows[3], chosen, rows[1], stance, rows[4])
        if half:  # nobody knows the variables before the first one
            turned = mirrored(1.0, stance) * rows[1][:, None]
            found.append(np.concatenate([rows[0], chosen, turned, ends.values], axis=1)[ends.upright])
        return ends

    for half in range(halves):
        stance, count = half % 2, len(snapshots)
        turns = TURNS * generator.standard_normal(count)
        facing = facing + turns
        chosen = spread * generator.standard_normal((count, changes))
        if known is not None and to_come is not None:
            wishes = [known.wanted(mirrored(turn, stance)) for turn in turns]
            every = np.concatenate([tries(usual) for _, usual in wishes])
            answers = gone(every, changes + 1).values.reshape(count, changes + 1, -1)
            for n in np.flatnonzero(np.isfinite(answers).all(axis=(1, 2))):
                wanted, usual = wishes[n]
                chosen[n] += factors(answers[n], usual, wanted, usual, to_come, most)
        chosen = np.clip(chosen, -most, most)
        ends = gone(chosen, 1)
        well = ends.upright
        made += int(well.sum())
        if not well.any():
            break
        begun = np.concatenate([ends.values, chosen], axis=1)[well]
        facing, snapshots, before = facing[well], ends.snapshots[well], ends.last[well]
    return np.concatenate(found), made / walkers
