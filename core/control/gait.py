"""Gait: the parameters of a SIMBICON controller, as data.

A gait preset is JSON. Angles are in radians in the thesis's sign (section 7.4, table 7.1): positive swings a leg forward, lifts
the toes; a knee bends negatively; a torso leans forward negatively. A coronal angle is positive when the leg goes to the left
while the *left* leg is stance; it is mirrored for the other half of the cycle, and so is everything else.

    name, description, made_by      what it is, and the command that found it
    reference                       {"mass": kg, "leg_length": m}: the body its gains and times are meant for
    legs                            "alternate" (walks, runs) or "together" (standing, two-foot hop)
    planar                          true: for the planar biped only
    speed                           m/s it goes at by itself
    states                          the poses of half a cycle, see ``GaitPose``
    right                           the same while the right leg stands, where the legs differ (limping); coronal angles are written for a left stance
    gains                           {joint: [kp N·m/rad, kd N·m·s/rad, limit N·m]}, see GAINS
    style                           arm swing, elbow bend, …, see ``Style``
    start                           pose and velocity to start from, where it cannot start from rest
    stride                          the same, in full stride on its left leg: where it begins in stride, it finds that of a body from here
    time_step                       s, the largest simulation step that it is meant for
    balance                         true: stands by the standing balance of ``balance``, and not by its states
    variants                        names of gaits that are this one at other speeds, or what they have other than it; parameters are interpolated
    refuge                          name of a sturdier gait that it goes over into while it is pushed harder than it takes, where it is to go slower
                                    than it can, and where legs collide
    slowest                         m/s, below which its refuge walks
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from math import copysign, isfinite, pi
from pathlib import Path
from typing import Any

from .. import presets
from ..errors import JobError
from .pd import Gain

GAINS = ("pelvis", "back", "neck", "shoulder", "elbow", "swing_hip", "swing_knee", "stance_knee", "swing_ankle", "stance_ankle", "toe")

# Between which numbers of a pose and of its style stay when a search moves them or a style is exaggerated.
FACTOR = (0.05, 4.0)
BOUNDS = {"duration": (0.08, 0.8), "swing_knee": (-2.5, -0.02), "stance_knee": (-1.5, -0.02), "cd": (-1.0, 4.0), "cv": (-0.2, 1.2),
          "torso": (-0.9, 0.5), **dict.fromkeys(("swing_hip_gain", "swing_knee_gain", "stance_knee_gain", "swing_ankle_gain",
                                                 "stance_ankle_gain", "toe_gain"), FACTOR)}
STYLE_BOUNDS = {"ease": (0.0, 0.2), "ankle_ease": (0.0, 0.2), "arm_swing": (-0.5, 2.0), "arm_spread": (-0.3, 1.5), "elbow": (0.0, 2.4),
                "elbow_swing": (-2.0, 2.0), "pelvis_share": (0.0, 1.0), "level_head": (0.0, 1.0), "head_down": (-0.6, 0.8),
                "head_aside": (-0.6, 0.6), "toe_out": (-0.5, 0.7), "forward": (-1.0, 2.5), "out": (-0.4, 1.5), "turn": (-1.4, 1.4),
                "bend": (-1.0, 2.2), "swing": (-2.0, 2.0), "course": (0.0, 1.0), "sway": (0.0, 0.5), "place": (0.0, 0.4), "pace": (0.0, 0.6)}


@dataclass(frozen=True)
class GaitPose:
    """One state of the machine: the pose that it aims at, and the feedback while it does. Pairs are (sagittal, coronal).

    Attributes:
        duration: seconds; None: until the swing foot strikes the ground (or, legs together, until both feet do).
        ahead: m; the state also ends as soon as the hips are so far ahead of the stance ankle (Wang 2009, section 3). None: it does not.
        torso: lean of trunk and pelvis in the world. swing_hip: thigh in the world, before balance feedback.
        swing_knee, swing_ankle, stance_knee, stance_ankle, swing_toe, stance_toe: relative to the parent.
        cd, cv: swing hip feedback on distance (rad/m) and velocity (rad·s/m) of the hips from the stance ankle (eq. 7.1).
        ankle_cd, ankle_cv: the same for the stance ankle; positive presses the toes (or the outer edge) down against a drift.
        airborne: legs together only: the feet are expected off the ground, so that both legs take the swing pose.
        turn: about the vertical, of pelvis and torso; positive brings the side of the swing leg forward.
        drop: of the pelvis, towards the side of the swing leg.
        swing_hip_gain, … toe_gain: factors of the gains of these joints in this state: a knee that swings is nearly passive, an ankle pushes off.
    """

    duration: float | None
    ahead: float | None = None
    torso: tuple[float, float] = (0.0, 0.0)
    swing_hip: tuple[float, float] = (0.0, 0.0)
    swing_knee: float = 0.0
    swing_ankle: tuple[float, float] = (0.0, 0.0)
    stance_knee: float = 0.0
    stance_ankle: tuple[float, float] = (0.0, 0.0)
    swing_toe: float = 0.0
    stance_toe: float = 0.0
    cd: tuple[float, float] = (0.0, 0.0)
    cv: tuple[float, float] = (0.0, 0.0)
    ankle_cd: tuple[float, float] = (0.0, 0.0)
    ankle_cv: tuple[float, float] = (0.0, 0.0)
    airborne: bool = False
    turn: tuple[float, float] = (0.0, 0.0)
    drop: float = 0.0
    swing_hip_gain: float = 1.0
    swing_knee_gain: float = 1.0
    stance_knee_gain: float = 1.0
    swing_ankle_gain: float = 1.0
    stance_ankle_gain: float = 1.0
    toe_gain: float = 1.0


@dataclass(frozen=True)
class ArmPose:
    """How an arm is held otherwise than both are, rad.

    Attributes:
        forward, out: of the upper arm. turn: of the upper arm about itself; positive turns the hand of a bent arm inward.
        bend: of the elbow, more. swing: added to the arm swing of ``Style``.
    """

    forward: float = 0.0
    out: float = 0.0
    turn: float = 0.0
    bend: float = 0.0
    swing: float = 0.0


@dataclass(frozen=True)
class Unsteady:
    """How far it slowly wanders, to both sides, by chance (see ``wander``).

    Attributes:
        course: rad, of the heading. sway: rad, of torso and head. place: rad, of where the swing leg goes, ahead and across.
        pace: share of the states' durations.
    """

    course: float = 0.0
    sway: float = 0.0
    place: float = 0.0
    pace: float = 0.0


@dataclass(frozen=True)
class Style:
    """What makes it look like a person, and options of the law.

    Attributes:
        arm_swing: shoulder angle per difference of the hip angles (Wang 2009, eq. 2). arm_spread: shoulder, outward.
        elbow: bend, positive. ease: seconds over which a new state's pose is faded in, of swing hip and knees. ankle_ease: the same of the ankles.
        world_ankle: the swing foot keeps its angle to the ground, and not to the shin (Wang 2009, section 3).
        share_load: both hips carry the trunk, each by the load on its foot; else only the stance hip does, as in the thesis, which
            suits runs, whose legs change roles before their feet do.
        pelvis_share: fraction of the torso's lean that the pelvis takes. level_head: fraction of it that the neck takes back.
        sideways: radians added to the swing hip towards the left whichever leg swings: a walk to the side (section 7.7.2).
        slope_hip, slope_torso, slope_knee: with slope adaptation, radians of swing hip, of forward lean and of swing knee bend per
            radian of slope.
        feels_slope: without slope adaptation, the share of the slope under the feet that it adapts to, as soon as they press on it.
        counter_turn: share of the twist that the feet cannot hold which the torso takes, so that the pelvis does not spin in flight.
        elbow_swing: elbow bend per shoulder angle that an arm swings forward.
        head_down, head_aside: rad, of the head on the torso, forward and to the left. toe_out: rad, of the swing leg and its foot about the vertical.
        left_arm, right_arm: how each arm is held otherwise. unsteady: how it wanders.
    """

    arm_swing: float = 0.5
    arm_spread: float = 0.1
    elbow: float = 0.35
    ease: float = 0.0
    ankle_ease: float = 0.0
    world_ankle: bool = True
    share_load: bool = True
    pelvis_share: float = 0.5
    level_head: float = 0.0
    sideways: float = 0.0
    slope_hip: float = 0.7
    slope_torso: float = 0.5
    slope_knee: float = 0.0
    feels_slope: float = 0.0
    counter_turn: float = 0.0
    elbow_swing: float = 0.0
    head_down: float = 0.0
    head_aside: float = 0.0
    toe_out: float = 0.0
    left_arm: ArmPose = ArmPose()
    right_arm: ArmPose = ArmPose()
    unsteady: Unsteady = Unsteady()

    @property
    def acts(self) -> bool:
        """Whether arms or head are held otherwise than in a plain walk."""
        return bool(self.head_down or self.head_aside) or (self.left_arm, self.right_arm) != (ArmPose(), ArmPose())


@dataclass(frozen=True)
class Gait:
    name: str
    states: tuple[GaitPose, ...]
    gains: dict[str, Gain]
    description: str = ""
    reference: dict[str, float] = field(default_factory=lambda: {"mass": 73.0, "leg_length": 0.86})
    legs: str = "alternate"
    planar: bool = False
    speed: float = 0.0
    style: Style = Style()
    start: dict[str, Any] | None = None
    stride: dict[str, Any] | None = None
    time_step: float = 0.002
    balance: bool = False
    variants: tuple[Gait, ...] = ()
    refuge: Gait | None = None
    slowest: float = 0.0
    right: tuple[GaitPose, ...] = ()

    def poses(self, stance: int) -> tuple[GaitPose, ...]:
        """The states of the half cycle in which a leg stands: 0 left, 1 right."""
        return self.right if stance and self.right else self.states

    @property
    def way(self) -> float:
        """rad, from where it faces to where it goes by itself: 0 ahead, π backward, ±π/2 to the left or right."""
        if self.speed or not self.style.sideways:
            return pi if self.speed < 0.0 else 0.0
        return copysign(0.5 * pi, -self.style.sideways)

    def at_speed(self, speed: float) -> Gait:
        """The gait's parameters at a speed (m/s), interpolated between its variants; itself where it has none."""
        family = sorted((self, *self.variants), key=lambda gait: gait.speed)
        for slower, faster in pairwise(family):
            if speed <= faster.speed or faster is family[-1]:
                fraction = (speed - slower.speed) / (faster.speed - slower.speed)
                return replace(blend(slower, faster, max(0.0, min(1.0, fraction))), name=self.name, variants=self.variants)
        return self

    def scaled(self, mass: float, leg_length: float) -> Gait:
        """The same gait on another body by dynamic similarity: torques with m·L, times with √L, feedback with 1/L and 1/√L."""
        length = leg_length / self.reference["leg_length"]
        torque = mass / self.reference["mass"] * length
        pace = length**0.5

        def over(pair: tuple[float, float], by: float) -> tuple[float, float]:
            return (pair[0] / by, pair[1] / by)

        def pose(p: GaitPose) -> GaitPose:
            return replace(p, duration=None if p.duration is None else p.duration * pace, ahead=None if p.ahead is None else p.ahead * length,
                           cd=over(p.cd, length), cv=over(p.cv, pace), ankle_cd=over(p.ankle_cd, length), ankle_cv=over(p.ankle_cv, pace))

        return replace(self, states=tuple(pose(p) for p in self.states), right=tuple(pose(p) for p in self.right), speed=self.speed * pace,
                       slowest=self.slowest * pace,
                       style=replace(self.style, ease=self.style.ease * pace, ankle_ease=self.style.ankle_ease * pace),
                       gains={name: (kp * torque, kd * torque * pace, limit * torque) for name, (kp, kd, limit) in self.gains.items()},
                       reference={"mass": mass, "leg_length": leg_length},
                       variants=tuple(variant.scaled(mass, leg_length) for variant in self.variants),
                       refuge=self.refuge and self.refuge.scaled(mass, leg_length))


