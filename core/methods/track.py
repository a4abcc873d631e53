"""Track: a body follows recordings of walks, runs and turns under physics, with balance (Lee, Kim and Lee 2010)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import presets
from ..errors import JobError
from ..settings import REQUIRED, Choices, Clips, Data, Number, Switch, setting
from . import Command, Request, _clips
from .gait import STANCE_WIDTH, with_room

if TYPE_CHECKING:
    from ..body import Body
    from ..context import Context
    from ..control.data_driven import Gains
    from ..control.tracker import Tracker
    from ..job import Job
    from ..physics import World
    from ..reference import Reference
    from ..result import Result

LABEL, HELP = "Follow Walks and Runs", "Follow the recording under physics: the character keeps its balance and takes pushes."
COMMAND = Command("track", "let a body follow a clip under physics")
EVENTS, STEERED, ENGINES = ("push", "ball"), True, ("pybullet", "mujoco")

FEEDBACK = ("stance hip", "swing hip", "stance ankle", "swing height", "synchronisation")
TUNE = Number(0.0, 86400.0, "s", soft=(0.0, 600.0))
LONGER = 1.3  # times its own length that a clip may take: its steps wait for the feet
RUN_S = 0.3  # s that a second of a clip takes to be followed, about: for the progress before a search
LOOP_S = 10.0  # s of a loop, where nobody says
STORE = ".gains.json"  # after a clip's own name: the gains that held it
ALIKE = 0.02  # of mass and leg length, by which a body may differ from the one that gains were found for


def an_object(where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise JobError(f"{where} is {value!r}; allowed is an object of gains.")
    return value


@dataclass(frozen=True)
class Settings:
    clips: tuple[str, ...] = setting(REQUIRED, Clips(most=None), "Paths of BVH, AMC or DeepMimic files; the first one is followed, and the steps "
                                     "of the others serve for steering a loop.")
    repair: bool = setting(False, Switch(), _clips.REPAIR)
    loop: bool = setting(False, Switch(), _clips.LOOP)
    tune: float = setting(
        0.0, TUNE, "If the character falls, try other balance gains for up to this many seconds, on all cores, until it stays up; 0: only once.",
        "Keep Trying (s)")
    gains: dict[str, Any] = setting({}, Data(an_object), "Gains in place of the usual ones, or of those that were found for the clip before.")
    store_gains: bool = setting(True, Switch(), "Keep what it has found beside the clip, where later bakes find it.", "Remember for This Clip")
    without: tuple[str, ...] = setting((), Choices(FEEDBACK), "Kinds of balance feedback to leave out, to see what they do.", "Switch Off")
    stance_width: float | None = setting(None, STANCE_WIDTH, "Angle by which each leg is set out; by default 0, with self-collision 0.03.")


def check(request: Request) -> None:
    from ..control.tracker import gains_of

    _clips.refuse_planar(request)
    if request.given.get("played") and not request.settings.loop:
        raise JobError("A recording that is played live goes on and on: turn its loop on.")
    gains_of(request.settings.gains, request.settings.without)


def complete(request: Request) -> Request:
    """Gains that were not given are those found for the clip before on a body like this one, or else the usual ones."""
    from ..control.tracker import gains_of
    from ..reference.recordings import own_length

    settings = request.settings
    request = _clips.completed(request, LOOP_S if settings.loop else LONGER * own_length(_clips.recording_of(settings)))
    gains = settings.gains or _stored(Path(settings.clips[0] + STORE), presets.body(request.given["body"]))
    # What is left out of the feedback is left out of the gains when it runs, so that the job still says what.
    return with_room(replace(request, settings=replace(settings, gains=_plain(gains_of(gains)))))


def run(job: Job, context: Context) -> Result:
    """Where it falls, gains are searched for; those that hold it under tracking are stored beside the clip."""
    began, context = time.monotonic(), context.within(0.0, 1.0, f"Following '{Path(job.settings.clips[0]).stem}' under physics")
    result = tracked(job, first_run(job, context), to_rest=not job.settings.tune)
    if job.settings.tune:
        from ..control.tracker import gains_of
        from ..search import tracking_gains
        from ..search.gains import tuned

        usual = gains_of(job.settings.gains)
        gains, result = tuned(job, usual, result, tracking_gains, partial(with_gains, job), tracked,
                              context.amid(time.monotonic() - began, job.settings.tune, 0.0))
        if gains != usual and tracking_gains.held(result) and job.settings.store_gains and not job.settings.without:
            _store(Path(job.settings.clips[0] + STORE), gains, job)
        result = searched(result, gains != usual, tracking_gains.held(result), lambda: tracked(with_gains(job, gains), to_rest=True))
    result.outcome["gains"] = result.job["gains"]
    return result


def first_run(job: Job, context: Context) -> Context:
    """The context of the run before a search; of a job without a search, that of the only one. Who watches a search sees nothing until one holds."""
    return context.showing(None).amid(0.0, RUN_S * job.duration, 0.5 * job.settings.tune) if job.settings.tune else context


def searched(result: Result, changed: bool, held: bool, to_rest: Callable[[], Result]) -> Result:
    """What a search came to, which says so. ``changed``: whether it found gains that do better; ``held``: whether the recording is held. ``to_rest``:
    simulates a body that fell all the same until it lies still."""
    if result.outcome["fell"]:
        result = to_rest()
    result.outcome["search"] = ("held" if held else "better") if changed else "not needed" if held else "nothing"
    return result


def begin(job: Job) -> tuple[World, Tracker]:
    """It is in the middle of the recording's loop, and goes as the recording does until it is steered."""
    from ..control.tracker import gains_of

    wish = job.settings
    return _placed(job, _references(job), gains_of(wish.gains, wish.without), loop=wish.loop, stance_width=wish.stance_width,
                   synchronised="synchronisation" not in wish.without)


