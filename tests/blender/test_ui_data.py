"""What the panels keep, and what they make of it."""

import json
import math
import time

import bpy
import numpy as np
import pytest
from footfall import blender_addon
from footfall.blender_addon import mapping, running, scene, simulation, span
from footfall.blender_addon.compat import action_curves
from footfall.blender_addon.selection import colliders_of
from footfall.core.result import Result
from mathutils import Quaternion

from tests.blender.mannequins import add_bone, empty_scene, job, mannequin, refused, retarget, traces

# -- registering -------------------------------------------------------------------------------------------------------


def test_register_again():
    before = {name for name in dir(bpy.types) if name.startswith("FOOTFALL_")}
    blender_addon.unregister()
    assert not hasattr(bpy.types.Object, "footfall") and not hasattr(bpy.types.Scene, "footfall")
    blender_addon.register()
    assert {name for name in dir(bpy.types) if name.startswith("FOOTFALL_")} == before
    assert hasattr(bpy.types.Object, "footfall")


def test_defaults_are_a_walk_of_five_seconds():
    bpy.ops.footfall.add_mannequin()
    settings = bpy.context.object.footfall
    assert (settings.motion.gait, settings.motion.own_speed, settings.motion.seconds, settings.motion.heading) == ("walk", True, 5.0, 0.0)
    assert (settings.motion.start, settings.motion.heading_mode, settings.motion.span) == ("GAIT", "NUMBER", "SECONDS")
    assert settings.bake.live_preview and not (settings.bake.push_to_nla or settings.bake.only_selected or settings.bake.in_place)
    assert bpy.context.scene.footfall.ground.kind == "FLAT"


def test_every_gait_of_the_presets_is_offered():
    motion = bpy.data.objects.new("Anything", None).footfall.motion
    names = [item.identifier for item in motion.methods.gait.bl_rna.properties["gait"].enum_items]
    assert names[0] == "walk" and "sturdy_walk" in names and "run" in names and not any(name.startswith("planar") for name in names)


# -- the mannequin -----------------------------------------------------------------------------------------------------


def test_mannequin_stands_on_the_ground_and_faces_the_front(mannequin):
    figure = mannequin.children[0]
    points = [figure.matrix_world @ vertex.co for vertex in figure.data.vertices]
    assert min(point.z for point in points) == pytest.approx(0.0, abs=1e-4)
    assert max(point.z for point in points) == pytest.approx(1.75, abs=0.01)
    bones = mannequin.data.bones
    assert bones["toe.L"].tail_local.y < bones["foot.L"].head_local.y and bones["thigh.L"].head_local.x > 0
    groups = {group.name for group in figure.vertex_groups}
    assert groups <= set(bones.keys()) and all(len(vertex.groups) == 1 for vertex in figure.data.vertices)


def test_mannequin_is_recognised(mannequin):
    settings = mannequin.footfall
    assert settings.usable and len(settings.parts) == 19 and all(part.status == "found" for part in settings.parts)
    assert settings.parts["thigh.L"].bone == "thigh.L" and settings.parts["torso"].bone == "spine"


def test_mannequin_at_the_cursor():
    bpy.context.scene.cursor.location = (3.0, 4.0, 0.0)
    bpy.ops.footfall.add_mannequin()
    _, character = scene.job_of(bpy.context, bpy.context.object)
    assert character.placement.origin == pytest.approx((3.0, 4.0, 0.0), abs=0.02)
    assert character.placement.yaw == pytest.approx(-math.pi / 2)
    assert character.placement.scale == 1.0


# -- the bone map ------------------------------------------------------------------------------------------------------


def test_picking_a_bone_changes_the_map(mannequin):
    mannequin.footfall.parts["toes.L"].bone = ""
    assert not mapping.stored(mannequin).bones.get("toes.L") and mannequin.footfall.parts["toes.L"].status == "missing"
    assert mannequin.footfall.usable
    mannequin.footfall.parts["thigh.L"].bone = ""
    assert not mannequin.footfall.usable
    assert "thigh" in refused(bpy.ops.footfall.simulate)
    mannequin.footfall.parts["thigh.L"].bone = "thigh.L"
    assert mannequin.footfall.usable


def test_a_spine_keeps_its_top_when_its_lowest_bone_is_picked(mannequin):
    mannequin.footfall.parts["torso"].bone = "chest"
    assert mapping.stored(mannequin).bones["torso"] == ("chest",)
    mannequin.footfall.parts["torso"].bone = "spine"
    assert mapping.stored(mannequin).bones["torso"] == ("spine", "chest")


