"""Planted feet: in every stance the part of the sole that is down stays where it is, and the legs follow.

Feet come first: soles that are almost level in stance become level, toes lie on the floor while the heel rises, and the foot is moved so
that it rolls over its sole without sliding. Then the legs reach for the feet, and the pelvis comes along where it has to. Between stances
the corrections fade out and in again, so that a swing stays what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..arrays import Array, Bools, Ints
from ..body import Body
from ..motion import Motion
from ..rotation import hinge, hinge_angle
from ..signals import envelope, low_pass, nearby, smooth_step, softened
from . import legs, sole
from .fading import faded
from .stances import Stance, masks

# Radians: a sole tilted by less than the first angle is laid flat, one tilted by more than the second is left as it is. Pitch is about the foot's
# left, roll about its forward axis.
FLAT_PITCH = np.radians((0.0, 8.0))
FLAT_ROLL = np.radians((6.0, 16.0))
# Radians: a standing foot that is turned by less than the first angle from how it mostly stands does not turn; by more than the second, it pivots.
PIVOT = np.radians((8.0, 30.0))
# Radians by which toes bend before the ball of the foot leaves the floor.
TOE_BEND = np.radians(25.0)
# Radians of pitch between which the toes leave the floor to stand on their tips, as those of someone who kneels.
ON_TIPS = np.radians((65.0, 80.0))
# Toes let go of the floor no faster than a low-pass filter at so many Hz allows.
TOE_HZ = 6.0
# The load of a point of the sole falls to 1/e of itself for every so many metres that it is higher than the lowest point, and for every so many m/s
# that it is faster than the slowest one: by no more than so many such steps for its speed.
ROLLING = 0.003
PIVOT_SPEED, PIVOT_STEPS = 0.003, 6.0
# Metres, for a leg of a metre: a foot that slides further than this from where it stands is meant to slide.
LONGEST_CORRECTION = 0.15
# Seconds from the beginning of a motion in which a foot that stays where it is becomes level and gets onto the floor.
EASED_S = 0.1
# Seconds in which a foot that swings gets as high as it has to.
CLEARANCE_S = 0.06
# A leg that is too short raises the heel of a foot behind the hip: not at all up to the first distance (in lengths of the leg), fully from the
# second; by LARGEST_RISE (radians) at most, over RISE_S (seconds).
BEHIND, LARGEST_RISE, RISE_S = (0.1, 0.3), np.radians(15.0), 0.06


@dataclass(frozen=True)
class Care:
    """What is done besides keeping feet where they stand.

    Attributes:
        clearance: metres, one number or (F, 2), that feet swing above the floor at least.
        knee: radians; a knee that is bent by less does not get straighter than it was: the pelvis comes down for it.
        around_s: seconds before and after a stance in which it does that, too.
    """

    clearance: float | Array = 0.005
    knee: float = legs.STRAIGHT_KNEE
    around_s: float = 0.0


def planted(body: Body, motion: Motion, stances: Sequence[Stance], care: Care = Care()) -> Motion:
    """The motion, on body.skeleton, with feet that stand still in their stances, do not sink, and swing above the floor at 0."""
    contacts, clearance = masks(stances, motion.frames), np.broadcast_to(care.clearance, (motion.frames, 2))
    moved = [_PlantedFoot(body, motion, foot, stances, np.zeros(motion.frames), clearance[:, foot]) for foot in (0, 1)]
    motion_along = _following(body, motion, np.stack([foot.ankle[:, 2] for foot in moved], axis=1), contacts)
    rises = [_heel_rise(body, motion_along, foot, moved[foot].ankle, contacts[:, foot]) for foot in (0, 1)]
    moved = [_PlantedFoot(body, motion, foot, stances, rises[foot], clearance[:, foot]) for foot in (0, 1)]
    ankles = np.stack([foot.ankle for foot in moved], axis=1)
    orientations = np.stack([foot.orientation for foot in moved], axis=1)
    toes = np.stack([foot.toe_angle for foot in moved], axis=1)
    around = np.stack([nearby(contacts[:, foot], care.around_s * motion.fps) for foot in (0, 1)], axis=1)
    return legs.reaching(body, legs.lowered(body, motion_along, ankles, around, care.knee), ankles, orientations, toes)


class _PlantedFoot:
    """Where one foot goes: ``ankle`` (F, 3) metres, world, ``orientation`` (F, 4), world, and ``toe_angle`` (F,) radians.

    ``rise``: (F,) radians by which the heel is raised in stance besides. ``clearance``: (F,) metres.
    """

    def __init__(self, body: Body, motion: Motion, foot: int, stances: Sequence[Stance], rise: Array, clearance: Array) -> None:
        self.links, self.points = sole.sole_of(body, foot)
        self.toes = sole.link(body, "toes", foot)
        self.edge_links, self.edge = self._rolling_edge()
        self.toe_offset = body.offsets[self.toes]
        self.toe_limits = body.limits[self.toes, 1]
        self.longest = LONGEST_CORRECTION * body.leg_length
        self.fps, self.stances = motion.fps, [stance for stance in stances if stance.foot == foot]
        self.eased = eased(motion) if any(stance.stays for stance in self.stances) else np.ones(motion.frames)
        positions, orientations = motion.world()
        self.ankle = positions[:, sole.link(body, "foot", foot)].copy()
        self.orientation = orientations[:, sole.link(body, "foot", foot)].copy()
        self.toe_angle = hinge_angle(motion.rotations[:, self.toes])
        self._level(rise)
        self._bend_toes()
        self._roll()
        self._clear(clearance)

    def _rolling_edge(self) -> tuple[Ints, Array]:
        """Links (E,) and points (E, 3) of the sole that a foot rolls over: the heel, then the toes from their joint to their tip.

        Below the toe joint the foot swings free of the floor as soon as the heel rises; the toes stay.
        """
        heel = (self.links != self.toes) & (self.points[:, 0] < 0.0)
        tips = self.points[self.links == self.toes]
        edge = np.concatenate([self.points[heel], tips * (0.0, 1.0, 1.0), tips])
        return np.concatenate([self.links[heel], np.full(2 * len(tips), self.toes)]), edge

    def place(self, links: Ints, points: Array) -> Array:
        """(F, N, 3) metres, world, of points (N, 3) of links (N,), foot or toes."""
        toe_joint = self.ankle + rotation.rotate(self.orientation, self.toe_offset)
        toes = rotation.multiply(self.orientation, hinge(self.toe_angle))
        of_foot = self.ankle[:, None] + rotation.rotate(self.orientation[:, None], points)
        of_toes = toe_joint[:, None] + rotation.rotate(toes[:, None], points)
        return np.where((links == self.toes)[:, None], of_toes, of_foot)

    def soles(self) -> Array:
        """(F, P, 3) metres, world, of all sole points."""
        return self.place(self.links, self.points)

    def _level(self, rise: Array) -> None:
        """In stance, soles that are almost level become level, and feet that hardly turn do not turn."""
        roll, pitch, yaw = _tilt(self.orientation)
        change = np.zeros((len(yaw), 3))
        change[:, 0], change[:, 1] = _leveller(roll, FLAT_ROLL), _leveller(pitch, FLAT_PITCH) + rise
        for stance in self.stances:
            span = slice(stance.start, stance.end)
            flat = np.abs(pitch[span]) < FLAT_PITCH[1]
            settled = yaw[span][flat] if flat.any() else yaw[span]
            change[span, 2] = _leveller(yaw[span] - np.median(settled), PIVOT)
        change = self.eased[:, None] * faded(change, self.stances, self.fps)
        self.orientation = _from_tilt(roll + change[:, 0], pitch + change[:, 1], yaw + change[:, 2])

    def _bend_toes(self) -> None:
        """In stance the toes lie on the floor; once they are well bent the ball may leave it, as high as it was recorded."""
        _, pitch, _ = _tilt(self.orientation)
        length = self.points[self.links == self.toes, 0].max()
        ball = self.place(self.edge_links, self.edge)[:, 2:4, 2].mean(axis=1)
        change = np.zeros((len(pitch), 1))
        for stance in self.stances:
            span = slice(stance.start, stance.end)
            flat = np.abs(pitch[span]) < FLAT_PITCH[1]
            rest = np.median(ball[span][flat]) if flat.any() else ball[span].min()
            raised = np.clip((ball[span] - rest) / length, 0.0, np.sin(np.clip(pitch[span] - TOE_BEND, 0.0, np.pi / 2)))
            wanted = np.arcsin(raised) - np.maximum(pitch[span], 0.0)
            lying = 1.0 - smooth_step((pitch[span] - ON_TIPS[0]) / (ON_TIPS[1] - ON_TIPS[0]))
            change[span, 0] = lying * (np.clip(wanted, *self.toe_limits) - self.toe_angle[span])
        bent = low_pass(self.toe_angle + faded(change, self.stances, self.fps)[:, 0], self.fps, TOE_HZ)
        self.toe_angle = self.toe_angle + self.eased * (bent - self.toe_angle)

    def _roll(self) -> None:
        """Move the foot so that in stance its lowest points are on the floor and do not slide."""
        lowest = self.soles()[..., 2].min(axis=1)
        edge = self.place(self.edge_links, self.edge)
        change = np.zeros((len(edge), 3))
        for stance in self.stances:
            span = slice(stance.start, stance.end)
            points = edge[span]
            over = points[..., 2] - points[..., 2].min(axis=1, keepdims=True)
            # Of the points near the floor, the one that moves least is the one the foot turns on.
            moves = np.diff(points[..., :2], axis=0)
            pace = self.fps * np.linalg.norm(moves, axis=-1)
            faster = (pace - pace.min(axis=1, keepdims=True)) / PIVOT_SPEED
            load = np.exp(-(over[1:] + over[:-1]) / ROLLING - np.minimum(faster, PIVOT_STEPS))
            load /= load.sum(axis=1, keepdims=True)
            slide = np.einsum("fp,fpd->fd", load, moves)
            drift = np.concatenate([np.zeros((1, 2)), -np.cumsum(slide, axis=0)])
            # The foot stands where it was recorded while it was flattest, or from the beginning.
            flattest = over.max(axis=1) <= np.quantile(over.max(axis=1), 0.3)
            if stance.stays:
                change[span, :2] = _bounded(drift, 2.0 * self.longest)
            else:
                change[span, :2] = _bounded(drift - np.median(drift[flattest], axis=0), self.longest)
            change[span, 2] = self.eased[span] * (stance.height - lowest[span])
        self.ankle = self.ankle + faded(change, self.stances, self.fps)

    def _clear(self, clearance: Array) -> None:
        """Lift the swinging foot where its sole would be in the floor, or too close to it."""
        lowest = self.soles()[..., 2].min(axis=1)
        frames = np.arange(len(lowest))
        away = np.full(len(lowest), np.inf)
        for stance in self.stances:
            away = np.minimum(away, np.maximum(np.maximum(stance.start - frames, frames - (stance.end - 1)), 0))
        ramp = smooth_step(away / (CLEARANCE_S * self.fps))
        lift = np.maximum(clearance * ramp - lowest, 0.0)
        self.ankle[:, 2] += self.eased * np.maximum(lift, ramp * envelope(lift, CLEARANCE_S * self.fps))


def eased(motion: Motion) -> Array:
    """(F,) from 0 to 1 within the first ``EASED_S`` of a motion."""
    return smooth_step(np.arange(motion.frames) / (EASED_S * motion.fps))


def _tilt(orientation: Array) -> tuple[Array, Array, Array]:
    """Roll, pitch (about the foot's own forward and left, level) and yaw (unwrapped) (F,) in radians of orientations (F, 4)."""
    swing, twist = rotation.swing_twist(orientation, (0.0, 0.0, 1.0))
    yaw = np.unwrap(2.0 * np.arctan2(twist[:, 3], twist[:, 0]))
    lean = rotation.rotate(rotation.conjugate(twist), rotation.log(swing))
    return lean[:, 0], lean[:, 1], yaw


def _from_tilt(roll: Array, pitch: Array, yaw: Array) -> Array:
    """(F, 4), the inverse of ``_tilt``."""
    twist = rotation.from_axis_angle((0.0, 0.0, 1.0), yaw)
    lean = np.stack([roll, pitch, np.zeros_like(roll)], axis=-1)
    return rotation.multiply(rotation.exp(rotation.rotate(twist, lean)), twist)


def _leveller(angle: Array, limits: Array) -> Array:
    """(F,) what to add to angles (F,): all of them back to 0 below limits[0], nothing above limits[1]."""
    return -angle * (1.0 - smooth_step((np.abs(angle) - limits[0]) / (limits[1] - limits[0])))


def _bounded(offsets: Array, longest: float) -> Array:
    """(F, 2) offsets (F, 2), shortened smoothly to no more than ``longest``; those below half of it hardly change."""
    share = np.linalg.norm(offsets, axis=1, keepdims=True) / longest
    return offsets / (1.0 + share**6) ** (1.0 / 6.0)


def _following(body: Body, motion: Motion, heights: Array, contacts: Bools) -> Motion:
    """The motion with a pelvis that goes along, smoothly, with ankles that were moved to heights (F, 2) where they have contacts (F, 2)."""
    standing = np.any(contacts, axis=1)
    if not standing.any():
        return motion
    positions, _ = motion.world()
    moved = heights - positions[:, [sole.link(body, "foot", foot) for foot in (0, 1)], 2]
    mean = np.where(contacts, moved, 0.0).sum(axis=1)[standing] / contacts[standing].sum(axis=1)
    frames = np.arange(motion.frames)
    along = softened(np.interp(frames, frames[standing], mean), legs.PELVIS_S * motion.fps)
    return motion.displace(np.outer(along, (0.0, 0.0, 1.0)))


def _heel_rise(body: Body, motion: Motion, foot: int, ankle: Array, contact: Bools) -> Array:
    """(F,) radians by which a standing foot behind the hip raises its heel so that the leg, to reach ankle (F, 3), is as long as recorded."""
    positions, _ = motion.world()
    hip, recorded = positions[:, sole.link(body, "thigh", foot)], positions[:, sole.link(body, "foot", foot)]
    away = ankle - hip
    longest = np.minimum(np.linalg.norm(recorded - hip, axis=1), legs.Leg(body, foot).distance(legs.STRAIGHT_KNEE))
    excess = np.maximum(np.linalg.norm(away, axis=1) - longest, 0.0)
    way = sole.velocities(motion.root_positions, motion.fps)[:, :2]
    behind = -np.einsum("fd,fd->f", away[:, :2], way) / np.maximum(np.linalg.norm(way, axis=1), rotation.NOISE) / body.leg_length
    trailing = contact * smooth_step((behind - BEHIND[0]) / (BEHIND[1] - BEHIND[0]))
    # The heel turns about the ball, and lifts the ankle by the length of the foot between them.
    rise = trailing * excess / body.offsets[sole.link(body, "toes", foot), 0]
    return np.minimum(envelope(rise, RISE_S * motion.fps), LARGEST_RISE)
