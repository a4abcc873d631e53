"""Characters that follow a recording: the jobs that come of it, what is said of it, and the keys."""

import json

import bpy
import numpy as np
import pytest
from footfall.blender_addon import references, report, scene, span
from footfall.core.jobs import check
from footfall.core.kinematics import link_poses
from footfall.core.measure.following import following
from footfall.core.result import Result
from footfall.core.search import gains
from footfall.core.skeleton import Skeleton

from tests.addon.skeletons import person, slots
from tests.addon.test_recognise import MIXAMO, WORDS, prefixed
from tests.blender.mannequins import empty_scene, mannequin, refused, traces
from tests.blender.recordings import key, motions, walk, write_walk
from tests.blender.test_bake import generated, joint_paths
from tests.blender.test_read import armature_of

# -- jobs --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def follower(mannequin, walk):
    """A mannequin that follows the walk."""
    bpy.ops.footfall.add_reference(filepath=str(walk))
    mannequin.footfall.motion.source = "CLIP"
    return mannequin


COMMON = ("body", "engine", "fps", "friction", "events")
WITHOUT_CHOICE = {"repair": False, "loop": False, "tune": 0.0}


def job(rig: bpy.types.Object) -> dict:
    """As it is written to a file; the core takes it."""
    made = json.loads(json.dumps(scene.job_of(bpy.context, rig)[0]))
    check(made)
    return made


def own(made: dict) -> dict:
    """What a job has beside what all jobs have."""
    return {name: value for name, value in made.items() if name not in COMMON}


def test_the_first_reference_is_offered_and_gaits_stay_as_they_were(mannequin, walk):
    before = job(mannequin)
    bpy.ops.footfall.add_reference(filepath=str(walk))
    assert mannequin.footfall.motion.reference == "walk" and mannequin.footfall.motion.source == "GAIT"
    assert job(mannequin) == before and before["method"] == "gait" and before["gait"] == "walk" and "clips" not in before


def test_a_job_that_follows_a_clip_once(follower, walk):
    made = job(follower)
    assert own(made) == {"method": "track", "clips": [str(walk)], **WITHOUT_CHOICE, "store_gains": True, "without": []}
    assert set(COMMON) <= made.keys()
    follower.footfall.motion.frame_start = 11
    assert span.span_of(bpy.context.scene, follower) == span.Span(11, 11 + 48, 24.0)


def test_a_job_that_loops_and_steers(follower, walk, tmp_path):
    motion = follower.footfall.motion
    motion.loop, motion.seconds, motion.tune = True, 6.0, 60.0
    made = job(follower)
    assert made["duration"] == 6.0 and made["loop"] and not {"heading", "speed", "path"} & made.keys()
    assert made["tune"] == 60.0
    motion.steer, motion.own_speed, motion.speed, motion.heading = True, False, 1.5, 0.5
    made = job(follower)
    assert made["speed"] == 1.5 and made["heading"] == [[0.0, 0.0], [3.0, 0.5]]
    bpy.ops.footfall.add_reference(filepath=str(write_walk(tmp_path / "turn.bvh")))
    assert bpy.ops.footfall.add_also(reference="turn") == {"FINISHED"} and bpy.ops.footfall.add_also() == {"FINISHED"}
    bpy.context.scene.footfall.references["turn"].repair = True
    assert job(follower)["clips"] == [str(walk), str(tmp_path / "turn.bvh")] and job(follower)["repair"]
    assert bpy.ops.footfall.remove_also(index=0) == {"FINISHED"} and len(job(follower)["clips"]) == 1
    assert "no other reference" in refused(bpy.ops.footfall.remove_also, index=1)
    bpy.ops.footfall.add_also(reference="turn")
    motion.method = "IMITATE"  # goes on as well, and makes a gait of one clip
    made = job(follower)
    assert made["duration"] == 6.0 and made["speed"] == 1.5 and made["arm_spread"] == pytest.approx(scene.measure(follower).fit.arm_spread, abs=1e-4)
    assert made["clips"] == [str(walk)] and made["loop"] and made["tune"] == 60.0
    motion.method = "RETARGET"  # nothing goes on without physics
    made = job(follower)
    assert own(made) == {"method": "retarget", "clips": [str(walk)], "repair": False}
    assert span.span_of(bpy.context.scene, follower).seconds == 2.0


def test_a_job_that_follows_any_clip(follower, walk):
    motion, usual = follower.footfall.motion, {"method": "plan", "clips": [str(walk)], "repair": False}
    motion.method, motion.loop, motion.steer, motion.tune = "PLAN", True, True, 60.0  # none of these matters to a plan
    made = job(follower)
    weights = dict.fromkeys(("feet", "hands", "head", "trunk"), 1.0)
    assert own(made) == {**usual, "quality": "normal", "freedom": 0.3, "strength": "human", "weights": weights}
    assert span.span_of(bpy.context.scene, follower).seconds == 2.0
    plan = motion.plan
    plan.quality, plan.freedom, plan.strength, plan.feet, plan.hands = "DRAFT", 1.0, "HERO", 4.2, 0.0
    weights |= {"feet": 4.2, "hands": 0.0}
    assert own(job(follower)) == {**usual, "quality": "draft", "freedom": 1.0, "strength": "hero", "weights": weights}
    bpy.ops.mesh.primitive_plane_add(size=20)
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0, -3, 0.2))
    bpy.context.object.footfall_mass = 5.0
    ground = bpy.context.scene.footfall.ground
    ground.kind, ground.collection, ground.friction = "MESHES", follower.users_collection[0], 0.5
    made = job(follower)
    assert made["ground"]["type"] == "mesh" and made["obstacles"][0]["mass"] == 5.0 and made["friction"] == 0.5
    assert "slope_adaptation" not in made  # a plan does not know it