def test_a_saved_map_comes_back(mannequin, tmp_path):
    before, file = mannequin.footfall.bone_map, str(tmp_path / "rig.json")
    assert bpy.ops.footfall.save_mapping(filepath=file) == {"FINISHED"}
    mannequin.footfall.parts["foot.L"].bone = ""
    assert bpy.ops.footfall.load_mapping(filepath=file) == {"FINISHED"}
    assert json.loads(mannequin.footfall.bone_map) == json.loads(before) and mannequin.footfall.usable


def test_a_map_saved_by_name_is_a_preset(mannequin):
    from footfall.blender_addon.operators.character import preset_folder

    assert bpy.ops.footfall.save_mapping(title="My Rig") == {"FINISHED"}
    file = preset_folder() / "My_Rig.json"
    assert bpy.ops.footfall.load_mapping(filepath=str(file)) == {"FINISHED"}
    file.unlink()
    assert "no name" in refused(bpy.ops.footfall.save_mapping, title=" ")


def test_a_file_that_is_no_map(mannequin, tmp_path):
    file = tmp_path / "rig.json"
    file.write_text("[1, 2]")
    assert refused(bpy.ops.footfall.load_mapping, filepath=str(file)) == f"'{file}' is not a saved bone map."
    assert "cannot be read" in refused(bpy.ops.footfall.load_mapping, filepath=str(tmp_path / "none.json"))


def test_bones_that_were_renamed_or_are_not_in_a_loaded_map(mannequin, tmp_path):
    mannequin.data.bones["hand.L"].name = "glove"
    assert "hand.L" not in mapping.bone_map(mannequin).bones and job(mannequin)
    mannequin.data.bones["thigh.L"].name = "trousers"
    assert "'thigh.L'" in refused(bpy.ops.footfall.simulate)
    mannequin.data.bones["trousers"].name = "thigh.L"
    data = json.loads(mannequin.footfall.bone_map)
    data["switches"] = [["nobody", "IK_FK", 1.0]]
    (tmp_path / "rig.json").write_text(json.dumps(data))
    bpy.ops.footfall.load_mapping(filepath=str(tmp_path / "rig.json"))
    assert mapping.bone_map(mannequin).switches == []


# -- scene → job -------------------------------------------------------------------------------------------------------


def test_job_of_the_mannequin(mannequin):
    made = job(mannequin)
    assert made["gait"] == "walk" and made["start"] == "gait" and made["fps"] == 24 and made["duration"] == 1.0
    assert "ground" not in made and "speed" not in made and made["events"] == []


def test_frames_of_a_bake(mannequin):
    scene_, motion = bpy.context.scene, mannequin.footfall.motion
    scene_.render.fps, scene_.render.fps_base = 30, 1.0
    motion.frame_start, motion.seconds = 11, 2.0
    assert span.span_of(scene_, mannequin) == span.Span(11, 71, 30.0)
    motion.span, motion.frame_end = "FRAMES", 41
    assert job(mannequin)["duration"] == 1.0
    motion.span = "SCENE"
    assert span.span_of(scene_, mannequin) == span.Span(scene_.frame_start, scene_.frame_end, 30.0)


def test_a_push_in_frames_and_world_axes_is_seconds_and_its_own_axes(mannequin):
    bpy.context.scene.frame_set(13)
    bpy.ops.footfall.add_push()
    push = mannequin.footfall.pushes[0]
    assert tuple(push.direction) == pytest.approx((-1.0, 0.0, 0.0))  # it faces −Y, so its right is −X
    push.newtons, push.seconds = 200.0, 0.3
    event, = job(mannequin)["events"]
    assert event["time"] == pytest.approx(0.5) and event["duration"] == pytest.approx(0.3) and event["frame"] == "world"
    assert event["force"] == pytest.approx([0.0, -200.0, 0.0], abs=1e-3)


def test_a_push_outside_of_the_bake_is_left_out(mannequin):
    bpy.context.scene.frame_set(500)
    bpy.ops.footfall.add_push()
    assert job(mannequin)["events"] == []


