"""What happened, in plain words and in frames of the scene."""

from __future__ import annotations

import numpy as np

from ..core.feet import slide
from ..core.measure import gait
from ..core.measure.following import following
from ..core.measure.report import RUNNING_FLIGHT, WALKED_M, fall_direction, got_up, push_count, times
from ..core.measure.span import fall_frame, upright
from ..core.measure.way import Hindrance, hindrance, ran_into
from ..core.result import Result
from ..core.settings import title
from .bundle import ENGINES

OFF_M = 0.06  # a step that is this much longer, shorter, wider or narrower than usual answers a push
ANSWER_S = 4.0  # steps later than this after a push do not answer it
AWAY_M, AWAY_SPEED = 0.06, 0.1  # joints that are this far off on average, or a speed off by this fraction: the recording is not followed
ASTRAY_M = 0.25  # m off the recording's way, of a character that was to keep to it
# What to try where a recording was not followed, by a setting that the method has.
INSTEAD = {"tune": "set Keep Trying to some seconds, or use another method or recording",
           "quality": "try a finer quality, a hero's strength, or to stick more to the clip"}
FEW = 3  # bones that are named
# What a search for gains came to that did not make the recording hold.
SEARCHED = {"nothing": "trying other gains changed nothing", "better": "other gains did better, but do not hold it; Keep Trying for longer"}
OTHERWISE = "try another method or recording"


def of_left_behind(bones: list[str]) -> str:
    """A sentence more, where bones stay behind that are no part of the body."""
    if not bones:
        return ""
    few = ", ".join(f"'{name}'" for name in bones[:FEW])
    named = few if len(bones) <= FEW else f"{few} and {len(bones) - FEW} more bones"
    return f" {named} {'stays' if len(bones) == 1 else 'stay'} behind, held by constraints: mute those, or move what they follow."


def sentence(result: Result, first: float, step: float, asked: float | None = None) -> str:
    """E.g. "Walked 9.8 m in 10 s, took the push at frame 96 in 2 steps, feet slid 3 mm."

    Args:
        first: the scene's frame of the result's first. step: scene frames from one result frame to the next.
        asked: s, for a result that was stopped on the way to that length.
    """
    return " ".join([_happened(result, first, step, asked) + _instead_of(result, first, step), *result.outcome.get("notes", ())])


def _instead_of(result: Result, first: float, step: float) -> str:
    """A sentence more on a walk that is in the refuge of the gait that was asked for."""
    other = result.outcome.get("instead_of")
    if other is None:
        return ""
    when = "before it found its stride" if other["fell_at"] is None else f"at frame {round(first + step * other['fell_at'] * result.fps)}"
    return (f" In {title(other['gait'])} it fell by itself {when}, so it goes in {title(other['refuge'])}"
            f"{', without the style' if other['styled'] else ''}: {'Fit Again' if other['fitted'] else 'Fit to This Character'}, "
            f"under Motion, looks for a {title(other['gait'])} that holds on this body.")


def _happened(result: Result, first: float, step: float, asked: float | None) -> str:
    standing, fall = upright(result), fall_frame(result)
    events = [event for event in result.job.get("events", []) if event["type"] in ("push", "ball")]
    played = bool(result.job.get("played"))
    pushes = [] if played else sorted((event for event in events if event["time"] * result.fps < standing.frames), key=lambda event: event["time"])

    def scene_frame(frame: float) -> int:
        return round(first + step * frame)

    if fall is not None and _kept_to_clip(result):
        return f"At frame {scene_frame(fall)}: {result.outcome['reason'][0].lower()}{result.outcome['reason'][1:]}"
    if fall is not None:
        return _fall(result, scene_frame(fall), pushes, scene_frame) + _cut_off(result, scene_frame(result.frames - 1))
    hindered = hindrance(result)
    said = [_travel(standing, asked) if hindered is None else _hindered(hindered, scene_frame(hindered.frame))]
    ends = [*(event["time"] for event in pushes[1:]), float("inf")]
    said += [_took(standing, event, end, scene_frame(event["time"] * result.fps)) for event, end in zip(pushes, ends, strict=False)]
    slid = _slid(standing)
    if played and push_count(result):
        said.append(f"was pushed {times(push_count(result))}")
    # In place feet slide with the treadmill, as they are to.
    if slid and gait.steps(standing) and hindered is None and "treadmill_m_s" not in result.outcome:
        said.append(f"feet slid {1000 * np.mean(slid):.0f} mm a step")
    if result.outcome.get("cut_short"):
        said.append("but its time was over before the clip's end")
    lost = "" if pushes else _lost(result)
    if hindered is not None:
        return f"{', '.join(said)}: {_around(hindered.by)}."
    return ", ".join(said) + (f"; {lost}: {_instead(result)}." if lost else ".")


def _hindered(found: Hindrance, frame: int) -> str:
    """That the character did not get where it was going."""
    return f"Was {found.how} at frame {frame}, after {found.meters:.1f} m, by {_what(found.by)}"


def _what(thing: str | None) -> str:
    return "what is in its way" if thing is None else f"'{thing}'"


def _around(thing: str | None) -> str:
    """What to try with something in the way."""
    if thing is None:
        return "turn it another way, or move the wall or the step"
    return f"make '{thing}' lighter, move it, or lead the character around it"


def _cut_off(result: Result, frame: int) -> str:
    if not result.outcome.get("cut_short"):
        return ""
    return f" The fall ends at frame {frame}, before the engine put in energy of its own: try another frame, or another engine."