def test_pushes_go_along_but_not_without_physics(follower):
    bpy.context.scene.frame_set(13)
    bpy.ops.footfall.add_push()
    bpy.ops.footfall.add_ball()
    push, ball = job(follower)["events"]
    assert push["time"] == pytest.approx(0.5) and ball["type"] == "ball"
    follower.footfall.motion.method = "RETARGET"
    assert job(follower)["events"] == []
    follower.footfall.motion.method = "PLAN"
    assert refused(bpy.ops.footfall.simulate) == \
        "The method Follow Any Clip takes no pushes: remove them, or choose Follow Walks and Runs, React to Hits or Turn into a Gait."


def test_references_that_are_missing(follower, walk):
    motion, before = follower.footfall.motion, traces(follower)
    motion.reference = "jump"
    assert "There is no reference 'jump'" in refused(bpy.ops.footfall.simulate)
    motion.reference = ""
    assert "No reference is chosen" in refused(bpy.ops.footfall.simulate)
    motion.reference = "walk"
    walk.unlink()
    assert f"The file '{walk}' of the reference 'walk' is gone" in refused(bpy.ops.footfall.simulate)
    assert traces(follower) == before


def test_files_in_the_way_of_a_recording(mannequin, tmp_path):
    key(mannequin)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    (tmp_path / "footfall").write_text("in the way")
    assert "cannot be kept" in refused(bpy.ops.footfall.add_reference_action)
    assert references.find(bpy.context.scene, "Wave") is None


def test_what_is_said_of_a_clip(mannequin):
    bpy.ops.footfall.simulate()
    result = Result.load(mannequin.footfall.bake.result)
    made_with = result.made_with
    result.job = {"method": "track", "clips": ["walk.bvh"], "tune": 0.0}
    result.made_with = {"footfall": "1.0"}
    assert report.sentence(result, 1, 1.0).startswith("Retargeted 1 s without physics, ")
    result.made_with = made_with
    assert report.sentence(result, 1, 1.0).startswith("Walked ")
    joints, _ = link_poses(result)
    result.reference_positions = joints.copy()
    assert "recording" not in report.sentence(result, 1, 1.0)
    result.reference_positions[:, 1:] += (0.0, 0.0, 0.1)  # seen from the pelvis
    assert "; joints are 10 cm off the recording: set Keep Trying" in report.sentence(result, 1, 1.0)
    result.reference_positions = joints + joints[:, :1] * (1.0, 1.0, 0.0)  # as far again
    assert "; goes at 50 % of the recording's speed: set Keep Trying" in report.sentence(result, 1, 1.0)
    result.outcome |= {"fell": True, "fell_at": 0.8}
    assert report.sentence(result, 1, 1.0).endswith(": set Keep Trying to some seconds, or use another method or recording.")


def test_what_is_said_of_a_plan(mannequin):
    bpy.ops.footfall.simulate()
    result = Result.load(mannequin.footfall.bake.result)
    result.job = {"method": "plan", "clips": ["kick.txt"], "quality": "normal"}
    del result.outcome["steps"]
    assert report.sentence(result, 1, 1.0).startswith("Followed the clip for 1 s over 1.")
    assert report.sentence(result, 1, 1.0, asked=1.6).startswith("Followed the clip for 1 s of 1.6 s over 1.")
    result.reference_positions = link_poses(result)[0] + (0.0, 0.0, 0.1)
    result.reference_positions[:, 0, 2] -= 0.1
    assert "; joints are 10 cm off the recording: try a finer quality, a hero's strength, or to stick more" in report.sentence(result, 1, 1.0)
    for away, says in ((0.1, ""), (0.4, "; gets 40 cm off the recording's way: try a finer quality")):  # whatever its speed is
        result.reference_positions = link_poses(result)[0] + (0.0, away, 0.0)
        assert ("recording" in report.sentence(result, 1, 1.0)) == bool(says) and says in report.sentence(result, 1, 1.0)
    result.root_positions[:, 0] += np.linspace(0.0, 1.0, result.frames)
    assert "feet slid" in report.sentence(result, 1, 1.0) and "feet slid 0 mm" not in report.sentence(result, 1, 1.0)
    result.foot_forces *= 0.1  # who lies on the floor may trail a foot
    assert "feet slid" not in report.sentence(result, 1, 1.0)
    result.outcome |= {"fell": True, "fell_at": 0.5, "reason": "Lost the clip at 0.5 s, where the body leans forward; try quality 'fine'."}
    assert report.sentence(result, 11, 1.0) == "At frame 23: lost the clip at 0.5 s, where the body leans forward; try quality 'fine'."


