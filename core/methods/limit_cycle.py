"""Limit cycle: walk through poses that would fall, kept on their cycle by simulating each step before it is made (Laszlo, van de Panne and Fiume
1996; survey, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import presets
from ..control.pose_graph import load_graph
from ..errors import JobError
from ..settings import Preset, Switch, setting
from . import Command, Request

if TYPE_CHECKING:
    from ..context import Context
    from ..job import Job
    from ..result import Result

LABEL, HELP = "Limit Cycle", "Walk through a few poses; each step is simulated before it is made, and the poses are changed so that the walk goes on."
COMMAND = Command("cycle", "walk on a limit cycle: poses, kept upright by simulating each step before it is made")
EVENTS, STEERED = ("push", "ball"), True
ENGINES = ("mujoco", "pybullet")  # MuJoCo simulates a step in a third of the time


@dataclass(frozen=True)
class Settings:
    cycle: str = setting("walk", Preset("limit_cycles"), "The poses: a limit cycle's name, or the path of such a file.", "Walk")
    controlled: bool = setting(True, Switch(), "Keep the walk on its cycle. Without, the poses are played as they are, and the character falls after "
                               "some steps.", "Keep on Cycle")


def check(request: Request) -> None:
    load_graph(request.settings.cycle)
    if presets.body(request.given.get("body", "average_man")).planar:
        raise JobError("Limit cycles are for bodies in 3D; choose another body.")


def complete(request: Request) -> Request:
    return replace(request, given={"time_step": 1.0 / 240.0, **request.given})


def run(job: Job, context: Context) -> Result:
    from ..cycle.cycler import Cycler
    from ..cycle.practice import TOLD, known_on
    from ..cycle.servos import servos_of
    from ..fall import perform_to_rest
    from ..physics import world_class
    from ..physics.settings import PLANNING
    from ..start import place_on_soles

    body = presets.body(job.body)
    graph = load_graph(job.settings.cycle)
    practises = job.settings.controlled and not graph.knows(body)
    graph = graph.scaled(body.mass, body.leg_length)
    if practises:
        told = context.within(0.0, TOLD, f"Practising the limit cycle '{graph.name}' with this body")
        speeds = [speed for _, speed in job.speed] if job.speed else [graph.speed]
        graph = known_on(graph, body, speeds, context.cores, told.tell)
    settings = replace(PLANNING, time_step=job.time_step, friction=job.friction, self_collision=job.self_collision, creeping=False)
    with world_class(job.engine)(body, job.ground, job.obstacles, settings) as world:
        world.set_servos(*servos_of(graph, body))
        driver = Cycler(body, job, graph, job.settings.controlled, context.cores)
        place_on_soles(world, driver.start, job.facing)
        walks = context.within(TOLD if practises else 0.0, 1.0, f"Walking {job.duration:g} s on the limit cycle '{graph.name}'")
        return perform_to_rest(world, driver, job, walks)
