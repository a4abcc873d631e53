"""Pressure: a character does what the feet of a person did on a pressure pad or in insoles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import presets
from ..errors import JobError
from ..settings import REQUIRED, Choice, File, Number, Switch, setting
from . import Command, Request, _clips
from .gait import ARM_SPREAD, ROOM, STEP_WIDTH
from .plan import WEIGHTS
from .track import LONGER, simulated

if TYPE_CHECKING:
    from ..context import Context
    from ..job import Job
    from ..pressure.trodden import Trodden
    from ..reference import Reference
    from ..result import Result

LABEL, HELP = "Foot Pressure", "Do what the feet of a person did on a pressure pad or in pressure insoles."
COMMAND = Command("act", "let a body do what feet did on a pressure pad or in insoles")
EVENTS, STEERED, ENGINES = ("push", "ball"), False, ("pybullet", "mujoco")

WALK, MANY = "walk", 6  # what is followed step by step; and how many other actions a sentence names
QUALITY, FREEDOM, STRENGTH = "draft", 0.3, "human"  # with which other actions are planned
HOW = Choice({"kinematic": "Without physics: feet are planted when those of the recording are.",
              "physics": "Follow that under physics: the character keeps its balance and takes pushes."})


@dataclass(frozen=True)
class Settings:
    recording: str = setting(REQUIRED, File(listed=True), "A recording of foot pressure, of any device that can be read.")
    database: str = setting("", File("the one that comes with Footfall."), "Motions with their pressure, among which actions are looked up.")
    how: str = setting("kinematic", HOW, "Without physics, or under it.")
    streamed: bool = setting(False, Switch(), "As it would be live: at every moment no more of the recording is known than the latency allows.",
                             "As if Live")
    latency: float = setting(0.5, Number(0.2, 3.0, "s"), "How much later than the feet the character moves; the more, the surer it is what they do.")
    step_width: float = setting(0.0, STEP_WIDTH, "From ankle to ankle, across; at 0 as a walk has it, or as the thickness of the legs needs it.")
    arm_spread: float = setting(0.0, ARM_SPREAD, "Angle added to both shoulders, outward: for wide hips, skirts and armour.", "Arms Out")


def idle(settings: Mapping[str, Any]) -> tuple[str, ...]:
    return () if settings.get("streamed") else ("latency",)


def physical(settings: Mapping[str, Any]) -> bool:
    return settings["how"] == "physics"


def check(request: Request) -> None:
    _clips.refuse_planar(request)
    for name in ("recording", "database"):
        path = getattr(request.settings, name)
        if path and not Path(path).is_file():
            raise JobError(f"{name}: there is no file '{path}'.")
    if request.settings.how == "kinematic" and request.given.get("events"):
        raise JobError("Without physics nothing is felt of pushes and balls: leave them out, or follow the recording under physics (how).")


def complete(request: Request) -> Request:
    """As long as the recording, where nobody says."""
    from ..pressure.trodden import recording_at

    seconds = float(recording_at(request.settings.recording).times[-1])
    if seconds <= 0.0:
        raise JobError(f"'{request.settings.recording}' is one picture, in which nobody moves: choose a recording over time.")
    return replace(request, given={"time_step": _clips.TIME_STEP, "duration": seconds, **request.given})


def run(job: Job, context: Context) -> Result:
    trodden = trodden_of(job)
    context.tell(0.05, doing=f"Looking what the feet of '{trodden.name}' do")
    reference, done = trodden.acted(presets.body(job.body), job.duration)
    actions = [{"name": one.name, "time": round(one.time, 3)} for one in done]
    if job.settings.how == "kinematic":
        from ..kinematic.retargeted import retargeted

        result = retargeted(job, reference)
        result.outcome["steps"] = len([stance for stance in reference.stances if stance.start > 0])
    elif done and all(one.name == WALK for one in done):
        result = _tracked(job, reference, context.within(0.1, 1.0, f"Following the feet of '{trodden.name}' under physics"))
    else:
        result = _planned(job, trodden, context.within(0.1, 1.0))
    result.outcome |= {"actions": actions, "notes": [*reference.notes, *_said(actions)]}
    return result


def _said(actions: list[dict[str, Any]]) -> list[str]:
    """A sentence on what was recognised, beside walking."""
    named = [f"{action['name']} at {action['time']:.1f} s" for action in actions if action["name"] != WALK]
    if not named:
        return []
    more = f" and {len(named) - MANY} more" if len(named) > MANY else ""
    return [f"Recognised: {', '.join(named[:MANY])}{more}."]


def trodden_of(job: Job) -> Trodden:
    """The recording of a job, and how it is acted."""
    from ..pressure.trodden import Trodden

    wish = job.settings
    return Trodden(wish.recording, wish.database, wish.latency if wish.streamed else None, wish.step_width, wish.arm_spread)


def _tracked(job: Job, reference: Reference, context: Context) -> Result:
    """Steps wait for the feet of a body under physics: it gets some more time than the recording has."""
    from ..control.tracker import gains_of

    width = ROOM if job.self_collision else 0.0
    return simulated(replace(job, duration=LONGER * job.duration), [reference], gains_of({}), context, to_rest=True, stance_width=width)


def _planned(job: Job, trodden: Trodden, context: Context) -> Result:
    """Kicks, lunges and jumps, and what nobody has recognised, are no steps that a tracker could wait for: how they can be held is found out by
    trying."""
    from ..plan.follow import follow
    from ..plan.task import Task

    if job.events:
        raise JobError("Only who walks takes pushes and balls, and in the recording something else was recognised, or nothing: leave them out, or "
                       "hit what was baked.")
    return follow(Task(job, trodden, QUALITY, FREEDOM, WEIGHTS.usual, STRENGTH), context)
