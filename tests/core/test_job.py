"""Jobs: what they fill in, and that every mistake is one sentence that names its field."""

import dataclasses
import json
import re
from pathlib import Path

import pybullet_data
import pytest

from core import presets
from core.control.gait import load_gait
from core.errors import FootfallError, JobError
from core.jobs import check, load_job, make_job
from core.physics import ENGINES

NAN, INF = float("nan"), float("inf")
TRIANGLE = {"vertices": [[-9, -9, 0], [9, -9, 0], [0, 9, 0]], "faces": [[0, 1, 2]]}
PUSH = {"type": "push", "time": 1.0, "duration": 0.4, "force": [100, 0, 0]}
BALL = {"type": "ball", "time": 1.0, "position": [2, 0, 1], "velocity": [-5, 0, 0]}
WALK = Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_walk.txt"
BOX = {"size": [1, 1, 0.2], "position": [2, 0, 0.1]}


def one_sentence(error: pytest.ExceptionInfo) -> str:
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and not re.search(r"\. [A-Z]", text), text
    return text


def without(record: dict, key: str) -> dict:
    return {name: value for name, value in record.items() if name != key}


def test_an_empty_job_is_an_average_man_walking_on_flat_ground():
    job = make_job({})
    assert (job.method, job.body, job.settings.gait, job.duration, job.fps, job.seed) == ("gait", "average_man", "walk", 10.0, 30.0, 0)
    assert job.ground == {"type": "plane"} and job.friction == 0.8
    assert job.obstacles == () and job.events == () and job.path is None and job.speed is None and job.settings.start is None
    assert job.heading is None and job.facing == 0.0 and job.settings.stance_width == job.settings.step_width == 0.0
    assert job.self_collision is job.settings.slope_adaptation is job.settings.feedforward is False
    assert job.time_step == load_gait("walk").time_step
    assert job.engine in ENGINES  # whichever is here: none is left open


def test_where_legs_collide_steps_are_as_wide_as_the_legs_need():
    body = presets.body("overweight")
    assert make_job({"self_collision": True, "body": "overweight"}).settings.step_width == pytest.approx(body.step_width, abs=1e-4)
    assert body.step_width > body.legs_thick > 0.1
    assert make_job({"self_collision": True, "step_width": 0.3}).settings.step_width == 0.3


def test_a_job_cannot_be_changed():
    job = make_job({})
    with pytest.raises(dataclasses.FrozenInstanceError):
        job.duration = 3.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        job.settings.gait = "run"
    assert job.having(gait="run").settings.gait == "run" and job.settings.gait == "walk"


@pytest.mark.parametrize("data", [
    {"duration": 2, "events": [PUSH], "heading": 0.5, "self_collision": True},
    {"gait": "run", "speed": [[0, 1], [2, 1.5]], "start": "gait", "ground": {"type": "steps", "height": 0.1}},
    {"method": "track", "clips": [str(WALK)], "without": ["swing hip"]},
    {"method": "hit", "clips": [str(WALK)], "events": [{**PUSH, "time": 0.3}, {**BALL, "time": 0.3}], "manner": {"delay": 0.2}},
    {"method": "plan", "clips": [str(WALK)], "weights": {"feet": 2}}, {"method": "imitate", "clips": [str(WALK)]},
    {"method": "retarget", "clips": [str(WALK)]}])
def test_a_whole_job_read_again_is_the_same_job(data):
    job = make_job(data)
    again = make_job(json.loads(json.dumps(job.to_dict())))
    assert again.to_dict() == job.to_dict()
    assert {**job.to_dict(), "engine": None} != {**data, "engine": None}  # what was left open is filled in


def test_numbers_become_curves_and_curves_stay():
    job = make_job({"heading": 0.5, "speed": [[0, 1], [2, 1.5], [2, 0.5]]})
    assert job.heading == ((0.0, 0.5),) and job.facing == 0.5
    assert job.speed == ((0, 1), (2, 1.5), (2, 0.5))  # a jump: two points at one time
    assert make_job({"speed": None}).speed is None


