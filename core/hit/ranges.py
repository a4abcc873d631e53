"""Ranges: joints that a hit has driven beyond their range are brought back to it, and the feet that bear the body stay where they are.

Engines hold joints with springs, which a hard hit overcomes for some hundredths of a second: a thigh goes where no thigh goes."""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import feet, ranges, rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import legs
from ..feet.loads import bearing, planted
from ..feet.pin import moved
from ..feet.sole import soles
from ..motion import Motion
from ..result import Result
from ..signals import nearby, smooth_step, softened

TURNS = np.radians(15.0)  # rad beyond its range, up to which a foot that stands is turned back all the way; not at all from twice as much on
SUNK = 0.01  # m, more than which no foot is to be in the floor
CLEAR = 0.03  # m over the floor that are enough for a foot that swings
LIFTED = 1e-3  # m, by more than which a foot is lifted that would be lower than it was found
LEG = ("thigh", "shin", "foot")
STAYS_S = 0.1  # s before and after a foot bears the body, in which it comes to its place and leaves it


def in_range(found: Result, body: Body, clip: Array, where: Bools) -> Result:
    """What was found, with joints that on frames ``where`` (F,) go no further beyond their ranges than the clip, (F, L, 4) rotations, has them go. A
    fall is left as it is."""
    if found.outcome["fell"]:
        return found
    own = ranges.own_excess(clip, body)
    rotations = ranges.held(found.rotations, body, own, where)
    if rotations is found.rotations:
        return found
    before = Motion(body.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations))
    stays = _stays(found)
    motion = before
    for foot in (0, 1):
        motion = _leaning(motion, body, foot, own, where, stays[:, foot])
    motion = dataclasses.replace(motion, rotations=rotation.make_continuous(ranges.held(motion.rotations, body, own, where)))
    motion = _standing(before, motion, body, stays)
    # A foot that would have to be bent too far to stay as it was turns a little where it is; one that is far beyond would be turned into the floor.
    ends = [feet.link(body, name, foot) for name in ("foot", "toes") for foot in (0, 1)]
    far = ranges.strained(motion.rotations, body, own)[1][:, ends].max(axis=-1)
    motion.rotations[:, ends] = rotation.slerp(motion.rotations[:, ends], ranges.held(motion.rotations, body, own, where)[:, ends],
                                               1.0 - smooth_step((far - TURNS) / TURNS))
    motion = _no_lower(before, dataclasses.replace(motion, rotations=rotation.make_continuous(motion.rotations)), body)
    # Where a foot would come to be in the floor, the body rather stays as it was found.
    sunk = np.asarray(np.any(feet.depths(body, motion) > np.maximum(SUNK, feet.depths(body, before)), axis=1), dtype=bool)
    if sunk.any():
        width = STAYS_S * found.fps
        motion = motion.blend(before, softened(nearby(sunk, width).astype(float), width))
    return moved(found, body, motion)


def forced(found: Result, body: Body, clip: Array, where: Bools) -> Result:
    """The same at any price: a foot goes along with its leg, and turns with it. Who sees it sees a foot that slips, and not a joint that breaks."""
    own = ranges.own_excess(clip, body)

    def within(motion: Motion) -> Motion:
        return dataclasses.replace(motion, rotations=rotation.make_continuous(ranges.held(motion.rotations, body, own, where)))

    before = Motion(body.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations))
    return moved(found, body, within(_no_lower(before, within(before), body)))


def _stays(found: Result) -> Array:
    """(F, 2) from 0 to 1, whether each foot bears the body, on the floor."""
    bears = bearing(found) & planted(found)
    return np.where(bears, 1.0, np.stack([softened(bears[:, foot].astype(float), STAYS_S * found.fps) for foot in (0, 1)], axis=1))


def _leaning(motion: Motion, body: Body, foot: int, own: Array, where: Bools, stays: Array) -> Motion:
    """The motion with a pelvis that turns about the hip of a foot that bears the body, as far as that hip is beyond its range: the leg and the trunk
    stay as they are."""
    thigh, torso = feet.link(body, "thigh", foot), body.names.index("torso")
    roots, rotations = motion.root_positions.copy(), motion.rotations.copy()
    off = rotation.multiply(rotations[:, thigh], rotation.conjugate(ranges.held(rotations, body, own, where)[:, thigh]))
    off = rotation.exp(stays[:, None] * rotation.log(off))
    pelvis = rotation.multiply(rotations[:, 0], off)
    roots += rotation.rotate(rotations[:, 0], body.offsets[thigh]) - rotation.rotate(pelvis, body.offsets[thigh])
    back = rotation.conjugate(off)
    rotations[:, 0] = pelvis
    for link in (torso, *(feet.link(body, "thigh", side) for side in (0, 1))):
        rotations[:, link] = rotation.multiply(back, rotations[:, link])
    return Motion(motion.skeleton, motion.fps, roots, rotation.make_continuous(rotations))


def _no_lower(before: Motion, motion: Motion, body: Body) -> Motion:
    """The motion with soles that are as clear of the floor as ``before``: where toes point further down, the heel is lifted."""
    was, now = (soles(body, one)[..., 2].min(axis=2) for one in (before, motion))
    rise = np.maximum(0.0, np.minimum(was, CLEAR) - now)
    raised = (rise > LIFTED).any(axis=1)[:, None, None]
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    places, turns = (values[:, ankles] for values in motion.world())
    reached = legs.reaching(body, motion, places + rise[..., None] * (0.0, 0.0, 1.0), turns, rotation.log(motion.rotations[:, toes])[..., 1])
    return dataclasses.replace(motion, rotations=rotation.make_continuous(np.where(raised, reached.rotations, motion.rotations)))


def strained(found: Result, body: Body, clip: Array) -> float:
    """rad by which a joint of a leg is beyond its range and beyond where the clip, (F, L, 4) rotations, has it, at most. All others are brought back
    without changing how the body stands."""
    links = [feet.link(body, name, foot) for name in LEG for foot in (0, 1)]
    return float(np.maximum(ranges.strained(found.rotations, body, ranges.own_excess(clip, body))[1][:, links], 0.0).max())


def _standing(before: Motion, motion: Motion, body: Body, stays: Array) -> Motion:
    """The motion with feet that are where they were ``before`` as far as they bear the body: ``stays`` (F, 2)."""
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    (places, turns), (own, own_turns) = (tuple(values[:, ankles] for values in one.world()) for one in (motion, before))
    changed = (np.abs(motion.rotations - before.rotations).max(axis=(1, 2)) > 0.0)[:, None]
    goals = places + stays[..., None] * (own - places)
    goals[..., 2] = np.maximum(goals[..., 2], own[..., 2].min(axis=0))  # none is pushed into the floor
    reached = legs.reaching(body, motion, goals, rotation.slerp(turns, own_turns, stays), rotation.log(before.rotations[:, toes])[..., 1])
    return dataclasses.replace(motion, rotations=np.where(changed[:, None], reached.rotations, motion.rotations))
