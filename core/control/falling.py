"""How a body falls that cannot be saved, after a hit or in a walk: the part "fall" of presets/hits.json."""

from __future__ import annotations

from dataclasses import dataclass

from .. import presets


@dataclass(frozen=True)
class Falling:
    """How a body falls.

    Attributes:
        tense: factor of the usual stiffness until the body lies. limp: factor of that in the end, and half_s: s in which it halves on the way there.
        arms: factor of the arms' stiffness: arms that catch the body give way.
        reach_s: s in which the arms go where they catch it.
        upright: standing heights of the pelvis, above which the body may still fall to another side. lies: standing heights of pelvis or head, below
            which it lies.
        still_rad, still_m, rest_s: a body that lies is still where its joints turn, and its pelvis moves, by less than this in rest_s (s): then the
            fall is over.
        longest_s: s that a fall takes, at most.
        gives_up_s: s before the hips of a body that tried to stay up are down, at which it begins to fall: from then on nothing would have helped.
        stands_m_s: m/s upward of the pelvis: a body that has given up for as long again and sinks more slowly than this still stands, or leans on
            something; then its legs give way.
        pose: rad about x, y, z of joints, written for the left side: always, falling ahead, falling back, and falling toward that side.
    """

    tense: float
    limp: float
    half_s: float
    arms: float
    reach_s: float
    upright: float
    lies: float
    still_rad: float
    still_m: float
    rest_s: float
    longest_s: float
    gives_up_s: float
    stands_m_s: float
    pose: dict[str, dict[str, list[float]]]


FALL = Falling(**presets.read_json(presets.FOLDER / "hits.json")["fall"])
