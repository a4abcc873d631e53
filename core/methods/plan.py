"""Plan: follow any recording under physics, also kicks, jumps and flips, by trying out ahead of time what will hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..settings import REQUIRED, Choice, Clips, Number, Numbers, Switch, setting
from . import Command, Request, _clips

if TYPE_CHECKING:
    from pathlib import Path

    from ..context import Context
    from ..job import Job
    from ..plan.task import Task
    from ..result import Result

LABEL, HELP = "Follow Any Clip", "Find out how any recording can be followed under physics, also kicks, jumps and flips; takes its time."
COMMAND = Command("follow", "let a body follow any clip under physics, by planning ahead; stopped work goes on where it was", fps=60.0)
EVENTS, STEERED = (), False
ENGINES = ("mujoco", "pybullet")  # MuJoCo tries a plan in a third of the time

QUALITY = Choice({"draft": "A first look: about 5 seconds of one core for a second of the clip.",
                  "normal": "About 15 seconds of one core for a second of the clip.",
                  "fine": "For what Normal loses: about 40 seconds of one core for a second of the clip."})
STRENGTH = Choice({"human": "As strong as a well trained person.",
                   "hero": "Stronger than any person, for what people can do only with wires."})
_MATTERS = Number(0.0, 5.0)
WEIGHTS = Numbers({part: (1.0, _MATTERS, f"How closely the clip is followed with the {part}; 0: not at all.")
                   for part in ("feet", "hands", "head", "trunk")})
FREEDOM = Number(0.0, 1.0)


@dataclass(frozen=True)
class Settings:
    clips: tuple[str, ...] = setting(REQUIRED, Clips(), _clips.CLIPS)
    repair: bool = setting(False, Switch(), _clips.REPAIR)
    quality: str = setting("normal", QUALITY, "How long a way to follow the clip is looked for.")
    freedom: float = setting(0.3, FREEDOM, "0: stick to the clip, also where that is hardly possible; 1: physics first, the clip is a hint.")
    strength: str = setting("human", STRENGTH, "How strong the character is.")
    weights: Mapping[str, float] = setting(WEIGHTS.usual, WEIGHTS, "How much it matters that a part of the body goes where the clip has it.",
                                           "Importance of Body Parts")


check = _clips.refuse_planar


def complete(request: Request) -> Request:
    return _clips.completed(request)


def run(job: Job, context: Context) -> Result:
    from ..plan.follow import follow

    return follow(task_of(job), context)


def keep(job: Job, unfinished: Path) -> Result:
    """What was found by stopped work on a job."""
    from ..plan.follow import kept

    return kept(unfinished, task_of(job))


def task_of(job: Job) -> Task:
    """What is planned for a job."""
    from ..plan.task import Task

    wish = job.settings
    return Task(job, _clips.recording_of(wish), wish.quality, wish.freedom, wish.weights, wish.strength)
