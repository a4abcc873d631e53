"""Where the simulated world of something that is kept with a character lies in Blender's: its last bake, its variations, its balance map."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from .rig.fit import Placement


def space_of(character: bpy.types.Object, kept: bpy.types.PropertyGroup) -> Matrix:
    """The 4×4 matrix from simulated metres to the world. It goes where the armature object is put, as the keys do; but where that moves by itself,
    the keys make up for it, and the space stays where it is."""
    return kept.space.copy() if kept.in_world else character.matrix_world @ kept.space


def placement_in(space: Matrix) -> Placement:
    """The placement whose matrix this is."""
    matrix = np.array(space)
    return Placement(matrix[:3, 3], math.atan2(matrix[1, 0], matrix[0, 0]), float(np.cbrt(np.linalg.det(matrix[:3, :3]))))


def keep_space(kept: bpy.types.PropertyGroup, simulated: Matrix, world: Matrix, moves: bool) -> None:
    """``simulated``: from simulated metres to the world, ``world``: of the armature object at the start, ``moves``: whether that moves by itself."""
    kept.in_world = moves
    kept.space = simulated if moves else world.inverted() @ simulated
