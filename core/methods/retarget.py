"""Retarget: a recording on the body, without physics, with its feet planted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .. import presets
from ..settings import REQUIRED, Clips, Switch, setting
from . import Command, Request, _clips

if TYPE_CHECKING:
    from ..context import Context
    from ..job import Job
    from ..result import Result

LABEL, HELP = "Retarget Only", "Fit the recording to the character without physics, with its feet planted."
COMMAND = Command("retarget", "fit a clip to a body without physics")
EVENTS, STEERED, ENGINES = (), False, ()


@dataclass(frozen=True)
class Settings:
    clips: tuple[str, ...] = setting(REQUIRED, Clips(), _clips.CLIPS)
    repair: bool = setting(False, Switch(), _clips.REPAIR)


check = _clips.refuse_planar


def complete(request: Request) -> Request:
    return _clips.completed(request)


def run(job: Job, context: Context) -> Result:
    from ..kinematic.retargeted import retargeted
    from ..reference.recordings import reference_of

    context.tell(0.1, doing=f"Fitting '{Path(job.settings.clips[0]).stem}' to the body")
    return retargeted(job, reference_of(_clips.recording_of(job.settings), presets.body(job.body)))
