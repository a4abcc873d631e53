"""Nothing passes through: how thick a character is, where its soles are, and how deep its legs' meshes go into each other in a bake."""

import bpy
import pytest
from footfall.blender_addon import scene

from tests.blender.dressed import dress
from tests.blender.legs import Legs
from tests.blender.mannequins import empty_scene, job, mannequin
from tests.blender.test_bake import generated
from tests.blender.test_skeleton import imported


def figure(rig: bpy.types.Object) -> bpy.types.Object:
    return next(thing for thing in rig.children if thing.type == "MESH")


def test_a_job_is_as_thick_as_the_mesh(mannequin):
    made = job(mannequin)
    radii = made["body"]["skeleton"]["radii"]
    assert made["self_collision"] is False and 0.12 < made["step_width"] < 0.15
    assert radii["thigh"] == pytest.approx(0.065, abs=0.01) and radii["shin"] == pytest.approx(0.05, abs=0.01)
    assert radii["upper_arm"] == pytest.approx(0.045, abs=0.01) and radii["forearm"] == pytest.approx(0.037, abs=0.01)
    for vertex in figure(mannequin).data.vertices:
        vertex.co.y *= 1.0 if vertex.co.z < 0.15 else 1.5  # the knees lie in the plane of the hips: only as deep as before
    assert job(mannequin)["body"]["skeleton"]["radii"]["pelvis"][0] > 1.3 * radii["pelvis"][0]
    assert set(made["body"]["skeleton"]["flesh"]) == {f"{part}.{side}" for part in ("thigh", "shin", "foot", "toes") for side in "LR"}
    mannequin.footfall.motion.collide = True
    assert job(mannequin)["self_collision"] is True


def test_heels_stand_on_the_floor(mannequin):
    before = scene.measure(mannequin).fit.body["skeleton"]["foot"]
    for vertex in figure(mannequin).data.vertices:
        if vertex.co.z < 0.01:
            vertex.co.z -= 0.03
    after = scene.measure(mannequin).fit
    assert after.body["skeleton"]["foot"]["height"] == pytest.approx(before["height"] + 0.03, abs=0.002)
    assert after.placement.origin[2] == pytest.approx(0.0, abs=1e-6)  # they are meant to stand on the grid, not to sink into it


def test_a_rig_without_a_mesh_is_as_thick_as_a_person(mannequin):
    bpy.data.objects.remove(figure(mannequin))
    assert not {"radii", "flesh"} & set(job(mannequin)["body"]["skeleton"])


def walk_with_a_push(rig: bpy.types.Object, seconds: float, newtons: float = 150.0) -> float:
    """m that one leg's mesh goes into the other's, at most, in a walk as it comes by default, with a push from the side half way."""
    bpy.context.view_layer.objects.active = rig
    rig.footfall.motion.seconds = seconds
    across = rig.matrix_world.to_3x3() @ (rig.data.bones[rig.footfall.parts["thigh.L"].bone].head_local
                                          - rig.data.bones[rig.footfall.parts["thigh.R"].bone].head_local)
    push = rig.footfall.pushes.add()
    push.frame, push.newtons, push.seconds, push.direction = round(0.5 * seconds * bpy.context.scene.render.fps), newtons, 0.3, -across.normalized()
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    assert not rig.footfall.bake.fell, rig.footfall.bake.report
    legs, last = Legs(rig), int(rig.footfall.bake.action.frame_range[1])
    return max(legs.measure(frame)[0] for frame in range(1, last + 1, 2))


def test_legs_do_not_enter_each_other(mannequin):
    assert walk_with_a_push(mannequin, 4.0) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", ("threejs_ArcherRi01.fbx", "threejs_Michelle.glb", "threejs_Soldier.glb"))
def test_legs_of_an_imported_character_do_not_enter_each_other(name):
    rig = imported(name)
    assert bpy.ops.footfall.recognise() == {"FINISHED"}
    assert walk_with_a_push(rig, 10.0) < 0.01


@pytest.mark.slow
def test_legs_of_a_rigify_character_do_not_enter_each_other():
    rig = generated()
    dress(rig)
    assert walk_with_a_push(rig, 10.0) < 0.01
