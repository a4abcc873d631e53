"""A body that plays pieces of a library one after the other without a seam, with its feet planted (thesis, section 3.5)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from .contacts import Contacts
from .joining import FADES_S, FASTEST, FASTEST_TURN, Fading, apart, turned
from .library import BEARS_S, Part
from .reach import FEET, Feet, Reach
from .recording import LEFT, RIGHT
from .shift import Shift, moved_each, onto, turn
from .stepping import Footing, Stepping
from .swaying import sway

CALM_S = 0.3  # s after something new is played, feet stay where they are
LANDED = 0.01  # m over the floor up to which a foot stands
FLIES = 0.05  # while the feet bear less than this, it hardly changes which one the body goes along with
DROP = 4.0  # rad by which the toes point down for every m that a foot is lifted


@dataclass
class Piece:
    """That is played: of a part, from ``start`` until ``end`` (s of it); ``at``: s of it at the last pose. ``active``: an action, or else
    standing; ``walks``: of a walk."""

    part: Part
    start: float
    at: float
    end: float
    active: bool = False
    walks: bool = False


@dataclass(frozen=True, eq=False)
class Raw:
    """N poses of what is played, moved to where the character is: roots (N, 3) m, rotations (N, J, 4), feet, how much each bears (N, 2), its share of
    all that is borne (N, 2), and whether it is down (N, 2)."""

    roots: Array
    rotations: Array
    feet: Feet
    bears: Array
    share: Array
    down: Bools


# Of one pose: root (3,) before the legs have lifted or lowered it, rotations (J, 4), balls (2, 3), turns (2, 4) and toes (2,) of the feet.
Whole = tuple[Array, Array, Array, Array, Array]


class Puppet:
    """Plays pieces on a body."""

    def __init__(self, body: Body, contacts: Contacts, fps: float) -> None:
        """``contacts``: what is known of the feet of the recording. ``fps``: poses a second."""
        self.body, self.fps, self._contacts = body, fps, contacts
        self._reach = Reach(body, fps)
        self._stepping: Stepping | None = None
        self._fading: Fading | None = None
        self._before: deque[Whole] = deque(maxlen=2)
        self._stood: tuple[Array, Bools] | None = None  # soles (2, P, 3) m of the last pose, and which foot stood in it
        self._bears = np.array([1.0, 1.0])  # how much each foot bore, at the last pose
        self._share = np.array([0.5, 0.5])  # of all that is borne, at the last pose
        self.piece: Piece | None = None

    def begin(self, piece: Piece) -> None:
        """Stands as a piece has it, where the pad has the feet; or else around the origin, facing ahead."""
        part, frame = piece.part, piece.part.frame(piece.at)
        stepping = Stepping(self.body, self._reach.heel_to_ball, self._contacts, self.fps)
        grounds = [part.ground(frame, foot) for foot in FEET]
        places = [contact.place for contact in (self._contacts.feet[foot][0] for foot in FEET)]
        middle = np.mean([ground[:2] for ground in grounds], axis=0)
        usual = Shift((float(middle[0]), float(middle[1])), (0.0, 0.0), -float(rotation.heading(part.motion.rotations[frame, 0])))
        found = [onto(ground, stepping.ball(place)) if place else None for ground, place in zip(grounds, places, strict=True)]
        usual = found[LEFT] or found[RIGHT] or usual
        stepping.join((found[LEFT] or usual.about(grounds[LEFT][:2]), found[RIGHT] or usual.about(grounds[RIGHT][:2])))
        self._stepping, self.piece = stepping, piece

    def join(self, piece: Piece, time: float) -> None:
        """Goes over to another piece, whose ``at`` was at the last pose; the next one is at ``time`` (s). The feet stay where they are."""
        assert self._stepping is not None and self._stood is not None
        self.piece, step = piece, 1.0 / self.fps
        frame = piece.part.frame(piece.at)
        self._stepping.join((self._onto(piece.part, frame, LEFT), self._onto(piece.part, frame, RIGHT)), self._faces())
        before = step if piece.end > piece.start else 0.0  # who holds a pose does not move
        raw = self._raw(time - np.array([2.0, 1.0]) * step, piece.at - np.array([1.0, 0.0]) * before, moving=False)
        new = [(raw.roots[n], raw.rotations[n], raw.feet.balls[n], raw.feet.turns[n], raw.feet.toes[n]) for n in (0, 1)]
        earlier, start = (_differences(one, other) for one, other in zip((self._before[0], self._before[-1]), new, strict=True))
        fastest = np.full(len(start), FASTEST_TURN)
        of_feet = np.s_[-14:]
        fastest[:3], fastest[of_feet].reshape(2, 7)[:, :3] = FASTEST, FASTEST
        rate = np.clip((start - earlier) / step, -fastest, fastest)
        starts, rates = start[of_feet].reshape(2, 7), rate[of_feet].reshape(2, 7)
        starts[:, :2] = 0.0
        for foot in np.flatnonzero(raw.down[-1]):
            # Who stands does not slide. A foot that was on its way comes to rest a little further on.
            rates[foot, :2] *= not self._stood[1][foot]
            starts[foot, :2] = -FADES_S * rates[foot, :2]
            self._stepping.moved(int(foot), *(FADES_S * rates[foot, :2]).tolist())
        self._fading = Fading(time - step, start, rate)

    def _faces(self) -> float:
        """rad, where the character faces: as its feet do while both stand, else as its pelvis."""
        assert self._stood is not None
        _, rotations, _, turns, _ = self._before[-1]
        if not self._stood[1].all():
            return float(rotation.heading(rotations[0]))
        left, right = np.unwrap(rotation.heading(turns))
        return float(left + right) / 2.0

    def _onto(self, part: Part, frame: int, foot: int) -> Shift:
        """What takes a foot as it is on a frame of a part to where it was at the last pose. A foot in the air may point anywhere: there the pelvis
        tells how all is turned."""
        assert self._stood is not None
        _, rotations, balls, turns, _ = self._before[-1]
        x, y, yaw = part.ground(frame, foot)
        faces = float(rotation.heading(turns[foot]))
        if not (self._stood[1][foot] and part.contacts[frame, foot]):
            faces, yaw = float(rotation.heading(rotations[0])), float(rotation.heading(part.motion.rotations[frame, 0]))
        return onto((x, y, yaw), (float(balls[foot, 0]), float(balls[foot, 1]), faces))

    def play(self, times: Array, sources: Array) -> tuple[Array, Array, Bools]:
        """The poses at times (N,) s of the stream, which are sources (N,) s of the part: roots (N, 3) m, rotations (N, J, 4), and whether each foot
        stands (N, 2)."""
        assert self.piece is not None
        raw = self._raw(times, sources, moving=True)
        roots, rotations, feet, above = raw.roots, raw.rotations, raw.feet, np.zeros_like(raw.bears)
        if self._fading is not None:
            joints = rotations.shape[1]
            of_root, of_joints, of_feet = np.split(self._fading.at(times), [3, 3 + 3 * joints], axis=1)
            of_feet = of_feet.reshape(len(times), 2, 7)
            roots = roots + of_root
            rotations = turned(of_joints.reshape(len(times), joints, 3), rotations)
            feet = Feet(feet.balls + of_feet[..., :3], turned(of_feet[..., 3:6], feet.turns), feet.toes + of_feet[..., 6])
            above = of_feet[..., 2]
        feet = self._reach.on_the_floor(feet, raw.down, above)
        stands = raw.down & (above < LANDED)
        feet, along = self._pinned(feet, stands, raw.share)
        roots = roots + along
        stood, rotations = self._reach.standing(roots, rotations, feet, raw.bears)
        if self._before:
            rotations = rotation.make_continuous(np.concatenate([self._before[-1][1][None], rotations]))[1:]
        for n in range(max(0, len(times) - 2), len(times)):
            self._before.append((roots[n], rotations[n], feet.balls[n], feet.turns[n], feet.toes[n]))
        self.piece.at = float(sources[-1])
        return stood, rotations, stands

    def _pinned(self, feet: Feet, stands: Bools, share: Array) -> tuple[Feet, Array]:
        """The feet, those that stand (N, 2) where they stood; and (N, 3) m by which the body goes along with them, by its share (N, 2) on each."""
        assert self._stepping is not None
        soles = self._reach.soles(feet)
        before, stood = (soles[0], stands[0]) if self._stood is None else self._stood
        slips = self._reach.slips(np.concatenate([before[None], soles]))
        still = stands & np.concatenate([stood[None], stands[:-1]])
        back = np.zeros((len(stands), 2, 3))
        back[..., :2] = -np.cumsum(np.where(still[..., None], slips, 0.0), axis=0)
        for foot in FEET:
            self._stepping.moved(foot, float(back[-1, foot, 0]), float(back[-1, foot, 1]))
        self._stood = soles[-1] + back[-1][:, None], stands[-1]
        return Feet(feet.balls + back, feet.turns, feet.toes), (share[..., None] * back).sum(axis=1)

    def _raw(self, times: Array, sources: Array, moving: bool) -> Raw:
        """What is played at times (N,) s of the stream, which are sources (N,) s of the part; ``moving``: feet in the air go on."""
        assert self.piece is not None
        part = self.piece.part
        frames = part.frames(sources)
        roots, rotations = part.motion.sample(frames / part.motion.fps)
        balls, toes, turns = _between(part.balls, frames), _between(part.toes, frames), rotation.normalize(_between(part.turns, frames))
        footings = [self._footings(float(time), float(frame), moving) for time, frame in zip(times, frames, strict=True)]
        bears = np.array([[footing.bears for footing in pair] for pair in footings])
        lift = np.array([[footing.lift for footing in pair] for pair in footings])
        # After something new has begun, too, feet take the weight little by little.
        most = moving * np.arange(1, 1 + len(times))[:, None] / (BEARS_S * self.fps)
        bears = np.minimum(np.maximum(bears, self._bears - most), self._bears + most)
        share = (bears + FLIES * self._share) / (bears.sum(axis=1, keepdims=True) + FLIES)
        if moving:
            self._bears, self._share = bears[-1], share[-1]
        standing = not self.piece.active
        both = np.stack([roots, _between(part.centres, frames)] if standing else [roots], axis=1)
        centre = np.zeros_like(both)
        for foot in FEET:
            shifts = [pair[foot].shift for pair in footings]
            balls[:, foot] = moved_each(shifts, balls[:, foot])
            dropped = rotation.multiply(turns[:, foot], rotation.hinge(DROP * lift[:, foot]))
            turns[:, foot] = rotation.multiply(turn(np.array([shift.yaw for shift in shifts])), dropped)
            centre += share[:, foot, None, None] * moved_each(shifts, both)
        balls[..., 2] += lift
        yaws = np.array([[footing.shift.yaw for footing in pair] for pair in footings])
        if np.abs(yaws[:, 1] - yaws[:, 0]).max() >= np.pi:
            yaws = np.unwrap(yaws, axis=1)
        rotations[:, 0] = rotation.multiply(turn((share * yaws).sum(axis=1)), rotations[:, 0])
        roots = centre[:, 0]
        if standing:
            roots = roots + sway(self._contacts.loads, times, centre[:, 1], balls, turns, self._reach.heel_to_ball)
        down = np.array([[footing.down for footing in pair] for pair in footings])
        return Raw(roots, rotations, Feet(balls, turns, toes), bears, share, down)

    def _footings(self, time: float, frame: float, moving: bool) -> tuple[Footing, Footing]:
        assert self._stepping is not None and self.piece is not None
        part = self.piece.part
        if self.piece.walks:
            left, right = (self._stepping.walked(foot, part, frame, moving) for foot in FEET)
        elif self.piece.active:
            left, right = (self._stepping.played(foot, time, part, frame, moving) for foot in FEET)
        else:
            calm = self._fading is None or time > self._fading.time + CALM_S
            left, right = (self._stepping.standing(foot, time, part, frame, moving, calm) for foot in FEET)
        return left, right


def _differences(one: Whole, other: Whole) -> Array:
    """(K,) of two poses: root, joints, and of each foot its ball, its turn and its toes."""
    feet = np.concatenate([one[2] - other[2], apart(one[3], other[3]), (one[4] - other[4])[:, None]], axis=1)
    return np.concatenate([one[0] - other[0], apart(one[1], other[1]).ravel(), feet.ravel()])


def _between(values: Array, frames: Array) -> Array:
    """(N, ...) values (F, ...) at frames (N,), also between them."""
    before = frames.astype(int)
    after = np.minimum(before + 1, len(values) - 1)
    share = (frames - before).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray((1.0 - share) * values[before] + share * values[after])
