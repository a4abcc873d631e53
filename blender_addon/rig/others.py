"""What a rig animates beside the simulated bones: fingers, face, props, clavicles, properties. In a bake it holds still, or goes on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from ..compat import Curves, action_curves, add_curve, copy_curve, curves_of
from . import keys
from .pose import FIELDS, bone_of

PLACES = {prefix + name for prefix in ("", "delta_") for name in FIELDS}  # of an object: where it is
STEERING = "footfall"  # the add-on's own properties: a heading or a speed may be animated


@dataclass(frozen=True)
class Held:
    """A value of a property, by its ``path`` and ``index``, of a ``bone`` or of the object (None)."""

    path: str
    index: int
    value: float
    bone: str | None

    def put(self, armature: bpy.types.Object) -> Held:
        """Give the property this value; returns the one that it had."""
        now = armature.path_resolve(self.path)
        had = Held(self.path, self.index, _number(now, self.index), self.bone)
        if hasattr(now, "__len__"):
            now[self.index] = type(now[self.index])(self.value)
        elif self.path.endswith('"]'):  # a property that somebody made
            holder, _, key = self.path[:-2].rpartition('["')
            (armature.path_resolve(holder) if holder else armature)[bpy.utils.unescape_identifier(key)] = type(now)(self.value)
        else:
            holder, _, name = self.path.rpartition(".")
            setattr(armature.path_resolve(holder) if holder else armature, name, type(now)(self.value))
        return had


def what_else_moves(armature: bpy.types.Object, names: Iterable[str], first: float) -> list[Held]:
    """What is animated beside the bones ``names``, as it is on frame ``first``. NLA strips are not played for that: their part is as it is shown.

    Not among it is what moves the object, which stays as it is. Of the bones themselves only properties that somebody made are.
    """
    shown, names, found = bpy.context.scene.frame_current_final == first, set(names), []
    for (path, index), curve in (_of_strips(armature) | _of_action(armature)).items():
        bone = bone_of(path)
        if not path.endswith('"]') and (bone in names or moves_or_steers(path)):
            continue
        try:
            value = _number(armature.path_resolve(path), index)
        except (ValueError, TypeError, IndexError):  # of a bone or a property that is not there, or of a word
            continue
        found.append(Held(path, index, curve.evaluate(first) if curve and not shown else value, bone))
    return found


def moves_or_steers(path: str) -> bool:
    """Whether a data path is of where the object is, of what holds it there, or of the add-on's own properties."""
    return path in PLACES or path.startswith(("constraints[", STEERING))


def hold(held: Iterable[Held], curves: Curves, first: float) -> None:
    """One key each, where nothing is keyed yet."""
    for one in _not_in(held, curves):
        keys.write(add_curve(curves, one.path, one.index, one.bone or ""), keys.plain_keys(np.array([first]), np.array([one.value])))


def go_on(armature: bpy.types.Object, held: Iterable[Held], bystanders: Iterable[str], curves: Curves, last: float | None) -> None:
    """Copy the curves of the action that the rig plays up to frame ``last``: of bones that stand by, and of what is no bone."""
    old, bystanders = _of_action(armature), set(bystanders)
    for one in _not_in(held, curves):
        curve = old.get((one.path, one.index))
        if curve and (one.bone is None or one.bone in bystanders):
            _copy(curve, curves, last)


def take_along(armature: bpy.types.Object, bones: Iterable[str], curves: Curves, last: float | None) -> None:
    """Copy the curves of some bones and those that steer whole, and those that move the object up to frame ``last`` (None: whole)."""
    bones, keyed = set(bones), _keyed(curves)
    for where, curve in _of_action(armature).items():
        if where not in keyed and (bone_of(curve.data_path) in bones or moves_or_steers(curve.data_path)):
            _copy(curve, curves, last if bone_of(curve.data_path) is None and not curve.data_path.startswith(STEERING) else None)


def _copy(curve: bpy.types.FCurve, curves: Curves, last: float | None) -> None:
    """Up to a frame, where there is one."""
    if last is None or (curve.range()[1] <= last and not curve.modifiers):
        copy_curve(curve, curves)
        return
    kept = keys.until(curve, last)
    frames = np.append(np.arange(min(curve.range()[0], last), last), last) if kept is None else np.array([last])
    keys.write(add_curve(curves, curve.data_path, curve.array_index, curve.group.name if curve.group else ""),
               *([] if kept is None else [kept]), keys.sampled(curve, frames, frames))


def _not_in(held: Iterable[Held], curves: Curves) -> list[Held]:
    keyed = _keyed(curves)
    return [one for one in held if (one.path, one.index) not in keyed]


def _keyed(curves: Curves) -> set[tuple[str, int]]:
    return {(curve.data_path, curve.array_index) for curve in curves.fcurves}


def _of_action(armature: bpy.types.Object) -> dict[tuple[str, int], bpy.types.FCurve]:
    return {(curve.data_path, curve.array_index): curve for curve in curves_of(armature) if not keys.is_muted(curve)}


def _of_strips(armature: bpy.types.Object) -> dict[tuple[str, int], None]:
    """What NLA strips animate that are heard."""
    data = armature.animation_data
    tracks = [track for track in data.nla_tracks if not track.mute] if data and data.use_nla else []
    strips = [strip for track in tracks for strip in track.strips if strip.action and not strip.mute]
    return {(curve.data_path, curve.array_index): None for strip in strips for curve in action_curves(strip.action)}


def _number(value: object, index: int) -> float:
    return float(value[index] if hasattr(value, "__len__") else value)
