"""Gait: walk, run, hop or stand by a SIMBICON controller (Yin, Loken and van de Panne 2007; Yin's thesis, chapter 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import presets
from ..context import Context
from ..errors import JobError
from ..settings import REQUIRED, Choice, Data, Number, Preset, Switch, choice, record, setting, vector
from ..skeleton import LINKS
from . import Command, Request

if TYPE_CHECKING:
    from ..balance_styles import BalanceStyle
    from ..control.gait import Gait
    from ..control.styles import WalkStyle
    from ..control.walker import Walker
    from ..job import Job
    from ..physics import World
    from ..result import Result
    from ..session import Supervisor

LABEL, HELP = "Gait", "Walk, run or stand by one of the gaits."
COMMAND = Command("walk", "walk, run or stand by a gait")
EVENTS, STEERED, ENGINES = ("push", "gait", "ball"), True, ("pybullet", "mujoco")
STYLED = "walk"  # the gait that styles are differences of
WALKED = 0.6  # fraction of the time after which the legs are led around each other, of a walk in which they are
NARROWEST = 0.01  # m between the ankles that a style may bring a step width to
ROOM = 0.03  # rad that legs are set out where they collide: they need a little more room than legs that pass through each other


def _start(where: str, value: Any) -> str | dict[str, Any] | None:
    if not isinstance(value, dict):
        return choice(where, value, ("rest", "gait", None))
    pose = record(where, value, {"rotations": REQUIRED}, "pose")
    if not isinstance(pose["rotations"], dict):
        raise JobError(f"{where}.rotations is {pose['rotations']!r}; allowed is an object of links, each with its quaternion w, x, y, z.")
    for link, turn in pose["rotations"].items():
        choice(f"{where}.rotations, a link", link, LINKS)
        if not 0.99 < sum(v * v for v in vector(f"{where}.rotations.{link}", turn, -1.001, 1.001, size=4)) < 1.01:
            raise JobError(f"{where}.rotations.{link} is {turn!r}; allowed is a quaternion w, x, y, z of length 1.")
    return pose


def _width(where: str, value: Any) -> float | None:
    return None if value is None else Number(-0.3, 0.6, "rad").check(where, value)


def goes_ahead(data: dict[str, Any]) -> bool:
    """Whether a gait preset's data is of a walk or a run of a body in 3D, on alternating legs: such a one can be fitted to a body."""
    style, alternate = data.get("style", {}), data.get("legs", "alternate") == "alternate"
    return alternate and data.get("speed", 0.0) > 0.0 and not (data.get("planar") or data.get("balance") or style.get("sideways"))


def _fits(where: str, value: Any) -> dict[str, dict[str, Any]]:
    """Whole data of gaits by their names."""
    from ..control.gait import gait_from_dict

    if not isinstance(value, dict) or not all(isinstance(data, dict) for data in value.values()):
        raise JobError(f"{where} is {value!r}; allowed is an object of gaits' names, each with the data of the gait as it was fitted.")
    for name, data in value.items():
        gait_from_dict(data, name)
    return value


AT_END = {"walk_on": "Walk on, in the direction of the path's end.", "stop": "Slow down on the last two metres, and stand at the end."}
STANCE_WIDTH, ARM_SPREAD, FEEDBACK_GAIN = Data(_width), Number(-0.5, 1.5, "rad"), Number(0.05, 1.0)
STEP_WIDTH = Number(0.0, 1.0, "m", (0.0, 0.4))


