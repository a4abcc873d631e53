"""The last bake of a character as the overlays draw it: everything worked out once, in simulated metres."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import bpy

from ...core.errors import FootfallError
from .figure import Figure, figure_of

TILTED = 0.08  # m: a sole that never lies flatter than this leaves no footprint; in a fall the feet fly about


@dataclass(frozen=True)
class LastBake:
    """F frames, L links.

    Attributes:
        joints: (F, L, 3). positions: (F, L, 3) and orientations: (F, L, 4) of the links' boxes' middles. half_extents: (L, 3).
        mass: (F, 3) centre of mass. floor: (F,) height of the ground below it.
        pressure: (F, 3) centre of pressure; NaN in flight.
        footprints: (frame, foot, (6, 3) outline) of each landing.
        reference: (F, L, 3) joints of the recording that was followed, NaN where it has ended; None without one.
        figure: of the body. events: of the job.
    """

    joints: object
    positions: object
    orientations: object
    half_extents: object
    mass: object
    floor: object
    pressure: object
    footprints: list
    reference: object
    figure: Figure
    events: list

    @property
    def frames(self) -> int:
        return len(self.mass)


def last_bake(character: bpy.types.Object) -> LastBake | None:
    """What was baked last, or None where that is not to be had any more."""
    return load(Path(bpy.path.abspath(character.footfall.bake.result))) if character.footfall.bake.result else None


def load(path: Path) -> LastBake | None:
    """A result, read once; None where it is not to be had."""
    try:
        return _load(str(path), path.stat().st_mtime_ns)
    except (OSError, FootfallError):
        return None


def frame_of(bake: LastBake, scene: bpy.types.Scene, character: bpy.types.Object) -> int | None:
    """The frame of the bake that the scene shows now; None before it begins or after it ends."""
    baked = character.footfall.bake
    frame = round((scene.frame_current_final - baked.frame) / baked.step)
    return frame if 0 <= frame < bake.frames else None


@lru_cache(maxsize=72)
def _load(path: str, _: int) -> LastBake:
    import numpy as np

    from ...core import rotation
    from ...core.kinematics import center_of_mass, link_poses
    from ...core.result import Result

    result = Result.load(path)
    joints, orientations = link_poses(result)
    mass = center_of_mass(result)
    loads = np.maximum(result.foot_forces[:, :, 2:], 0.0) * np.isfinite(result.foot_cops)
    with np.errstate(invalid="ignore"):
        pressure = (loads * np.nan_to_num(result.foot_cops)).sum(axis=1) / loads.sum(axis=1)
    return LastBake(joints, joints + rotation.rotate(orientations, result.shape_centers), orientations, result.half_extents, mass,
                    result.ground_heights.mean(axis=1), pressure, _footprints(result), _reference(result),
                    figure_of(result.link_names, result.parents, result.half_extents), result.job.get("events", []))


def _reference(result) -> object:
    joints = getattr(result, "reference_positions", None)
    return joints if joints is not None and len(joints) else None


def _footprints(result) -> list:
    import numpy as np

    from ...core.feet.loads import stances
    from ...core.kinematics import sole_feet, sole_positions

    soles, feet = sole_positions(result), sole_feet(result)
    found = []
    for foot, intervals in enumerate(stances(result)):
        points = soles[:, feet == foot]
        for start, end in intervals:
            flat = points[start + int(np.argmin(np.ptp(points[start:end, :, 2], axis=1)))]
            if np.ptp(flat[:, 2]) > TILTED:
                continue
            away = flat - flat.mean(axis=0)
            found.append((start, foot, flat[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]))
    return found
