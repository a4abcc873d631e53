"""Gait: the parameters of a SIMBICON controller, as data.

A gait preset is JSON. Angles are in radians in the thesis's sign (section 7.4, table 7.1): positive swings a leg forward, lifts
the toes; a knee bends negatively; a torso leans forward negatively. A coronal angle is positive when the leg goes to the left
while the *left* leg is stance; it is mirrored for the other half of the cycle, and so is everything else.

    name, description, made_by      what it is, and the command that found it
    reference                       {"mass": kg, "leg_length": m}: the body its gains and times are meant for
    legs                            "alternate" (walks, runs) or "together" (standing, two-foot hop)
    planar                          true: for the planar biped only
    speed                           m/s it goes at by itself
    states                          the poses of half a cycle, see ``Pose``
    gains                           {joint: [kp N·m/rad, kd N·m·s/rad, limit N·m]}, see GAINS
    style                           arm swing, elbow bend, …, see ``Style``
    start                           pose and velocity to start from, where it cannot start from rest
    time_step                       s, the largest simulation step that it is meant for
    variants                        optional: the same parameters at other speeds, interpolated
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from ..errors import JobError

GAINS = ("pelvis", "back", "neck", "shoulder", "elbow", "swing_hip", "swing_knee", "stance_knee", "swing_ankle", "stance_ankle", "toe")


@dataclass(frozen=True)
class Pose:
    """One state of the machine. Pairs are (sagittal, coronal).

    Attributes:
        duration: seconds; None: until the swing foot strikes the ground (or, legs together, until both feet do).
        torso: lean of trunk and pelvis in the world. swing_hip: thigh in the world, before balance feedback.
        swing_knee, swing_ankle, stance_knee, stance_ankle, swing_toe, stance_toe: relative to the parent.
        cd, cv: swing hip feedback on distance (rad/m) and velocity (rad·s/m) of the hips from the stance ankle (eq. 7.1).
        ankle_cd, ankle_cv: the same for the stance ankle; positive presses the toes (or the outer edge) down against a drift.
        airborne: legs together only: the feet are expected off the ground, so that both legs take the swing pose.
    """

    duration: float | None
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


@dataclass(frozen=True)
class Style:
    """What makes it look like a person, and options of the law.

    Attributes:
        arm_swing: shoulder angle per difference of the hip angles (Wang 2009, eq. 2). arm_spread: shoulder, outward.
        elbow: bend, positive. ease: seconds over which a new state's pose is faded in.
        world_ankle: the swing foot's angle is held against the ground, not against the shin (Wang 2009, section 3).
        pelvis_share: part of the torso's lean that the pelvis takes.
        sideways: radians added to the swing hip towards the left whichever leg swings: a walk to the side (section 7.7.2).
        slope_hip, slope_torso: with slope adaptation, radians of swing hip and of forward lean per radian of slope.
    """

    arm_swing: float = 0.5
    arm_spread: float = 0.1
    elbow: float = 0.35
    ease: float = 0.0
    world_ankle: bool = True
    pelvis_share: float = 0.5
    sideways: float = 0.0
    slope_hip: float = 0.7
    slope_torso: float = 0.5


@dataclass(frozen=True)
class Gait:
    name: str
    states: tuple[Pose, ...]
    gains: dict[str, tuple[float, float, float]]
    description: str = ""
    reference: dict = field(default_factory=lambda: {"mass": 73.0, "leg_length": 0.86})
    legs: str = "alternate"
    planar: bool = False
    speed: float = 0.0
    style: Style = Style()
    start: dict | None = None
    time_step: float = 0.002
    variants: tuple[Gait, ...] = ()

    def at_speed(self, speed: float) -> Gait:
        """The gait's parameters at a speed (m/s), interpolated between its variants; itself where it has none."""
        family = sorted((self, *self.variants), key=lambda gait: gait.speed)
        for slower, faster in zip(family, family[1:]):
            if speed <= faster.speed or faster is family[-1]:
                part = (speed - slower.speed) / (faster.speed - slower.speed)
                return replace(blend(slower, faster, max(0.0, min(1.0, part))), name=self.name, variants=self.variants)
        return self

    @property
    def slowest(self) -> float:
        return min(gait.speed for gait in (self, *self.variants))

    @property
    def fastest(self) -> float:
        return max(gait.speed for gait in (self, *self.variants))

    def scaled(self, mass: float, leg_length: float) -> Gait:
        """The same gait on another body by dynamic similarity: torques with m·L, times with √L, feedback with 1/L and 1/√L."""
        length = leg_length / self.reference["leg_length"]
        torque = mass / self.reference["mass"] * length
        pace = length**0.5

        def pose(p: Pose) -> Pose:
            over = lambda pair, by: (pair[0] / by, pair[1] / by)  # noqa: E731
            return replace(p, duration=None if p.duration is None else p.duration * pace, cd=over(p.cd, length), cv=over(p.cv, pace),
                           ankle_cd=over(p.ankle_cd, length), ankle_cv=over(p.ankle_cv, pace))

        return replace(self, states=tuple(pose(p) for p in self.states), speed=self.speed * pace,
                       gains={name: (kp * torque, kd * torque * pace, limit * torque) for name, (kp, kd, limit) in self.gains.items()},
                       reference={"mass": mass, "leg_length": leg_length},
                       variants=tuple(variant.scaled(mass, leg_length) for variant in self.variants))


