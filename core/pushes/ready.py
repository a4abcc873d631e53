"""Ready: a clip made ready to be pushed many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..body import Body
from ..feet import depths
from ..feet.legs import Legs
from ..motion import Motion
from ..ranges import own_excess
from .response import ANKLES, BALLS, ELBOWS, TOES, features

ON_FRAME = 1e-6  # of a frame: who is no further from one than this is on it


@dataclass(frozen=True, eq=False)
class Ready:
    """A clip of F frames on a body with L links, and what pushes on it need of it.

    Attributes:
        motion: on body.skeleton, with planted feet. contacts: (F, 2) whether they stand.
        places, turns: (F, L, 3) m and (F, L, 4), world. features: (F, D), see ``response.features``. headings: (F,) rad, of the pelvis.
        legs: that reach. balls, elbows, toes, ankles: links of these names.
        depths: (F, 2) m that its soles are in the floor. heels, tips: (2, P, 3) and (2, Q, 3) m, corners of the soles on feet and toes, in their
            frames. to_toes: (2, 3) m, from ankles to toes. excess: (L, 3) rad, see ``ranges.own_excess``.
    """

    body: Body
    motion: Motion
    contacts: Bools
    places: Array
    turns: Array
    headings: Array
    features: Array
    legs: Legs
    balls: list[int]
    elbows: list[int]
    toes: list[int]
    ankles: list[int]
    depths: Array
    heels: Array
    tips: Array
    to_toes: Array
    excess: Array

    @classmethod
    def of(cls, body: Body, motion: Motion, contacts: Bools) -> Ready:
        motion = Motion(motion.skeleton, motion.fps, motion.root_positions, rotation.make_continuous(motion.rotations))
        places, turns = motion.world()
        headings = rotation.heading(motion.rotations[:, 0])
        balls, elbows, toes, ankles = ([body.names.index(name) for name in kind] for kind in (BALLS, ELBOWS, TOES, ANKLES))
        heels, tips = (np.stack([body.sole_points[body.sole_links == link] for link in links]) for links in (ankles, toes))
        return cls(body, motion, contacts, places, rotation.make_continuous(turns), headings, features(body, places, headings, motion.fps),
                   Legs(body), balls, elbows, toes, ankles, depths(body, motion), heels, tips, body.offsets[toes],
                   own_excess(motion.rotations, body))

    def frame(self, time: float) -> int:
        """The frame at ``time`` (s), or the last one before it."""
        return min(max(int(time * self.motion.fps + ON_FRAME), 0), self.motion.frames - 1)

    def frames(self, times: Array) -> Ints:
        """(n,) the frames nearest to times (n,) s."""
        return np.clip(np.round(times * self.motion.fps).astype(int), 0, self.motion.frames - 1)

    def stands(self, times: Array) -> Bools:
        """(n, 2) whether the feet stand at times (n,) s."""
        return self.contacts[self.frames(times)]

    def lifted(self, times: Array, ankles: Array, turns: Array, toes: Array) -> Array:
        """(n, 2, 3) ankles, so high that no foot is deeper in the floor than in the clip at ``times`` (n,) s. turns: (n, 2, 4) of the feet, world.
        toes: (n, 2) rad."""
        ahead = self.to_toes[:, None] + rotation.rotate(rotation.hinge(toes)[:, :, None], self.tips)
        low = np.minimum(*(rotation.rotate(turns[:, :, None], points)[..., 2].min(axis=2) for points in (self.heels, ahead)))
        rise = np.maximum(0.0, -low - ankles[..., 2] - self.depths[self.frames(times)])
        return ankles + rise[..., None] * (0.0, 0.0, 1.0)

    def at(self, times: Array) -> tuple[Array, Array, Array, Array]:
        """The clip at times (n,) s: roots (n, 3), rotations (n, L, 4), and of the feet the ankles (n, 2, 3) and turns (n, 2, 4), world. Between
        frames all go straight: there is less than a hundredth of a second between."""
        position = np.clip(times * self.motion.fps, 0, self.motion.frames - 1)
        near = np.round(position).astype(int)
        sources = self.motion.root_positions, self.motion.rotations, self.places[:, self.ankles], self.turns[:, self.ankles]
        if not len(times) or np.abs(position - near).max() < ON_FRAME:
            roots, rotations, ankles, turns = (source[near] for source in sources)
            return roots, rotations, ankles, turns
        before = np.minimum(position.astype(int), self.motion.frames - 2)
        after = position - before
        roots, rotations, ankles, turns = (
            source[before] + after.reshape(-1, *[1] * (source.ndim - 1)) * (source[before + 1] - source[before]) for source in sources)
        return roots, rotation.normalize(rotations), ankles, rotation.normalize(turns)
