"""Bones that are no part of the body come along with it, or are named."""


import bpy
import numpy as np
import pytest

from tests.blender.mannequins import add_bone, empty_scene, mannequin, retarget

HANGS = {"pants_f": "pelvis", "sword": "forearm.R", "heel_target": "foot.L", "hat": "head"}  # by what it is nearest to


def dressed(rig: bpy.types.Object) -> None:
    """With bones of no body: on nothing, and on a root that the walk leaves where it is."""
    head = {name: np.array(rig.data.bones[name].head_local) for name in ("pelvis", "forearm.R", "foot.L", "head")}
    end = np.array(rig.data.bones["forearm.R"].tail_local)
    add_bone(rig, "root", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0), carries="pelvis")
    add_bone(rig, "pants_f", head["pelvis"] + (0.0, -0.1, 0.0), head["pelvis"] + (0.0, -0.12, -0.2))
    add_bone(rig, "pants_f_end", head["pelvis"] + (0.0, -0.12, -0.2), head["pelvis"] + (0.0, -0.12, -0.4), parent="pants_f")
    add_bone(rig, "sword", end, end + (0.0, -0.6, 0.0), parent="root")
    add_bone(rig, "heel_target", head["foot.L"] + (0.0, 0.1, -0.05), head["foot.L"] + (0.0, 0.2, -0.05), parent="root")
    add_bone(rig, "hat", head["head"] + (0.0, 0.0, 0.25), head["head"] + (0.0, 0.0, 0.3), parent="root")


def relations(rig: bpy.types.Object, frames: range) -> dict[str, np.ndarray]:
    """{bone: (F, 4, 4)} seen from the bone that it hangs on."""
    found: dict[str, list] = {name: [] for name in HANGS}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        for name, rows in found.items():
            rows.append(np.array(rig.pose.bones[HANGS[name]].matrix.inverted() @ rig.pose.bones[name].matrix))
    return {name: np.array(rows) for name, rows in found.items()}


def at_rest(rig: bpy.types.Object) -> dict[str, np.ndarray]:
    bones = rig.data.bones
    return {name: np.array(bones[body].matrix_local.inverted() @ bones[name].matrix_local) for name, body in HANGS.items()}


def assert_glued(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    for name, matrices in found.items():
        off = np.abs(matrices - wanted[name]).max()
        assert off < 0.01, f"{name} is off {HANGS[name]} by {off:.3f}"


def test_it_is_glued_to_what_it_is_nearest_to(mannequin, baked_walk):
    dressed(mannequin)
    found = retarget(mannequin)
    assert found.hanging == HANGS and not found.left_behind
    assert bpy.ops.footfall.load_result(filepath=baked_walk) == {"FINISHED"}
    assert_glued(relations(mannequin, range(1, 26, 4)), at_rest(mannequin))


def test_what_is_posed_is_glued_as_it_is_posed(mannequin, baked_walk):
    dressed(mannequin)
    sword = mannequin.pose.bones["sword"]
    sword.rotation_mode = "XYZ"
    sword.rotation_euler, sword.location = (0.4, 0.2, 0.0), (0.05, 0.0, 0.02)
    bpy.context.view_layer.update()
    wanted = at_rest(mannequin) | {"sword": np.array(mannequin.pose.bones["forearm.R"].matrix.inverted() @ sword.matrix)}
    assert bpy.ops.footfall.load_result(filepath=baked_walk) == {"FINISHED"}
    assert_glued(relations(mannequin, range(1, 26, 4)), wanted)


@pytest.mark.parametrize("thighs, link", [(("thigh.R",), "thigh.R"), (("thigh.L", "thigh.R"), "pelvis")])
def test_the_skin_tells_better_than_distance(mannequin, thighs, link):
    """And what is shared with both legs goes with neither."""
    dressed(mannequin)
    mesh = bpy.data.meshes.new("Skirt")
    near = mannequin.data.bones["pants_f"].head_local
    mesh.from_pydata([near, near + near * 0.01, near * 0.99], [], [(0, 1, 2)])
    skirt = bpy.data.objects.new("Skirt", mesh)
    bpy.context.scene.collection.objects.link(skirt)
    skirt.parent = mannequin
    skirt.modifiers.new("Armature", "ARMATURE").object = mannequin
    for bone, weight in (("pants_f_end", 0.6), *((thigh, 0.4 / len(thighs)) for thigh in thighs)):
        skirt.vertex_groups.new(name=bone).add([0, 1, 2], weight, "REPLACE")
    assert retarget(mannequin).hanging["pants_f"] == link


def test_what_is_held_elsewhere_is_named(mannequin, baked_walk):
    dressed(mannequin)
    wall = bpy.data.objects.new("Wall", None)
    bpy.context.scene.collection.objects.link(wall)
    wall.location = (0.0, 2.0, 1.5)
    mannequin.pose.bones["sword"].constraints.new("COPY_TRANSFORMS").target = wall
    bpy.context.view_layer.update()
    assert bpy.ops.footfall.load_result(filepath=baked_walk) == {"FINISHED"}
    assert "'sword' stays behind, held by constraints" in mannequin.footfall.bake.report
    bpy.context.scene.frame_set(20)
    assert (mannequin.pose.bones["sword"].head - mannequin.matrix_world.inverted() @ wall.location).length < 1e-4


def test_an_object_that_moves_takes_nothing_away(mannequin, baked_walk):
    dressed(mannequin)
    for frame, place in ((1, 0.0), (25, 2.0)):
        mannequin.location.x, mannequin.rotation_euler.z = place, place
        mannequin.keyframe_insert("location", frame=frame)
        mannequin.keyframe_insert("rotation_euler", frame=frame)
    assert bpy.ops.footfall.load_result(filepath=baked_walk) == {"FINISHED"}
    assert_glued(relations(mannequin, range(1, 26, 4)), at_rest(mannequin))


def test_trying_leaves_no_trace(mannequin):
    dressed(mannequin)
    sword = mannequin.pose.bones["sword"]
    sword.location = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    before = [bone.matrix.copy() for bone in mannequin.pose.bones]
    retarget(mannequin)
    assert [bone.matrix for bone in mannequin.pose.bones] == before
