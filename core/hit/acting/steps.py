"""Steps that land elsewhere than physics has them: smaller ones of a smaller reaction, and one that lands on a mark.

A foot that stands stays where it is. Between two stances it swings to where it stands next, and the pelvis goes along.
"""

from __future__ import annotations

import numpy as np

from ... import feet
from ...arrays import Array, Bools
from ...body import Body
from ...feet import legs, sole
from ...motion import Motion
from ...signals import runs
from .scene import Scene

SLOW_M_S, LOW_M = 0.3, 0.03  # of the point of a sole that is slowest, and of its lowest one: a foot that stands
SHORTEST_S = 0.06  # s of a stance, or of a swing
SETTLED_S = 1.5  # s after the last hit, at which a body has gone where the hit sends it
FURTHEST = 0.5  # leg lengths by which a step is moved, at most
NARROW, CLOSER = 0.1, 0.85  # leg lengths between the ankles, at least, or, where physics has less, a share of that
SMALLER = np.linspace(1.0, 0.0, 6)  # of the way that steps are made smaller, that are tried
SINKS = 0.09  # leg lengths that the pelvis may come down for a step that is moved


def standing(body: Body, motion: Motion) -> Bools:
    """(F, 2) whether each foot stands, by how it moves."""
    soles = feet.soles(body, motion)
    slow = np.linalg.norm(sole.velocities(soles, motion.fps)[..., :2], axis=-1).min(axis=2) < SLOW_M_S
    stands = np.asarray(slow & (soles[..., 2].min(axis=2) < LOW_M), bool)
    for foot in (0, 1):
        for value in (False, True):
            for start, end in runs(stands[:, foot] == value):
                if end - start < SHORTEST_S * motion.fps and start > 0 and end < motion.frames:
                    stands[start:end, foot] = not value
    return stands


