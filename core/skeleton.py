"""Skeleton: named joints, their parents and where they sit at rest; and the canonical humanoid.

The rest pose has every rotation at identity, so all joint frames are then aligned with the world's. The canonical humanoid
at rest stands straight with its arms hanging down, faces +X, and has its left at +Y and up at +Z.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import rotation
from .arrays import Array, Ints
from .errors import RigError

Kind = TypeVar("Kind", bound=np.generic)

# The links of the canonical humanoid, depth first. Each is named after the bone it stands for.
LINKS = (
    "pelvis",
    "torso",
    "head",
    "upper_arm.L",
    "forearm.L",
    "upper_arm.R",
    "forearm.R",
    "thigh.L",
    "shin.L",
    "foot.L",
    "toes.L",
    "thigh.R",
    "shin.R",
    "foot.R",
    "toes.R",
)

# The parent of every link but the pelvis, which has none.
PARENTS = {
    "torso": "pelvis",
    "head": "torso",
    "upper_arm.L": "torso",
    "forearm.L": "upper_arm.L",
    "upper_arm.R": "torso",
    "forearm.R": "upper_arm.R",
    "thigh.L": "pelvis",
    "shin.L": "thigh.L",
    "foot.L": "shin.L",
    "toes.L": "foot.L",
    "thigh.R": "pelvis",
    "shin.R": "thigh.R",
    "foot.R": "shin.R",
    "toes.R": "foot.R",
}

# The anatomical joint that ties each link to its parent; the pelvis floats free.
JOINT_NAMES = {
    "torso": "back",
    "head": "neck",
    "upper_arm.L": "shoulder.L",
    "forearm.L": "elbow.L",
    "upper_arm.R": "shoulder.R",
    "forearm.R": "elbow.R",
    "thigh.L": "hip.L",
    "shin.L": "knee.L",
    "foot.L": "ankle.L",
    "toes.L": "toe.L",
    "thigh.R": "hip.R",
    "shin.R": "knee.R",
    "foot.R": "ankle.R",
    "toes.R": "toe.R",
}

# Links, without their side, that bend about their own Y axis only. All other joints are balls.
HINGES = frozenset({"forearm", "shin", "toes"})


# Compared by identity: arrays have no single answer to ==.
@dataclass(frozen=True, eq=False)
class Skeleton:
    """J joints, each placed in the frame of its parent. The arrays are read-only.

    Attributes:
        names: J distinct names; joint 0 is the root.
        parents: (J,) index of each joint's parent, −1 for the root; a parent comes before its children.
        offsets: (J, 3) metres, origin of each joint in its parent's frame. The root's is not used: a pose places the root.
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "parents", _read_only(np.array(self.parents, dtype=int)))
        object.__setattr__(self, "offsets", _read_only(np.array(self.offsets, dtype=float)))
        self._check()

    def _check(self) -> None:
        count = len(self.names)
        if count == 0:
            raise RigError("The skeleton has no joints.")
        if self.parents.shape != (count,) or self.offsets.shape != (count, 3):
            raise RigError(
                f"The skeleton has {count} joint names, but parents of shape {self.parents.shape} and offsets of shape "
                f"{self.offsets.shape}: give one parent and one x, y, z offset for each joint."
            )
        for joint, (name, parent, offset) in enumerate(zip(self.names, self.parents, self.offsets, strict=True)):
            if name in self.names[:joint]:
                raise RigError(f"Two joints are named '{name}': give each its own name.")
            if joint == 0 and parent != -1:
                raise RigError(f"Joint '{name}' comes first but is not the root: list the root first, with parent -1.")
            if joint > 0 and parent == -1:
                raise RigError(f"Joint '{name}' is a second root beside '{self.names[0]}': give it a parent.")
            if not -1 <= parent < joint:
                raise RigError(f"Joint '{name}' does not come after its parent: list parents before their children.")
            if not np.isfinite(offset).all():
                raise RigError(f"Joint '{name}' has an offset that is not a finite number: check where its bone starts.")

    def index(self, name: str) -> int:
        """The position of joint ``name``."""
        try:
            return self.names.index(name)
        except ValueError:
            raise RigError(f"The skeleton has no joint '{name}'.") from None

    def children(self, joint: int) -> tuple[int, ...]:
        """The joints whose parent is ``joint``, in order."""
        return tuple(int(child) for child in np.flatnonzero(self.parents == joint))

    def forward_kinematics(self, root_positions: ArrayLike, rotations: ArrayLike) -> tuple[Array, Array]:
        """Where the joints are in the world, for one pose or many.

        Args:
            root_positions: (..., 3) metres, world.
            rotations: (..., J, 4) of each joint relative to its parent; of the root relative to the world.

        Returns:
            positions (..., J, 3) metres and orientations (..., J, 4), both in the world.
        """
        root_positions = np.asarray(root_positions, dtype=float)
        rotations = np.asarray(rotations, dtype=float)
        shape = np.broadcast_shapes(root_positions.shape[:-1], rotations.shape[:-2])
        positions = np.empty((*shape, len(self.names), 3))
        orientations = np.empty((*shape, len(self.names), 4))
        positions[..., 0, :] = root_positions
        orientations[..., 0, :] = rotations[..., 0, :]
        for joints in self._levels:
            parents = self.parents[joints]
            above = orientations[..., parents, :]
            positions[..., joints, :] = positions[..., parents, :] + rotation.rotate(above, self.offsets[joints])
            orientations[..., joints, :] = rotation.multiply(above, rotations[..., joints, :])
        return positions, orientations

    @cached_property
    def _levels(self) -> list[Ints]:
        """The joints under the root by how far down they are: those of a level are worked out together."""
        depths = np.zeros(len(self.names), dtype=int)
        for joint in range(1, len(self.names)):
            depths[joint] = 1 + depths[self.parents[joint]]
        return [np.flatnonzero(depths == depth) for depth in range(1, int(depths.max()) + 1)]

    def scaled(self, factor: float) -> Skeleton:
        """The same joints, ``factor`` times as large."""
        if not (np.isfinite(factor) and factor > 0.0):
            raise RigError(f"A skeleton cannot be scaled by {factor}: use a factor above 0.")
        return replace(self, offsets=self.offsets * factor)


def mirror_name(name: str) -> str:
    """The name on the other side: 'thigh.L' ⇄ 'thigh.R', 'DEF-thigh.L.001' ⇄ 'DEF-thigh.R.001', 'head' as it is."""
    return re.sub(r"\.([LR])(?=\.|$)", lambda side: ".R" if side[1] == "L" else ".L", name)


def _read_only(values: NDArray[Kind]) -> NDArray[Kind]:
    """``values`` so that nobody can write to them."""
    values.setflags(write=False)
    return values
