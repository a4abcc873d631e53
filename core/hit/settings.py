"""The preset of hits, presets/hits.json: how soft a body that flinches is, and how hard hits are by feel."""

from __future__ import annotations

from dataclasses import dataclass

from .. import presets

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


SOFTNESS = Softness(**_PRESET["flinch"])
STRENGTHS: dict[str, list[float]] = _PRESET["strengths"]  # N and s
FALL: dict = _PRESET["fall"]
"""How a body falls: "tense", "limp": of usual stiffness, before it lies, and in the end, with a "half_s" between them; "reach_s": s in which the arms
go where they catch it; "upright", "lies": of standing height; "still_rad_s", "still_m_s": slower than that for "rest_s" it lies still. "pose": rad about
x, y, z of joints, written for the left side: always, falling ahead, back, and toward that side."""
AUTO: dict[str, float] = _PRESET["auto"]  # m/s that a hit gives the whole body, below which it only flinches; of one on arms or head
