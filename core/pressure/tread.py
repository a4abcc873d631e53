"""How a body treads on the ground: where its soles are, what they carry in all, and where the middle of that is.

Of a simulated body the forces under each foot are known. Of a clip that nobody simulated they follow from how the body moves: the ground gives the
acceleration of the centre of mass and the change of angular momentum. How feet share it is then up to the spots that touch (``spread``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from .. import feet, rotation
from ..arrays import Array, Bools, Ints
from ..kinematics import GRAVITY, acceleration, link_coms, link_poses, momentum_about_com, sole_feet, sole_positions, velocity
from ..measure.balance import zero_moment
from ..reference import Reference
from ..result import Result
from ..signals import local_fit, runs, smooth_step

# A place of a sole presses fully up to the first height (m) and speed (m/s), and not at all from the second on: soft soles give way, and feet that
# swing pass closely over the floor.
HEIGHT, SPEED = (0.005, 0.03), (0.25, 0.7)
# s over which the middle of the force behind a clip is taken: two derivatives make it the noisiest thing of all
MIDDLE_S = 0.1


@dataclass(frozen=True, eq=False)
class Tread:
    """F frames of two soles with P corners each.

    Attributes:
        times: (F,) s. weight: N, of the body.
        soles: (F, 2, P, 3) m, world, left and right; the corners go from the heel to the toes, of each row the left one first. Heights are over the
            ground under the foot. speeds: (F, 2, P) m/s.
        forces: (F, K) N, upward; K is 2 where each foot's is known, or 1: of both together.
        middles: (F, K, 2) m, world, centre of pressure; NaN where it is not known.
        settled: (F, 2) s that each foot has been down for, or has still to be until it lifts, whichever is less; 0 in the air.
    """

    times: Array
    weight: float
    soles: Array
    speeds: Array
    forces: Array
    middles: Array
    settled: Array

    def at(self, rate: float) -> Tread:
        """The same at ``rate`` frames a second: sensors are read at a moment, the nearest frame's."""
        times = np.arange(self.times[0], self.times[-1] + 1e-9, 1.0 / rate)
        nearest = np.round(np.interp(times, self.times, np.arange(len(self.times)))).astype(int)
        return replace(self.piece(nearest), times=times)

    def piece(self, frames: slice | Ints) -> Tread:
        """Some of its frames."""
        return Tread(self.times[frames], self.weight,
                     *(values[frames] for values in (self.soles, self.speeds, self.forces, self.middles, self.settled)))


def able(heights: Array, speeds: Array) -> Array:
    """(...) from 0 to 1: how well places of a sole at heights (...) m that move at speeds (...) m/s can press."""
    return _fades(heights, HEIGHT) * _fades(speeds, SPEED)


def _fades(values: Array, limits: tuple[float, float]) -> Array:
    """(...) 1 up to the first limit, 0 from the second on."""
    return 1.0 - smooth_step((values - limits[0]) / (limits[1] - limits[0]))


def _settled(soles: Array, speeds: Array, fps: float) -> Array:
    """See ``Tread.settled``. At the ends of a clip feet have been down, and stay so, for long."""
    down = able(soles[..., 2], speeds).max(axis=2) > 0.1
    frames = len(down)
    found = np.zeros(down.shape)
    for foot in (0, 1):
        for start, end in runs(down[:, foot]):
            since = np.arange(1, end - start + 1) if start > 0 else np.full(end - start, frames)
            until = np.arange(end - start, 0, -1) if end < frames else np.full(end - start, frames)
            found[start:end, foot] = np.minimum(since, until) / fps
    return found


def of_result(result: Result) -> Tread:
    """Of a simulated or only shown motion: the latter has no centres of pressure, and its forces follow from how it moves."""
    corners, side = sole_positions(result), sole_feet(result)
    soles = np.stack([corners[:, side == foot] for foot in (0, 1)], axis=1)
    soles[..., 2] -= result.ground_heights[:, :, None]
    speeds = feet.speeds(soles, result.fps)
    settled = _settled(soles, speeds, result.fps)
    weight = float(result.masses.sum()) * GRAVITY
    if np.isfinite(result.foot_cops).any():
        return Tread(result.times, weight, soles, speeds, np.maximum(result.foot_forces[:, :, 2], 0.0), result.foot_cops[:, :, :2],
                     settled)
    ground = result.ground_heights.mean(axis=1)
    forces, middles = _behind(result.masses, result.inertias, link_coms(result), link_poses(result)[1], ground, result.fps)
    return Tread(result.times, weight, soles, speeds, forces, middles, settled)


def of_reference(reference: Reference) -> Tread:
    """Of a clip on a body; feet may also stand on steps."""
    body, motion = reference.body, reference.motion
    positions, orientations = motion.world()
    soles = feet.sole_positions(body, positions, orientations)
    ground = ground_of(reference)
    soles[..., 2] -= ground[:, :, None]
    speeds = feet.speeds(soles, motion.fps)
    coms = positions + rotation.rotate(orientations, body.com_offsets)
    forces, middles = _behind(body.masses, body.inertias, coms, orientations, ground.mean(axis=1), motion.fps)
    return Tread(np.arange(motion.frames) / motion.fps, body.mass * GRAVITY, soles, speeds, forces, middles, _settled(soles, speeds, motion.fps))


def ground_of(reference: Reference) -> Array:
    """(F, 2) m, height of the ground under each foot: of where it stands, or of the stance that is nearest in time."""
    frames = reference.motion.frames
    heights = np.zeros((frames, 2))
    for foot in (0, 1):
        own = [stance for stance in reference.stances if stance.foot == foot]
        if any(stance.height for stance in own):
            middles = np.array([(stance.end + after.start) / 2 for stance, after in pairwise(own)])
            heights[:, foot] = np.array([stance.height for stance in own])[np.searchsorted(middles, np.arange(frames))]
    return heights


def _behind(masses: Array, inertias: Array, coms: Array, orientations: Array, ground: Array | float, fps: float) -> tuple[Array, Array]:
    """Force (F, 1) N and its middle (F, 1, 2) m behind the motion of links (see ``momentum_about_com``)."""
    com = np.einsum("l,fld->fd", masses / masses.sum(), coms)
    push = acceleration(com, fps)
    spin = velocity(momentum_about_com(masses, inertias, coms, orientations, fps), fps)
    middles = zero_moment(com, push, spin, float(masses.sum()), ground)
    known: Bools = np.isfinite(middles[:, 0])
    for start, end in runs(known):
        middles[start:end] = local_fit(middles[start:end], fps, MIDDLE_S, 1)
    return np.maximum(masses.sum() * (push[:, 2:] + GRAVITY), 0.0), middles[:, None]