@pytest.mark.parametrize("method", ["RETARGET", "TRACK"])
def test_from_a_file_to_keys(mannequin, tmp_path, method):
    """The mannequin's own walk, recorded, is followed by another one. In the sturdy one the hips do not turn, so that the first frame tells where it
    goes."""
    mannequin.footfall.motion.gait, mannequin.footfall.motion.seconds = "sturdy_walk", 3.0
    bpy.ops.footfall.simulate()
    mannequin.animation_data.action.name = "Recorded"
    assert bpy.ops.footfall.add_reference_action() == {"FINISHED"}
    walked = Result.load(mannequin.footfall.bake.result)
    bpy.ops.footfall.add_mannequin()
    other = bpy.context.object
    other.footfall.motion.source, other.footfall.motion.reference, other.footfall.motion.method = "CLIP", "Recorded", method
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    result, action = Result.load(other.footfall.bake.result), other.animation_data.action
    assert action == other.footfall.bake.action and tuple(action.frame_range) == (1.0, result.frames)
    assert result.frames == 73 if method == "RETARGET" else 68 < result.frames < 85  # under physics a step waits for the foot
    assert result.job["method"] == method.lower() and not result.outcome["fell"]
    far = min(result.frames, walked.frames)
    assert np.abs(result.root_positions[:far] - walked.root_positions[:far]).max() < (0.05 if method == "RETARGET" else 0.3)
    assert result.reference_positions.shape == (result.frames, 15, 3) and np.abs(result.reference_positions[:, 0] - result.root_positions).max() < 0.3


def mixamo() -> bpy.types.Object:
    return armature_of(person(slots(prefixed(MIXAMO, "mixamorig:"), WORDS)))


@pytest.mark.parametrize("method", ["RETARGET", "TRACK"])
@pytest.mark.parametrize("make", [mixamo, pytest.param(generated, marks=pytest.mark.slow)], ids=["Mixamo", "Rigify"])
def test_a_rig_of_another_build_follows_a_file(make, method, motions):
    """Import, pick, simulate, bake, all by operators; the rig's own joints are where the result has them."""
    rig = make()
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.footfall.add_reference(filepath=str(motions / "humanoid3d_walk.txt")) == {"FINISHED"}
    motion = rig.footfall.motion
    assert motion.reference == "humanoid3d_walk"
    motion.source, motion.method = "CLIP", method
    character = scene.measure(rig)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    result, action = Result.load(rig.footfall.bake.result), rig.animation_data.action
    assert not result.outcome["fell"] and action.name == f"{rig.name} humanoid3d_walk" and tuple(action.frame_range) == (1.0, result.frames)
    assert rig.footfall.bake.report.startswith("Retargeted 1.2 s" if method == "RETARGET" else "Walked 1.")
    assert "Keep Trying" not in rig.footfall.bake.report
    paths = joint_paths(rig, character.bone_map, range(1, 1 + result.frames))
    positions, _ = Skeleton(tuple(result.link_names), result.parents, result.offsets).forward_kinematics(result.root_positions, result.rotations)
    for slot in ("thigh.L", "shin.R", "foot.L", "foot.R", "forearm.R"):
        off = np.linalg.norm(paths[slot] - character.placement.to_world(positions[:, result.link_names.index(slot)]), axis=1).max()
        assert off < 0.01, f"{slot} is {1000 * off:.1f} mm off"
    # The ghost goes along, on the same floor.
    assert result.reference_positions.shape == positions.shape and np.linalg.norm(result.reference_positions - positions, axis=-1).mean() < 0.05


@pytest.mark.slow
def test_a_search_makes_it_better(mannequin, motions, tmp_path):
    """A kick in the air, which the usual gains do not follow."""
    clip = tmp_path / "kick.txt"
    clip.write_bytes((motions / "humanoid3d_spinkick.txt").read_bytes())
    bpy.ops.footfall.add_reference(filepath=str(clip))
    motion, costs = mannequin.footfall.motion, []
    motion.source = "CLIP"
    for motion.tune in (0.0, 5.0):
        assert bpy.ops.footfall.simulate() == {"FINISHED"}
        costs.append(gains.cost(Result.load(mannequin.footfall.bake.result), 1.3))
    assert costs[1] < costs[0]


def test_any_clip_is_followed(mannequin, motions):
    """A kick on one leg."""
    bpy.ops.footfall.add_reference(filepath=str(motions / "humanoid3d_kick.txt"))
    motion = mannequin.footfall.motion
    motion.source, motion.method, motion.plan.quality = "CLIP", "PLAN", "DRAFT"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    result, bake = Result.load(mannequin.footfall.bake.result), mannequin.footfall.bake
    assert not bake.fell and bake.report.startswith("Followed the clip for 1.5 s over 1."), bake.report
    assert mannequin.animation_data.action.frame_range[1] == result.frames and following(result)["joint_error_m"] < 0.12
    assert "nothing to keep" in refused(bpy.ops.footfall.keep) and "nothing to keep" in refused(bpy.ops.footfall.discard)