def test_an_arrow_aims_a_push(mannequin):
    bpy.ops.footfall.add_push()
    assert bpy.ops.footfall.aim_push() == {"FINISHED"}
    arrow = bpy.context.object
    assert arrow.empty_display_type == "SINGLE_ARROW" and arrow == mannequin.footfall.pushes[0].arrow
    arrow.rotation_euler = (-math.pi / 2, 0.0, 0.0)  # its Z along +Y: from the front
    bpy.context.view_layer.update()
    assert job(mannequin)["events"][0]["force"] == pytest.approx([-150.0, 0.0, 0.0], abs=1e-3)
    assert bpy.ops.footfall.remove_push() == {"FINISHED"}  # the arrow stands for its character
    assert [thing.type for thing in bpy.data.objects if thing.type == "EMPTY"] == []


def test_an_arrow_that_was_deleted_aims_no_more(mannequin):
    bpy.ops.footfall.add_push()
    bpy.ops.footfall.aim_push()
    bpy.context.object.rotation_euler = (0.0, 0.0, 0.0)  # up
    bpy.ops.object.delete()
    assert job(mannequin)["events"][0]["force"] == pytest.approx([0.0, -150.0, 0.0], abs=1e-3)


def test_a_push_without_a_direction(mannequin):
    bpy.ops.footfall.add_push()
    mannequin.footfall.pushes[0].direction = (0.0, 0.0, 0.0)
    assert "no direction" in refused(bpy.ops.footfall.simulate)


def test_a_ball(mannequin):
    bpy.ops.footfall.add_ball()
    ball = mannequin.footfall.balls[0]
    ball.source, ball.speed = "FRONT", 10.0
    event, = job(mannequin)["events"]
    assert event["frame"] == "heading" and event["position"][0] > 1.0 and event["velocity"][0] < -5.0
    ball.source = "OBJECT"
    assert "no object" in refused(bpy.ops.footfall.simulate)
    thrower = bpy.data.objects.new("Thrower", None)
    bpy.context.collection.objects.link(thrower)
    thrower.location, ball.thrower = (2.0, 0.0, 1.0), thrower
    bpy.context.view_layer.update()
    event, = job(mannequin)["events"]
    assert event["position"] == pytest.approx([0.0, 2.0, 1.0], abs=0.02) and event["velocity"] == pytest.approx([0.0, 0.0, 10.0], abs=1e-4)


def test_headings(mannequin):
    motion = mannequin.footfall.motion
    motion.heading, motion.turn_seconds = 1.0, 0.5
    assert job(mannequin)["heading"] == [[0.0, 0.0], [0.5, 1.0]]
    for angle, frame in ((0.0, 1), (0.5, 25)):
        motion.heading = angle
        motion.keyframe_insert("heading", frame=frame)
    assert job(mannequin)["heading"][-1] == pytest.approx([1.0, 0.5])
    motion.heading_mode = "PROPERTY"
    assert "No object" in refused(bpy.ops.footfall.simulate)
    motion.heading_object = mannequin
    assert "is not animated" in refused(bpy.ops.footfall.simulate)
    motion.heading_path = "footfall.motion.heading"
    assert job(mannequin)["heading"][-1] == pytest.approx([1.0, 0.5])


def test_a_curve_is_a_path_from_where_it_is_nearest(mannequin):
    mannequin.footfall.motion.heading_mode = "CURVE"
    assert "No curve" in refused(bpy.ops.footfall.simulate)
    data = bpy.data.curves.new("Line", "CURVE")
    line = data.splines.new("POLY")
    line.points.add(1)
    line.points[0].co, line.points[1].co = (0, 3, 0, 1), (0, -7, 0, 1)
    data.bevel_depth = 0.1
    curve = bpy.data.objects.new("Line", data)
    bpy.context.collection.objects.link(curve)
    mannequin.footfall.motion.curve = curve
    kept = [len(bpy.data.objects), len(bpy.data.curves), len(bpy.data.meshes)]
    path = job(mannequin)["path"]
    assert path[0] == pytest.approx([0.0, 0.0], abs=0.1) and path[-1] == pytest.approx([7.0, 0.0], abs=0.02)
    assert [len(bpy.data.objects), len(bpy.data.curves), len(bpy.data.meshes)] == kept


