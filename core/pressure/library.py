"""The motions of a database on the body that is to do them, with all that is needed to play and to edit them."""

from __future__ import annotations

from dataclasses import dataclass
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
from ..signals import envelope, runs, softened
from .database import Database, Take
from .examples import Action, Example, mirrored
from .recording import LEFT, RIGHT

BEARS_S = 0.12  # s before a foot comes down, and after it was lifted, in which the body comes to rest on it, or leaves it
CARRIES = 0.15  # of the weight: a foot that carries more is down
STILL_S, STILLEST = 0.5, 0.2  # s of the shortest piece of standing that is played; m/s that nothing in it is faster than, if there is any such piece


@dataclass(frozen=True, eq=False)
class Part:
    """A take on the body.

    Attributes:
        body, motion: whose. contacts: (F, 2) whether each foot stands. example: what was learnt from it.
    """

    body: Body
    motion: Motion
    contacts: Bools
    example: Example

    @cached_property
    def bearing(self) -> Array:
        """(F, 2) how much of the body each foot bears: 1 where it stands, fading to 0 beside that."""
        width = BEARS_S * self.motion.fps / 2
        return np.stack([softened(envelope(self.contacts[:, foot].astype(float), width), width) for foot in (LEFT, RIGHT)], axis=1)

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
        return poses.centre_of_mass(self.body, self.motion)

    @cached_property
    def landings(self) -> Ints:
        """(F, 2) the frame on which each foot comes down next; the last frame where it does not any more, the frame itself where it stands."""
        frames = np.arange(len(self.contacts))
        found = np.where(self.contacts, frames[:, None], len(frames) - 1)
        return np.minimum.accumulate(found[::-1], axis=0)[::-1]

    @cached_property
    def places(self) -> Array:
        """(F, K) the poses, to compare; see ``poses.places``."""
        return poses.places(self.body, self.motion)

    def ground(self, frame: int, foot: int) -> tuple[float, float, float]:
        """x, y (m) of the ball of a foot, and where it points (rad)."""
        x, y, _ = self.balls[frame, foot]
        return float(x), float(y), float(self.yaws[frame, foot])

    @cached_property
    def mirrored(self) -> Part:
        """Left and right exchanged."""
        return Part(self.body, self.motion.mirror(), self.contacts[:, ::-1], mirrored(self.example))


@dataclass(frozen=True)
class Quiet:
    """A piece of quiet standing: of which part, from ``start`` until ``end`` (s)."""

    part: int
    start: float
    end: float


class Library:
    """All takes of a database on a body.

    Attributes:
        parts: in the order of the takes. quiet: pieces of standing, the calmest first.
    """

    def __init__(self, database: Database, body: Body) -> None:
        self.database, self.body = database, body
        self.parts = [_part(take, body) for take in database.takes]
        self.quiet = self._quiet_pieces()

    def action(self, part: int, number: int) -> Action:
        return self.database.takes[part].example.actions[number]

    def _quiet_pieces(self) -> list[Quiet]:
        found = []
        for number, (take, part) in enumerate(zip(self.database.takes, self.parts, strict=True)):
            pace = np.linalg.norm(np.diff(part.motion.world()[0], axis=0), axis=-1).max(axis=1) * part.motion.fps
            for start, last in take.example.quiet:
                end = min(last, part.motion.duration)
                inside = pace[int(start * part.motion.fps):int(end * part.motion.fps)]
                both = part.contacts[int(start * part.motion.fps):int(end * part.motion.fps) + 1].all()
                if end - start >= STILL_S and both and len(inside):
                    found.append((float(inside.mean()), Quiet(number, start, end)))
        if not found:
            # Nobody stands quietly: they stand as they do when they begin something.
            for number, take in enumerate(self.database.takes):
                found += [(0.0, Quiet(number, action.start, action.start)) for action in take.example.actions[:1]]
        if not found:
            found = [(0.0, Quiet(number, 0.0, 0.0)) for number in range(len(self.parts))]
        calmest = sorted(found, key=lambda one: one[0])
        return [piece for pace, piece in calmest if pace <= STILLEST] or [calmest[0][1]]


def _part(take: Take, body: Body) -> Part:
    standing = stances.find(take.body, take.motion)
    motion = take.motion
    if not _alike(take.body, body):
        motion = planted(body, retarget(_clip(take), body), standing)
    return Part(body, motion, _carrying(stances.masks(standing, motion.frames), take), take.example)


def _carrying(contacts: Bools, take: Take) -> Bools:
    """The contacts (F, 2), also where a foot moves but carries all the same, as in a deep squat: what the pad felt under the take tells."""
    track, found = take.example.track, contacts.copy()
    times = np.arange(len(contacts)) / take.motion.fps
    for foot in (LEFT, RIGHT):
        share = np.interp(times, track.times, track.per_foot[:, foot])
        for start, end in runs(~contacts[:, foot]):
            found[start:end, foot] = float(np.median(share[start:end])) > CARRIES
    return found


def _clip(take: Take) -> Clip:
    """The take as a clip; its body says where limbs end."""
    body = take.body
    tips = {}
    for side in SIDES:
        forearm, toes = body.names.index(f"forearm.{side}"), body.names.index(f"toes.{side}")
        tips[f"forearm.{side}"] = np.array([0.0, 0.0, 2.0 * body.shapes[forearm].center[2]])
        links, points = sole_of(body, SIDES.index(side))
        tips[f"toes.{side}"] = points[links == toes].mean(axis=0)
    return Clip(take.motion, take.source, tips)


def _alike(one: Body, other: Body) -> bool:
    """Whether two bodies stand and move alike."""
    return one.names == other.names and np.allclose(one.offsets, other.offsets) and np.allclose(one.sole_points, other.sole_points)
