"""The pose of an armature's bones: keep it, put it back to the letter, set it from channels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

FIELDS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


class KeptPose:
    """The local transforms of some bones, as they were. All rotation fields are kept, used or not, so that nothing changes in the file.

    ``fields``: {bone: values of FIELDS}, plain data; given, it is put back instead of what the bones are now.
    """

    def __init__(self, armature: bpy.types.Object, names: Iterable[str] = (), fields: dict[str, list] | None = None):
        self._armature = armature
        self.fields = fields or {name: [tuple(getattr(armature.pose.bones[name], field)) for field in FIELDS] for name in names}

    def put_back(self) -> None:
        for name, values in self.fields.items():
            bone = self._armature.pose.bones.get(name)
            if bone:
                for field, value in zip(FIELDS, values, strict=True):
                    setattr(bone, field, value)


def bone_of(path: str) -> str | None:
    """The bone that a data path as of an F-curve belongs to, if it is of a bone at all."""
    found = re.match(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]', path)
    return bpy.utils.unescape_identifier(found[1]) if found else None


def set_rotation(bone: bpy.types.PoseBone, quaternion: Iterable[float]) -> None:
    """Turn a bone, in its own rotation mode."""
    field, values = _turned(bone, quaternion)
    setattr(bone, field, values)


def _turned(bone: bpy.types.PoseBone, quaternion: Iterable[float]) -> tuple[str, Sequence[float]]:
    """The field in which a bone keeps its rotation, and a rotation as that has it."""
    turn = Quaternion(quaternion)
    if bone.rotation_mode == "QUATERNION":
        return "rotation_quaternion", turn
    if bone.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        return "rotation_axis_angle", (angle, *axis)
    return "rotation_euler", turn.to_euler(bone.rotation_mode, bone.rotation_euler)


def clear(bone: bpy.types.PoseBone) -> None:
    bone.matrix_basis = Matrix.Identity(4)


def show(armature: bpy.types.Object, rotations: dict[str, np.ndarray], locations: dict[str, np.ndarray], scales: dict[str, np.ndarray]) -> None:
    """Pose the armature as in the first frame of channels, without keys.

    All bones are set at once: Blender tells nobody of it but those that work out the scene, where for each bone that is set alone it would draw half
    its window again. Who wants it to be seen has the views drawn again.
    """
    bones = armature.pose.bones
    numbers = {name: number for number, name in enumerate(bones.keys())}
    wanted: dict[str, dict[int, Sequence[float]]] = {
        "location": {numbers[name]: values[0] for name, values in locations.items()},
        "scale": {numbers[name]: values[0] for name, values in scales.items()}}
    for name, values in rotations.items():
        field, turn = _turned(bones[name], values[0])
        wanted.setdefault(field, {})[numbers[name]] = turn
    for field, of_bones in wanted.items():
        if of_bones:
            rows = np.empty((len(bones), len(next(iter(of_bones.values())))), dtype=np.float32)
            bones.foreach_get(field, rows.ravel())
            rows[list(of_bones)] = list(of_bones.values())
            bones.foreach_set(field, rows.ravel())
    armature.update_tag(refresh={"DATA"})