def _references(job: Job) -> list[Reference]:
    from ..reference.recordings import Recording, reference_of

    body = presets.body(job.body)
    return [reference_of(Recording(clip, job.settings.repair), body) for clip in job.settings.clips]


def _placed(job: Job, references: list[Reference], gains: Gains, *, loop: bool, stance_width: float, synchronised: bool) -> tuple[World, Tracker]:
    """A world with a body at the first frame of what it follows, and who leads it."""
    from ..control.tracker import Tracker
    from ..physics import world_class
    from ..physics.settings import TRACKING
    from ..start import place_in

    body = presets.body(job.body)
    world_settings = replace(TRACKING, time_step=job.time_step, friction=job.friction, self_collision=job.self_collision)
    world = world_class(job.engine)(body, job.ground, job.obstacles, world_settings)
    driver = Tracker(body, job, references, world.inertias, gains, loop=loop, stance_width=stance_width, synchronised=synchronised)
    place_in(world, driver.start())
    return world, driver


def tracked(job: Job, context: Context | None = None, to_rest: bool = False) -> Result:
    """The job with its gains as they are, to its end, to the clip's last step, or to a fall; ``to_rest``: until a body that fell lies still."""
    from ..control.tracker import gains_of

    wish = job.settings
    return simulated(job, _references(job), gains_of(wish.gains, wish.without), context, to_rest, loop=wish.loop, stance_width=wish.stance_width,
                     synchronised="synchronisation" not in wish.without)


def simulated(job: Job, references: list[Reference], gains: Gains, context: Context | None = None, to_rest: bool = False, *, loop: bool = False,
              stance_width: float = 0.0, synchronised: bool = True) -> Result:
    """A body that follows references in a job's world; the rest as in ``tracked`` and ``Tracker``."""
    from ..fall import perform_to_rest
    from ..session import perform

    world, driver = _placed(job, references, gains, loop=loop, stance_width=stance_width, synchronised=synchronised)
    with world:
        result = (perform_to_rest if to_rest else perform)(world, driver, job, context)
    if not loop and not result.outcome["fell"]:
        # Its steps wait for the feet: then the time that it was given may be over before the clip is.
        result.outcome["cut_short"] = not driver.finished and job.duration > references[0].motion.duration
    return result


def with_gains(job: Job, gains: Gains) -> Job:
    """The job with other gains, and without a search."""
    return job.having(gains=_plain(gains), tune=0.0)


def _plain(gains: Gains) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(gains).items()}


def _stored(path: Path, body: Body) -> dict[str, Any]:
    """Gains that were found for the clip on a body like this one."""
    if not path.is_file():
        return {}
    data = presets.read_json(path)
    try:
        alike = all(abs(data["body"][key] / value - 1.0) < ALIKE for key, value in _size(body).items())
        return dict(data["gains"]) if alike else {}
    except (KeyError, TypeError):
        return {}  # damaged: a search can be done again


def _store(path: Path, gains: Gains, job: Job) -> None:
    """Beside the clip, if one may write there: a search can be done again."""
    with suppress(OSError):
        path.write_text(json.dumps({"body": _size(presets.body(job.body)), "gains": _plain(gains)}, indent=1) + "\n", encoding="utf-8")


def _size(body: Body) -> dict[str, float]:
    return {"mass": round(body.mass, 2), "leg_length": round(body.leg_length, 4)}
