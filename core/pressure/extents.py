"""How far an action goes, such as the height of a kick or the length of a step, told by the foot pressure of all of it.

A foot that goes higher is in the air for longer, one that steps further comes down further away, and larger motions push harder. How much of that
makes how many metres is learnt from actions whose motion is known (ridge regression), left and right alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..feet import SIDES, link
from .database import Take
from .examples import Action, Example, other_side
from .features import COP_VELOCITY, Track

BEFORE_S, LONGEST_S = 0.1, 2.2  # s before its onset and after it that are looked at, up to the next action
IN_THE_AIR = 0.05  # of the weight: a foot that carries less is in the air
FEWEST = 4  # actions of a kind from which it can be learnt
SHRUNK = 1.0  # actions of average extent that are added to those that were learnt
HIGH = 0.5  # a foot that gets higher than this share of the distance between the feet kicks: its height counts


@dataclass(frozen=True, eq=False)
class Shown:
    """An action of a kind (both sides alike) with what shows how far it goes (6,), and how high a foot got and how far apart the feet were, m."""

    kind: str
    signs: Array
    height: float
    apart: float


class Extents:
    """Learns from actions; ``tell`` says how far others go."""

    def __init__(self, shown: Iterable[Shown]) -> None:
        self._kinds: dict[str, tuple[Array, Array, Array, float]] = {}
        everything = list(shown)
        for kind in {one.kind for one in everything}:
            own = [one for one in everything if one.kind == kind]
            if len(own) < FEWEST:
                continue
            signs, metres = np.array([one.signs for one in own]), np.array([measured(one, own) for one in own])
            middle, scale = signs.mean(axis=0), np.maximum(signs.std(axis=0), 1e-6)
            scaled = (signs - middle) / scale
            weights = np.linalg.solve(scaled.T @ scaled + SHRUNK * np.eye(len(middle)), scaled.T @ (metres - metres.mean()))
            self._kinds[kind] = middle, scale, weights, float(metres.mean())

    def tell(self, name: str, signs: Array) -> float | None:
        """m, of an action with signs (6,) as ``signs_of`` gives them; None where too few of its kind are known."""
        known = self._kinds.get(kind_of(name))
        if known is None:
            return None
        middle, scale, weights, usual = known
        return float((signs - middle) / scale @ weights) + usual


def measured(one: Shown, alike: list[Shown]) -> float:
    """m: how high the foot of an action got, or how far apart the feet were if that is what actions ``alike`` are about."""
    high = np.median([other.height for other in alike]) > HIGH * np.median([other.apart for other in alike])
    return one.height if high else one.apart


def kind_of(name: str) -> str:
    """What actions of this name and of the other side's are called together."""
    return min(name, other_side(name))


def signs_of(track: Track, onset: float, following: float = np.inf) -> Array:
    """(6,) of an action from its onset until before the ``following`` one, s: how long a foot is in the air (s), how far apart the feet are (m), the
    most and the least that they carry (of the weight), and how fast the centre of pressure moves ahead and to the side (m/s)."""
    on = (track.times >= onset - BEFORE_S) & (track.times <= min(onset + LONGEST_S, following - BEFORE_S))
    seen = track.per_foot[on] if on.any() else track.per_foot[-1:]
    carried = seen[:, :2].sum(axis=1)
    lifted = (seen[:, :2] < IN_THE_AIR).sum(axis=0).max() / track.rate
    return np.array([lifted, np.linalg.norm(seen[:, 6:8], axis=1).max(), carried.max(), carried.min(), *np.abs(seen[:, COP_VELOCITY]).max(axis=0)])


def shown_in(take: Take) -> list[Shown]:
    """All actions of a take that have a name."""
    places, _ = take.motion.world()
    feet = places[:, [link(take.body, "foot", side) for side in range(len(SIDES))]]
    return [Shown(kind_of(action.name), signs_of(take.example.track, action.start, _following(take.example, action)),
                  *_reached(feet, action, take.motion.fps)) for action in take.example.actions if action.name]


def _reached(feet: Array, action: Action, fps: float) -> tuple[float, float]:
    """m: how high the ankles (F, 2, 3) m get over where they are lowest, and how far apart they are, in an action."""
    seen = feet[int(action.start * fps):int(action.end * fps) + 1]
    return float(seen[..., 2].max() - feet[..., 2].min()), float(np.linalg.norm(seen[:, 0, :2] - seen[:, 1, :2], axis=1).max())


def _following(example: Example, action: Action) -> float:
    """s at which the action after this one begins."""
    return min((one.start for one in example.actions if one.start > action.start), default=np.inf)
