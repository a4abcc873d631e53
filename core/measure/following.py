"""How well a body follows a recording: joints, angles and speed against the clip's."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..kinematics import link_poses
from ..result import Result
from .span import upright


def following(result: Result) -> dict[str, float] | None:
    """How near a body stayed to the recording that it follows, as ``nearness`` gives it; None where none is followed."""
    return nearness(result) if len(result.reference_positions) else None


def nearness(result: Result) -> dict[str, float]:
    """Of a body that follows a recording, over the frames before a fall:

    joint_error_m: distance of the joints from the clip's, seen from the pelvis, as a mean over joints and frames; joint_error_max_m: the largest of
        the frames' means;
    angle_error_deg: turn between each bone and the clip's, as a mean; speed_ratio: way of the pelvis over that of the clip, in the same steps.
    """
    standing = upright(result)
    positions, _ = link_poses(standing)
    clip, away = standing.reference_positions, off_clip(standing)
    bones = [(link, parent) for link, parent in enumerate(result.parents) if parent >= 0]
    ours, theirs = (np.stack([points[:, link] - points[:, parent] for link, parent in bones], axis=1) for points in (positions, clip))
    cosines = (ours * theirs).sum(axis=2) / np.maximum(np.linalg.norm(ours, axis=2) * np.linalg.norm(theirs, axis=2), 1e-12)
    return {
        "joint_error_m": float(away.mean()),
        "joint_error_max_m": float(away.max()),
        "angle_error_deg": float(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).mean()),
        "speed_ratio": _speed_ratio(standing, clip),
    }


def off_clip(result: Result) -> Array:
    """(F,) m that the joints are off the clip's, seen from the pelvis, as a mean."""
    positions, clip = link_poses(result)[0], result.reference_positions
    return np.linalg.norm((positions - positions[:, :1]) - (clip - clip[:, :1]), axis=2)[:, 1:].mean(axis=1)


def _speed_ratio(result: Result, clip: Array) -> float:
    """Way of the pelvis over that of the clip. The clip stands on the body's stance foot, which changes at a step: those jumps are left out."""
    same = result.stance[1:] == result.stance[:-1]
    ours = np.linalg.norm(np.diff(result.root_positions[:, :2], axis=0), axis=1)[same].sum()
    theirs = np.linalg.norm(np.diff(clip[:, 0, :2], axis=0), axis=1)[same].sum()
    return float(ours / theirs) if theirs > 0.1 else 1.0
