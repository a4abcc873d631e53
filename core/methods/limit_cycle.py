"""Limit cycle: walk through poses that would fall, kept on their cycle by simulating each step before it is made (Laszlo, van de Panne and Fiume
1996; survey, section 3.1)."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import presets
from ..errors import JobError
from ..settings import Preset, Switch, setting
from . import Command, Request

if TYPE_CHECKING:
    from ..body import Body
    from ..context import Context
    from ..control.driver import Driver
    from ..control.pose_graph import PoseGraph
    from ..job import Job
    from ..physics import World
    from ..result import Result

LABEL, HELP = "Limit Cycle", "Walk through a few poses; each step is simulated before it is made, and the poses are changed so that the walk goes on."
COMMAND = Command("cycle", "walk on a limit cycle: poses, kept upright by simulating each step before it is made")
EVENTS, STEERED = ("push", "ball"), True
TOLD = 0.3  # fraction of the time of a walk that practice before it is expected to take
ENGINES = ("mujoco", "pybullet")  # MuJoCo simulates a step in a third of the time


@dataclass(frozen=True)
class Settings:
    cycle: str = setting("walk", Preset("limit_cycles"), "The poses: a limit cycle's name, or the path of such a file.", "Walk")
    controlled: bool = setting(True, Switch(), "Keep the walk on its cycle. Without, the poses are played as they are, and the character falls after "
                               "some steps.", "Keep on Cycle")


def check(request: Request) -> None:
    from ..control.pose_graph import load_graph

    load_graph(request.settings.cycle)
    if presets.body(request.given.get("body", "average_man")).planar:
        raise JobError("Limit cycles are for bodies in 3D; choose another body.")


def complete(request: Request) -> Request:
    return replace(request, given={"time_step": 1.0 / 240.0, **request.given})


def run(job: Job, context: Context) -> Result:
    from ..control.pose_graph import load_graph
    from ..fall import perform_to_rest

    body, graph = presets.body(job.body), load_graph(job.settings.cycle)
    falls = list[float]()
    practises = job.settings.controlled and not graph.knows(body)
    if practises:
        speeds = tuple(speed for _, speed in job.speed) if job.speed else ()
        graph, falls = _practised(graph, body, speeds, context.within(0.0, TOLD, f"Practising the limit cycle '{graph.name}' with this body"))
    else:
        graph = graph.scaled(body.mass, body.leg_length)
    world, driver = _placed(job, graph, context.cores)
    with world:
        walks = context.within(TOLD if practises else 0.0, 1.0, f"Walking {job.duration:g} s on the limit cycle '{graph.name}'")
        result = perform_to_rest(world, driver, job, walks)
    if falls:
        held = [one.speed for one in graph.family if one.speed not in falls]
        instead = f": it goes at {min(held):.1f} to {max(held):.1f} m/s." if held else "."
        result.outcome["notes"] = [f"In practice this body fell at {' and at '.join(f'{speed:.1f}' for speed in falls)} m/s{instead}"]
    return result


def begin(job: Job) -> tuple[World, Driver]:
    """It goes straight ahead, in full stride, until it is steered. Another body than that of the graph goes at one speed."""
    graph = _known(job.settings.cycle, json.dumps(job.body))
    return _placed(job, graph, 1)


@functools.lru_cache(maxsize=4)
def _known(cycle: str, body_data: str) -> PoseGraph:
    """A graph for a body, as JSON: who falls and gets up again does not practise twice."""
    from ..context import Context
    from ..control.pose_graph import load_graph

    body, graph = presets.body(json.loads(body_data)), load_graph(cycle)
    return graph.scaled(body.mass, body.leg_length) if graph.knows(body) else _practised(graph, body, (), Context())[0]


def _practised(graph: PoseGraph, body: Body, speeds: tuple[float, ...], context: Context) -> tuple[PoseGraph, list[float]]:
    """See ``known_on``. ``speeds``: m/s, that the body is to go at; at its own where there are none."""
    from ..cycle.practice import known_on

    graph = graph.scaled(body.mass, body.leg_length)
    return known_on(graph, body, speeds or (graph.speed,), context.cores, context.tell)


def _placed(job: Job, graph: PoseGraph, threads: int) -> tuple[World, Driver]:
    """A world with a body that is in its place, and who leads it through a graph that is known to it."""
    from ..cycle.cycler import Cycler
    from ..cycle.servos import servos_of
    from ..physics import world_class
    from ..physics.settings import PLANNING
    from ..start import place_on_soles

    body = presets.body(job.body)
    settings = replace(PLANNING, time_step=job.time_step, friction=job.friction, self_collision=job.self_collision, creeping=False)
    world = world_class(job.engine)(body, job.ground, job.obstacles, settings)
    world.set_servos(*servos_of(graph, body))
    driver = Cycler(body, job, graph, job.settings.controlled, threads)
    place_on_soles(world, driver.start, job.facing)
    return world, driver
