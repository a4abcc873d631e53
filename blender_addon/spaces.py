"""Where the simulated world of something that is kept with a character lies in Blender's: its last bake, its variations, its balance map."""

from __future__ import annotations

import bpy
from mathutils import Matrix


def space_of(character: bpy.types.Object, kept: bpy.types.PropertyGroup) -> Matrix:
    """The 4×4 matrix from simulated metres to the world. It goes where the armature object is put, as the keys do; but where that moves by itself,
    the keys make up for it, and the space stays where it is."""
    return kept.space.copy() if kept.in_world else character.matrix_world @ kept.space


def keep_space(kept: bpy.types.PropertyGroup, simulated: Matrix, world: Matrix, moves: bool) -> None:
    """``simulated``: from simulated metres to the world, ``world``: of the armature object at the start, ``moves``: whether that moves by itself."""
    kept.in_world = moves
    kept.space = simulated if moves else world.inverted() @ simulated
