"""Stairs, a wall and a heavy crate in the way of a walk: what is baked, and what the report says of it."""

import re

import bpy
import numpy as np
import pytest

from tests.blender.mannequins import empty_scene, mannequin


def box(name: str, size: tuple, middle: tuple, mass: float = 0.0) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=middle)
    made = bpy.context.object
    made.name, made.scale, made.footfall_mass = name, size, mass
    return made


def stairs() -> list:
    """Of 17 cm, from 1.8 m ahead on; the mannequin faces −Y."""
    return [box(f"Step {number}", (3.0, 0.3, 0.17 * number), (0.0, -1.65 - 0.3 * number, 0.085 * number)) for number in range(1, 7)]


def walked(rig: bpy.types.Object, things: list, seconds: float) -> tuple[str, np.ndarray]:
    """The report, and the heights of the pelvis (m) on all frames of the new action."""
    ground = bpy.context.scene.footfall.ground
    ground.kind, ground.collection = "MESHES", bpy.data.collections.new("Colliders")
    bpy.ops.mesh.primitive_plane_add(size=16.0)
    for thing in (*things, bpy.context.object):
        ground.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    rig.footfall.motion.seconds = seconds
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    first, last = map(round, rig.animation_data.action.frame_range)
    heights = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        heights.append((rig.matrix_world @ rig.pose.bones["pelvis"].matrix).translation.z)
    return rig.footfall.bake.report, np.array(heights)


def no_frame_rises(heights: np.ndarray) -> None:
    """By more than a walk does."""
    assert max(heights[frame:frame + 8].max() - heights[frame] for frame in range(len(heights))) < 0.2


def test_stairs_trip_the_walker_and_nothing_throws_it_up(mannequin):
    report, heights = walked(mannequin, stairs(), 5.0)
    no_frame_rises(heights)
    assert report.startswith("Fell ") and "lower steps" in report, report
    assert np.abs(np.diff(heights[-4:])).max() < 0.01  # it lies still


def test_a_wall_stops_the_walker_and_the_report_says_so(mannequin):
    report, heights = walked(mannequin, [box("Wall", (4.0, 0.3, 2.5), (0.0, -1.8, 1.25))], 4.0)
    no_frame_rises(heights)
    assert report.startswith(("Was stuck at frame ", "Was stopped at frame ", "Was turned back at frame ", "Fell backward at frame ")), report
    assert 20 < int(re.search(r"frame (\d+)", report)[1]) < 75 and ("turn it another way" in report or "a way around walls" in report), report


@pytest.mark.slow
def test_a_crate_that_is_too_heavy_stays_and_is_named(mannequin):
    crate = box("Crate", (0.6, 0.6, 0.6), (0.0, -1.8, 0.3), 80.0)
    report, heights = walked(mannequin, [crate], 4.0)
    no_frame_rises(heights)
    assert "by 'Crate'" in report and "make 'Crate' lighter" in report, report
    assert abs(crate.matrix_world.translation.y + 1.8) < 0.15
