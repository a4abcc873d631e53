"""Armatures that move as objects: in the world the character goes as it was simulated, and what moves the object stays."""

import math
import shutil

import bpy
import numpy as np
import pytest
from footfall.blender_addon.compat import curves_of
from footfall.blender_addon.scene import measure_at_start
from footfall.blender_addon.spaces import space_of
from footfall.core.result import Result
from footfall.core.skeleton import Skeleton

from tests.blender.mannequins import empty_scene, mannequin, refused, traces
from tests.cases import quick

FIRST, LAST = 5, 29


def keyed(thing: bpy.types.Object) -> None:
    """It goes 1.5 m and turns by 50° while the character walks."""
    for frame, part in ((FIRST, 0.2), (LAST, 1.0)):
        thing.location, thing.rotation_euler = (1.5 * part, -0.4 * part, 0.1), (0.0, 0.0, part)
        thing.keyframe_insert("location", frame=frame)
        thing.keyframe_insert("rotation_euler", frame=frame)


def empty() -> bpy.types.Object:
    made = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(made)
    keyed(made)
    return made


def by_its_own_keys(rig):
    keyed(rig)


def by_a_parent(rig):
    rig.parent = empty()
    rig.location = (0.3, 0.0, 0.0)


def by_copying_a_place(rig):
    rig.constraints.new("COPY_LOCATION").target = empty()


def by_being_a_child(rig):
    rig.constraints.new("CHILD_OF").target = empty()


def by_a_driver(rig):
    rig.driver_add("location", 0).driver.expression = "0.05 * frame"


def by_a_strip(rig):
    keyed(rig)
    data = rig.animation_data
    data.nla_tracks.new().strips.new("Old", 1, data.action)
    data.action = None


def on_a_cart_in_centimetres(rig):
    """Behind two parents, one of them scaled, as FBX brings it in."""
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.parent = empty()
    holder.scale, rig.scale = (0.5, 0.5, 0.5), (2.0, 2.0, 2.0)
    rig.parent = holder


def worlds(rig: bpy.types.Object) -> list:
    found = []
    for frame in range(FIRST, LAST + 1):
        bpy.context.scene.frame_set(frame)
        found.append(rig.matrix_world.copy())
    return found


MOVERS = [by_its_own_keys, by_a_parent, by_copying_a_place, by_being_a_child, by_a_driver, by_a_strip, on_a_cart_in_centimetres]


@pytest.fixture(scope="module")
def walk(tmp_path_factory) -> str:
    """A mannequin's walk, as a file."""
    bpy.ops.footfall.add_mannequin()
    bpy.context.object.footfall.motion.seconds = 3.0
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    return shutil.copy(bpy.context.object.footfall.bake.result, tmp_path_factory.mktemp("walks") / "walk.npz")


@pytest.mark.parametrize("move", quick(MOVERS, by_its_own_keys, by_a_parent, on_a_cart_in_centimetres))
def test_the_walk_is_what_was_simulated(mannequin, walk, move):
    rig = mannequin
    motion = rig.footfall.motion
    motion.span, motion.frame_start, motion.frame_end = "FRAMES", FIRST, LAST
    move(rig)
    before = worlds(rig)
    keys = {(curve.data_path, curve.array_index) for curve in curves_of(rig)}
    bpy.context.scene.frame_set(17)  # whatever frame is shown
    placement = measure_at_start(bpy.context.scene, rig, FIRST).placement
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.footfall.load_result(filepath=str(walk)) == {"FINISHED"}
    assert worlds(rig) == before and keys <= {(curve.data_path, curve.array_index) for curve in curves_of(rig)}
    result = Result.load(rig.footfall.bake.result)
    positions, _ = Skeleton(tuple(result.link_names), result.parents, result.offsets).forward_kinematics(result.root_positions, result.rotations)
    simulated = placement.to_world(positions)
    for number, frame in enumerate(range(FIRST, LAST + 1)):
        bpy.context.scene.frame_set(frame)
        assert np.abs(np.array(space_of(rig, rig.footfall.bake)) - placement.matrix()).max() < 1e-5  # overlays are there, too
        for link in ("foot.L", "foot.R", "shin.L", "forearm.R"):
            off = np.linalg.norm(np.array(rig.matrix_world @ rig.pose.bones[link].head) - simulated[number, result.link_names.index(link)])
            assert off < 0.005, f"{link} is {1000 * off:.1f} mm off on frame {frame}"


def test_baked_again_it_starts_where_it_did(mannequin, walk):
    by_a_parent(mannequin)
    bpy.context.scene.frame_set(1)
    assert bpy.ops.footfall.load_result(filepath=str(walk)) == {"FINISHED"}
    before = measure_at_start(bpy.context.scene, mannequin, 1).placement
    bpy.context.scene.frame_set(20)
    after = measure_at_start(bpy.context.scene, mannequin, 1).placement
    assert np.allclose(after.origin, before.origin, atol=1e-5) and math.isclose(after.yaw, before.yaw, abs_tol=1e-5)


def test_on_the_spot_the_object_carries_it(mannequin, walk):
    keyed(mannequin)
    mannequin.footfall.bake.in_place = True
    assert bpy.ops.footfall.load_result(filepath=str(walk)) == {"FINISHED"}
    places = []
    for frame in (FIRST, LAST):
        bpy.context.scene.frame_set(frame)
        places.append(mannequin.matrix_world @ mannequin.pose.bones["pelvis"].head)
    assert (places[1] - places[0]).length > 1.0


def test_an_object_that_grows_is_refused_before_anything_runs(mannequin):
    for frame, size in ((1, 1.0), (20, 1.3)):
        mannequin.scale = (size, size, size)
        mannequin.keyframe_insert("scale", frame=frame)
    before = traces(mannequin)
    assert "changes its size as an object" in refused(bpy.ops.footfall.simulate)
    assert traces(mannequin) == before