def _slid(result: Result) -> list[float]:
    """m, of each step; of someone who may lie and trail a foot only feet that bear the body count."""
    return slide.bearing_slides(result) if _of_any_clip(result) else slide.step_slides(result)


def _had_physics(result: Result) -> bool:
    return any(engine in result.made_with for engine in ENGINES)


def _of_any_clip(result: Result) -> bool:
    """Whether nobody counted steps under physics, because one may lie or fly in the clip."""
    return _had_physics(result) and "steps" not in result.outcome


def _kept_to_clip(result: Result) -> bool:
    """Whether nothing but the clip was to be followed: steps were not counted, and nothing hit the character."""
    return _of_any_clip(result) and "hit_s" not in result.outcome


def _instead(result: Result) -> str:
    tried = SEARCHED.get(result.outcome.get("search", ""))
    if tried is not None:
        return f"{tried}; {OTHERWISE}"
    return next((what for setting, what in INSTEAD.items() if setting in result.job), OTHERWISE)


def _lost(result: Result) -> str:
    """How far a character that did not fall is off the recording, if that is too far."""
    figures = following(result)
    if figures is None:
        return ""
    if figures["joint_error_m"] > AWAY_M:
        return f"joints are {100 * figures['joint_error_m']:.0f} cm off the recording"
    if _kept_to_clip(result):
        astray = np.linalg.norm(result.root_positions[:, :2] - result.reference_positions[:, 0, :2], axis=1).max()
        return f"gets {100 * astray:.0f} cm off the recording's way" if astray > ASTRAY_M else ""
    if abs(figures["speed_ratio"] - 1.0) > AWAY_SPEED:
        return f"goes at {100 * figures['speed_ratio']:.0f} % of the recording's speed"
    return ""


def _travel(result: Result, asked: float | None) -> str:
    seconds, far = f"{round(gait.duration(result), 1):g} s", gait.path_length(result)
    if asked is not None:
        seconds += f" of {round(asked, 1):g} s"
    if _of_any_clip(result):
        return f"Followed the clip for {seconds}" + (f" over {far:.1f} m" if far >= WALKED_M else "")
    if not _had_physics(result):
        return f"{'Retargeted' if result.job.get('clips') else 'Made'} {seconds} without physics, {far:.1f} m"
    if far < WALKED_M:
        return f"Stayed in place for {seconds}"
    running = gait.support(result)["flight_ratio"] > RUNNING_FLIGHT
    return f"{'Ran' if running else 'Walked'} {far:.1f} m in {seconds}"


def _took(result: Result, event: dict, end: float, frame: int) -> str:
    what = f"took the {event['type']} at frame {frame}"
    steps = answer_steps(result, event["time"], end)
    if steps is None:
        return what
    return f"{what} {'without a stumble' if not steps else 'in one step' if steps == 1 else f'in {steps} steps'}"


def answer_steps(result: Result, time: float, end: float) -> int | None:
    """How many steps it took until the steps after a push at ``time`` (s) were as those before it, before ``end`` (s), when the next push comes;
    None where there were none before."""
    steps = gait.steps(result)
    before = [step for step in steps if step.frame <= time * result.fps]
    after = [step for step in steps if time < step.frame / result.fps <= min(time + ANSWER_S, end)]
    if len(before) < 2:
        return None
    usual = {foot: np.mean([(step.length, step.width) for step in before[-6:] if step.foot == foot] or [(np.nan, np.nan)], axis=0) for foot in (0, 1)}
    off = [number for number, step in enumerate(after, start=1) if np.abs(np.array((step.length, step.width)) - usual[step.foot]).max() > OFF_M]
    return max(off, default=0)


def asked_to_fall(result: Result) -> bool:
    """Whether a fall is as it was asked for, or nothing to be told: who fell got up again."""
    return result.job.get("response") == "fall" or bool(got_up(result))


def _fall(result: Result, frame: int, pushes: list[dict], scene_frame) -> str:
    text = f"Fell {fall_direction(result)} at frame {frame}"
    if result.job.get("played"):
        return f"{text}, and was left lying: while it is played, R puts it back on its feet."
    fell_at = result.outcome["fell_at"]
    last = max((event for event in pushes if event["time"] <= fell_at), key=lambda event: event["time"], default=None)
    if last is not None and fell_at - last["time"] < ANSWER_S:
        cause = scene_frame(last["time"] * result.fps)
        if got_up(result):
            return f"{text}, after the {last['type']} at frame {cause}{got_up(result)}."
        if asked_to_fall(result):
            return f"{text}, after the {last['type']} at frame {cause}, as you asked."
        way_out = "fewer newtons, or move it by a few frames" if last["type"] == "push" else "a lighter or a slower one"
        return f"{text}, after the {last['type']} at frame {cause}: try {way_out}."
    thing = ran_into(result)
    if thing is not None:
        return f"{text}, stopped by '{thing}': {_around(thing)}."
    if result.job.get("ground", "flat") not in ("flat", {"type": "plane"}):
        return f"{text}: try a gentler slope, lower steps, lighter boxes, a way around walls, or another gait."
    if isinstance(result.job.get("start"), dict):
        return f"{text}: try to start from a pose that stands in balance, or from standing."
    if result.job.get("clips"):
        return f"{text}: {_instead(result)}."
    if result.job.get("path") or result.job.get("heading"):
        return f"{text}: try a slower turn, another speed, or the gait's own speed."
    return f"{text}: try the gait's own speed, or another gait."