class Steps:
    """The stances of a body that was hit, and by how much each of them is moved.

    Attributes:
        shifts: (F, 2, 2) m, world, by which each foot is moved. root: (F, 2) m, the pelvis.
        note: a sentence for the report, or "".
    """

    def __init__(self, scene: Scene) -> None:
        self._scene, body = scene, scene.body
        self._ankles = scene.motion.world()[0][:, [feet.link(body, "foot", foot) for foot in (0, 1)], :2]
        self._stances = [(foot, start, end) for foot in (0, 1) for start, end in runs(standing(body, scene.motion)[:, foot])]
        self._moves = np.zeros((len(self._stances), 2))
        self.note = ""

    @property
    def shifts(self) -> Array:
        found = np.zeros(self._ankles.shape)
        for foot in (0, 1):
            before, moved, hit = 0, np.zeros(2), self._scene.first + 1
            for (own, start, end), move in zip(self._stances, self._moves, strict=True):
                if own != foot:
                    continue
                # As far as the foot has come on its way: it is not moved while it does not move, and not before the hit.
                before = max(before, min(hit, start))
                left = max(before - 1, 0)
                way = np.linalg.norm(np.diff(self._ankles[left:start + 1, foot], axis=0), axis=1)
                gone = np.append(0.0, np.cumsum(way))[before - left:start - left, None] / max(float(way.sum()), 1e-9)
                found[before:start, foot] = moved + gone * (move - moved)
                found[start:end, foot] = move
                before, moved = end, move
            found[before:, foot] = moved
        return found

    @property
    def over(self) -> int:
        """The frame from which on nothing is moved any further."""
        changes = np.flatnonzero(np.abs(np.diff(self.shifts, axis=0)).max(axis=(1, 2)) > 1e-12)
        return int(changes[-1]) + 1 if len(changes) else 0

    @property
    def root(self) -> Array:
        return np.asarray(self.shifts.mean(axis=1))

    def smaller(self, factor: float) -> None:
        """Let each step go only ``factor`` (≤ 1) of the way off the clip's."""
        scene = self._scene
        own = scene.clip.world()[0][:, [feet.link(scene.body, "foot", foot) for foot in (0, 1)], :2]
        settled = min(scene.back, scene.motion.frames - 1, int((max(hit.end for hit in scene.hits) + SETTLED_S) * scene.fps))
        both = all(any(stance[0] == foot and stance[1] > scene.first for stance in self._stances) for foot in (0, 1))
        last = (scene.motion.root_positions - scene.clip.root_positions)[settled, :2] if both else np.zeros(2)
        # Where a foot swings while the body is back already, it has stood before that where it then goes on.
        latest = [max((start for own_foot, start, _ in self._stances if own_foot == foot and start <= scene.back), default=0) for foot in (0, 1)]
        moves = np.zeros_like(self._moves)
        for number, (foot, start, end) in enumerate(self._stances):
            if start > scene.first:
                away = (self._ankles - own)[start:end, foot].mean(axis=0)
                moves[number] = (factor - 1.0) * (last if end > settled or start >= latest[foot] else away)
        for share in SMALLER:
            self._moves = share * moves
            if self._in_reach():
                break

    def onto(self, mark: Array) -> None:
        """Let the first step after the hit land with the middle of its sole on a mark (2,) m, or as near to it as it can."""
        scene, begins = self._scene, self._scene.first + self._scene.delay * self._scene.fps
        landings = [number for number, (_, start, _) in enumerate(self._stances) if begins < start < scene.back]
        if not landings:
            self.note = "It took no step, so the mark to step on was not used: hit it harder."
            return
        number = min(landings, key=lambda one: self._stances[one][1])
        foot, start, end = self._stances[number]
        middle = feet.soles(scene.body, scene.motion)[start:end, foot, :, :2].mean(axis=1)
        lands = middle[len(middle) // 2] + self._moves[number]
        wanted, before = mark - lands, self._moves.copy()
        far = float(np.linalg.norm(wanted))
        for share in np.linspace(min(1.0, FURTHEST * scene.body.leg_length / max(far, 1e-9)), 0.0, 21):
            self._moves = before.copy()
            self._follow(number, share * wanted)
            if self._in_reach():
                break
        if share < 1.0:
            self.note = (f"The mark to step on is {100 * far:.0f} cm from where the step would land, further than it can go: "
                         f"it lands {100 * (1.0 - share) * far:.0f} cm from the mark.")

    def _follow(self, number: int, move: Array) -> None:
        """Move a stance, and with it what comes after it, if the other foot comes along; else the foot steps back beside that."""
        foot, start, _ = self._stances[number]
        along = any(own != foot and begins > start for own, begins, _ in self._stances)
        self._moves[number] += move
        for other, (_, begins, _) in enumerate(self._stances):
            if begins > start and along:
                self._moves[other] += move

    def _in_reach(self) -> bool:
        """Whether the legs reach the feet where they are moved, and do not stand on each other."""
        scene, body = self._scene, self._scene.body
        shifts = np.concatenate([self.shifts, np.zeros((*self.shifts.shape[:2], 1))], axis=2)
        ankles = scene.motion.world()[0][:, [feet.link(body, "foot", foot) for foot in (0, 1)]]
        moved = scene.motion.displace(shifts.mean(axis=1))
        both = np.ones(shifts.shape[:2], dtype=bool)
        drop = [one.root_positions[:, 2] - legs.lowered(body, one, goals, both).root_positions[:, 2]
                for one, goals in ((moved, ankles + shifts), (scene.motion, ankles))]
        apart = np.linalg.norm((ankles + shifts)[:, 0, :2] - (ankles + shifts)[:, 1, :2], axis=1)
        near = np.linalg.norm(ankles[:, 0, :2] - ankles[:, 1, :2], axis=1)
        return bool((drop[0] - drop[1]).max() < SINKS * body.leg_length and (apart >= np.minimum(CLOSER * near, NARROW * body.leg_length)).all())
