"""Learned: controllers that do what samples of a motion did in states like the body's own (Sok, Kim and Lee 2007)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import presets
from ..errors import JobError
from ..settings import Data, File, Number, Preset, setting
from . import Command, Request

if TYPE_CHECKING:
    from ..context import Context
    from ..job import Job
    from ..learned.driver import Learned
    from ..learned.repertoire import Repertoire
    from ..physics import World
    from ..result import Result

LABEL, HELP = "Learned", "Walk, run or stand as was learned from recordings: by what these did in states like this."
COMMAND = Command("learned", "let a body do what its controllers have learned")
EVENTS, STEERED, ENGINES = ("push", "ball", "gait"), False, ("pybullet", "mujoco")  # what is shipped was learned with the first
OF_ONE_BODY = ("controllers",)  # a controller knows states of the body that it was learned on
ALL = 10_000


def _name(where: str, value: object) -> str:
    if not isinstance(value, str):
        raise JobError(f"{where} is {value!r}; allowed is the name of a controller, or nothing.")
    return value


@dataclass(frozen=True)
class Settings:
    controllers: str = setting("average_man", Preset("controllers"), "What it can: a preset's name, or the path of a file that names controllers.")
    file: str = setting("", File("What the controllers' file names."), "One learned controller (.npz) instead, as 'learn-controller' writes it.")
    refinements: float = setting(ALL, Number(0, ALL, soft=(0, 100)), "Of the ways out that each controller has learned, how many it knows; 0: what "
                                 "was shown, and nothing else.", "Ways Out")
    first: str = setting("", Data(_name), "The controller to begin with; by default the first one.")


def check(request: Request) -> None:
    """Instant: the controllers are read when the job is made whole. Names that a body is told which is played are looked up here."""
    settings: Settings = request.settings
    if not settings.file and (body := presets.load("controllers", settings.controllers).get("body")):
        _refuse_other_body(request, settings.controllers, body)
    if request.given.get("played"):
        data = {} if settings.file else presets.load("controllers", settings.controllers)
        known = [*data.get("controllers", ()), *data.get("acts", ())]
        for event in request.given.get("events", ()):
            if event["type"] == "gait" and event["gait"] not in known:
                raise JobError(f"'{event['gait']}' is no controller of these; they are {', '.join(known) or 'one alone'}.")


def complete(request: Request) -> Request:
    repertoire = repertoire_of(request.settings)
    events = [event for event in request.given.get("events", ()) if event["type"] == "gait"]
    for where, name in (("first", request.settings.first), *((f"events[{n}].gait", event["gait"]) for n, event in enumerate(events))):
        known = list(repertoire.controllers) if where == "first" else repertoire.names
        if name and name not in known:
            raise JobError(f"{where} is '{name}'; the controllers '{repertoire.name}' are {', '.join(known)}.")
    _refuse_other_body(request, repertoire.name, repertoire.body)
    return replace(request, given={"time_step": repertoire.time_step, **request.given, "body": repertoire.body})


def _refuse_other_body(request: Request, name: str, body: str | dict[str, Any]) -> None:
    if request.given.get("body", body) != body:
        whose = f"the body '{body}'" if isinstance(body, str) else "a body"
        raise JobError(f"The controllers '{name}' were learned on {whose}, which is not that of the job: learn them on yours, or leave the body out.")


def run(job: Job, context: Context) -> Result:
    from ..session import perform

    world, driver = begin(job)
    with world:
        name = Path(job.settings.file or job.settings.controllers).stem
        return perform(world, driver, job, context.within(0.0, 1.0, f"Simulating {job.duration:g} s of '{name}'"))


def begin(job: Job) -> tuple[World, Learned]:
    """It does what its first controller does."""
    from ..learned.driver import Learned
    from ..learned.following import world_settings
    from ..physics import world_class
    from ..start import place_in

    body = presets.body(job.body)
    world = world_class(job.engine)(body, job.ground, job.obstacles, world_settings(body, job.time_step, job.friction, job.self_collision))
    driver = Learned(body, job, repertoire_of(job.settings), world.inertias, job.settings.first)
    place_in(world, driver.start(), job.facing)
    return world, driver


def repertoire_of(settings: Settings) -> Repertoire:
    """What the settings name."""
    from ..learned.repertoire import alone, load_repertoire

    found = alone(Path(settings.file)) if settings.file else load_repertoire(settings.controllers)
    return found.after(int(settings.refinements))
