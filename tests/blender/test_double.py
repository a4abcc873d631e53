"""The double of a character looks as the character does, and is simple."""

import bpy
import numpy as np
from footfall.blender_addon import preview
from footfall.blender_addon.rig import double
from footfall.blender_addon.rig.surface import Surface
from footfall.blender_addon.worker import Pose
from footfall.core.result import Result

from tests.blender.mannequins import empty_scene, mannequin, retarget

NEAR = 0.002  # m


def as_shown(rig: bpy.types.Object) -> np.ndarray:
    """(V, 3) the vertices of its mesh, world, as Blender works them out."""
    figure = next(thing for thing in bpy.data.objects if thing.type == "MESH" and thing.find_armature() == rig)
    bpy.context.view_layer.update()
    shown = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    points = np.array([shown.matrix_world @ vertex.co for vertex in mesh.vertices])
    shown.to_mesh_clear()
    return points


def test_it_is_where_the_mesh_is(mannequin, baked_walk, monkeypatch):
    monkeypatch.setattr(double, "MOST", 10**6)
    mannequin.location, mannequin.rotation_euler = (1.0, -2.0, 0.0), (0.0, 0.0, 0.8)
    bpy.context.view_layer.update()
    walk, mapped = Result.load(baked_walk), retarget(mannequin)
    stands_in = double.Double(mannequin, mapped)
    for frame in (0, walk.frames // 2, walk.frames - 1):
        preview.show_pose(mannequin, mapped, Pose(frame, walk.root_positions[frame].tolist(), walk.rotations[frame].tolist()))
        points, normals = stands_in.posed(walk.root_positions[frame], walk.rotations[frame])
        assert np.abs(points - as_shown(mannequin)).max() < NEAR
        assert np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() < 1e-3


def test_it_is_thin_and_as_large_as_the_character(mannequin):
    stands_in = double.Double(mannequin, retarget(mannequin))
    assert len(stands_in.surface.points) <= double.MOST
    whole = np.ptp(as_shown(mannequin), axis=0)
    assert np.abs(np.ptp(stands_in.surface.points, axis=0) - whole).max() < 0.02


def test_points_of_different_kinds_stay_apart():
    grid = np.array([(x, y, 0.0) for x in range(20) for y in range(20)], dtype=float)
    surface = Surface(grid, np.array([(0, 1, 20)]), np.ones((400, 3)), np.arange(400) % 2)
    thin, became = surface.thinned(100)
    assert len(thin.points) <= 100 and np.array_equal(thin.kinds[became], surface.kinds)