def lowered(gait: Gait, factor: float) -> Gait:
    """The gait with softer feedback at the trunk, for when feedforward torques do the work (section 7.6). Not at the arms: softer, they
    would sway by themselves at about the pace of the steps, and what is learned would feed that."""
    soft = ("pelvis", "back", "neck")
    gains = {name: (kp * factor, kd * factor, limit) if name in soft else (kp, kd, limit) for name, (kp, kd, limit) in gait.gains.items()}
    return replace(gait, gains=gains)


def can_blend(a: Gait, b: Gait) -> bool:
    """Whether the states of two gaits correspond one to one."""
    return (a.legs == b.legs and len(a.states) == len(b.states)
            and all((p.duration is None, p.ahead is None) == (q.duration is None, q.ahead is None)
                    for p, q in zip(a.states, b.states, strict=True)))


def blend(a: Gait, b: Gait, fraction: float) -> Gait:
    """Parameters between two gaits (thesis, section 7.7.2): a ``fraction`` of 0 is a, of 1 is b. Names and variants are a's."""
    def mix(x: Any, y: Any) -> Any:
        if isinstance(x, tuple):
            return tuple(mix(v, w) for v, w in zip(x, y, strict=True))
        if is_dataclass(x) and not isinstance(x, type):
            if x == y:
                return x
            return type(x)(**{f.name: mix(getattr(x, f.name), getattr(y, f.name)) for f in fields(x)})
        return x if x is None or isinstance(x, bool) else x + (y - x) * fraction

    right = mix(a.poses(1), b.poses(1)) if a.right or b.right else ()
    return replace(a, states=mix(a.states, b.states), right=right, style=mix(a.style, b.style),
                   gains={name: mix(gain, b.gains[name]) for name, gain in a.gains.items()}, speed=mix(a.speed, b.speed))


