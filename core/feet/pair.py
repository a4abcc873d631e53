"""Both legs of a motion, as balls that fill them, and what it costs to bring them apart.

What can be changed on each frame: where the ankles are, level, how far the knees are turned out, and how high the pelvis is. Feet keep their height
and their orientation, knees stay hinges, and legs reach from hip to ankle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..body import Body
from ..motion import Motion
from ..rotation import hinge, hinge_angle
from ..signals import runs
from . import sole
from .banded import Banded
from .legs import STRAIGHT_KNEE, Leg, between

ROOM = 0.01  # m between the legs: balls do not fill them to the last centimetre
NEAR = 0.25  # m: balls that are never nearer to each other do not touch, whatever is changed
CROTCH = 0.25  # of the thigh, from the hip: there legs grow out of one trunk
BENT = np.radians(12.0)  # a knee that bends at least so much is not made straighter than this
# A change is m along x and y of the left ankle and rad that its knee turns out, the same of the right one, and m that the pelvis comes down. What
# each of them costs, and its acceleration (s⁻²): a pelvis moves slowly.
DOWN = 6
WEIGHTS = np.array([1.0, 1.0, 0.08, 1.0, 1.0, 0.08, 3.0])
SUDDEN = 1e-4 * np.array([1.0, 1.0, 0.08, 1.0, 1.0, 0.08, 30.0])
FARTHEST = np.array([0.2, 0.2, 0.5, 0.2, 0.2, 0.5, 0.05])  # of each, beyond which it costs so much more:
TOO_FAR = 300.0
ANKLES = np.array([True, True, False, True, True, False, False])
# What it costs besides: m that a foot slides while it stands, from frame to frame; m that a leg is too short for; m that the legs are in each other.
SLIDES, TOO_SHORT, TOUCHES = 1e6, 1e4, 500.0
FIRM = 1e8  # of what may not change at all
NUDGE = 1e-4  # m and rad, to see what a change does


@dataclass
class Pair:
    """Both legs on F frames, and what changes (F, 7) of them do (see ``WEIGHTS``).

    Attributes:
        hips, ankles: (F, 2, 3) m, world. turns: (F, 2, 4) of the thighs, world. knees: (F, 2) rad.
        stands: (F, 2) whether each foot stands. level: whether it does so on a floor. kept: (F,) whether a frame stays as it is.
        balls: of each leg those of thigh and shin, (N, 3) m in their link's frame, and of the foot, (F, N, 3) m from the ankle, world.
        radii: of each leg, m, in that order.
        pairs: (2, P) balls of the left and of the right leg that may touch.
        ahead: (F, 2) where the pelvis faces, level.
    """

    body: Body
    motion: Motion
    hips: Array
    ankles: Array
    turns: Array
    knees: Array
    stands: Bools
    kept: Bools
    level: bool
    balls: tuple[tuple[Array, Array, Array], ...]
    radii: tuple[Array, ...]
    ahead: Array
    pairs: Ints

    @classmethod
    def of(cls, body: Body, motion: Motion, stands: Bools, kept: Bools, level: bool) -> Pair:
        positions, orientations = motion.world()
        thighs, shins, feet = (np.array([sole.link(body, part, foot) for foot in (0, 1)]) for part in ("thigh", "shin", "foot"))
        balls, radii = [], []
        for foot in (0, 1):
            thigh, shin, *others = (body.flesh_of(f"{part}.{sole.SIDES[foot]}") for part in ("thigh", "shin", "foot", "toes"))
            thigh = thigh[thigh[:, 2] < CROTCH * body.offsets[shins[foot], 2]]
            placed = [positions[:, link, None] + rotation.rotate(orientations[:, link, None], one[:, :3]) - positions[:, feet[foot], None]
                      for one, link in zip(others, (feet[foot], sole.link(body, "toes", foot)), strict=True)]
            balls.append((thigh[:, :3], shin[:, :3], np.concatenate(placed, axis=1)))
            radii.append(np.concatenate([one[:, 3] for one in (thigh, shin, *others)]))
        ahead = rotation.rotate(orientations[:, 0], (1.0, 0.0, 0.0))[:, :2]
        every = np.indices((len(radii[0]), len(radii[1]))).reshape(2, -1)
        return cls(body, motion, positions[:, thighs], positions[:, feet], orientations[:, thighs], hinge_angle(motion.rotations[:, shins]), stands,
                   kept, level, tuple(balls), tuple(radii), ahead / np.linalg.norm(ahead, axis=1, keepdims=True), every).near()

    def near(self) -> Pair:
        """Without pairs of balls that are far from each other all the time."""
        apart = self._apart(self.placed(self.nothing)[0])
        return replace(self, pairs=self.pairs[:, apart.min(axis=0) < NEAR])

    def part(self, start: int, end: int) -> Pair:
        """The same on the frames from ``start`` to before ``end``."""
        motion = replace(self.motion, root_positions=self.motion.root_positions[start:end], rotations=self.motion.rotations[start:end])
        fields = {name: getattr(self, name)[start:end] for name in ("hips", "ankles", "turns", "knees", "stands", "kept", "ahead")}
        return replace(self, motion=motion, balls=tuple((thigh, shin, foot[start:end]) for thigh, shin, foot in self.balls), **fields).near()

    @property
    def nothing(self) -> Array:
        """(F, 7) the change that changes nothing."""
        return np.zeros((self.motion.frames, len(WEIGHTS)))

    @property
    def own_sides(self) -> Array:
        """(F, 7) a change to begin a search with, in which each foot is on its own side, as far out as legs need that pass each other freely. Feet
        that stand are displaced as a whole."""
        change, middle = self.nothing, self.hips[..., :2].mean(axis=1)
        left = np.stack([-self.ahead[:, 1], self.ahead[:, 0]], axis=1)
        for foot, outward in ((0, 1.0), (1, -1.0)):
            out = outward * np.sum((self.ankles[:, foot, :2] - middle) * left, axis=1)
            shift = outward * np.maximum(0.0, 0.5 * self.body.step_width - out)[:, None] * left
            for start, end in runs(self.stands[:, foot]):
                shift[start:end] = shift[start:end].mean(axis=0) if self.level else 0.0
            change[:, 3 * foot:3 * foot + 2] = np.where(self.kept[:, None], 0.0, shift)
        return change

    def hips_of(self, change: Array) -> Array:
        """(F, 2, 3) m, world."""
        return self.hips - change[:, None, DOWN:] * (0.0, 0.0, 1.0)

    def posed(self, change: Array) -> tuple[Array, Array, Array, Array]:
        """Turns of the thighs (F, 2, 4), world, knees (F, 2) rad, ankles (F, 2, 3) m that are wanted, and m (F, 2) that the legs are too short."""
        ankles = self.ankles.copy()
        ankles[..., :2] += change[:, ANKLES].reshape(-1, 2, 2)
        away = ankles - self.hips_of(change)
        far = np.linalg.norm(away, axis=-1)
        turns, knees, short = np.empty_like(self.turns), np.empty_like(self.knees), np.empty_like(self.knees)
        for foot, outward in ((0, 1.0), (1, -1.0)):
            leg = Leg(self.body, foot)
            straightest = np.minimum(self.knees[:, foot], STRAIGHT_KNEE)
            knees[:, foot] = leg.knee(far[:, foot], straightest)
            turned = rotation.multiply(between(rotation.rotate(self.turns[:, foot], leg.ankle(knees[:, foot])), away[:, foot]), self.turns[:, foot])
            out = rotation.from_axis_angle(away[:, foot] / far[:, foot, None], -outward * change[:, 3 * foot + 2])
            turns[:, foot] = rotation.multiply(out, turned)
            short[:, foot] = np.maximum(0.0, far[:, foot] - leg.distance(np.minimum(self.knees[:, foot], BENT)))
        return turns, knees, ankles, short

    def placed(self, change: Array) -> tuple[list[Array], Array]:
        """The balls of each leg, (F, N, 3) m, world, and m (F, 2) that the legs are too short."""
        turns, knees, ankles, short = self.posed(change)
        hips, legs = self.hips_of(change), []
        for foot in (0, 1):
            thigh, shin, rest = self.balls[foot]
            below = rotation.multiply(turns[:, foot], hinge(knees[:, foot]))
            knee = hips[:, foot] + rotation.rotate(turns[:, foot], Leg(self.body, foot).to_knee)
            legs.append(np.concatenate([hips[:, foot, None] + rotation.rotate(turns[:, foot, None], thigh),
                                        knee[:, None] + rotation.rotate(below[:, None], shin), ankles[:, foot, None] + rest], axis=1))
        return legs, short

    def gaps(self, change: Array) -> Array:
        """(F,) m between the legs, below 0 where they are in each other."""
        return self._apart(self.placed(change)[0]).min(axis=1)

    def searched(self, change: Array, ends: Array | None = None) -> tuple[Array, float]:
        """The change (F, 7) of least cost, looked for from one that is near it, and its cost. ``ends``: (F, 7) a change of which the first two frames
        and the last two stay."""
        form, pull = self._form(ends)
        found, cost = form.least(change, pull, self._cost, self._slope)
        return found, cost if ends is None else cost + 0.5 * float(np.sum(pull * ends))

    def bent(self, change: Array) -> Array:
        """(F, L, 4) rotations of all links."""
        turns, knees, _, _ = self.posed(change)
        _, orientations = self.motion.world()
        rotations = self.motion.rotations.copy()
        for foot in (0, 1):
            thigh, shin, ankle = (sole.link(self.body, part, foot) for part in ("thigh", "shin", "foot"))
            rotations[:, thigh] = rotation.multiply(rotation.conjugate(orientations[:, self.body.parents[thigh]]), turns[:, foot])
            rotations[:, shin] = hinge(knees[:, foot])
            rotations[:, ankle] = rotation.multiply(rotation.conjugate(rotation.multiply(turns[:, foot], rotations[:, shin])), orientations[:, ankle])
        return rotation.make_continuous(rotation.normalize(rotations))

    def _form(self, ends: Array | None) -> tuple[Banded, Array]:
        """What changes cost by themselves, and what they are pulled to, (F, 7)."""
        frames, fps = self.motion.frames, self.motion.fps
        form, pull = Banded.of(frames, len(WEIGHTS)), np.zeros((frames, len(WEIGHTS)))
        form.near += WEIGHTS + FIRM * self.kept[:, None]
        form.even(np.tile(SUDDEN * fps**4, (frames - 2, 1)))
        standing = self.stands[:, [0, 0, 0, 1, 1, 1, 0]] & ANKLES
        if self.level:
            form.still(SLIDES * (standing[1:] & standing[:-1]))
        else:
            form.near += FIRM * standing
        if ends is not None:
            for frame in (0, 1, -2, -1):
                form.near[frame] += FIRM
                pull[frame] += FIRM * ends[frame]
        return form, pull

    def _cost(self, change: Array) -> float:
        legs, short = self.placed(change)
        depth, over = ROOM - self._apart(legs), np.maximum(0.0, np.abs(change) - FARTHEST)
        return 0.5 * float(TOUCHES * np.sum(depth[depth > 0.0] ** 2) + TOO_SHORT * np.sum(short**2) + TOO_FAR * np.sum(over**2))

    def _apart(self, legs: list[Array]) -> Array:
        """(F, P) m between the balls of each pair."""
        one, other = self.pairs
        square = sum((legs[0][:, one, axis] - legs[1][:, other, axis]) ** 2 for axis in range(3))
        return np.sqrt(square) - self.radii[0][one] - self.radii[1][other]

    def _slope(self, change: Array) -> tuple[Array, Array]:
        """How the cost of touching and of legs that are too short changes, (F, 7), and about how that does, (F, 7, 7)."""
        legs, short = self.placed(change)
        moved = []
        for values in ([0, 3], [1, 4], [2, 5], [DOWN]):  # a leg does not feel what the other one does
            nudged = change.copy()
            nudged[:, values] += NUDGE
            moved.append(self.placed(nudged))
        frame, pair = np.nonzero((apart := self._apart(legs)) < ROOM)
        one, other = self.pairs[:, pair]
        off = legs[0][frame, one] - legs[1][frame, other]
        off /= np.maximum(1e-9, np.linalg.norm(off, axis=1, keepdims=True))
        left, right = (np.stack([np.sum(off * (there[0][foot] - legs[foot])[frame, ball], axis=1) / NUDGE for there in moved], axis=-1)
                       for foot, ball in ((0, one), (1, other)))
        rates = np.concatenate([left[:, :3], -right[:, :3], left[:, 3:] - right[:, 3:]], axis=1)
        depth = ROOM - apart[frame, pair]
        over, size = np.abs(change) - FARTHEST, len(WEIGHTS)
        slope = TOO_FAR * np.sign(change) * np.maximum(0.0, over)
        curve = np.eye(size) * (TOO_FAR * (over > 0.0))[:, None]
        np.add.at(slope, frame, -TOUCHES * depth[:, None] * rates)
        np.add.at(curve, frame, TOUCHES * rates[:, :, None] * rates[:, None])
        for foot in (0, 1):
            shorter = np.zeros((self.motion.frames, size))
            shorter[:, [3 * foot, 3 * foot + 1, 3 * foot + 2, DOWN]] = np.stack([(there[1] - short)[:, foot] / NUDGE for there in moved], axis=-1)
            slope += TOO_SHORT * short[:, foot, None] * shorter
            curve += TOO_SHORT * shorter[:, :, None] * shorter[:, None]
        return slope, curve
