"""The motions of a database on the body that is to do them, with all that is needed to play and to edit them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..body import Body
from ..feet import SIDES, link, sole_of, stances
from ..feet.plant import planted
from ..formats import Clip
from ..motion import Motion
from ..reference import poses
from ..retarget import retarget
from ..rotation import hinge_angle
from ..signals import envelope, runs
from .database import Database, Take
from .examples import Example, mirrored
from .recording import LEFT, RIGHT

BEARS_S = 0.12  # s before a foot comes down, and after it was lifted, in which the body comes to rest on it, or leaves it
CARRIES = 0.15  # of the weight: a foot that carries more is down
BESIDE_S = 0.5  # s before and after a piece that are put on the body with it
LONGEST_S, FEW = 4.0, 40  # s of a piece of standing that are played again and again, and how many pieces there are to choose from, at most
STILL_S, STILLEST = 0.5, 0.2  # s of the shortest piece of standing that is played; m/s that nothing in it is faster than, if there is any such piece


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a take on the body.

    Attributes:
        body, motion: whose. contacts: (F, 2) whether each foot stands. example: what was learnt from the take.
        begins: s of the take on the first frame.
    """

    body: Body
    motion: Motion
    contacts: Bools
    example: Example
    begins: float = 0.0

    def frames(self, seconds: Array) -> Array:
        """(N,) frames, also between two of them, at (N,) s of the take; none outside of the part."""
        return np.clip((seconds - self.begins) * self.motion.fps, 0.0, self.motion.frames - 1.0)

    def frame(self, seconds: float) -> int:
        """The frame nearest to a time (s) of the take."""
        return round(float(self.frames(np.array(seconds))))

    @cached_property
    def bearing(self) -> Array:
        """(F, 2) how much of the body each foot bears: 1 where it stands, fading to 0 beside that."""
        return np.stack([envelope(self.contacts[:, foot].astype(float), BEARS_S * self.motion.fps) for foot in (LEFT, RIGHT)], axis=1)

    @cached_property
    def _world(self) -> tuple[Array, Array]:
        return self.motion.world()

    @cached_property
    def balls(self) -> Array:
        """(F, 2, 3) m: the joints of the toes."""
        return self._world[0][:, [link(self.body, "toes", foot) for foot in (LEFT, RIGHT)]]

    @cached_property
    def turns(self) -> Array:
        """(F, 2, 4) orientations of the feet."""
        return self._world[1][:, [link(self.body, "foot", foot) for foot in (LEFT, RIGHT)]]

    @cached_property
    def yaws(self) -> Array:
        """(F, 2) rad, where the feet point, unwrapped."""
        return np.unwrap(rotation.heading(self.turns), axis=0)

    @cached_property
    def toes(self) -> Array:
        """(F, 2) rad."""
        return hinge_angle(self.motion.rotations[:, [link(self.body, "toes", foot) for foot in (LEFT, RIGHT)]])

    @cached_property
    def centres(self) -> Array:
        """(F, 3) m: the centre of mass."""
        positions, orientations = self._world
        return np.einsum("l,fld->fd", self.body.masses / self.body.mass, positions + rotation.rotate(orientations, self.body.com_offsets))

    @cached_property
    def landings(self) -> Ints:
        """(F, 2) the frame on which each foot comes down next; the last frame where it does not any more, the frame itself where it stands."""
        frames = np.arange(len(self.contacts))
        found = np.where(self.contacts, frames[:, None], len(frames) - 1)
        return np.minimum.accumulate(found[::-1], axis=0)[::-1]

    @cached_property
    def places(self) -> Array:
        """(F, K) the poses, to compare: see ``poses.places``; for a leg of a metre."""
        return poses.places(self.body, self.motion) / self.body.leg_length

    def ground(self, frame: int, foot: int) -> tuple[float, float, float]:
        """x, y (m) of the ball of a foot, and where it points (rad)."""
        x, y, _ = self.balls[frame, foot]
        return float(x), float(y), float(self.yaws[frame, foot])

    @cached_property
    def mirrored(self) -> Part:
        """Left and right exchanged."""
        return replace(self, motion=self.motion.mirror(), contacts=self.contacts[:, ::-1], example=mirrored(self.example))


