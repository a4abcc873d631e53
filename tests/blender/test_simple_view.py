"""What the simple picture of a play holds, and whom it is not drawn of."""

import bpy
import numpy as np
from footfall.blender_addon import scene
from footfall.blender_addon.overlays import simple_view
from footfall.blender_addon.playing import Playing

from tests.blender.mannequins import empty_scene, mannequin


def test_what_is_near_is_seen_before_a_large_sky_and_without_what_is_too_much(mannequin, monkeypatch):
    monkeypatch.setattr(simple_view, "READ", 3000)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1000.0)
    for x in (1.0, 3.0, 500.0):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=0.3, location=(x, 0.0, 0.3))  # 642 points
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=100, y_subdivisions=100, size=4.0)
    monkeypatch.setattr(simple_view, "MOST", 1200)
    points = simple_view.surroundings(bpy.context, mannequin, scene.measure(mannequin).placement).points

    def around(x: float) -> int:
        return int((np.linalg.norm(points - (x, 0.0, 0.3), axis=1) < 0.31).sum())

    assert around(1.0) > 300 and around(3.0) > 300 and around(500.0) == 0
    assert np.abs(points).max() > 900.0, "the sky"
    assert not (np.abs(points - (-1.0, 0.0, 0.0)).max(axis=1) < 0.5).any(), "the grid"


def test_who_has_no_mesh_is_drawn_as_usual(mannequin):
    """By its bones: a light view would leave them out, and a simple picture has none."""
    for thing in [thing for thing in bpy.data.objects if thing.type == "MESH"]:
        bpy.data.objects.remove(thing)
    playing = Playing(bpy.context, mannequin)
    try:
        for _ in range(2):
            playing._quicken(mannequin)
        assert not playing.light and playing.simple is None
        assert simple_view.simple_view_of(bpy.context, mannequin, playing._retarget, True) is None
    finally:
        playing.cancel()