def lowered(gait: Gait, factor: float) -> Gait:
    """The gait with softer feedback above the hips, for when feedforward torques do the work (section 7.6)."""
    soft = ("pelvis", "back", "neck", "shoulder", "elbow")
    gains = {name: (kp * factor, kd * factor, limit) if name in soft else (kp, kd, limit) for name, (kp, kd, limit) in gait.gains.items()}
    return replace(gait, gains=gains)


def can_blend(a: Gait, b: Gait) -> bool:
    """Whether the states of two gaits correspond one to one."""
    return (a.legs == b.legs and len(a.states) == len(b.states)
            and all((p.duration is None) == (q.duration is None) for p, q in zip(a.states, b.states)))


def blend(a: Gait, b: Gait, part: float) -> Gait:
    """Parameters between two gaits (thesis, section 7.7.2): ``part`` 0 is a, 1 is b. Names and variants are a's."""
    def mix(x: object, y: object) -> object:
        if isinstance(x, tuple):
            return tuple(mix(v, w) for v, w in zip(x, y))
        return x if x is None or isinstance(x, bool) else x + (y - x) * part

    def mix_fields(x: object, y: object) -> object:
        return type(x)(**{f.name: mix(getattr(x, f.name), getattr(y, f.name)) for f in fields(x)})

    return replace(a, states=tuple(mix_fields(p, q) for p, q in zip(a.states, b.states)), style=mix_fields(a.style, b.style),
                   gains={name: mix(gain, b.gains[name]) for name, gain in a.gains.items()}, speed=mix(a.speed, b.speed))


def gait_from_dict(data: dict, name: str) -> Gait:
    """Check and build. Errors name the field."""
    def pair(value: object, where: str) -> tuple[float, float]:
        if isinstance(value, (int, float)):
            return (float(value), 0.0)
        if isinstance(value, list) and len(value) == 2:
            return (float(value[0]), float(value[1]))
        raise JobError(f"Gait '{name}': {where} must be a number or [sagittal, coronal], not {value!r}.")

    known = {f.name: f for f in fields(Pose)}
    states = []
    for number, state in enumerate(data["states"]):
        values = {}
        for key, value in state.items():
            if key not in known:
                raise JobError(f"Gait '{name}': states[{number}] has no parameter '{key}'; known are {', '.join(known)}.")
            values[key] = pair(value, f"states[{number}].{key}") if "tuple" in known[key].type else value
        states.append(Pose(**values))
    gains = {}
    for key in GAINS:
        value = data["gains"].get(key)
        if value is None:
            if data.get("planar") and key in ("back", "neck", "shoulder", "elbow", "toe"):
                continue
            raise JobError(f"Gait '{name}': gains.{key} is missing.")
        # The thesis limits a joint's torque to kp (section 7.7); a third number overrides it.
        kp, kd, *limit = value
        gains[key] = (float(kp), float(kd), float(limit[0]) if limit else float(kp))
    variants = tuple(gait_from_dict({**data, "variants": [], **variant}, name) for variant in data.get("variants", []))
    return Gait(name=name, states=tuple(states), gains=gains, description=data.get("description", ""),
                reference=data.get("reference", {"mass": 73.0, "leg_length": 0.86}), legs=data.get("legs", "alternate"),
                planar=data.get("planar", False), speed=data.get("speed", 0.0), style=Style(**data.get("style", {})), start=data.get("start"),
                time_step=data.get("time_step", 0.002), variants=variants)