def test_records_are_filled_with_their_defaults():
    job = make_job({"events": [PUSH, BALL], "obstacles": [BOX], "ground": {"type": "steps", "height": 0.1}})
    push, ball = job.events
    assert push["part"] == "torso" and push["frame"] == "heading" and push["force"] == [100, 0, 0]
    assert ball["mass"] == 1.0 and ball["radius"] == 0.1 and ball["frame"] == "heading"
    assert job.obstacles[0]["mass"] == 0.0 and job.obstacles[0]["yaw"] == 0.0 and "name" not in job.obstacles[0]
    assert job.ground == {"type": "steps", "height": 0.1, "start": 2.0, "depth": 1.0, "count": 1}


def test_settings_are_filled_with_their_defaults():
    source = {"method": "plan", "clips": [str(WALK)], "weights": {"feet": 2}}
    settings = make_job(source).settings
    assert (settings.quality, settings.freedom, settings.strength) == ("normal", 0.3, "human")
    assert settings.weights == {"feet": 2.0, "hands": 1.0, "head": 1.0, "trunk": 1.0}
    assert make_job({"method": "plan", "clips": [str(WALK)]}).settings.weights == dict.fromkeys(("feet", "hands", "head", "trunk"), 1.0)
    assert source["weights"] == {"feet": 2}


def test_a_job_may_have_its_settings_in_a_reference_as_jobs_once_had():
    settings = {"clips": [str(WALK)], "method": "plan", "freedom": 0.6}
    assert make_job({"reference": settings, "duration": 0.5}).to_dict() == make_job({**settings, "duration": 0.5}).to_dict()
    assert make_job({"reference": {"clips": [str(WALK)]}}).method == "track"


@pytest.mark.parametrize("ground", [
    "flat", {"type": "plane"}, {"type": "slope", "degrees": -8}, {"type": "steps", "height": -0.1, "count": 3},
    {"type": "profile", "points": [[0, 0], [1, 0.1], [1, 0.2]]}, {"type": "mesh", **TRIANGLE}])
def test_every_kind_of_ground_is_taken(ground):
    kind = "plane" if ground == "flat" else ground["type"]
    assert make_job({"ground": ground}).ground["type"] == kind


def test_a_body_may_be_a_preset_or_measures_and_the_time_step_is_the_gaits():
    assert make_job({"body": {"height": 1.2, "mass": 30}}).body == {"height": 1.2, "mass": 30}
    job = make_job({"body": "planar_biped", "gait": "planar_walk"})
    assert job.time_step == load_gait("planar_walk").time_step
    assert make_job({"time_step": 0.001}).time_step == 0.001


@pytest.mark.parametrize("name", presets.names("jobs"))
def test_every_job_preset_is_a_good_job(name):
    assert load_job(name).duration > 0