@dataclass(frozen=True)
class Settings:
    gait: str = setting("walk", Preset("gaits"), "The gait: a preset's name, or the path of a gait file.")
    style: str = setting("none", Preset("styles", "The gait as it is."), "How it is walked: a style's name, or the path of a style file.")
    exaggerate: float = setting(1.0, Number(0.0, 2.0), "How much of the style: at 0 none, at 2 twice as much, a caricature.")
    start: str | dict[str, Any] | None = setting(
        None, Data(_start), 'How it begins: "rest", standing still; "gait", in full stride; or still in a pose, {"rotations": {link: [w, x, y, z]}}, '
        "each link relative to its parent, the pelvis to the heading. By default still, or at the speed that the gait asks for.")
    at_end: str = setting("walk_on", Choice(AT_END), "What it does at the end of a path.", "At the End")
    stance_width: float | None = setting(None, STANCE_WIDTH, "Angle added to both swing hips, outward; by default 0.")
    step_width: float = setting(0.0, STEP_WIDTH, "From ankle to ankle, across. At 0 steps are as wide as the gait has "
                                "them or, where legs collide, as hips and thickness of the legs need it.")
    legs_apart: bool = setting(False, Switch(), "Legs that passed through each other in the simulation go around each other in what comes out of it.")
    arm_spread: float = setting(0.0, ARM_SPREAD, "Angle added to both shoulders, outward: for wide hips, skirts and armour.", "Arms Out")
    catches_itself: bool = setting(True, Switch(), "Pushed harder than the gait takes, go over into a sturdier one, where it has one, and come back "
                                   "after a few steps. Who falls in the gait by itself is simulated in the sturdier one from the beginning.")
    slope_adaptation: bool = setting(False, Switch(), "Know the slope of the ground ahead, and lean and lift for it.")
    feedforward: bool = setting(
        False, Switch(), "Let torques that were learned for this gait do most of the work, and hold the upper body more softly.", "Learned Torques")
    feedback_gain: float = setting(0.6, FEEDBACK_GAIN, "Share of the feedback gains of the trunk that is kept beside learned torques.")
    fits: dict[str, Any] = setting({}, Data(_fits), "Gaits as they were fitted to this body, by name: their whole data, in place of the presets'.")


def check(request: Request) -> None:
    from ..control.feedforward import learned_torques

    names = {"gait": request.settings.gait}
    names |= {f"events[{n}].gait": event["gait"] for n, event in enumerate(request.given.get("events", ())) if event["type"] == "gait"}
    for where, name in names.items():
        gait = _gait_of(request.settings, name)
        if gait.planar != _planar(request):
            raise JobError(f"{where}: '{name}' is for {'the planar biped' if gait.planar else 'bodies in 3D'}; choose another gait or another body.")
    if _style_of(request.settings):
        _in_style(request.settings)
    if request.settings.feedforward:
        learned_torques(request.settings.gait)
        if request.given.get("played"):
            raise JobError("Torques were learned for one gait alone: switch them off (feedforward) for a body that is played, which begins standing.")
    if request.given.get("played") and _planar(request):
        raise JobError("The planar biped cannot be played, because it cannot stand: choose another body.")


def complete(request: Request) -> Request:
    settings = replace(request.settings, stance_width=request.settings.stance_width or 0.0)
    if request.given.get("self_collision") and not settings.step_width and not _planar(request):
        settings = replace(settings, step_width=round(presets.body(request.given.get("body", "average_man")).step_width, 4))
    return replace(request, settings=settings, given={"time_step": _gait_of(settings, settings.gait).time_step, **request.given})


def with_room(request: Request) -> Request:
    """With a stance width, also where none was asked for: for methods that follow clips."""
    if request.settings.stance_width is not None:
        return request
    return replace(request, settings=replace(request.settings, stance_width=ROOM if request.given.get("self_collision") else 0.0))


def run(job: Job, context: Context) -> Result:
    result = _caught(job, context.within(0.0, WALKED if job.settings.legs_apart else 1.0))
    if not job.settings.legs_apart:
        return result
    from ..feet.around import around

    # A pose in which it begins was made by somebody.
    kept = result.times == 0.0 if isinstance(job.settings.start, dict) else None
    return around(presets.body(job.body), result, kept, context.within(WALKED, 1.0, "Leading the legs around each other").tell)


