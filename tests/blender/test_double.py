"""The double of a character looks as the character does, and is simple."""

import bmesh
import bpy
import numpy as np
from footfall.blender_addon import preview
from footfall.blender_addon.rig import double
from footfall.blender_addon.rig.surface import Surface
from footfall.blender_addon.worker import Pose
from footfall.core.result import Result

from tests.blender.mannequins import empty_scene, mannequin, retarget, traces

NEAR = 0.002  # m


def figure_of(rig: bpy.types.Object) -> bpy.types.Object:
    return next(thing for thing in bpy.data.objects if thing.type == "MESH" and thing.find_armature() == rig)


def as_shown(rig: bpy.types.Object) -> np.ndarray:
    """(V, 3) the vertices of its mesh, world, as Blender works them out."""
    figure = figure_of(rig)
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


def test_it_is_where_the_play_begins(mannequin, baked_walk, monkeypatch):
    """A rig of another size that stands elsewhere on the frame that is shown; its mesh has soft weights, a mirrored half and a shape key."""
    monkeypatch.setattr(double, "MOST", 10**6)
    figure = figure_of(mannequin)
    bend_softly(figure)
    halve(figure)
    widen(figure)
    mannequin.location, mannequin.rotation_euler, mannequin.scale = (1.0, -2.0, 0.5), (0.0, 0.0, 0.8), (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    mapped = retarget(mannequin)
    preview.show_pose(mannequin, mapped, pose := last_pose(baked_walk))
    wanted = as_shown(mannequin)
    mannequin.location, mannequin.rotation_euler = (-3.0, 4.0, 0.0), (0.1, 0.2, -2.0)
    bpy.context.view_layer.update()
    before = traces(mannequin)
    stands_in = double.Double(mannequin, mapped)
    assert traces(mannequin) == before and mannequin.data.pose_position == "POSE"
    points, _ = stands_in.posed(np.array(pose.root), np.array(pose.rotations))
    assert np.abs(points - wanted).max() < 2.0 * NEAR


def bend_softly(figure: bpy.types.Object) -> None:
    """Let each point go with its own bone and with the pelvis."""
    hips = figure.vertex_groups["pelvis"]
    hips.add(range(len(figure.data.vertices)), 0.4, "ADD")


def halve(figure: bpy.types.Object) -> None:
    """Keep the faces on one side, mirrored by a modifier."""
    mesh = bmesh.new()
    mesh.from_mesh(figure.data)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.calc_center_median().x < 0.0], context="FACES")
    mesh.to_mesh(figure.data)
    mesh.free()
    with bpy.context.temp_override(object=figure):
        figure.modifiers.new("Mirror", "MIRROR")
        bpy.ops.object.modifier_move_to_index(modifier="Mirror", index=0)


def widen(figure: bpy.types.Object) -> None:
    """By a shape key."""
    figure.shape_key_add(name="Basis")
    wide = figure.shape_key_add(name="Wide")
    for point in wide.data:
        point.co.y += 0.05
    wide.value = 1.0


def last_pose(result: str) -> Pose:
    walk = Result.load(result)
    return Pose(walk.frames - 1, walk.root_positions[-1].tolist(), walk.rotations[-1].tolist())


def test_what_hangs_on_a_bone_and_bends_goes_with_the_bones_that_bend_it(mannequin):
    """Rigid is what hangs on one without more."""
    figure, hat = figure_of(mannequin), bpy.data.objects.new("Hat", bpy.data.meshes.new("Hat"))
    hat.data.from_pydata([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0)], [], [(0, 1, 2)])
    bpy.context.collection.objects.link(hat)
    for thing in (figure, hat):
        thing.parent, thing.parent_type, thing.parent_bone = mannequin, "BONE", "head"
    bpy.context.view_layer.update()
    stands_in = double.Double(mannequin, retarget(mannequin))
    assert len(np.unique(stands_in._numbers[:, 0])) > 10
    figure.modifiers.clear()
    stands_in = double.Double(mannequin, retarget(mannequin))
    assert len(np.unique(stands_in._numbers[:, 0])) == 1


def test_it_is_thin_and_as_large_as_the_character(mannequin):
    stands_in = double.Double(mannequin, retarget(mannequin))
    assert len(stands_in.surface.points) <= double.MOST
    whole = np.ptp(as_shown(mannequin), axis=0)
    assert np.abs(np.ptp(stands_in.surface.points, axis=0) - whole).max() < 0.02


def test_points_of_different_kinds_stay_apart():
    grid = np.array([(x, y, 0.0) for x in range(20) for y in range(20)], dtype=float)
    surface = Surface(grid, np.array([(0, 1, 20)]), np.ones((400, 3)), np.arange(400) % 2)
    thin, became = surface.thinned(100, 0.1)
    assert len(thin.points) <= 100 and np.array_equal(thin.kinds[became], surface.kinds)


def test_points_of_very_many_kinds_are_thinned_all_the_same():
    """As where thousands of things lie around on both sides of the origin."""
    grid = np.array([(x, y, 0.0) for x in range(-10, 10) for y in range(-10, 10)], dtype=float)
    thin, became = Surface(grid, np.array([(0, 1, 20)]), np.ones((400, 3)), np.arange(400)).thinned(100, 0.1)
    assert 20 < len(thin.points) <= 100 and became.shape == (400,)


def test_what_is_near_stays_whole_before_a_far_sky():
    near = np.array([(x, y, 0.0) for x in range(10) for y in range(10)], dtype=float)
    sky = 10_000.0 * np.array([(np.cos(angle), np.sin(angle), 0.0) for angle in np.linspace(0.0, 6.0, 100)])
    surface = Surface(np.concatenate([near, sky, near + 0.01]), np.array([(0, 1, 20)]), np.ones((300, 3)), np.repeat((0, 1, 0), 100))
    thin, _ = surface.thinned(200, 0.1)
    assert len(thin.points) == 200
