"""Hit: a recording that stays as it is until something hits the body, which takes it and goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .. import presets
from ..errors import JobError
from ..physics import choose_engine
from ..settings import REQUIRED, Choice, Clips, Data, Number, Numbers, Place, Switch, setting
from . import Command, Request, _clips
from .plan import ENGINES as PLAN_ENGINES
from .plan import FREEDOM, QUALITY, STRENGTH, WEIGHTS
from .track import LOOP_S, an_object

if TYPE_CHECKING:
    from ..context import Context
    from ..hit.task import HitTask
    from ..job import Job
    from ..result import Result

LABEL, HELP = "React to Hits", "Leave the recording as it is until a push hits the character, which takes it and goes on."
COMMAND = Command("hit", "hit the body in a clip; before the hit, and after it was taken, the clip stays as it is", fps=60.0, push_seconds=True)
EVENTS, STEERED, ENGINES = ("push", "ball"), False, ("pybullet", "mujoco")
TAKEN = 0.9  # fraction of the time after which the hit is taken, and the legs are led around each other

RESPONSE = Choice({
    "auto": "What fits the hit and how the character stands then: it flinches, balances, stumbles, or falls where nothing else will do.",
    "flinch": "The part that is hit gives way and comes back; the feet go where they went. For taps and small blows; quick.",
    "balance": "A character that stands keeps its balance with ankles, hips and steps; the clip goes on where it has come to stand.",
    "stumble": "Physics has the character: it reels, steps, keeps its balance where it can, and goes on with the clip; takes its time.",
    "fall": "It goes down like a person: arms reach for the ground, the head is kept off it, and then it lies still."})
END = Choice({
    "auto": "A walk, a run or an idle that ends as it begins goes round; a walk walks on; any other clip holds its last pose.",
    "loop": "It goes round from its beginning, or walks on with its last stride.",
    "hold": "Its last pose is held."})
AFTER_FALL = Choice({
    "lie": "It stays where it has come to lie.",
    "get_up": "It gets up as somebody in a recording of getting up does, under physics, and goes on with the clip."})
MANNER = Numbers({
    "stiffness": (1.0, Number(0.1, 10.0, soft=(0.25, 4.0)), "How hard the character holds on to its pose: less gives way further."),
    "delay": (0.15, Number(0.0, 1.0, "s", soft=(0.0, 0.4), label="Reacts After"),
              "Seconds before the character notices the hit; people need about 0.15."),
    "soft": (0.4, Number(0.0, 5.0, "s", soft=(0.0, 2.0), label="Loose For"), "Seconds after a hit that the part that was hit stays loose."),
    "back": (1.5, Number(0.2, 10.0, "s", soft=(0.5, 4.0), label="Recovers in"),
             "Seconds after a hit by which the character does exactly what the clip does again.")})
_SOFT = {part: Number(0.2, 5.0, label=f"Soft {part.title()}") for part in ("trunk", "head", "arms")}
SOFTNESS = Numbers({f"soft_{part}": (1.0, kind, f"How soft the {part} {'are' if part == 'arms' else 'is'} in the simulation: more gives way further.")
                    for part, kind in _SOFT.items()})
_SHARE = Number(0.0, 1.0)
ACTING = Numbers({
    "reaction": (1.0, Number(0.3, 3.0),
                 "How far the hit takes the body off the clip: 1 as physics has it, 0.3 hardly, 3 like on a stage."),
    "effort": (0.0, Number(-1.0, 1.0), "-1: calm, the reaction flows; 0: as physics has it; 1: frantic, it jerks and the arms beat the air."),
    "head_lag": (0.0, _SHARE, "How much the head trails behind the struck body by its weight, and swings past it."),
    "head_look": (0.0, _SHARE, "How much the head turns to where the hit came from, once it is noticed."),
    "loose_arms": (0.0, _SHARE, "How loosely the arms trail behind the body, and swing."),
    "balancing_arms": (0.0, _SHARE, "How far the arms come up and out to catch the balance, against the side that the body falls to."),
    "guarding_arms": (0.0, _SHARE, "How far the nearest hand, or both, goes to the part that was hit, to guard it.")})
PINNED = Choice({
    "free": "Hands go where the reaction takes them.",
    "left": "The left hand stays where the clip has it: on a rail, a wheel, a table.",
    "right": "The right hand stays where the clip has it: on a rail, a wheel, a table.",
    "both": "Both hands stay where the clip has them: on a rail, a wheel, a table.",
    "together": "Both hands hold one thing, as a box or a staff: they stay as far apart as in the clip, and the thing goes with the body."})


def a_held(where: str, value: Any) -> dict[str, Any]:
    """How a hit was taken, as ``hit.held`` has it: looked at when it is used."""
    if not isinstance(value, dict):
        raise JobError(f"{where} is {value!r}; allowed is what is under 'held' in the outcome of a result.")
    return value


@dataclass(frozen=True)
class Settings:
    clips: tuple[str, ...] = setting(REQUIRED, Clips(), _clips.CLIPS)
    repair: bool = setting(False, Switch(), _clips.REPAIR)
    loop: bool = setting(False, Switch(seconds=True), _clips.LOOP)
    end: str = setting("auto", END, "What the clip does where it ends before the character has taken the hit.", "After Its End")
    response: str = setting("auto", RESPONSE, "How the character takes a hit.")
    after_fall: str = setting("lie", AFTER_FALL, "What becomes of a character that falls.", "After a Fall")
    lies_for: float = setting(1.0, Number(0.0, 60.0, "s", soft=(0.0, 5.0)), "Seconds that a character lies before it gets up.")
    get_up: tuple[str, ...] = setting(
        (), Clips(most=None, least=0), "Path of a recording of somebody who lies and gets up; of several, the one that fits how the character lies.")
    manner: Mapping[str, float] = setting(MANNER.usual, MANNER, "How a hit is taken.")
    acting: Mapping[str, float] = setting(ACTING.usual, ACTING, "How what was simulated is played.")
    pinned: str = setting("free", PINNED, "Which hands stay on their prop.", "Hands on Prop")
    step_to: tuple[float, float] | None = setting(
        None, Place("where it needs to step."), "The first step after the hit lands on this place on the ground, if it is in reach.", "Step to")
    softness: Mapping[str, float] = setting(SOFTNESS.usual, SOFTNESS, "How soft parts of the body are where it flinches, balances or walks on.")
    home: bool = setting(
        False, Switch(), "A walker that was pushed aside drifts back to the clip's path in its next steps, instead of going on from there.",
        "Return to Path")
    legs_apart: bool = setting(False, Switch(), "Legs that passed through each other in the simulation go around each other in what comes out of it.")
    quality: str = setting("normal", QUALITY, "How long a way to stay up is looked for in a stumble.")
    freedom: float = setting(0.3, FREEDOM, "Of a stumble, 0: stick to the clip; 1: physics first.")
    strength: str = setting("human", STRENGTH, "How strong the character is in a stumble.", option="--character-strength")
    weights: Mapping[str, float] = setting(
        WEIGHTS.usual, WEIGHTS, "How much it matters in a stumble that a part of the body goes where the clip has it.", "Importance of Body Parts")
    gains: dict[str, Any] = setting({}, Data(an_object), "Gains of tracking in a stumble, in place of the usual ones.")
    like: dict[str, Any] = setting({}, Data(a_held), "How a hit like this one was taken: 'held' in the outcome of its result. It is tried first.")


def check(request: Request) -> None:
    _clips.refuse_planar(request)
    given = request.given
    if given.get("obstacles") or given.get("ground", {"type": "plane"})["type"] != "plane":
        what = "obstacles" if given.get("obstacles") else "ground but a flat one"
        raise JobError(f"The method 'hit' knows no {what}: leave it out, or use the method 'track'.")
    if not given.get("events"):
        raise JobError("Nothing hits the body: add a push or a ball (in a job: events) while the recording lasts.")


def complete(request: Request) -> Request:
    from ..hit.rising import refuse_others
    from ..reference.recordings import own_length

    settings = request.settings
    request = _clips.completed(request, LOOP_S if settings.loop else None)
    if settings.after_fall == "get_up":
        refuse_others(settings.get_up, settings.repair, presets.body(request.given["body"]))
    length = request.given["duration"] if settings.loop else own_length(_clips.recording_of(settings))
    for number, event in enumerate(request.given["events"]):
        if event["time"] >= length:
            raise JobError(f"events[{number}].time is {event['time']:g} s, but the clip ends at {length:.2f} s: hit it before that.")
    if request.given.get("engine", "auto") == "auto" and settings.response in ("auto", "stumble"):
        request = replace(request, given={**request.given, "engine": choose_engine("auto", _engines(request))})
    return request


def _engines(request: Request) -> tuple[str, ...]:
    """Engines in the order in which they suit a hit that may end in a stumble. Who stands or walks is caught by laws whose presets were found in
    pybullet; any other motion, as a kick or a jump, by plans, which MuJoCo tries in a third of the time."""
    from ..hit.stand import stands
    from ..reference import find_cycle
    from ..reference.recordings import lasting

    reference = lasting(_clips.recording_of(request.settings), presets.body(request.given["body"]), request.given["duration"])
    if request.settings.loop or stands(reference, reference.motion, min(event["time"] for event in request.given["events"])):
        return ENGINES
    try:
        find_cycle(reference)
    except JobError:  # it has no two steps in turn
        return PLAN_ENGINES
    return ENGINES


def run(job: Job, context: Context) -> Result:
    from ..feet.around import around
    from ..hit.take import as_before, taken

    if not job.settings.legs_apart:
        return taken(job, task_of(job), context)
    result = taken(job, task_of(job), context.within(0.0, TAKEN))
    return around(presets.body(job.body), result, as_before(result), context.within(TAKEN, 1.0, "Leading the legs around each other").tell)


def task_of(job: Job) -> HitTask:
    """How the hits of a job are to be taken."""
    from ..hit.acting.task import Acting
    from ..hit.held import Held
    from ..hit.task import HitTask, Manner

    settings = job.settings
    softness = {name.removeprefix("soft_"): soft for name, soft in settings.softness.items()}
    return HitTask(_clips.recording_of(settings), settings.response, Manner(**settings.manner, softness=softness), settings.home,
                   Held.of("like", settings.like), settings.gains, settings.quality, settings.freedom, settings.weights, settings.strength,
                   Acting(**settings.acting, pinned=settings.pinned, step_to=settings.step_to),
                   settings.after_fall, settings.get_up, settings.lies_for)


def idle(settings: Mapping[str, Any]) -> tuple[str, ...]:
    return () if settings.get("after_fall") == "get_up" else ("lies_for", "get_up")
