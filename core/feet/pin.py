"""Pin feet that stand in a simulated motion to where they stand."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..motion import Motion
from ..result import Result
from ..rotation import hinge_angle
from ..signals import runs
from . import legs, plant, sole
from .loads import loaded
from .stances import SHORTEST_STANCE_S, Stance

LEVEL = 1e-3  # m: ground that is no further than this from 0 is a floor
SUNK = 0.0095  # m that planting may push a foot into the floor
STRAIN = math.radians(25.0)  # rad by which planting may bend or stretch a knee
# A knee that gets straight so that the foot can stay, if only for a moment, snaps.
CARE = plant.Care(knee=math.radians(15.0), around_s=0.1)
DRAGGED_M_S = 0.4  # m/s of every point of the sole
STEP = 0.012  # m over the floor to which a foot that skims it in a step is lifted
# What is left of a stance is dropped where it is shorter than this: seconds, and frames. A stance of which nothing is taken is kept.
SHORTEST_S, FEWEST = SHORTEST_STANCE_S, 3
# A foot that is no faster (m/s) and no higher (m) stands already where a clip goes over into what is pinned.
STANDS_M_S, STANDS_M = 1.0, 0.01


def on_a_floor(result: Result) -> bool:
    """Whether all of it happens on a level floor at 0, with nothing on it that one could stand on."""
    return bool(np.abs(result.ground_heights).max() < LEVEL) and not len(result.object_names)


def pinned(body: Body, motion: Motion, stances: Sequence[Stance], steps: Bools | bool = False) -> Motion:
    """The motion on a floor at 0 with feet that stay where they stand, and are lifted in ``steps``, (F, 2), between stances."""
    care = dataclasses.replace(CARE, clearance=np.where(steps, STEP, CARE.clearance))
    return plant.planted(body, motion, _firm(body, motion, stances), care)


def pinned_after(body: Body, motion: Motion, standing: Bools) -> Motion:
    """The same for a motion into which a clip goes over; ``standing``: (F, 2) whether each foot stands. One that is dragged along the floor steps.

    A foot that stands already, or is about to, stays where it is while the rest of the body goes over. One that is still on its way comes down where
    it will stand.
    """
    soles = sole.soles(body, motion)[:2]
    slow = np.linalg.norm(soles[-1] - soles[0], axis=-1).min(axis=-1) * motion.fps < STANDS_M_S
    dragged = standing & _dragged(body, motion)
    standing, early = standing & ~dragged, max(2, math.ceil(plant.EASED_S * motion.fps))
    for foot in (0, 1):
        soon = np.flatnonzero(standing[:early, foot])
        if slow[foot] and soles[0, foot, :, 2].min() < STANDS_M and len(soon):
            standing[:soon[-1], foot] = True  # physics takes a moment to put weight on it
    stances = _firm(body, motion, [Stance(foot, start, end, stays=start < early and bool(slow[foot]))
                                   for foot in (0, 1) for start, end in runs(standing[:, foot])])
    steady = plant.planted(body, motion, stances, dataclasses.replace(CARE, clearance=np.where(dragged, STEP, CARE.clearance)))
    blended = motion.blend(steady, plant.eased(motion))
    coming = [sole.link(body, name, foot) for foot in (0, 1) if not slow[foot] for name in ("thigh", "shin", "foot", "toes")]
    blended.rotations[:, coming] = steady.rotations[:, coming]
    stays = np.array([any(stance.stays for stance in stances if stance.foot == foot) for foot in (0, 1)])
    ankles, turns, toes = (np.where(stays.reshape(2, *[1] * (goal.ndim - 2)), goal, other)
                           for goal, other in zip(_feet(body, steady), _feet(body, blended), strict=True))
    return legs.reaching(body, blended, ankles, turns, toes)


def _firm(body: Body, motion: Motion, stances: Sequence[Stance]) -> list[Stance]:
    """The stances without the moments in which planting would push the foot into the floor, or strain the knee.

    The foot of someone who gets up may lie on its side or on its toes, and the pelvis cannot come along. All such moments are taken out at once,
    though some might be sound again in a shorter stance: the wider the gap, the slower the foot gets from where it stood to where it stands next.
    """
    knees = _knees(body, motion)

    def on_the_floor(steady: Motion) -> Bools:
        return sole.depths(body, steady) < SUNK

    def at_ease(steady: Motion) -> Bools:
        return np.abs(_knees(body, steady) - knees) < STRAIN

    firm = list(stances)
    # A foot that is far too low also strains both legs, before and after: depth is looked at first.
    for sound in (on_the_floor, at_ease):
        while True:  # what is left of a stance is planted elsewhere than all of it
            whole, holds = firm, sound(plant.planted(body, motion, firm, CARE))
            firm = [piece for stance in whole for piece in _pieces(stance, holds[:, stance.foot], max(FEWEST, SHORTEST_S * motion.fps))]
            if firm == whole:
                break
    return firm


def _pieces(stance: Stance, on: Bools, shortest: float) -> list[Stance]:
    """What is left of a stance where ``on`` (F,): pieces of ``shortest`` frames and more, or all of it."""
    spans = [(stance.start + start, stance.start + end) for start, end in runs(on[stance.start:stance.end])]
    return [dataclasses.replace(stance, start=start, end=end, stays=stance.stays and start == stance.start) for start, end in spans
            if end - start >= shortest or (start, end) == (stance.start, stance.end)]


def _knees(body: Body, motion: Motion) -> Array:
    """(F, 2) rad by which the left and right knee are bent."""
    return hinge_angle(motion.rotations[:, [sole.link(body, "shin", foot) for foot in (0, 1)]])


def _feet(body: Body, motion: Motion) -> tuple[Array, Array, Array]:
    """Ankles (F, 2, 3) m and how the feet are turned (F, 2, 4), world, and rad of the toes (F, 2)."""
    ankles, toes = ([sole.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    positions, turns = motion.world()
    return positions[:, ankles], turns[:, ankles], hinge_angle(motion.rotations[:, toes])


def moved(result: Result, body: Body, motion: Motion) -> Result:
    """The result, on a floor at 0, with another motion in it; the places where the feet press on the floor move along with the feet."""
    ankles = [sole.link(body, "foot", foot) for foot in (0, 1)]
    before = Motion(body.skeleton, result.fps, result.root_positions, result.rotations).world()[0][:, ankles]
    return dataclasses.replace(result, root_positions=motion.root_positions, rotations=motion.rotations, penetrations=sole.depths(body, motion),
                               foot_cops=result.foot_cops + (motion.world()[0][:, ankles] - before) * (1.0, 1.0, 0.0))


def with_steady_feet(found: Result, body: Body) -> Result:
    """What a simulation on a level floor found from the hit on, with feet that do not slide while they stand; a fall is left as it is."""
    if found.outcome["fell"]:
        return found
    motion = Motion(body.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations))
    return moved(found, body, pinned_after(body, motion, loaded(found)))


def _dragged(body: Body, motion: Motion) -> Bools:
    """(F, 2) whether every point of a foot's sole moves along the floor."""
    pace = np.linalg.norm(sole.velocities(sole.soles(body, motion), motion.fps)[..., :2], axis=-1).min(axis=2)
    return np.asarray(pace > DRAGGED_M_S, bool)
