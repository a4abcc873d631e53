"""Motion: a clip on a skeleton. Every edit returns a new Motion and leaves the old one as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from . import rotation
from .arrays import Array
from .errors import FormatError, RigError
from .skeleton import Skeleton, mirror_name

# Files carry a few decimals or float32; a quaternion further than this from unit length is no rotation but damaged data.
LENGTH_TOLERANCE = 1e-3
# Fraction of a frame by which a time may miss the last frame through rounding and still include it.
FRAME_TOLERANCE = 1e-6


# Compared by identity: arrays have no single answer to ==.
@dataclass(eq=False)
class Motion:
    """F frames of a skeleton with J joints; frame 0 is at 0 s.

    Attributes:
        skeleton: the joints.
        fps: frames a second.
        root_positions: (F, 3) metres, world.
        rotations: (F, J, 4) unit quaternions of each joint relative to its parent; of the root relative to the world.
    """

    skeleton: Skeleton
    fps: float
    root_positions: Array
    rotations: Array

    def __post_init__(self) -> None:
        self.fps = float(self.fps)
        self.root_positions = np.asarray(self.root_positions, dtype=float)
        self.rotations = np.asarray(self.rotations, dtype=float)
        _check_fps(self.fps)
        self._check_shapes()
        self._check_values()

    def _check_shapes(self) -> None:
        frames, joints = len(self.root_positions), len(self.skeleton.names)
        if frames == 0:
            raise FormatError("The motion has no frames.")
        if self.root_positions.shape != (frames, 3) or self.rotations.shape != (frames, joints, 4):
            raise FormatError(
                f"The motion has root positions of shape {self.root_positions.shape} and rotations of shape "
                f"{self.rotations.shape}, but {frames} frames of {joints} joints need ({frames}, 3) and ({frames}, {joints}, 4)."
            )

    def _check_values(self) -> None:
        placed = np.all(np.isfinite(self.root_positions), axis=-1)
        # Written so that NaN, which fails every comparison, is caught too.
        sound = np.abs(np.linalg.norm(self.rotations, axis=-1) - 1.0) < LENGTH_TOLERANCE
        sound[:, 0] &= placed
        if not sound.all():
            frame, joint = np.argwhere(~sound)[0]
            what = "rotation" if joint > 0 or placed[frame] else "position"
            raise FormatError(
                f"Frame {frame} (the first is 0) has no valid {what} for joint '{self.skeleton.names[joint]}': "
                "repair that frame or export the clip again."
            )

    @property
    def frames(self) -> int:
        return len(self.root_positions)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last: one frame lasts no time."""
        return (self.frames - 1) / self.fps

    def world(self) -> tuple[Array, Array]:
        """Positions (F, J, 3) metres and orientations (F, J, 4) of all joints, world."""
        return self.skeleton.forward_kinematics(self.root_positions, self.rotations)

    def sample(self, t: ArrayLike) -> tuple[Array, Array]:
        """The pose at t (...) seconds: root positions (..., 3) metres, world, and rotations (..., J, 4).

        Linear between frames for the root, along the shortest arc for rotations. The first and last pose hold outside the clip.
        """
        position = np.clip(np.asarray(t, dtype=float) * self.fps, 0, self.frames - 1)
        before = position.astype(int)
        after = np.minimum(before + 1, self.frames - 1)
        fraction = (position - before)[..., None]
        start, end = self.root_positions[before], self.root_positions[after]
        return start + fraction * (end - start), rotation.slerp(self.rotations[before], self.rotations[after], fraction)

    def resample(self, fps: float) -> Motion:
        """The same clip at another rate. It may end up to one new frame early, never late: no pose is invented."""
        _check_fps(fps)
        return self._at(_frame_times(self.duration, fps), fps)

    def slice(self, start_s: float, end_s: float) -> Motion:
        """The piece from ``start_s`` to ``end_s`` seconds, both included; what lies outside the clip is left out.

        The new clip starts exactly at ``start_s``, on a frame or not.
        """
        start, end = max(start_s, 0.0), min(end_s, self.duration)
        if not start <= end:
            raise ValueError(f"From {start_s:g} s to {end_s:g} s there is nothing of the clip, which lasts {self.duration:g} s.")
        return self._at(start + _frame_times(end - start, self.fps), self.fps)

    def warp(self, source_times: ArrayLike, target_times: ArrayLike) -> Motion:
        """Retime: what happens at source_times (K,) seconds of this clip happens at target_times (K,) of the new one.

        Time runs evenly between these marks. The new clip goes from the first mark to the last, and its first frame is
        target_times[0]: to keep the whole clip, put marks at 0 and at its duration. Target times must increase; source
        times may also stand still, which holds the pose.
        """
        source, target = np.asarray(source_times, dtype=float), np.asarray(target_times, dtype=float)
        if source.ndim != 1 or source.shape != target.shape or len(source) < 2:
            raise ValueError("A time warp needs two or more marks, each with a source and a target time.")
        if not ((np.diff(source) >= 0.0).all() and (np.diff(target) > 0.0).all()):
            raise ValueError("The marks of a time warp must be in order of time, no two at the same target time.")
        new_times = target[0] + _frame_times(target[-1] - target[0], self.fps)
        return self._at(np.interp(new_times, target, source), self.fps)

    def _at(self, times: Array, fps: float) -> Motion:
        root_positions, rotations = self.sample(times)
        return Motion(self.skeleton, fps, root_positions, rotations)

    def facing(self, heading: float) -> Motion:
        """Moved and turned so that it begins over the origin with the root facing ``heading`` (rad)."""
        turn = rotation.from_axis_angle((0.0, 0.0, 1.0), heading - float(rotation.heading(self.rotations[0, 0])))
        rotations = self.rotations.copy()
        rotations[:, 0] = rotation.multiply(turn, rotations[:, 0])
        moved = self.root_positions - self.root_positions[0] * (1.0, 1.0, 0.0)
        return replace(self, root_positions=rotation.rotate(turn, moved), rotations=rotations)

    def mirror(self) -> Motion:
        """Left and right exchanged: reflected in the world's XZ plane (y → −y), with '.L' and '.R' joints swapped.

        The skeleton stays, so the joints land exactly on their mirror images where the skeleton is symmetric.
        """
        other_side = [self.skeleton.index(mirror_name(name)) for name in self.skeleton.names]
        # A rotation axis is no arrow but the normal of a turning: a mirror keeps its component across the mirror and flips the others.
        return replace(
            self,
            root_positions=self.root_positions * (1.0, -1.0, 1.0),
            rotations=self.rotations[:, other_side] * (1.0, -1.0, 1.0, -1.0),
        )

    def blend(self, other: Motion, weight: ArrayLike) -> Motion:
        """This clip at weight 0, ``other`` at weight 1, on this skeleton; weight is a number or (F,), one a frame.

        Frame goes with frame: both clips need the same joints, rate and length (see :meth:`resample`, :meth:`warp`).
        """
        if self.skeleton.names != other.skeleton.names:
            raise RigError("The two motions cannot be blended: their skeletons have different joints.")
        if self.fps != other.fps or self.frames != other.frames:
            raise ValueError(
                f"The two motions cannot be blended: one has {self.frames} frames at {self.fps:g} fps, "
                f"the other {other.frames} at {other.fps:g}."
            )
        weight = np.broadcast_to(np.asarray(weight, dtype=float), (self.frames,))[:, None]
        return replace(
            self,
            root_positions=self.root_positions + weight * (other.root_positions - self.root_positions),
            rotations=rotation.slerp(self.rotations, other.rotations, weight),
        )

    def displace(self, root_offsets: ArrayLike = 0.0, rotation_offsets: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> Motion:
        """Move the root and turn joints on top of the clip.

        Args:
            root_offsets: metres, world, that broadcast to (F, 3): (3,) shifts the whole clip.
            rotation_offsets: quaternions that broadcast to (F, J, 4): (J, 4) turns each joint alike in all frames. Applied on
                the left, in the parent's frame (the root's: the world's), so that "5° outward at the hip" is the same
                direction whatever the hip is doing.
        """
        return replace(
            self,
            root_positions=self.root_positions + np.asarray(root_offsets, dtype=float),
            rotations=rotation.multiply(rotation_offsets, self.rotations),
        )


def _check_fps(fps: float) -> None:
    if not (np.isfinite(fps) and fps > 0.0):
        raise FormatError(f"A motion cannot have {fps:g} frames a second: use a rate above 0.")


def _frame_times(duration: float, fps: float) -> Array:
    """(F,) seconds from 0: every frame that fits into ``duration`` seconds."""
    return np.arange(int(duration * fps + FRAME_TOLERANCE) + 1) / fps