LEGS = ("alternate", "together")
_LEGS_ONLY = ("back", "neck", "shoulder", "elbow", "toe")  # joints that the planar biped lacks


def load_gait(name: str) -> Gait:
    """The gait of a preset's name, or of the path of a gait file."""
    return make_gait(presets.load("gaits", name), Path(name).stem)


def make_gait(data: dict[str, Any], name: str) -> Gait:
    """A gait from a preset's data, with the gaits that it names as its variants at other speeds."""
    return gait_from_dict(whole_data(data), name)


def whole_data(data: dict[str, Any]) -> dict[str, Any]:
    """A preset's data with the gaits in it that it names as its variants, each of them whole."""
    named = [presets.load("gaits", variant) if isinstance(variant, str) else variant for variant in data.get("variants", [])]
    return {**data, "variants": [{**data, **variant, "variants": []} for variant in named]}


def gait_from_dict(data: dict[str, Any], name: str) -> Gait:
    """A gait from data that is whole, with its variants in it. Errors name the field."""
    known = [f.name for f in fields(Gait)] + ["made_by"]
    for key in data:
        if key not in known:
            raise JobError(f"Gait '{name}' has no field '{key}'; known are {', '.join(known)}.")
    if not isinstance(data.get("states"), list) or not data["states"]:
        raise JobError(f"Gait '{name}': states must be a list of one or more poses.")
    if not isinstance(data.get("gains"), dict):
        raise JobError(f"Gait '{name}': gains must be an object of [kp, kd, limit].")
    right = data.get("right", [])
    if not isinstance(right, list) or len(right) not in (0, len(data["states"])):
        raise JobError(f"Gait '{name}': right must be a list of as many poses as states, or left out.")
    legs = data.get("legs", "alternate")
    if legs not in LEGS:
        raise JobError(f"Gait '{name}': legs is {legs!r}; allowed are 'alternate' and 'together'.")
    reference = data.get("reference", {"mass": 73.0, "leg_length": 0.86})
    for key in ("mass", "leg_length"):
        if not isinstance(reference, dict) or not _is_number(reference.get(key)) or reference[key] <= 0:
            raise JobError(f"Gait '{name}': reference needs a mass (kg) and a leg_length (m) above 0.")
    gait = Gait(name=name, states=tuple(_pose(state, name, number) for number, state in enumerate(data["states"])),
                gains=_gains(data, name), description=data.get("description", ""), reference=reference, legs=legs,
                planar=data.get("planar", False), speed=data.get("speed", 0.0), style=_style(data.get("style", {}), name),
                start=data.get("start"), stride=data.get("stride"),
                time_step=data.get("time_step", 0.002), balance=data.get("balance", False),
                right=tuple(_pose(state, name, number, "right") for number, state in enumerate(right)),
                slowest=data.get("slowest", 0.0))
    variants = tuple(gait_from_dict({**data, "variants": [], **variant, "refuge": None}, name) for variant in data.get("variants", []))
    for number, variant in enumerate(variants):
        if not can_blend(gait, variant):
            raise JobError(f"Gait '{name}': variants[{number}] has other states than the gait itself; give it as many, ending alike.")
        if variant.speed in [other.speed for other in (gait, *variants[:number])]:
            raise JobError(f"Gait '{name}': variants[{number}] is at {variant.speed:g} m/s, as another one is; give each its own speed.")
    return replace(gait, variants=variants, refuge=load_gait(data["refuge"]) if data.get("refuge") else None)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _pose(state: object, name: str, number: int, half: str = "states") -> GaitPose:
    known, where = {f.name: f for f in fields(GaitPose)}, f"Gait '{name}': {half}[{number}]"
    if not isinstance(state, dict) or "duration" not in state:
        raise JobError(f"{where} must be an object with a duration (seconds, or null until the foot strikes) and angles.")
    values: dict[str, Any] = {}
    for key, value in state.items():
        if key not in known:
            raise JobError(f"{where} has no parameter '{key}'; known are {', '.join(known)}.")
        if "tuple" in known[key].type:
            pair = value if isinstance(value, list) else [value, 0.0]
            if len(pair) != 2 or not all(_is_number(item) for item in pair):
                raise JobError(f"{where}.{key} must be a number or [sagittal, coronal], not {value!r}.")
            values[key] = (float(pair[0]), float(pair[1]))
            continue
        if key in ("duration", "ahead"):
            if value is not None and not (_is_number(value) and (value >= 0 or key == "ahead")):
                raise JobError(f"{where}.{key} must be {'seconds' if key == 'duration' else 'metres'} or null, not {value!r}.")
        elif known[key].type == "float" and not _is_number(value):
            raise JobError(f"{where}.{key} must be a number, not {value!r}.")
        values[key] = value
    return GaitPose(**values)