def test_meshes_are_ground_and_boxes(mannequin):
    ground = bpy.context.scene.footfall.ground
    ground.kind = "MESHES"
    assert "No collection" in refused(bpy.ops.footfall.simulate)
    ground.collection = bpy.data.collections.new("Colliders")
    assert "no mesh" in refused(bpy.ops.footfall.simulate)
    bpy.ops.mesh.primitive_plane_add(size=8.0, location=(20.0, 0.0, 0.0))
    floor = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, -2.0, 0.25), rotation=(0.0, 0.0, 0.3))
    box = bpy.context.object
    box.scale, box.footfall_mass = (0.5, 0.4, 0.5), 3.0
    for thing in (floor, box):
        ground.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = mannequin
    bpy.context.view_layer.update()
    assert "no collider under" in refused(bpy.ops.footfall.simulate)
    floor.location.x = 0.0
    bpy.context.view_layer.update()
    made = job(mannequin)
    assert len(made["ground"]["faces"]) == 2 and max(abs(x) for x, _, _ in made["ground"]["vertices"]) == pytest.approx(4.0, abs=0.02)
    obstacle, = made["obstacles"]
    assert obstacle["size"] == pytest.approx([0.5, 0.4, 0.5]) and obstacle["position"] == pytest.approx([2.0, 0.0, 0.25], abs=0.02)
    assert obstacle["yaw"] == pytest.approx(0.3 + math.pi / 2) and obstacle["mass"] == 3.0
    box.rotation_euler.x = 0.4
    bpy.context.view_layer.update()
    assert "leans" in refused(bpy.ops.footfall.simulate)


def test_what_the_character_carries_is_no_collider(mannequin):
    ground = bpy.context.scene.footfall.ground
    ground.collection = bpy.data.collections.new("Colliders")
    bpy.ops.mesh.primitive_cube_add(size=0.1)
    sword = bpy.context.object
    sword.parent, sword.parent_type, sword.parent_bone = mannequin, "BONE", "hand.L"
    ground.collection.objects.link(sword)
    assert colliders_of(bpy.context.scene, mannequin) == []


def test_the_floor_is_the_same_at_any_height(mannequin):
    foot = scene.measure(mannequin).fit.body["skeleton"]["foot"]
    mannequin.location.z = 3.0
    bpy.context.view_layer.update()
    character = scene.measure(mannequin)
    assert character.placement.origin[2] == pytest.approx(3.0, abs=1e-5) and character.fit.body["skeleton"]["foot"] == pytest.approx(foot, abs=1e-5)


def test_a_root_bone_puts_the_character_onto_another_floor(mannequin):
    add_bone(mannequin, "root", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0), carries="pelvis")
    mannequin.pose.bones["root"].location.z = 1.0
    bpy.context.view_layer.update()
    assert scene.measure(mannequin).placement.origin[2] == pytest.approx(1.0, abs=1e-5)


def test_the_start_from_a_pose(mannequin):
    mannequin.footfall.motion.start = "POSE"
    assert len(job(mannequin)["start"]["rotations"]) == 15
    bpy.context.scene.frame_set(7)
    assert "frame 7" in refused(bpy.ops.footfall.simulate)


# -- baking ------------------------------------------------------------------------------------------------------------


def test_simulate_bakes_reports_and_keeps_the_result(mannequin, capfd):
    bpy.context.scene.frame_set(9)
    assert bpy.ops.footfall.simulate("EXEC_DEFAULT") == {"FINISHED"}
    bake = mannequin.footfall.bake
    assert bake.report.startswith("Walked") and mannequin.animation_data.action == bake.action
    assert Result.load(bpy.path.abspath(bake.result)).frames == 25 and tuple(bake.action.frame_range) == (1.0, 25.0)
    assert bpy.context.scene.frame_current == 9 and not running.RUNNING
    assert "Footfall: " in capfd.readouterr().out


def test_baking_again_starts_at_the_same_place(mannequin):
    bpy.ops.footfall.simulate()
    first = scene.measure(mannequin).placement
    bpy.context.scene.frame_set(20)
    again = scene.measure(mannequin).placement
    assert again.origin == pytest.approx(first.origin, abs=1e-5) and again.yaw == pytest.approx(first.yaw, abs=1e-5)
    mannequin.location.x = 5.0
    bpy.context.view_layer.update()
    assert scene.measure(mannequin).placement.origin[0] == pytest.approx(first.origin[0] + 5.0, abs=1e-5)


def test_old_animation_is_kept(mannequin):
    mannequin.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=1)
    old = mannequin.animation_data.action
    bpy.ops.footfall.simulate()
    assert old.use_fake_user and mannequin.animation_data.action != old
    ours = mannequin.animation_data.action
    bpy.ops.footfall.simulate()
    assert not ours.use_fake_user