MISTAKES = [
    ({"lenght": 3}, "'lenght'"), ({"source": {}}, "'source'"),
    # body
    ({"body": "giant"}, "'giant'"), ({"body": 5}, "body"), ({"body": None}, "body"), ({"body": {"mass": 0}}, "body.mass"),
    ({"body": {"mass": NAN}}, "body.mass"), ({"body": {"height": -1}}, "body.height"), ({"body": {"sex": "x"}}, "body.sex"),
    ({"body": {"scale": {"nose": 2}}}, "'nose'"),
    ({"body": {"scale": 2}}, "body.scale"),
    ({"body": {"weight": 80}}, "weight"),
    # gait
    ({"gait": "moonwalk"}, "'moonwalk'"), ({"gait": 3}, "gait"), ({"gait": None}, "gait"),
    ({"gait": "planar_walk"}, "gait: 'planar_walk'"), ({"body": "planar_biped", "gait": "walk"}, "gait: 'walk'"),
    ({"body": "planar_biped"}, "gait: 'walk'"),
    # numbers
    ({"duration": 0}, "duration"), ({"duration": -1}, "duration"), ({"duration": NAN}, "duration"),
    ({"duration": INF}, "duration"),
    ({"duration": "10"}, "duration"), ({"duration": [10]}, "duration"), ({"duration": None}, "duration"),
    ({"duration": True}, "duration"),
    ({"duration": 1e5}, "duration"), ({"fps": 0}, "fps"), ({"fps": NAN}, "fps"), ({"seed": 1.5}, "seed"), ({"seed": -1}, "seed"),
    ({"friction": -0.1}, "friction"), ({"friction": "ice"}, "friction"), ({"stance_width": 2}, "stance_width"), ({"step_width": 1.5}, "step_width"),
    ({"time_step": 0}, "time_step"), ({"time_step": 0.1}, "time_step"), ({"time_step": NAN}, "time_step"),
    ({"duration": 10**400}, "duration"),
    # choices
    ({"start": "flying"}, "start"), ({"start": ["rest"]}, "start"),
    ({"start": {}}, "rotations"), ({"arm_spread": 3}, "arm_spread"), ({"start": {"rotations": {"tail": [1, 0, 0, 0]}}}, "tail"),
    ({"start": {"rotations": {"head": [1, 1, 0, 0]}}}, "start.rotations.head"),
    ({"start": {"rotations": {"head": [1, 0, 0]}}}, "start.rotations.head"), ({"start": {"rotations": []}}, "start.rotations"),
    ({"self_collision": "yes"}, "self_collision"),
    ({"self_collision": None}, "self_collision"), ({"slope_adaptation": 2}, "slope_adaptation"),
    ({"self_collision": 1}, "self_collision"),
    # ground
    ({"ground": "moon"}, "'moon'"), ({"ground": 5}, "ground.type"), ({"ground": None}, "ground.type"),
    ({"ground": {}}, "ground.type"),
    ({"ground": {"type": "water"}}, "ground.type"), ({"ground": {"type": "plane", "degrees": 3}}, "'degrees'"),
    ({"ground": {"type": "slope"}}, "'degrees'"), ({"ground": {"type": "slope", "degrees": 80}}, "ground.degrees"),
    ({"ground": {"type": "slope", "degrees": NAN}}, "ground.degrees"),
    ({"ground": {"type": "slope", "degrees": 3, "length": 0}}, "ground.length"),
    ({"ground": {"type": "steps"}}, "'height'"), ({"ground": {"type": "steps", "height": 0.1, "depth": -1}}, "ground.depth"),
    ({"ground": {"type": "steps", "height": 0.1, "count": 1.5}}, "ground.count"),
    ({"ground": {"type": "profile"}}, "'points'"), ({"ground": {"type": "profile", "points": 3}}, "ground.points"),
    ({"ground": {"type": "profile", "points": [[0, 0]]}}, "ground.points"),
    ({"ground": {"type": "profile", "points": [[1, 0], [0, 0]]}}, "ground.points"),
    ({"ground": {"type": "profile", "points": [[0, 0], [1, NAN]]}}, "ground.points[1][1]"),
    ({"ground": {"type": "profile", "points": [[0, 0], [1]]}}, "ground.points[1]"),
    ({"ground": {"type": "mesh"}}, "ground"), ({"ground": {"type": "mesh", "vertices": TRIANGLE["vertices"]}}, "ground"),
    ({"ground": {"type": "mesh", "file": "/nowhere/x.obj"}}, "ground.file"),
    ({"ground": {"type": "mesh", **TRIANGLE, "faces": [[0, 1, 9]]}}, "ground.faces"),
    ({"ground": []}, "ground.type"), ({"ground": {"type": []}}, "ground.type"),
    ({"ground": {"type": "mesh", "file": 5}}, "ground.file"),
    ({"ground": {"type": "mesh", **TRIANGLE, "vertices": "abc"}}, "ground.vertices"),
    # methods and their settings
    ({"method": "dream"}, "method"), ({"method": None}, "method"), ({"method": []}, "method"),
    ({"clips": []}, "clips"), ({"clips": "x.bvh"}, "clips"), ({"clips": [3]}, "clips"),
    ({"method": "plan"}, "'clips'"), ({"method": "plan", "clips": ["x.bvh", "y.bvh"]}, "clips"),
    ({"reference": 3}, "reference"), ({"reference": {"clips": []}}, "clips"), ({"reference": {"clips": ["x.bvh"], "speed": 1}}, "'speed'"),
    ({"method": "hit", "clips": ["x.bvh"]}, "a push or a ball"),
    ({"reference": {"clips": ["x.bvh"]}, "gait": "walk"}, "gait"), ({"reference": {"clips": ["x.bvh"], "method": "dream"}}, "method"),
    ({"reference": {"clips": ["x.bvh"]}, "loop": True, "clips": ["y.bvh"]}, "'clips'"),
    *(({"method": "plan", "clips": ["x.bvh"], name: value}, f"{name}{part}") for name, value, part in [
        ("loop", 1, ""), ("quality", "best", ""), ("quality", None, ""), ("strength", "god", ""), ("freedom", 1.1, ""),
        ("freedom", NAN, ""), ("freedom", "half", ""), ("weights", 2, ""), ("weights", {"nose": 1}, ""), ("weights", {"feet": -1}, ".feet"),
        ("weights", {"head": 5.1}, ".head"), ("weights", {"trunk": None}, ".trunk"), ("weights", {"hands": True}, ".hands")]),
    *(({"method": "track", "clips": ["x.bvh"], name: value}, says) for name, value, says in [
        ("without", ["arm"], "without[0]"), ("without", "arm", "without"), ("gains", 3, "gains"), ("gains", {"charm": 1}, "'charm'"),
        ("gains", {"pelvis": 3}, "gains.pelvis"), ("tune", -1, "tune"), ("stance_width", 2, "stance_width"), ("body", "planar_biped", "3D")]),
    # what a method does not take
    *(({"method": method, "clips": ["x.bvh"], **more}, f"'{method}'") for method, more in [
        ("plan", {"events": [PUSH]}), ("retarget", {"events": [PUSH]}), ("track", {"events": [{"type": "gait", "time": 1, "gait": "run"}]}),
        ("plan", {"speed": 1}), ("retarget", {"path": [[0, 0], [1, 0]]}), ("hit", {"speed": 1, "events": [PUSH]}),
        ("hit", {"events": [PUSH], "obstacles": [BOX]}), ("hit", {"events": [PUSH], "ground": {"type": "slope", "degrees": 3}})]),
    # obstacles
    ({"obstacles": {}}, "obstacles"), ({"obstacles": [3]}, "obstacles[0]"),
    ({"obstacles": [BOX, without(BOX, "size")]}, "obstacles[1]"),
    ({"obstacles": [{**BOX, "colour": "red"}]}, "'colour'"), ({"obstacles": [{**BOX, "size": [1, 1]}]}, "obstacles[0].size"),
    ({"obstacles": [{**BOX, "size": [1, 0, 1]}]}, "obstacles[0].size[1]"),
    ({"obstacles": [{**BOX, "mass": -1}]}, "obstacles[0].mass"),
    ({"obstacles": [{**BOX, "position": [1, 2, NAN]}]}, "obstacles[0].position[2]"),
    ({"obstacles": [{**BOX, "yaw": "x"}]}, "obstacles[0].yaw"),
    ({"obstacles": [{**BOX, "name": 5}]}, "obstacles[0].name"),
    ({"obstacles": [{**BOX, "name": "a"}, {**BOX, "name": "a"}]}, "obstacles[1].name"),
    # events
    ({"events": {}}, "events"), ({"events": [3]}, "events[0].type"), ({"events": [{"time": 1}]}, "events[0].type"),
    ({"events": [{"type": "dance", "time": 1}]}, "events[0].type"), ({"events": [PUSH, without(PUSH, "force")]}, "events[1]"),
    ({"events": [{**PUSH, "strength": 3}]}, "'strength'"), ({"events": [{**PUSH, "time": -1}]}, "events[0].time"),
    ({"events": [{**PUSH, "time": NAN}]}, "events[0].time"), ({"events": [{**PUSH, "duration": 0}]}, "events[0].duration"),
    ({"events": [{**PUSH, "force": 100}]}, "events[0].force"),
    ({"events": [{**PUSH, "force": [1, 2, INF]}]}, "events[0].force[2]"),
    ({"events": [{**PUSH, "part": "tail"}]}, "events[0].part"), ({"events": [{**PUSH, "frame": "moon"}]}, "events[0].frame"),
    ({"events": [{"type": "gait", "time": 1}]}, "'gait'"), ({"events": [{"type": "gait", "time": 1, "gait": "moonwalk"}]},
        "'moonwalk'"),
    ({"events": [{"type": "gait", "time": 1, "gait": "planar_run"}]}, "events[0].gait"),
    ({"events": [{**BALL, "mass": 0}]}, "events[0].mass"), ({"events": [{**BALL, "radius": -1}]}, "events[0].radius"),
    ({"events": [{**BALL, "velocity": [1e4, 0, 0]}]}, "events[0].velocity[0]"),
    ({"events": [without(BALL, "position")]}, "'position'"),
    ({"events": [[]]}, "events[0].type"),
    ({"events": [{"type": {}}]}, "events[0].type"),
    # curves and paths
    ({"heading": "north"}, "heading"), ({"heading": NAN}, "heading"), ({"heading": []}, "heading"),
    ({"heading": [[0, 0], [2, 1], [1, 2]]}, "heading[2]"), ({"heading": [[0, 0, 0]]}, "heading[0]"),
    ({"heading": [0, 1]}, "heading[0]"),
    ({"speed": 100}, "speed"), ({"speed": [[0, 1], [1, NAN]]}, "speed[1][1]"), ({"speed": [[0, 1], [1, 50]]}, "speed[1][1]"),
    ({"speed": [[1, 1], [0, 1]]}, "speed[1]"), ({"speed": True}, "speed"),
    ({"path": 3}, "path"), ({"path": [[0, 0]]}, "path"), ({"path": [[0, 0], [1]]}, "path[1]"),
    ({"path": [[0, 0], [1, "a"]]}, "path[1][1]"),
]


