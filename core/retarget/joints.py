"""Which joints of a clip are which part of the body, and a pose in which that shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .. import rotation
from ..anatomy.bones import Bone
from ..anatomy.recognise import recognise
from ..arrays import Array
from ..errors import RigError
from ..formats import anatomy
from ..formats.clip import Clip
from ..skeleton import Skeleton

# Upright poses of the motion itself that are looked at where neither rest pose nor T-pose looks like a person.
FRAMES_TRIED = 3


# Compared by identity: arrays have no single answer to ==.
@dataclass(frozen=True, eq=False)
class Recognised:
    """Which joints are which part of the body, and the pose in which that was found.

    Attributes:
        joints: slot ("pelvis", "torso", "thigh.L", …) → the names of its joints, from the trunk outwards.
        pose: (J, 4) rotations, relative to the parent, of a person who stands about upright.
        made: whether somebody made that pose to stand straight (a rest pose or a T-pose); if not, it is a frame of the motion.
    """

    joints: dict[str, tuple[str, ...]]
    pose: Array
    made: bool


def joints_of(clip: Clip) -> dict[str, tuple[str, ...]]:
    """Slot → joints of the clip, from the trunk outwards. Slots are those of ``core.anatomy``; what the clip lacks is left out.

    Raises:
        RigError: in one sentence, if the clip has no pelvis with two legs.
    """
    return recognise_clip(clip).joints


@lru_cache(maxsize=4)  # whoever puts a clip onto a body asks several times
def recognise_clip(clip: Clip) -> Recognised:
    """The parts of the body, told by whichever pose of the clip looks most like a person who stands."""
    made, filmed = _poses(clip)
    seen = [(recognise(_bones(clip, pose)), pose, number < len(made)) for number, pose in enumerate([*made, *filmed])]
    usable = [(found.map.bones, pose, straight) for found, pose, straight in seen if found.usable]
    if not usable:
        reason = seen[0][0].summary
        raise RigError(f"'{clip.name}' cannot be put onto a body: {reason[:1].lower()}{reason[1:].rstrip('.')}.")
    # The first of equals: poses come in order of trust.
    return Recognised(*max(usable, key=lambda found: len(found[0])))


def _poses(clip: Clip) -> tuple[list[Array], list[Array]]:
    """Poses (J, 4) that may show a person upright, most trusted first: those made for it, at rest and the T-pose; some of the motion."""
    rotations = clip.motion.rotations
    poses = [rotation.identity((len(clip.skeleton.names),))]
    if clip.t_pose is not None:
        poses.append(clip.t_pose)
    body = anatomy.find([int(parent) for parent in clip.skeleton.parents], clip.skeleton.offsets)
    heights = clip.motion.world()[0][..., 2]
    feet = [leg[-1] for leg in body.legs] or [0]
    # Upright with both feet down: the way from the higher foot up to the chest.
    rise = heights[:, body.chest] - heights[:, feet].max(axis=1)
    order = np.argsort(-rise)
    chosen = order[np.linspace(0, len(order) - 1, 4 * FRAMES_TRIED).astype(int)[:FRAMES_TRIED]]
    return poses, [*rotations[chosen], rotations[0]]


def _bones(clip: Clip, pose: Array) -> list[Bone]:
    """The skeleton in a pose (J, 4) as bones from joint to joint; a last one ends at its tip."""
    skeleton: Skeleton = clip.skeleton
    positions, orientations = skeleton.forward_kinematics(np.zeros(3), pose)
    bones = []
    for joint, name in enumerate(skeleton.names):
        ends = [positions[child] for child in skeleton.children(joint) if np.linalg.norm(skeleton.offsets[child]) > 0.0]
        if name in clip.tips:
            ends.append(positions[joint] + rotation.rotate(orientations[joint], clip.tips[name]))
        parent = skeleton.names[skeleton.parents[joint]] if joint else None
        bones.append(Bone(name, parent, tuple(positions[joint].tolist()), tuple((ends[0] if ends else positions[joint]).tolist())))
    return bones
