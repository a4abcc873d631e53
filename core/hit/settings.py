"""The preset of hits, presets/hits.json: how soft a body that flinches is, and how hard hits are by feel."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .. import presets
from ..control.data_driven import Gains

_PRESET = presets.read_json(presets.FOLDER / "hits.json")


@dataclass(frozen=True)
class Softness:
    """How fast what was moved comes back, rad/s: an acceleration is this squared times an angle (or a way, of the pelvis).

    Attributes:
        slack, tense: of a joint at rest, and at work. effort: of its largest torque, from which on it is as tense as it gets.
        root, legs: of the pelvis, and of the legs, which go on doing what they do.
        damping: of critical. numb, limp: parts of these rates, before the character reacts, and of what was struck.
        stretch: rad, at which a stretched muscle pulls twice as hard: the stretch reflex. react_s: s in which the reaction sets in, after its delay.
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


@dataclass(frozen=True)
class Attempt:
    """A way to track a clip after a hit.

    Attributes:
        beside: of the leg's length, that a swing foot keeps beside the other leg until it has passed it.
        ahead, aside: factors of what moves a landing foot for a body that is too fast or too far: along the way that it faces, and across.
        clearance: factor of what the swing foot is lifted. earliest: part of a step that must be over before a landing counts.
        firm: part of its usual rate at which what was struck goes where it should, as long as it is soft.
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


SOFTNESS = Softness(**_PRESET["flinch"])
STRENGTHS: dict[str, list[float]] = _PRESET["strengths"]  # N and s
FALL: dict = _PRESET["fall"]
"""How a body falls: "tense", "limp": of usual stiffness, before it lies, and in the end, with a "half_s" between them; "reach_s": s in which the arms
go where they catch it; "upright", "lies": of standing height; "still_rad_s", "still_m_s": slower than that for "rest_s" it lies still. "pose": rad about
x, y, z of joints, written for the left side: always, falling ahead, back, and toward that side."""
AUTO: dict[str, float] = _PRESET["auto"]
"""m/s that a hit gives the whole body: "flinch_m_s", below which it only flinches, "flinch_limb_m_s", likewise on arms or head, "catch_m_s", above which
nobody is caught."""
APART: float = _PRESET["stumble"]["apart"]  # rad that each leg is set out, so that they pass each other
ATTEMPTS = [Attempt(**attempt) for attempt in _PRESET["stumble"]["attempts"]]
