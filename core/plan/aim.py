"""Aim: what a planned body is to do at each frame of the plan, computed once from a reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..feet.apart import apart
from ..motion import Motion
from ..physics.base import moment
from ..reference import Reference
from ..signals import envelope, local_fit, runs
from . import support

FPS = 60.0  # frames of the plan a second: targets change, and rollouts are judged, this often
SETTLE_S = 0.25  # s over which a clip is lifted smoothly where it would lie in the ground, or where the ground rises
# A body that accelerates downward by less than CARRIED times gravity is carried by something. If its lowest point is then over the ground by up to
# HOVER m, for HOVER_S s or longer, it hovers, and is lowered over LOWER_S s. (For shorter than that every body seems to hover that leaves the ground,
# since accelerations are smoothed.)
CARRIED, HOVER, HOVER_S, LOWER_S = 0.4, 0.12, 0.12, 0.1

Height = Callable[[float, float], float]


class Aim:
    """F frames at ``FPS`` of a body with L links.

    Attributes:
        rotations: (F, L, 4), continuous. roots: (F, 3) m. rates: (F, L, 3) rad/s in the links' own frames, of the pelvis, too.
        velocities: (F, 3) m/s of the pelvis.
        positions (F, L, 3) m, orientations (F, L, 4): of the links in the world. com: (F, 3) m.
        shown: (F, L, 3) m, of the links as the clip has them, before its legs are brought apart.
        planted: (F, 2) whether the left and right foot stand.
        targets: (F, L, 4) for the servos: the rotations, and beyond them so far that the servos overcome their own damping and give the torques that
            the clip needs.
    """

    def __init__(self, body: Body, reference: Reference, seconds: float, heading: float, servos: tuple[Array, Array, Array],
                 inertias: Array, height: Height, begin: int = 0):
        """``seconds``: of the clip. ``begin``: the frame of it that is the first here. ``heading``: rad, of its first frame. ``servos``:
        stiffness, damping, largest torque (L,). ``inertias``: (L, 3) as simulated. ``height``: of what one can stand on at (x, y)."""
        clip = grounded(body, reference.motion.slice(0.0, seconds).resample(FPS).facing(heading), height)
        planted = reference.contacts_at(FPS, clip.frames)
        motion = apart(body, clip, planted)
        self.shown, self.planted = clip.world()[0][begin:], planted[begin:]
        self.body, self.frames = body, motion.frames - begin
        self.roots, self.rotations = motion.root_positions[begin:], rotation.make_continuous(motion.rotations[begin:])
        motion = Motion(motion.skeleton, FPS, self.roots, self.rotations)
        self.positions, self.orientations = motion.world()
        self.rates = support.joint_rates(self.rotations, FPS)
        self.velocities = local_fit(self.roots, FPS, support.VELOCITY_S, 2, 1)
        self.com = center_of_mass(body, self.positions, self.orientations)
        stiffness, damping, strongest = (values[1:, None] for values in servos)
        heights = np.array([height(x, y) for x, y in self.com[:, :2]])
        needed = support.torques(body, inertias, motion, heights)[:, 1:]
        size = np.linalg.norm(needed, axis=-1, keepdims=True)
        needed *= np.minimum(1.0, strongest / np.maximum(size, 1e-9))
        ahead = np.zeros_like(self.rates)
        ahead[:, 1:] = self.rates[:, 1:] * (damping / stiffness) + needed / stiffness
        ahead[:, body.hinges] *= (0.0, 1.0, 0.0)
        self.targets = rotation.multiply(self.rotations, rotation.exp(ahead))

    def start(self) -> dict[str, Any]:
        """The first moment as ``World.place`` takes it."""
        spin = rotation.rotate(self.rotations[0, 0], self.rates[0, 0])
        return moment(self.body, self.roots[0], self.rotations[0], self.velocities[0], spin, self.rates[0])


def center_of_mass(body: Body, positions: Array, orientations: Array) -> Array:
    """(..., 3) m of the body, for link poses (..., L, 3) and (..., L, 4)."""
    centers = positions + rotation.rotate(orientations, body.com_offsets)
    return (body.masses / body.mass) @ centers


def grounded(body: Body, motion: Motion, height: Height) -> Motion:
    """The motion on the ground as it is: a clip of level ground goes up and down with it, no link is in it, and no body hovers over it that does not
    fly."""
    positions, orientations = motion.world()
    feet = [body.names.index(f"foot.{side}") for side in "LR"]
    under = np.array([[height(x, y) for x, y in frame] for frame in positions[:, feet, :2]]).mean(axis=1)
    links, spots = support.lowest_points(body, positions, orientations)
    falls = -local_fit(center_of_mass(body, positions, orientations)[:, 2], motion.fps, support.ACCELERATION_S, 2, 2) / 9.81
    # Feet are planted already, and may be in the ground a little. Other links are as thick as this body's, and not as the recorded person's.
    others = ~np.isin(links, [i for i, name in enumerate(body.names) if name.startswith(("foot", "toes"))])
    deep = np.maximum(0.0, -spots[:, others, 2].min(axis=1))
    lift = local_fit(under, motion.fps, SETTLE_S, 1) + envelope(deep, SETTLE_S * motion.fps)
    roots = motion.root_positions.copy()
    roots[:, 2] += lift - _hovering(spots[..., 2].min(axis=1), falls, motion.fps)
    return Motion(motion.skeleton, motion.fps, roots, motion.rotations)


def _hovering(lowest: Array, falls: Array, fps: float) -> Array:
    """(F,) m by which a body is too high. ``lowest``: (F,) m of its lowest point over the floor. ``falls``: (F,) its acceleration downward over
    gravity."""
    frames = np.arange(len(lowest))
    stands = lowest < support.NEAR
    hovers = ~stands & (falls < CARRIED) & (lowest < HOVER)
    for start, end in runs(hovers):
        hovers[start:end] = end - start >= HOVER_S * fps
    known = stands | hovers
    if not known.any():
        return np.zeros(len(lowest))
    # A flight between two such moments is lowered as both of its ends are.
    over = np.interp(frames, frames[known], np.where(stands, 0.0, lowest)[known])
    return -envelope(-over, LOWER_S * fps)