def _gains(data: dict[str, Any], name: str) -> dict[str, Gain]:
    for key in data["gains"]:
        if key not in GAINS:
            raise JobError(f"Gait '{name}': gains has no joint '{key}'; known are {', '.join(GAINS)}.")
    gains = {}
    for key in GAINS:
        value = data["gains"].get(key)
        if value is None:
            if data.get("planar") and key in _LEGS_ONLY:
                continue
            raise JobError(f"Gait '{name}': gains.{key} is missing.")
        if not isinstance(value, (list, tuple)) or len(value) not in (2, 3) or not all(_is_number(item) for item in value):
            raise JobError(f"Gait '{name}': gains.{key} must be [kp, kd] or [kp, kd, limit], not {value!r}.")
        # The thesis limits a joint's torque to kp (section 7.7); a third number overrides it.
        kp, kd, *limit = value
        gains[key] = (float(kp), float(kd), float(limit[0]) if limit else float(kp))
    return gains


def _style(data: dict[str, Any], name: str) -> Style:
    known = [f.name for f in fields(Style)]
    for key in data:
        if key not in known:
            raise JobError(f"Gait '{name}': style has no parameter '{key}'; known are {', '.join(known)}.")
    parts: dict[str, Any] = {"left_arm": ArmPose, "right_arm": ArmPose, "unsteady": Unsteady}
    return Style(**{key: _part(parts[key], value, f"Gait '{name}': style.{key}") if key in parts else value for key, value in data.items()})


def _part(kind: type, value: object, where: str) -> Any:
    known = [f.name for f in fields(kind)]
    if not isinstance(value, dict) or not set(value) <= set(known) or not all(_is_number(item) for item in value.values()):
        raise JobError(f"{where} is {value!r}; allowed is an object of numbers by name: {', '.join(known)}.")
    return kind(**value)
