"""Gaits as they were fitted to a character: kept with it, used whenever it goes in them, and forgotten when the user says so."""

from __future__ import annotations

import json
from functools import cache

import bpy

from ..core import presets
from ..core.errors import JobError
from ..core.methods.gait import goes_ahead
from . import method

ALIKE = 0.01  # of its size: lengths that differ less are the same body


def can_be_fitted(motion: bpy.types.PropertyGroup) -> bool:
    """Whether it goes in a gait that walks, or runs."""
    return method.has(motion, "fits") and _walks(motion.gait)


@cache
def _walks(gait: str) -> bool:
    return goes_ahead(presets.load("gaits", gait))


def gait_of(armature: bpy.types.Object) -> str:
    """The gait that would be fitted to a character; a JobError where it cannot be."""
    motion = armature.footfall.motion
    if not can_be_fitted(motion):
        raise JobError("The selected character does not go in a gait that walks: choose a walk in the Motion panel, which can be fitted to it.")
    return motion.gait


def kept(armature: bpy.types.Object) -> bpy.types.PropertyGroup | None:
    """The fit of the gait that a character goes in, if there is one."""
    motion = armature.footfall.motion
    return armature.footfall.fits.get(motion.gait) if can_be_fitted(motion) else None


def keep(armature: bpy.types.Object, gait: str, data: dict, body: str) -> None:
    """Remember what a search has found. ``data``: of the gait, whole. ``body``: ``measures`` of the character for which it was found."""
    fit = armature.footfall.fits.get(gait) or armature.footfall.fits.add()
    fit.name, fit.data, fit.body, fit.report = gait, json.dumps(data), body, data["description"]


def forget(armature: bpy.types.Object) -> None:
    fits = armature.footfall.fits
    fit = kept(armature)
    if fit is None:
        raise JobError("No fit of this gait is kept with the selected character: there is nothing to forget.")
    fits.remove(fits.find(fit.name))


def of_job(armature: bpy.types.Object) -> dict:
    """The gait that the character goes in as it was fitted, as a job takes it."""
    fit = kept(armature)
    return {fit.name: json.loads(fit.data)} if fit else {}


def measures(armature: bpy.types.Object) -> str:
    """What a fit belongs to, as text: where the bones of the body are at rest, m, and what it weighs. Quick, for panels ask for it."""
    character, bones, scale = armature.footfall, armature.data.bones, armature.matrix_world.to_scale()
    places = {part.name: [round(v, 5) for v in bones[part.bone].head_local * scale] for part in character.parts if part.bone in bones}
    return json.dumps({"places": places, "mass": None if character.own_mass else character.mass, "sex": character.sex})


def belongs(armature: bpy.types.Object, fit: bpy.types.PropertyGroup) -> bool:
    """Whether the character still has the body for which a fit was found."""
    then, now = json.loads(fit.body), json.loads(measures(armature))
    if (then["mass"], then["sex"], set(then["places"])) != (now["mass"], now["sex"], set(now["places"])):
        return False
    size = max((abs(v) for place in then["places"].values() for v in place), default=1.0)
    return all(abs(a - b) <= ALIKE * size for part, place in then["places"].items() for a, b in zip(place, now["places"][part], strict=True))
