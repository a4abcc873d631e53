"""The preset of hits, presets/hits.json: how a body flinches, stumbles and comes back, and how hard hits are by feel. How it falls is in
``control.falling``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .. import presets
from ..control.data_driven import Gains

_PRESET = presets.read_json(presets.FOLDER / "hits.json")


@dataclass(frozen=True)
class Softness:
    """How a body flinches. A rate (rad/s) says how fast something comes back that the hit has moved: its acceleration is the rate squared times the
    angle (of the pelvis: the way) that it is off.

    Attributes:
        slack, tense: rates of a joint whose muscles rest, and of one whose muscles work. effort: fraction of its largest torque, at which a joint
            is as tense as it gets.
        root, legs: rates of the pelvis, and of the legs, which go on doing what they do.
        damping: of all of these, as a fraction of critical damping.
        numb: factor of all rates before the character reacts. limp: factor of the rates of what was struck, as long as it is soft.
        stretch: rad, at which a stretched muscle pulls twice as hard: the stretch reflex. react_s: s in which the reaction sets in, after its delay.
        fade_s: s in which what is left of the hit fades in the end.
        land_s: s before and after a stance in which a foot comes to its place in the clip, and leaves it.
    """

    slack: float
    tense: float
    effort: float
    root: float
    legs: float
    damping: float
    numb: float
    limp: float
    stretch: float
    react_s: float
    fade_s: float
    land_s: float


@dataclass(frozen=True)
class Attempt:
    """A way to track a clip after a hit.

    Attributes:
        beside: leg lengths that a swing foot keeps beside the other leg until it has passed it.
        ahead, aside: factors of how far a landing foot is moved for a body that is too fast or too far: along the way that it faces, and across.
        clearance: factor of how far the swing foot is lifted. earliest: fraction of a step that must be over before a landing counts.
        firm: fraction of its usual rate at which what was struck goes where it should, as long as it is soft.
    """

    beside: float = 0.16
    ahead: float = 1.0
    aside: float = 1.0
    clearance: float = 1.0
    earliest: float = 0.7
    firm: float = 1.0

    def bent(self, gains: Gains) -> Gains:
        """The gains of this attempt."""
        def scaled(pair: tuple[float, float]) -> tuple[float, float]:
            return (self.ahead * pair[0], self.aside * pair[1])

        return replace(gains, swing_velocity=scaled(gains.swing_velocity), swing_distance=scaled(gains.swing_distance),
                       clearance=self.clearance * gains.clearance)


@dataclass(frozen=True)
class StumbleLimits:
    """When a body that stumbles has come back to its clip, and what is good enough. Distances are m between its joints and the clip's.

    Attributes:
        like: seen from the pelvis, on average: a tracked body that is no further off than this does what the clip does.
        near: the same, of one that never gets there: it can go over into the clip.
        lost: the same, in the last tail_s (s): a tracked body that is further off was not saved.
        back: on average, but for where it is: a planned body that is no further off than this for back_s (s), and strays by no more than strays (m/s)
            then, is back.
        fade_s: s in which a body that is back turns into the clip. steps_s: the same in steps, for one that was planned and goes on.
        shuffle: m that feet may slide under load. An attempt with less is taken at once, if no joint is beyond its range by more than strain (rad).
        firm_s: s in which what was struck becomes firm again. longer_s: s that a tracked clip may take longer, as its steps wait for the feet.
        most_s, plan_s: s after the last hit in which a body whose clip goes on must be back: tracked, and planned.
    """

    like: float
    near: float
    lost: float
    tail_s: float
    back: float
    back_s: float
    strays: float
    fade_s: float
    steps_s: float
    shuffle: float
    strain: float
    firm_s: float
    longer_s: float
    most_s: float
    plan_s: float


@dataclass(frozen=True)
class Gathering:
    """How a body steps back into a clip that stands.

    Attributes:
        step_s: s that a step takes. lift: leg lengths that the foot is lifted.
        little: rad that the body turns without a step. most: rad that a foot turns in a step, at most.
    """

    step_s: float
    lift: float
    little: float
    most: float


@dataclass(frozen=True)
class GettingUp:
    """How a body that lies gets up as a recording does.

    Attributes:
        turn_m: m of joints that a rad of the pelvis counts, where it is looked for who lies most like the body.
        wait_m_s: the same, of a s in which nothing happens: of the recording until it begins to rise, and of the clip until it goes on.
        shortest_s: s in which the body goes over into the recording, at least; run_up_s: of these, while the recording moves already.
            rolls, moves: rad/s by which the pelvis and any joint turn meanwhile, on average, at most.
        lift_s: s over which a body is lifted that would be in the ground. ease_s: s in which what differs at the seam fades.
        still_m_s: m/s of every joint, below which a body that fell lies still.
        begins_s: s in which the clip gets under way again. back_s: s in which the body goes over into it. stride_s: s of a clip that goes on, in
            which the moment is looked for where it does. step_s: s after back_s in which a foot may still be on its way there.
    """

    turn_m: float
    wait_m_s: float
    shortest_s: float
    run_up_s: float
    rolls: float
    moves: float
    lift_s: float
    ease_s: float
    still_m_s: float
    begins_s: float
    back_s: float
    stride_s: float
    step_s: float


@dataclass(frozen=True)
class WayHome:
    """How a walker that was pushed aside comes back to the clip's way.

    Attributes:
        pace, turn: m/s and rad/s by which it comes nearer on average, at most. shortest_s: s that this takes, at least.
    """

    pace: float
    turn: float
    shortest_s: float


SOFTNESS = Softness(**_PRESET["flinch"])
STRENGTHS: dict[str, list[float]] = _PRESET["strengths"]  # N and s
AUTO: dict[str, float] = _PRESET["auto"]
"""What "auto" goes by. m/s that a hit gives the whole body: "flinch_m_s", below which it only flinches; "flinch_limb_m_s", the same on arms or head;
"catch_m_s", above which nobody is caught. "others": ways to keep the balance that are tried where neither a known
one nor steps have held. "stands_m_s": m/s of the pelvis, below which a clip with both feet on the ground stands."""
APART: float = _PRESET["stumble"]["apart"]  # rad that each leg is set out, so that they pass each other
STUMBLE = StumbleLimits(**_PRESET["stumble"]["limits"])
ATTEMPTS = [Attempt(**attempt) for attempt in _PRESET["stumble"]["attempts"]]
GATHER = Gathering(**_PRESET["gather"])
RISE = GettingUp(**_PRESET["get_up"])
HOME = WayHome(**_PRESET["home"])