def _caught(job: Job, context: Context) -> Result:
    """The job as it goes in its gait. Who falls by itself in one that has a refuge, as on an odd body, goes in the refuge from the beginning."""
    from ..errors import StrideError
    from ..measure.way import fell_by_itself

    def doing(name: str) -> str:
        return f"Simulating {job.duration:g} s of the gait '{Path(name).stem}'"

    wish: Settings = job.settings
    refuges, failed, fell_at = _refuges(job), "", None
    if not refuges:
        return walk(job, context.within(0.0, 1.0, doing(wish.gait)), to_rest=True)

    def counts(until: Result) -> bool:
        """Whether a fall is one, and does not tell only that the gait is none for this body."""
        nonlocal failed, fell_at
        fell_at = until.outcome["fell_at"]
        name = [wish.gait, *(event["gait"] for event in job.events if event["type"] == "gait" and event["time"] <= fell_at)][-1]
        failed = name if name in refuges and fell_by_itself(until) else ""
        return not failed

    try:
        result = _led(job, walker_of(job), context.within(0.0, 1.0, doing(wish.gait)), None, True, counts)
    except StrideError:
        failed = wish.gait
    if not failed:
        return result
    again = _in_refuge(job, {name: refuge.name for name, refuge in refuges.items()})
    own = {refuge.name: refuge for refuge in refuges.values() if refuge.name not in wish.fits}
    trying = context.amid((fell_at or 0.0) / job.duration, 1.0, 0.0, f"{doing(again.settings.gait)}, as '{Path(failed).stem}' fell")
    result = walk(again, trying, own, to_rest=True)
    instead = {"gait": Path(failed).stem, "refuge": refuges[failed].name, "fell_at": fell_at, "fitted": failed in wish.fits,
               "styled": again.settings.style != wish.style}
    return replace(result, job=job.to_dict(), outcome={**result.outcome, "instead_of": instead})


def _refuges(job: Job) -> dict[str, Gait]:
    """The refuges of the job's gaits that have one, by the gaits' names; none where it is not to catch itself, or is in its refuge all the time."""
    if not job.settings.catches_itself or job.self_collision:
        return {}
    names = [job.settings.gait, *(event["gait"] for event in job.events if event["type"] == "gait")]
    refuges = {name: _gait_of(job.settings, name).refuge for name in names}
    return {name: refuge for name, refuge in refuges.items() if refuge}


def _in_refuge(job: Job, refuges: dict[str, str]) -> Job:
    """The same job in the refuges of its gaits, by the gaits' names. A style is of the gait, and has nothing to do with its refuge."""
    gait, style = job.settings.gait, job.settings.style
    events = tuple({**event, "gait": refuges.get(event["gait"], event["gait"])} if event["type"] == "gait" else event for event in job.events)
    return replace(job.having(gait=refuges.get(gait, gait), style="none" if gait in refuges else style), events=events)


def walk(job: Job, context: Context | None = None, gaits: dict[str, Gait] | None = None, supervise: Supervisor | None = None,
         to_rest: bool = False) -> Result:
    """Run the job to its end or to a fall.

    Args:
        to_rest: go on after a fall until the body lies still.
        gaits: by the name that the job has for them, in place of presets (for searches).
        supervise: as in ``session.perform``.
    """
    if _only_stands(job, gaits):
        return _stand(job, context or Context(), gaits, supervise, to_rest)
    return _led(job, walker_of(job, gaits), context, supervise, to_rest)


def begin(job: Job) -> tuple[World, Walker]:
    """It stands, and sets off when it is told to."""
    walker = walker_of(job)
    return _placed(job, walker), walker


def _placed(job: Job, walker: Walker) -> World:
    """A world in which the walker's body is where it begins."""
    from ..physics import world_class
    from ..start import place

    world = world_class(job.engine)(walker.body, job.ground, job.obstacles, walker.world_settings)
    place(world, walker)
    return world


def _led(job: Job, walker: Walker, context: Context | None, supervise: Supervisor | None, to_rest: bool,
         counts: Callable[[Result], bool] = lambda until: True) -> Result:
    """``counts``: as in ``fall.perform_to_rest``."""
    from ..fall import perform_to_rest
    from ..session import perform

    with _placed(job, walker) as world:
        return perform_to_rest(world, walker, job, context, supervise, counts) if to_rest else perform(world, walker, job, context, supervise)


def _only_stands(job: Job, gaits: dict[str, Gait] | None) -> bool:
    """Whether it stands from the beginning to the end."""
    name = job.settings.gait
    return ((gaits or {}).get(name) or _gait_of(job.settings, name)).balance and not any(event["type"] == "gait" for event in job.events)


