"""Clip: a recording as it came from a file, on its own skeleton, in metres, with Z up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .. import rotation
from ..arrays import Array
from ..motion import Motion
from ..skeleton import Skeleton

# A frame counts as standing when the hips are at least this share of their greatest height over the lowest point of the body.
STANDING = 0.85
# Share of the hip height by which the lowest joint or tip may differ from the floor and still stand on it.
NEAR_FLOOR = 0.1


# Compared by identity: arrays have no single answer to ==.
@dataclass(eq=False)
class Clip:
    """A motion on the skeleton of its file. At rest all rotations are identity, as in every Skeleton.

    The skeleton's root is the pelvis: the joint at which legs and spine come together.

    Attributes:
        motion: the frames; metres, Z up. A file that is Y up and faces +Z, as most do, faces +X at rest, with its left at +Y.
        name: of the file, without folder and ending.
        tips: the end of a last bone (toe tip, head top, finger tip), by the name of its joint: (3,) metres in that joint's frame.
        t_pose: (J, 4) rotations of a T-pose that was added as the first row and has been taken off, or None.
        notes: one sentence for each thing that was recognised or corrected.
    """

    motion: Motion
    name: str = ""
    tips: dict[str, Array] = field(default_factory=dict)
    t_pose: Array | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def skeleton(self) -> Skeleton:
        return self.motion.skeleton

    def points(self) -> Array:
        """(F, J + T, 3) metres, world: all joints, then all tips in their order."""
        positions, orientations = self.motion.world()
        return with_tips(positions, orientations, {self.skeleton.index(name): tip for name, tip in self.tips.items()})

    def hip_height(self) -> float:
        """Metres of the root over the floor while standing; where nobody stands, in the frames with the highest hips."""
        return standing_height(self.points()[..., 2], self.motion.root_positions[:, 2])

    def speeds(self) -> Array:
        """(F − 1,) m/s, horizontal speed of the root between each two frames."""
        return np.linalg.norm(np.diff(self.motion.root_positions[:, :2], axis=0), axis=-1) * self.motion.fps

    def mean_speed(self) -> float:
        """m/s, horizontal, of the root along its way; 0 for a single frame."""
        return float(self.speeds().mean()) if self.motion.frames > 1 else 0.0


def with_tips(positions: Array, orientations: Array, tips: dict[int, Array]) -> Array:
    """(F, J + T, 3): positions (F, J, 3), then where the tips of joints are that have orientations (F, J, 4); any unit."""
    ends = [positions[:, joint] + rotation.rotate(orientations[:, joint], tip) for joint, tip in tips.items()]
    return np.concatenate([positions, np.stack(ends, axis=1)], axis=1) if ends else positions


def standing_height(heights: Array, root_heights: Array) -> float:
    """Height of the root over the floor in the frames that stand; heights (F, P) of all points, root_heights (F,), in one unit.

    Frames stand whose root is high over the body's own lowest point while that is near the floor, so that a jump does not count as
    standing tall. The floor is at 0 if the lowest points are about there (joints are inside of the feet, a few centimetres over the
    sole), and else where they are.
    """
    lowest = heights.min(axis=1)
    over_lowest = root_heights - lowest
    tall = np.percentile(over_lowest, 95)
    floor = np.percentile(lowest, 10)
    standing = (over_lowest >= STANDING * tall) & (lowest <= max(floor, np.median(lowest)) + NEAR_FLOOR * tall)
    chosen = standing if standing.any() else over_lowest >= STANDING * tall
    return float(np.median(root_heights[chosen])) - (0.0 if abs(floor) <= NEAR_FLOOR * tall else float(floor))