def test_an_animated_heading_survives_the_bake(mannequin):
    motion = mannequin.footfall.motion
    for angle, frame in ((0.0, 1), (0.5, 25)):
        motion.heading = angle
        motion.keyframe_insert("heading", frame=frame)
    before = job(mannequin)["heading"]
    bpy.ops.footfall.simulate()
    assert [pytest.approx(point, abs=1e-5) for point in before] == job(mannequin)["heading"]


def test_what_else_was_animated_goes_on(mannequin):
    add_bone(mannequin, "jaw", (0.0, 0.0, 1.6), (0.0, -0.1, 1.6), parent="head")
    add_bone(mannequin, "root", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0), carries="pelvis")
    mannequin["mood"] = 0.0
    for name in ("jaw", "root", "head"):
        mannequin.pose.bones[name].keyframe_insert("location", frame=1, group=name)
    mannequin.keyframe_insert('["mood"]', frame=1)
    mannequin.keyframe_insert("location", frame=1)
    jaw = next(curve for curve in action_curves(mannequin.animation_data.action) if "jaw" in curve.data_path)
    jaw.keyframe_points.insert(25, 1.0).interpolation = "CONSTANT"
    jaw.modifiers.new("NOISE").strength, jaw.extrapolation = 0.5, "LINEAR"
    mannequin.footfall.bake.others_go_on = True
    before = [jaw.evaluate(frame) for frame in range(1, 26)]
    bpy.ops.footfall.simulate()
    curves = action_curves(mannequin.animation_data.action)
    kept = next(curve for curve in curves if "jaw" in curve.data_path)
    paths = {curve.data_path for curve in curves}
    assert [kept.evaluate(frame) for frame in range(1, 26)] == pytest.approx(before, abs=1e-5) and kept.group.name == "jaw"
    assert '["mood"]' in paths and "location" in paths  # of the object, whose moves the walk makes up for
    assert 'pose.bones["head"].location' not in paths
    for bone in mannequin.data.bones if bpy.app.version < (5, 0, 0) else mannequin.pose.bones:
        bone.select = bone.name.startswith("thigh")
    mannequin.footfall.bake.only_selected = True
    bpy.ops.footfall.simulate()  # the rest goes on as it was baked before
    assert {curve.data_path for curve in action_curves(mannequin.animation_data.action)} == paths


def test_boxes_and_balls_are_baked_too(mannequin):
    ground = bpy.context.scene.footfall.ground
    ground.kind, ground.collection = "MESHES", bpy.data.collections.new("Colliders")
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    floor = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=(0.0, -0.6, 0.6))
    box = bpy.context.object
    box.footfall_mass = 1.0
    for thing in (floor, box):
        ground.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = mannequin
    bpy.ops.footfall.add_ball()
    for _ in range(2):  # again: the box starts where it stood, the ball is not thrown twice
        bpy.ops.footfall.simulate()
        assert box.animation_data.action["footfall"] and floor.animation_data is None
        assert len([thing for thing in bpy.data.objects if thing.get("footfall_thrown_at") == mannequin.name]) == 1
        bpy.context.scene.frame_set(1)
        assert tuple(box.location) == pytest.approx((0.0, -0.6, 0.6), abs=0.01)
        bpy.context.scene.frame_set(25)
        assert (box.location.z < 0.3) and tuple(box.scale) == (1.0, 1.0, 1.0)


def test_a_ball_with_the_mesh_of_another_object(mannequin):
    bpy.ops.footfall.add_ball()
    bpy.ops.footfall.simulate()
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    next(thing for thing in bpy.data.objects if thing.get("footfall_thrown_at")).data = cube.data
    bpy.context.view_layer.objects.active = mannequin
    bpy.ops.footfall.simulate()
    assert "Cube" in bpy.data.objects and "Cube" in bpy.data.meshes


def test_a_job_to_a_file_and_its_result_onto_the_rig(mannequin, tmp_path):
    file = tmp_path / "job.json"
    assert bpy.ops.footfall.save_job(filepath=str(file)) == {"FINISHED"}
    assert json.loads(file.read_text()) == json.loads(json.dumps(job(mannequin)))
    bpy.ops.footfall.simulate()
    result, keys = mannequin.footfall.bake.result, tuple(mannequin.footfall.bake.action.frame_range)
    mannequin.animation_data_clear()
    assert bpy.ops.footfall.load_result(filepath=result) == {"FINISHED"}
    assert tuple(mannequin.animation_data.action.frame_range) == keys
    assert "no file" in refused(bpy.ops.footfall.load_result, filepath=str(tmp_path / "none.npz"))
    assert "cannot be written" in refused(bpy.ops.footfall.save_job, filepath=str(tmp_path / "none" / "job.json"))


