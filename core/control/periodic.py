"""Periodic: one gait cycle of a recording as a mean and harmonics, which can be read off at any phase (thesis, section 7.5).

Phase goes from 0 to 1, from a strike of the left foot to its next one. All is seen in the heading frame (forward, left, up), which goes on
with the mean velocity and turns with the mean rate of the recording.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..errors import JobError
from ..motion import Motion
from ..reference import Reference, find_cycle, looped

HARMONICS = 6
# A person who goes faster than this (m/s), in a direction at most this far (rad) off where the pelvis points, is taken to face that direction.
TRAVELLING, OBLIQUE = 0.3, 0.6
PHASE_STEP = 1e-3  # of a cycle, to both sides of a phase, over which rates are taken


@dataclass(eq=False)
class Periodic:
    """A cyclic gait of a body with L links, with H harmonics.

    Attributes:
        body: whose links are turned.
        period: s, of a cycle. right: phase at which the right foot strikes.
        velocity: (2,) m/s, mean, forward and left. turn: rad/s, mean, to the left.
        means: (L, 4) mean rotation of each joint relative to its parent, of the pelvis to the heading.
        turns: (2H + 1, L, 3) rad, coefficients of the turn away from the mean, in the link's own frame, see ``_waves``.
        roots: (2H + 1, 3) m, coefficients of the pelvis's place in the heading frame; its height is over the ground.
        stances: fraction of the cycle for which the left and the right foot stand, from their strikes on.
        rms_deg: root mean square over frames and links of the angle between the recorded and the periodic rotation.
    """

    body: Body
    period: float
    right: float
    velocity: Array
    turn: float
    means: Array
    turns: Array
    roots: Array
    stances: tuple[float, float]
    rms_deg: float

    @property
    def flight(self) -> float:
        """Fraction of the cycle without a foot on the ground; 0 in a walk."""
        return max(0.0, self.right - self.stances[0]) + max(0.0, 1.0 - self.right - self.stances[1])

    def share(self, foot: int, phase: float) -> float:
        """The share of the weight that a foot (0 left, 1 right) may carry: all; less and less once the other one has landed; in the air nothing."""
        strike, other = ((0.0, self.right), (self.right, 1.0))[foot]
        since, alone = (phase - strike) % 1.0, other - strike
        if since >= self.stances[foot]:
            return 0.0
        return 1.0 if since < alone else 1.0 - (since - alone) / (self.stances[foot] - alone)

    def pose(self, phase: Array | float) -> tuple[Array, Array]:
        """Place of the pelvis (..., 3) m in the heading frame, and rotations (..., L, 4), at phases (...)."""
        waves = _waves(np.asarray(phase, dtype=float), (len(self.roots) - 1) // 2)
        return waves @ self.roots, rotation.multiply(self.means, rotation.exp(np.tensordot(waves, self.turns, axes=1)))

    def rates(self, phase: Array | float) -> tuple[Array, Array]:
        """Velocity of the pelvis (..., 3) m/s in the heading frame, and rates (..., L, 3) rad/s in each link's own frame."""
        phase = np.asarray(phase, dtype=float)
        (before, first), (after, last) = self.pose(phase - PHASE_STEP), self.pose(phase + PHASE_STEP)
        seconds = 2.0 * PHASE_STEP * self.period
        turns = rotation.log(rotation.multiply(rotation.conjugate(first), last))
        return (after - before) / seconds + (*self.velocity, 0.0), turns / seconds

    def motion(self, cycles: float, fps: float = 120.0) -> Motion:
        """So many cycles, straight on along +X, from a strike of the left foot."""
        seconds = np.arange(int(cycles * self.period * fps) + 1) / fps
        roots, rotations = self.pose(seconds / self.period)
        return Motion(self.body.skeleton, fps, roots + seconds[:, None] * (*self.velocity, 0.0), rotation.normalize(rotations))