@dataclass(frozen=True, eq=False)
class Quiet:
    """A piece of quiet standing: of which take, from ``start`` until ``end`` (s), and its first pose (K,), as ``Part.places``."""

    take: int
    start: float
    end: float
    pose: Array


class Library:
    """The takes of a database on a body; each piece is put on it when it is asked for first.

    Attributes:
        quiet: pieces of standing, the calmest first.
    """

    def __init__(self, database: Database, body: Body) -> None:
        self.database, self.body = database, body
        self.quiet = self._quiet_pieces()
        self._made: dict[tuple[int, float, float], Part] = {}

    def part(self, take: int, start: float, end: float) -> Part:
        """A take from ``start`` until ``end`` (s), and a little more, on the body."""
        if (take, start, end) not in self._made:
            self._made[take, start, end] = self._part(self.database.takes[take], max(0.0, start - BESIDE_S), end + BESIDE_S)
        return self._made[take, start, end]

    def _part(self, take: Take, start: float, end: float) -> Part:
        whole = take.motion
        first, last = int(start * whole.fps), min(int(np.ceil(end * whole.fps)), whole.frames - 1)
        motion = Motion(whole.skeleton, whole.fps, whole.root_positions[first:last + 1], whole.rotations[first:last + 1])
        begins, person = first / whole.fps, take.body
        standing = stances.find(person, motion)
        if not _alike(person, self.body):
            motion = planted(self.body, retarget(_clip(take, motion), self.body), standing)
        contacts = _carrying(stances.masks(standing, motion.frames), take.example, begins + np.arange(motion.frames) / whole.fps)
        return Part(self.body, motion, contacts, take.example, begins)

    def _quiet_pieces(self) -> list[Quiet]:
        found = []
        for number, take in enumerate(self.database.takes):
            shares = take.example.track.per_foot[:, :2].min(axis=1)
            for start, last in take.example.quiet:
                end = min(last, take.motion.duration, start + LONGEST_S)
                if end - start < STILL_S:
                    continue
                motion = take.motion.slice(start, end)
                pace = np.linalg.norm(np.diff(motion.world()[0], axis=0), axis=-1).max(axis=1).mean() * motion.fps
                inside = (take.example.track.times >= start) & (take.example.track.times <= end)
                if np.all(shares[inside] > CARRIES):
                    found.append((float(pace), number, start, end))
        calmest = sorted(found)
        calm = [one for one in calmest if one[0] <= STILLEST][:FEW] or calmest[:1]
        if not calm:
            # Nobody stands quietly: they stand as they do when they begin something.
            starts = [(number, take.example.actions[0].start if take.example.actions else 0.0) for number, take in enumerate(self.database.takes)]
            calm = [(0.0, number, start, start) for number, start in starts[:1]]
        return [Quiet(number, start, end, _pose(self.database.takes[number], start)) for _, number, start, end in calm]


def _pose(take: Take, time: float) -> Array:
    """(K,) of a take at a time (s), as ``Part.places``."""
    body = take.body
    return np.asarray(poses.places(body, take.motion.slice(time, time))[0] / body.leg_length)


def _carrying(contacts: Bools, example: Example, times: Array) -> Bools:
    """The contacts (F, 2) at times (F,) s, also where a foot moves but carries all the same, as in a deep squat: what the pad felt tells."""
    track, found = example.track, contacts.copy()
    for foot in (LEFT, RIGHT):
        share = np.interp(times, track.times, track.per_foot[:, foot])
        for start, end in runs(~contacts[:, foot]):
            found[start:end, foot] = float(np.median(share[start:end])) > CARRIES
    return found


def _clip(take: Take, motion: Motion) -> Clip:
    """A piece of a take as a clip; its body says where limbs end."""
    body = take.body
    tips = {}
    for side in SIDES:
        forearm, toes = body.names.index(f"forearm.{side}"), body.names.index(f"toes.{side}")
        tips[f"forearm.{side}"] = np.array([0.0, 0.0, 2.0 * body.shapes[forearm].center[2]])
        links, points = sole_of(body, SIDES.index(side))
        tips[f"toes.{side}"] = points[links == toes].mean(axis=0)
    return Clip(motion, take.source, tips)


def _alike(one: Body, other: Body) -> bool:
    """Whether two bodies stand and move alike."""
    return one.names == other.names and np.allclose(one.offsets, other.offsets) and np.allclose(one.sole_points, other.sole_points)
