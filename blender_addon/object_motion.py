"""What moves an armature as an object: keys, NLA strips, drivers, constraints, or a parent that moves."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ..core.errors import RigError
from .aside import aside
from .compat import action_curves, curves_of
from .rig.others import PLACES

RESIZED = 1e-3  # of its size: a scale that changes by more than this cannot be walked with


def plays(armature: bpy.types.Object) -> bool:
    """Whether frames of the scene may show the character in different poses or places."""
    poses = any(not curve.data_path.startswith("footfall") for curve in curves_of(armature)) or bool(_strips(armature))
    return poses or may_move(armature)


def may_move(thing: bpy.types.Object) -> bool:
    """Whether frames of the scene may show an object in different places."""
    data, strips = thing.animation_data, _strips(thing)
    layered = [curve for strip in strips if strip.action for curve in action_curves(strip.action)]
    if any(curve.data_path in PLACES for curve in (*curves_of(thing), *layered, *(data.drivers if data else ()))):
        return True
    if any(strip.action is None for strip in strips):  # strips in a strip
        return True
    if any(not constraint.mute and constraint.influence > 0.0 for constraint in thing.constraints):
        return True
    return thing.parent is not None and (thing.parent_type != "OBJECT" or may_move(thing.parent))


def worlds(armature: bpy.types.Object, frames: Sequence[float], start: np.ndarray) -> np.ndarray | None:
    """(F, 4, 4) the armature object on some frames; None where it is as in ``start`` (4, 4) on all of them. A size that changes is a RigError."""
    if not may_move(armature):
        return None
    with aside(armature) as at:
        found = np.array([np.array(at(frame).matrix_world) for frame in frames])
    sizes = np.linalg.norm(found[:, :3, :3], axis=1)
    if np.ptp(sizes / np.linalg.norm(start[:3, :3], axis=0), axis=0).max() > RESIZED:
        raise RigError(f"'{armature.name}' changes its size as an object while it moves: remove the keys of its scale, or those of its parent's.")
    return None if np.abs(found - start).max() < 1e-6 else found


def _strips(thing: bpy.types.Object) -> list[bpy.types.NlaStrip]:
    """The NLA strips that play."""
    data = thing.animation_data
    if data is None or not data.use_nla:
        return []
    return [strip for track in data.nla_tracks if not track.mute for strip in track.strips if not strip.mute]