def test_the_preview_leaves_the_pose_as_it_was(mannequin):
    from footfall.blender_addon import preview
    from footfall.blender_addon.worker import Pose

    mannequin.pose.bones["upper_arm.L"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    before = traces(mannequin)
    moves = retarget(mannequin)
    assert traces(mannequin) == before
    preview.show_pose(mannequin, moves, Pose(0, [1.0, 0.0, 0.9], [[1.0, 0.0, 0.0, 0.0]] * 15))
    assert traces(mannequin) != before
    preview.put_back(mannequin)
    assert traces(mannequin) == before


def test_a_pose_is_shown_in_each_bone_s_own_rotation_mode(mannequin):
    from footfall.blender_addon.rig.pose import show

    bones, turn = mannequin.pose.bones, Quaternion((0.8, 0.36, 0.48, 0.0))
    for name, mode in (("thigh.L", "XYZ"), ("thigh.R", "AXIS_ANGLE"), ("upper_arm.L", "QUATERNION")):
        bones[name].rotation_mode = mode
    other = bones["head"].matrix_basis.copy()
    show(mannequin, {name: np.array([turn]) for name in ("thigh.L", "thigh.R", "upper_arm.L")}, {"pelvis": np.array([[0.1, 0.2, 0.3]])},
         {"upper_arm.L": np.array([[1.0, 1.1, 1.0]])})
    bpy.context.view_layer.update()
    for name in ("thigh.L", "thigh.R", "upper_arm.L"):
        assert bones[name].matrix_basis.to_quaternion().rotation_difference(turn).angle < 1e-3
    assert tuple(bones["pelvis"].location) == pytest.approx((0.1, 0.2, 0.3)) and bones["upper_arm.L"].scale.y == pytest.approx(1.1)
    assert bones["head"].matrix_basis == other
    evaluated = mannequin.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert evaluated.pose.bones["pelvis"].location.x == pytest.approx(0.1), "it is seen"


def test_no_previewed_pose_comes_back_by_undo(mannequin):
    from footfall.blender_addon import preview
    from footfall.blender_addon.worker import Pose

    bpy.ops.ed.undo_push(message="before")
    preview.show_pose(mannequin, retarget(mannequin), Pose(0, [1.0, 0.0, 0.9], [[0.8, 0.6, 0.0, 0.0]] * 15))
    bpy.ops.ed.undo_push(message="something else is selected")
    preview.put_back(mannequin)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    rig = bpy.data.objects["Mannequin"]
    assert tuple(rig.pose.bones["pelvis"].location) == (0.0, 0.0, 0.0) and not rig.footfall.bake.before_preview


def test_a_character_that_is_renamed_while_it_is_simulated(mannequin):
    bake = simulation.Simulation(bpy.context, mannequin)
    mannequin.name = "Hero"
    bpy.ops.footfall.add_mannequin()
    other = bpy.context.object
    assert other.name == "Mannequin"
    finish(bake)
    assert mannequin.animation_data.action and other.animation_data is None and not running.RUNNING


def finish(bake: simulation.Simulation) -> None:
    while not bake.tick():
        time.sleep(0.02)
    bake.finish(bpy.context)


def test_a_bake_that_ends_in_edit_mode_is_the_same(mannequin):
    def values() -> list[float]:
        return [point.co[1] for curve in action_curves(mannequin.animation_data.action) for point in curve.keyframe_points]

    bpy.ops.footfall.simulate()
    before = values()
    bake = simulation.Simulation(bpy.context, mannequin)
    bpy.ops.object.mode_set(mode="EDIT")
    finish(bake)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert values() == pytest.approx(before, abs=1e-4)


def test_cancel_leaves_no_trace(mannequin):
    before = traces(mannequin)
    bake = simulation.Simulation(bpy.context, mannequin)
    assert "already" in refused(bpy.ops.footfall.simulate)
    bake.tick()
    assert bpy.ops.footfall.cancel() == {"FINISHED"}
    assert traces(mannequin) == before and not running.RUNNING
    assert "Nothing is being simulated" in refused(bpy.ops.footfall.cancel)
