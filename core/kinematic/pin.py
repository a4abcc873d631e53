"""Pin feet that stand in a simulated motion to where they stand."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..body import Body
from ..motion import Motion
from ..reference import feet, plant
from ..reference.contacts import Stance
from ..reference.curves import smooth_step
from ..result import Result

LEVEL = 1e-3  # m: ground that differs less than this is a floor
SUNK = 0.008  # m that planting may push a foot into the floor
EASED_S = 0.1  # s in which feet go to where they are pinned, where a clip goes over into what is pinned …
STANDS_M_S = 1.0  # … unless they move so fast that they only come down


def on_a_floor(result: Result) -> bool:
    """Whether all of it happens on a level floor at 0, with nothing on it that one could stand on."""
    return bool(np.abs(result.ground_heights).max() < LEVEL) and not len(result.object_names)


def pinned(body: Body, motion: Motion, stances: Sequence[Stance]) -> Motion:
    """The motion on a floor at 0 with feet that stay where they stand. A foot that lies on its side or on its toes, as of someone who gets up, is no
    foot to be pinned."""
    deep = depths(body, plant.planted(body, motion, stances))
    return plant.planted(body, motion, [stance for stance in stances if deep[stance.start:stance.end, stance.foot].max() < SUNK])


def pinned_after(body: Body, motion: Motion, standing: np.ndarray) -> Motion:
    """The same for a motion into which a clip goes over, with feet that stand where ``standing``, (F, 2), says: one that stands already stays where it is,
    and goes over with the rest of the body; one that is on its way comes down where it will stand."""
    soles = feet.soles(body, motion)[:2]
    stands = np.linalg.norm(soles[-1] - soles[0], axis=-1).min(axis=-1) * motion.fps < STANDS_M_S
    early = EASED_S * motion.fps
    steady = pinned(body, motion, [Stance(foot, start, end, stays=start < early and bool(stands[foot]))
                                   for foot in (0, 1) for start, end in feet.runs(standing[:, foot])])
    eased = motion.blend(steady, smooth_step(np.arange(motion.frames) / early))
    coming = [feet.link(body, name, foot) for foot in (0, 1) if not stands[foot] for name in ("thigh", "shin", "foot", "toes")]
    eased.rotations[:, coming] = steady.rotations[:, coming]
    return eased


def moved(result: Result, body: Body, motion: Motion) -> Result:
    """The result on a floor at 0 with another motion in it; where the feet press on the floor goes along with them."""
    ankles = [feet.link(body, "foot", foot) for foot in (0, 1)]
    before = Motion(body.skeleton, result.fps, result.root_positions, result.rotations).world()[0][:, ankles]
    return dataclasses.replace(result, root_positions=motion.root_positions, rotations=motion.rotations, penetrations=depths(body, motion),
                               foot_cops=result.foot_cops + (motion.world()[0][:, ankles] - before) * (1.0, 1.0, 0.0))


def depths(body: Body, motion: Motion) -> np.ndarray:
    """(F, 2) m that the soles are in the floor."""
    return np.maximum(0.0, -feet.soles(body, motion)[..., 2].min(axis=2))
