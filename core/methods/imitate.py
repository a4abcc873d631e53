"""Imitate: a periodic controller made from a recording, which goes on as long as it is asked to."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import presets
from ..errors import JobError
from ..settings import REQUIRED, Choices, Clips, Data, Switch, setting
from . import Command, Request, _clips
from .gait import ARM_SPREAD, FEEDBACK_GAIN, STANCE_WIDTH, with_room
from .track import FEEDBACK, LOOP_S, TUNE, an_object, first_run, searched

if TYPE_CHECKING:
    from ..context import Context
    from ..job import Job
    from ..result import Result
    from ..session import Supervisor

LABEL, HELP = "Turn into a Gait", "Make a gait of the recording, which goes on as long as it is asked to."
COMMAND = Command("imitate", "make a gait of a clip, which goes on as long as it is asked to")
EVENTS, STEERED, ENGINES = ("push", "ball"), True, ("pybullet", "mujoco")


def _torques(where: str, value: Any) -> dict[str, Any] | None:
    if value is not None and not isinstance(value, dict):
        raise JobError(f"{where} is {value!r}; allowed is an object of learned torques.")
    return value


@dataclass(frozen=True)
class Settings:
    clips: tuple[str, ...] = setting(REQUIRED, Clips(), _clips.CLIPS)
    repair: bool = setting(False, Switch(), _clips.REPAIR)
    loop: bool = setting(False, Switch(), _clips.LOOP)
    tune: float = setting(
        0.0, TUNE, "If the character falls, try other feedback for up to this many seconds, on all cores, until it stays up; 0: only once.",
        "Keep Trying (s)")
    gains: dict[str, Any] = setting({}, Data(an_object), "Gains and feedback in place of the usual ones.")
    without: tuple[str, ...] = setting((), Choices(FEEDBACK), "Kinds of balance feedback to leave out, to see what they do.", "Switch Off")
    stance_width: float | None = setting(None, STANCE_WIDTH, "Angle added to both swing hips, outward; by default 0, with self-collision 0.03.")
    arm_spread: float = setting(0.0, ARM_SPREAD, "Angle added to both shoulders, outward: for wide hips, skirts and armour.", "Arms Out")
    feedforward: dict[str, Any] | None = setting(
        None, Data(_torques), "Torques learned for imitating the clip (``optimize.learning.learn_imitation``).")
    feedback_gain: float = setting(0.6, FEEDBACK_GAIN, "Share of the feedback gains of the trunk that is kept beside learned torques.")


def check(request: Request) -> None:
    from ..control.imitator import settings

    _clips.refuse_planar(request)
    settings(request.settings.gains)


def complete(request: Request) -> Request:
    return with_room(_clips.completed(request, LOOP_S if request.settings.loop else None))


def run(job: Job, context: Context) -> Result:
    """Where it falls, feedback is searched for."""
    began, context = time.monotonic(), context.within(0.0, 1.0, f"Walking like '{Path(job.settings.clips[0]).stem}' under physics")
    result = imitated(job, first_run(job, context), to_rest=not job.settings.tune)
    if job.settings.tune:
        from ..search import imitation_gains
        from ..search.gains import tuned

        gains, result = tuned(job, job.settings.gains, result, imitation_gains, lambda gains: job.having(gains=gains, tune=0.0), imitated,
                              context.amid(time.monotonic() - began, job.settings.tune, 0.0))
        result = searched(result, gains != job.settings.gains, imitation_gains.held(result),
                          lambda: imitated(job.having(gains=gains, tune=0.0), to_rest=True))
        result.outcome["gains"] = result.job["gains"]
    return result


def imitated(job: Job, context: Context | None = None, supervise: Supervisor | None = None, to_rest: bool = False) -> Result:
    """The job with its gains as they are, to its end or to a fall. ``supervise``: as in ``session.perform``. ``to_rest``: go on after a fall
    until the body lies still."""
    from ..control.imitator import Imitator
    from ..fall import perform_to_rest
    from ..physics import world_class
    from ..physics.settings import BALANCING
    from ..reference.recordings import reference_of
    from ..session import perform
    from ..start import place_in

    body, wish = presets.body(job.body), job.settings
    world_settings = replace(BALANCING, time_step=job.time_step, friction=job.friction, self_collision=job.self_collision)
    with world_class(job.engine)(body, job.ground, job.obstacles, world_settings) as world:
        driver = Imitator(body, job, reference_of(_clips.recording_of(wish), body), gains=wish.gains, without=wish.without,
                          stance_width=wish.stance_width, arm_spread=wish.arm_spread, feedforward=wish.feedforward, feedback_gain=wish.feedback_gain)
        place_in(world, driver.start)
        return (perform_to_rest if to_rest else perform)(world, driver, job, context, supervise)