def _stand(job: Job, context: Context, gaits: dict[str, Gait] | None, supervise: Supervisor | None, to_rest: bool) -> Result:
    """Stand in the way that needs the fewest steps. Where nothing happens, the first of the known ways does."""
    from ..hit.reflex import MORE, Try, best, kept
    from ..hit.settings import AUTO

    blows = [hypot(*event["force"]) * event["duration"] for event in job.events if event["type"] == "push"]
    blows += [event["mass"] * hypot(*event["velocity"]) for event in job.events if event["type"] == "ball"]
    given = max(blows, default=0.0) / presets.body(job.body).mass

    def attempt(one: Try) -> tuple[Result, Walker]:
        doing = f"Trying {one.number} of {one.ways} ways to keep its balance" if one.number > 1 else ""
        trying = context.showing(one.best) if one.number > 1 else context
        walker = walker_of(job, gaits, one.style)
        return _led(job, walker, trying.hoping(one.number - 1, 1.0, one.after, one.unlucky, doing), supervise, to_rest=False), walker

    # Who falls though nothing was thrown or pushed stands badly, or somebody walks into it: other ways would not help.
    result, walker = best(attempt, MORE if 0.0 < given < AUTO["catch_m_s"] else 0, given)
    if to_rest and not kept(result, walker):
        return _led(job, walker_of(job, gaits, walker.style), context.within(0.9, 1.0), supervise, to_rest=True)
    return result


def walker_of(job: Job, gaits: dict[str, Gait] | None = None, style: BalanceStyle | None = None) -> Walker:
    """Who walks a job. ``style``: as ``Walker`` takes it."""
    from ..control.styles import held
    from ..control.walker import STAND, Walker
    from ..load import carrying

    wish: Settings = job.settings
    body, manner, setting_off = presets.body(job.body), _style_of(wish), None
    own = {**{name: _gait_of(wish, name) for name in wish.fits}, **(gaits or {})}
    step_width = wish.step_width or None
    if manner and wish.exaggerate:
        own = {**own, wish.gait: (gaits or {}).get(wish.gait) or _in_style(wish)}
        # It sets off in the natural gait, but for how arms and head are held: a walk that is slow or bent would not get going. Who has a load leans.
        natural = _gait_of(wish, wish.gait)
        if manner.load:
            poses = zip(natural.states, own[wish.gait].states, strict=True)
            natural = replace(natural, states=tuple(replace(pose, torso=bent.torso) for pose, bent in poses))
        setting_off = replace(natural, style=replace(own[wish.gait].style, toe_out=natural.style.toe_out, unsteady=natural.style.unsteady))
        body = carrying(body, held(wish.exaggerate) * manner.load)
        step_width = step_width and max(NARROWEST, step_width + held(wish.exaggerate) * manner.step_width)
    if job.played:
        return Walker(body, job, STAND, own, start="rest", stance_width=wish.stance_width or 0.0, step_width=step_width, arm_spread=wish.arm_spread,
                      slope_adaptation=wish.slope_adaptation, refuge=wish.catches_itself)
    return Walker(body, job, wish.gait, own, start=wish.start, stance_width=wish.stance_width or 0.0,
                  step_width=step_width, arm_spread=wish.arm_spread, slope_adaptation=wish.slope_adaptation,
                  feedback_gain=wish.feedback_gain if wish.feedforward else None, style=style, stops=wish.at_end == "stop",
                  refuge=wish.catches_itself, setting_off=setting_off)


def idle(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Those that mean nothing now: styles are for gaits that have the walk's states, and there is nothing to exaggerate without one."""
    if _shape(settings["gait"]) != _shape(STYLED):
        return ("style", "exaggerate")
    return ("exaggerate",) if settings["style"] == "none" else ()


@cache
def _shape(name: str) -> tuple[str, int, bool]:
    """How the legs of a gait go, how many states it has, and whether both legs may carry at once, as in a walk."""
    data = presets.load("gaits", name)
    return data.get("legs", "alternate"), len(data["states"]), data.get("style", {}).get("share_load", True)


def _style_of(settings: Settings) -> WalkStyle | None:
    from ..control.styles import NONE, load_style

    return None if settings.style == NONE else load_style(settings.style)


def _in_style(settings: Settings) -> Gait:
    from ..control.styles import load_style, styled

    return styled(_gait_of(settings, settings.gait), load_style(settings.style), settings.exaggerate)


def _gait_of(settings: Settings, name: str) -> Gait:
    """As it was fitted to the body, else as the preset or the file has it."""
    from ..control.gait import gait_from_dict, load_gait

    return gait_from_dict(settings.fits[name], name) if name in settings.fits else load_gait(name)


def _planar(request: Request) -> bool:
    return presets.body(request.given.get("body", "average_man")).planar