@pytest.mark.parametrize("data, field", MISTAKES, ids=lambda value: re.sub(r"\d{20,}", "huge", json.dumps(value)[:60]))
def test_a_mistake_is_one_sentence_that_names_its_field(data, field):
    with pytest.raises(JobError) as error:
        make_job(data)
    assert field in one_sentence(error)
    assert isinstance(error.value, FootfallError)


def test_a_count_of_steps_written_with_a_point_is_a_whole_number():
    count = make_job({"ground": {"type": "steps", "height": 0.1, "count": 2.0}}).ground["count"]
    assert count == 2 and isinstance(count, int)


def test_a_mesh_is_looked_up_beside_the_job(tmp_path, monkeypatch):
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "hill.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n")
    (tmp_path / "jobs" / "job.json").write_text(json.dumps({"ground": {"type": "mesh", "file": "hill.obj"}}))
    monkeypatch.chdir(tmp_path)
    job = load_job("jobs/job.json")
    assert Path(job.ground["file"]).resolve() == tmp_path / "jobs" / "hill.obj"
    assert Path(job.to_dict()["ground"]["file"]).resolve() == tmp_path / "jobs" / "hill.obj"  # a process that gets the data knows no folder


def test_a_gait_file_is_looked_up_beside_the_job_and_a_clip_means_the_same_in_any_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.json").write_text(json.dumps(presets.load("gaits", "run")))
    change = {"type": "gait", "time": 1.0, "gait": "mine.json"}
    (tmp_path / "job.json").write_text(json.dumps({"gait": "mine.json", "events": [change]}))
    job = load_job(tmp_path / "job.json")
    assert job.settings.gait == job.events[0]["gait"] == str(tmp_path / "mine.json")
    monkeypatch.chdir(tmp_path)
    assert check({"method": "plan", "clips": ["kick.bvh"]}).settings.clips == (str(tmp_path / "kick.bvh"),)
    assert check({"gait": "run"}).settings.gait == "run"


