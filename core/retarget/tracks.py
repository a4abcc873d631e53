"""Tracks: where the joints of a person are in every frame of a clip, by the parts of the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..anatomy.bones import CHAINS
from ..arrays import Array
from ..formats.clip import Clip
from ..skeleton import Skeleton
from .joints import Recognised

LEFT, UP = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])


# Compared by identity: arrays have no single answer to ==.
@dataclass(frozen=True, eq=False)
class Tracks:
    """The joints of a person over F poses, world, by slot ("pelvis", "torso", "thigh.L", …; see ``core.anatomy.bones``).

    Attributes:
        places: (F, 3) metres, the joint at which a part begins: for spine and neck, which turn all along, the middle of their joints.
        ends: (F, 3) metres, where a last part ends (wrist or finger, tip of the foot or the toes); only where the clip says so.
        turns: (F, 4) orientation of the joint that carries the part; for spine and neck of the last one.
    """

    places: dict[str, Array]
    ends: dict[str, Array]
    turns: dict[str, Array]


def tracks_of(clip: Clip, found: Recognised) -> tuple[Tracks, Tracks]:
    """Tracks of the motion, and of the one pose in which its parts were recognised (with the root at the origin)."""
    motion = clip.motion
    return (_tracks(clip, found, motion.root_positions, motion.rotations), _tracks(clip, found, np.zeros((1, 3)), found.pose[None]))


def _tracks(clip: Clip, found: Recognised, roots: Array, rotations: Array) -> Tracks:
    skeleton = clip.skeleton
    positions, orientations = skeleton.forward_kinematics(roots, rotations)
    places, ends, turns = {}, {}, {}
    for slot, names in found.joints.items():
        joints = [skeleton.index(name) for name in names]
        first = [joint for joint in joints if skeleton.parents[joint] not in joints]  # several side by side: five toes
        places[slot] = positions[:, joints if slot in CHAINS else first].mean(axis=1)
        carrier = joints[-1] if slot in CHAINS else first[0]
        turns[slot] = orientations[:, carrier]
        end = _end(clip, skeleton, joints[-1])
        if end is not None:
            ends[slot] = positions[:, joints[-1]] + rotation.rotate(orientations[:, joints[-1]], end)
    hips = [skeleton.index(found.joints[f"thigh.{side}"][0]) for side in "LR"]
    places["pelvis"] = 0.5 * (places["thigh.L"] + places["thigh.R"])
    turns["pelvis"] = orientations[:, _common(skeleton, hips)]
    return Tracks(places, ends, turns)


def _end(clip: Clip, skeleton: Skeleton, joint: int) -> Array | None:
    """(3,) where a bone ends, in the frame of its joint: at its farthest child, or at its tip; None where nothing tells."""
    ends = [skeleton.offsets[child] for child in skeleton.children(joint)]
    if skeleton.names[joint] in clip.tips:
        ends.append(clip.tips[skeleton.names[joint]])
    longest = max(ends, key=np.linalg.norm, default=None)
    return longest if longest is not None and np.linalg.norm(longest) > 0.0 else None


def _common(skeleton: Skeleton, joints: Sequence[int]) -> int:
    """The nearest joint above both of two joints."""
    def above(joint: int) -> list[int]:
        chain = []
        while joint >= 0:
            joint = int(skeleton.parents[joint])
            chain.append(joint)
        return chain

    others = above(joints[1])
    return max(next(joint for joint in above(joints[0]) if joint in others), 0)
