"""Course: a reference motion with all that a tracking controller asks of it, computed once and read off at any time."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from .. import rotation
from ..arrays import Array
from ..dynamics import Dynamics
from ..motion import Motion
from ..signals import local_fit

# s of the clip that each velocity and each acceleration is taken from: over less, a landing would be a jolt that cannot be followed.
VELOCITY_S, ACCELERATION_S = 0.04, 0.12
SWAY_S = 1.1  # s, about a stride: heading is averaged over it
WORLD_LINKS = ("pelvis", "torso", "thigh.L", "thigh.R")  # their orientation in the world is followed, not only that relative to their parents


@dataclass(slots=True)
class Sample:
    """A moment of a course, in the frame of its clip. L links.

    Attributes:
        rotations (L, 4), rates (L, 3) rad/s and accelerations (L, 3) rad/s²: of each joint, in the link's own frame; of the pelvis in the world.
        turning, turned: (4, 3) rad/s and rad/s² of ``WORLD_LINKS`` in the world.
        root, com, com_velocity, com_acceleration: (3,) m, m/s, m/s²; root is the pelvis's joint, com the body's centre of mass.
        balls, ankles: (2, 3) m, toe joints and ankles, left and right.
        lows, lifts: (2,) m and m/s, height of the lowest point of each sole, and how fast it rises.
    """

    rotations: Array
    rates: Array
    accelerations: Array
    turning: Array
    turned: Array
    root: Array
    com: Array
    com_velocity: Array
    com_acceleration: Array
    balls: Array
    ankles: Array
    lows: Array
    lifts: Array


class Course:
    """F frames of a Motion on a body's skeleton."""

    def __init__(self, motion: Motion, dynamics: Dynamics):
        self.fps, self.frames = motion.fps, motion.frames
        self.names = motion.skeleton.names
        body = dynamics.body
        quaternions = rotation.make_continuous(motion.rotations)
        positions, orientations = motion.world()
        rates = self._rates(quaternions)
        # The pelvis turns in the world: from its own frame.
        rates[:, 0] = rotation.rotate(quaternions[:, 0], rates[:, 0])
        world = [self.names.index(name) for name in WORLD_LINKS]
        turning = rotation.rotate(orientations[:, world], self._rates(rotation.make_continuous(orientations[:, world])))
        centers = positions + rotation.rotate(orientations, body.com_offsets)
        com = np.einsum("l,flk->fk", body.masses / body.mass, centers)
        balls = positions[:, [self.names.index(f"toes.{side}") for side in "LR"]]
        ankles = positions[:, [self.names.index(f"foot.{side}") for side in "LR"]]
        soles = positions[:, body.sole_links] + rotation.rotate(orientations[:, body.sole_links], body.sole_points)
        left = np.array([self.names[link].endswith("L") for link in body.sole_links])
        lows = np.stack([soles[:, left, 2].min(axis=1), soles[:, ~left, 2].min(axis=1)], axis=1)
        # All samples at once: F rows of each field.
        whole = Sample(
            rotations=quaternions, rates=rates, accelerations=self._rate(rates, ACCELERATION_S), turning=turning,
            turned=self._rate(turning, ACCELERATION_S), root=motion.root_positions, com=com, com_velocity=self._rate(com),
            com_acceleration=local_fit(com, self.fps, ACCELERATION_S, 2, 2), balls=balls, ankles=ankles, lows=lows, lifts=self._rate(lows))
        columns = [getattr(whole, field.name) for field in fields(Sample)]
        self._table = np.concatenate([column.reshape(self.frames, -1) for column in columns], axis=1)
        # Where each field stands in a row of the table, and its shape.
        self._places: list[tuple[slice, tuple[int, ...]]] = []
        start = 0
        for column in columns:
            size = int(np.prod(column.shape[1:]))
            self._places.append((slice(start, start + size), column.shape[1:]))
            start += size
        self._headings = np.unwrap(rotation.heading(quaternions[:, 0]))
        self._courses = local_fit(self._headings, self.fps, SWAY_S, 1)
        self._root_velocities = self._rate(motion.root_positions)

    def _rate(self, values: Array, seconds: float = VELOCITY_S) -> Array:
        return local_fit(values, self.fps, seconds, 2, 1)

    def _rates(self, quaternions: Array) -> Array:
        """(F, N, 3) rad/s in the turning frame, from continuous quaternions (F, N, 4)."""
        return 2.0 * rotation.multiply(rotation.conjugate(quaternions), self._rate(quaternions))[..., 1:]

    def at(self, frame: float) -> Sample:
        """The moment at ``frame``, which may lie between two frames; the first and the last hold outside."""
        frame = min(max(frame, 0.0), self.frames - 1.0)
        before = int(frame)
        row = self._table[before]
        if frame > before:
            row = row + (frame - before) * (self._table[before + 1] - row)
        return Sample(*[row[where].reshape(shape) for where, shape in self._places])

    def root_velocity(self, frame: int) -> Array:
        """(3,) m/s of the pelvis's joint."""
        return self._root_velocities[frame]

    def heading(self, frame: float) -> float:
        """Radians, of the pelvis, continuous over the clip."""
        return self._interpolated(self._headings, frame)

    def facing(self, frame: float) -> float:
        """The same without the pelvis's sway from step to step."""
        return self._interpolated(self._courses, frame)

    def _interpolated(self, values: Array, frame: float) -> float:
        frame = min(max(frame, 0.0), self.frames - 1.0)
        before = min(int(frame), self.frames - 2)
        return float(values[before] + (frame - before) * (values[before + 1] - values[before])) if self.frames > 1 else float(values[0])