def test_an_absolute_mesh_path_is_kept(tmp_path):
    mesh = tmp_path / "hill.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n")
    assert make_job({"ground": {"type": "mesh", "file": str(mesh)}}, folder=Path("/somewhere")).ground["file"] == str(mesh)


@pytest.mark.parametrize("text, says", [
    ("{", "JSON"), ("", "JSON"), ('{"duration": NaN}', "NaN"), ('{"duration": -Infinity}', "Infinity"),
    ('{"duration": 1e999}', "duration"),
    ("[1, 2]", "object"), ("3", "object"), ("null", "object"), ("\ufeff{}", "JSON"), ('{"a": "\\ud800', "JSON")])
def test_a_file_that_is_no_job_is_one_sentence(tmp_path, text, says):
    path = tmp_path / "job.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(JobError, match=says) as error:
        load_job(path)
    one_sentence(error)


def test_bytes_that_are_no_text_are_one_sentence(tmp_path):
    path = tmp_path / "job.json"
    path.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(JobError, match="job.json") as error:
        load_job(path)
    one_sentence(error)


@pytest.mark.parametrize("name", ["nowhere.json", "no_such_preset"])
def test_a_missing_job_is_named(name):
    with pytest.raises(JobError, match=name) as error:
        load_job(name)
    one_sentence(error)