def periodic(reference: Reference, harmonics: int = HARMONICS, symmetric: bool = False) -> Periodic:
    """The gait of a recording: its best cycle, averaged over its strides; what does not meet at the ends is spread over the cycle.

    Args:
        symmetric: make the right half of the cycle the mirror image of the left one, each the mean of both.
    """
    motion, strikes, phases, right, contacts = _strides(reference)
    seconds = (strikes[-1] - strikes[0]) / motion.fps
    period = seconds / (len(strikes) // 2)
    roots, rotations, velocity, turn = _in_heading_frame(motion, seconds)
    if symmetric:
        # The mirrored gait is half a cycle later; its landmarks must be where those of the gait are.
        phases = np.interp(phases % 1.0, (0.0, right, 1.0), (0.0, 0.5, 1.0))
        right = 0.5
        mirrored = Motion(motion.skeleton, motion.fps, roots, rotations).mirror()
        phases = np.concatenate([phases, phases + 0.5])
        roots, rotations = np.concatenate([roots, mirrored.root_positions]), np.concatenate([rotations, mirrored.rotations])
        velocity, turn = velocity * (1.0, 0.0), 0.0
    means = _mean_rotations(rotations)
    away = rotation.log(rotation.multiply(rotation.conjugate(means), rotations))
    waves = _waves(phases, harmonics)
    turns = _fitted(waves, away.reshape(len(waves), -1)).reshape(-1, *away.shape[1:])
    left, right_foot = contacts.mean(axis=0).tolist()
    result = Periodic(reference.body, period, right, velocity, turn, means, turns, _fitted(waves, roots), (left, right_foot), 0.0)
    missed = rotation.log(rotation.multiply(rotation.conjugate(rotations), result.pose(phases)[1]))
    result.rms_deg = float(np.degrees(np.sqrt(np.mean(np.sum(missed**2, axis=-1)))))
    return result


def _strides(reference: Reference) -> tuple[Motion, list[int], Array, float, Bools]:
    """The best cycle of a reference, from left strike to left strike: its motion, the frames of its strikes (left and right in turn, and the
    left one after them), the phase of each frame, the phase of the right strikes, and the contacts."""
    cycle = find_cycle(reference)
    length = cycle.end - cycle.start
    long = looped(reference, cycle, 3)
    # Fragments begin at strikes; a stance may also begin where the seam cuts it.
    steps = [step for step in long.fragments if step.whole]
    start = next((step.start for step in steps if step.kind == "left" and step.start >= length // 2), -1)
    strikes = [(step.start, step.kind) for step in steps if 0 <= start <= step.start <= start + length]
    in_turn = [kind for _, kind in strikes] == [("left", "right")[n % 2] for n in range(len(strikes))]
    if not in_turn or len(strikes) < 3 or strikes[-1][0] != start + length:
        raise JobError(f"'{reference.name}' cannot be imitated: in its best cycle the feet do not land in turn; track it instead.")
    frames = [frame for frame, _ in strikes]
    right = float(np.diff(frames)[::2].sum() / length)
    landmarks = [n // 2 + (right if n % 2 else 0.0) for n in range(len(frames))]
    within = np.arange(start, start + length)
    motion = Motion(long.motion.skeleton, long.motion.fps, long.motion.root_positions[within], long.motion.rotations[within])
    return motion, frames, np.interp(within, frames, landmarks), right, long.contacts[within]


def _in_heading_frame(motion: Motion, seconds: float) -> tuple[Array, Array, Array, float]:
    """Pelvis places and all rotations seen from a frame that goes along and turns evenly; its velocity (forward, left) and rate of turn."""
    time = np.arange(motion.frames) / motion.fps
    facing = np.unwrap(rotation.heading(motion.rotations[:, 0]))
    # The clip repeats after ``seconds``: its first frame comes again, gone on and turned.
    step = time[1] - time[0]
    turn = float((facing[-1] - facing[0] + (facing[1] - facing[0] + facing[-1] - facing[-2]) / 2) / (time[-1] + step))
    frame_yaw = np.mean(facing - turn * time) + turn * time
    velocities = np.gradient(motion.root_positions, step, axis=0)
    local = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, -1.0), frame_yaw), velocities)
    mean = local[:, :2].mean(axis=0)
    course = float(np.arctan2(mean[1], mean[0]))
    if np.hypot(*mean) > TRAVELLING and abs(course) < OBLIQUE:
        frame_yaw = frame_yaw + course
        mean = np.array([np.hypot(*mean), 0.0])
        local = rotation.rotate(rotation.from_axis_angle((0.0, 0.0, -1.0), np.full(len(time), course)), local)
    # Integrated, not read off, so that a bend in the path does not show as a sway.
    sway = np.cumsum(local[:, :2] - mean, axis=0) * step
    roots = np.concatenate([sway - sway.mean(axis=0), motion.root_positions[:, 2:]], axis=1)
    rotations = motion.rotations.copy()
    rotations[:, 0] = rotation.multiply(rotation.from_axis_angle((0.0, 0.0, -1.0), frame_yaw), rotations[:, 0])
    return roots, rotations, mean, turn


def _mean_rotations(rotations: Array) -> Array:
    """(L, 4) of (F, L, 4): the rotation with the largest sum of squared cosines to all, for each link."""
    products = np.einsum("fla,flb->lab", rotations, rotations)
    return np.linalg.eigh(products)[1][:, :, -1]


def _waves(phase: Array, harmonics: int) -> Array:
    """(..., 2H + 1) values of 1, cos 2πφ, sin 2πφ, cos 4πφ, …"""
    angles = 2.0 * np.pi * phase[..., None] * np.arange(1, harmonics + 1)
    pairs = np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(*phase.shape, -1)
    return np.concatenate([np.ones((*phase.shape, 1)), pairs], axis=-1)


def _fitted(waves: Array, values: Array) -> Array:
    """Coefficients of waves (F, 2H + 1) with which they come nearest to values (F, N)."""
    return np.linalg.lstsq(waves, values, rcond=None)[0].astype(float, copy=False)
