"""Bodies that follow recordings under physics: clips to their end, loops, pushes, other bodies and ground, spliced paths."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets, rotation
from core.context import Context
from core.control.course import Course
from core.control.data_driven import BOTH, DataDriven, TrackingAim
from core.control.tracker import gains_of
from core.dynamics import Dynamics
from core.errors import JobError
from core.formats import read_clip
from core.jobs import make_job, run
from core.measure.following import following
from core.measure.report import measure
from core.methods.track import FEEDBACK
from core.motion import Motion
from core.optimize.pushes import CLIP_PUBLISHED, clip_survives
from core.physics import world_class
from core.retarget import body_of
from core.search.tracking_gains import held, moved
from tests.cases import quick

ROOT = Path(__file__).resolve().parents[2]
WALK = str(Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_walk.txt")
RUN = str(Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_run.txt")
CMU = ROOT.parent / "shared" / "mocap" / "cmu"
shared = pytest.mark.skipif(not CMU.is_dir(), reason="the recordings in ../shared/mocap are not there")
# Walks, march, sneaks, backward, sideways, turns, jog, runs, starts and stops.
LOCOMOTION = ["02_01", "07_01", "08_06", "09_01", "104_08", "104_56", "111_01", "120_08", "127_08", "127_17", "138_05", "139_15", "143_03", "143_40",
              "16_08", "16_11", "16_17", "16_33", "37_01", "69_16", "69_20", "69_50", "69_66", "76_11", "82_08"]


def clip(number: str) -> str:
    return str(next(CMU.glob(f"{number}_*.bvh")))


def follow(*clips: str, loop: bool = False, **job):
    return run(make_job({"method": "track", "clips": list(clips), **({"loop": True} if loop else {}), **job}))


def walked(result) -> None:
    assert not result.outcome["fell"], result.outcome["reason"]


# -- what the repo's dependencies hold ------------------------------------------------------------------------------------


def test_a_walk_is_looped():
    result = follow(WALK, loop=True, duration=15.0)
    walked(result)
    assert held(result)


def test_a_run_is_followed():
    result = follow(RUN)
    walked(result)
    assert following(result)["joint_error_m"] < 0.06


def test_feet_arms_and_head_follow():
    result = follow(WALK, loop=True, duration=10.0)
    walked(result)
    report = measure(result)
    assert report["skate"]["slide_mean_mm"] < 10.0 and report["skate"]["penetration_max_mm"] < 10.0
    figures = report["following"]
    assert figures["angle_error_deg"] < 6.0 and figures["joint_error_max_m"] < 0.1


def test_retarget_needs_no_physics():
    result = follow(WALK, method="retarget", body="tall_man" if (ROOT / "presets/bodies/tall_man.json").is_file() else "average_man")
    assert following(result)["joint_error_m"] < 1e-6
    assert np.allclose(result.root_positions[0, :2], 0.0) and result.penetrations.max() < 0.005


def test_the_same_job_gives_the_same_result():
    one, two = (follow(WALK, loop=True, duration=3.0) for _ in range(2))
    assert np.array_equal(one.root_positions, two.root_positions) and np.array_equal(one.rotations, two.rotations)


def test_a_loop_is_steered():
    result = follow(WALK, loop=True, duration=14.0, heading=[[0.0, 0.0], [8.0, 1.6]], speed=0.9)
    walked(result)
    tail = result.root_positions[-90:, :2]
    way = tail[-1] - tail[0]
    assert np.arctan2(way[1], way[0]) == pytest.approx(1.6, abs=0.25)
    assert np.linalg.norm(way) / (89 / 30) == pytest.approx(0.9, abs=0.12)


def test_both_legs_of_a_jump_are_set_out_alike():
    body = presets.body("average_man")
    bends = {"thigh": -0.3, "shin": 0.6, "foot": -0.3}
    pose = rotation.exp([[0.0, bends.get(name.partition(".")[0], 0.0), 0.0] for name in body.names])
    course = Course(Motion(body.skeleton, 60.0, np.tile((0.0, 0.0, 0.9), (12, 1)), np.tile(pose, (12, 1, 1))), Dynamics(body, body.inertias))
    law = DataDriven(body, Dynamics(body, body.inertias), gains_of({}), 0.8, spread=0.05)
    with world_class("pybullet")(body) as world:
        law.see(world.read())
    law.bend(TrackingAim(course.at(5.0), 0.0, 0.0, None, 0, BOTH, 1.0, 0.0, (0.0, 0.0)))
    left, right = law.dynamics.joints(law.target)[[body.names.index(f"foot.{side}") for side in "LR"]]
    own_left, own_right = course.at(5.0).ankles
    assert left - right == pytest.approx(own_left - own_right + (0.0, 0.1, 0.0), abs=1e-3)


@pytest.mark.slow
def test_without_feedback_it_falls_and_says_where():
    fallen = follow(WALK, loop=True, duration=15.0, without=["stance hip"])
    assert fallen.outcome["fell"] and "'humanoid3d_walk'" in fallen.outcome["reason"] and "tune" in fallen.outcome["reason"]


@pytest.mark.slow
def test_a_slope_a_load_and_legs_that_collide():
    walked(follow(WALK, loop=True, duration=8.0, ground={"type": "slope", "degrees": 4, "start": 2.0}))
    walked(follow(WALK, loop=True, duration=8.0, self_collision=True))
    own = body_of(read_clip(WALK))
    walked(follow(WALK, loop=True, duration=8.0, body={**own, "loads": {"shin.L": 5}}))


@pytest.mark.slow
def test_a_search_finds_gains_that_hold_and_keeps_them_beside_the_clip(tmp_path):
    """From gains that fall, within a few candidates."""
    clip = tmp_path / "walk.txt"
    clip.write_bytes(Path(WALK).read_bytes())
    weak = {"pelvis": [40.0, 8.0], "swing": [250.0, 30.0]}
    data = {"method": "track", "clips": [str(clip)], "loop": True, "duration": 4.0}
    assert not held(run(make_job({**data, "gains": weak})))
    done = []
    # Up to 600 s: it ends with the first gains that hold.
    result = run(make_job({**data, "gains": weak, "tune": 600.0}), Context(lambda fraction, *_: done.append(fraction)))
    assert held(result) and result.outcome["gains"] == result.job["gains"] and result.job["tune"] == 0.0 and done
    assert result.job["gains"]["pelvis"] != [40.0, 8.0]
    # Found again by the next job with this clip, and the job in the result gives the result again.
    assert make_job(data).settings.gains == result.job["gains"]
    assert np.array_equal(run(make_job(result.job)).rotations, result.rotations)


def test_moving_gains():
    usual = gains_of({})
    assert moved(usual, np.zeros(16)) == usual
    assert moved(usual, np.full(16, 0.5)).joint[0] == pytest.approx(usual.joint[0] * np.exp(0.5), rel=1e-3)


@pytest.mark.parametrize("reference, sentence", [
    ({"clips": []}, "clips"), ({"clips": [WALK], "method": "fly"}, "method"), ({"clips": [WALK], "gains": {"wings": 3}}, "wings"),
    ({"clips": [WALK], "gains": {"joint": 3}}, "joint"), ({"clips": [WALK], "without": ["luck"]}, "luck"),
    ({"clips": ["nothing.bvh"]}, "nothing.bvh"),
])
def test_mistakes_are_one_sentence(reference, sentence):
    with pytest.raises(Exception) as caught:
        run(make_job({"reference": reference, "duration": 0.1}))
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_gait_and_a_clip_is_too_much():
    with pytest.raises(JobError, match="not both"):
        make_job({"gait": "walk", "reference": {"clips": [WALK]}})


def test_the_command_line(tmp_path):
    def core(*words):
        return subprocess.run([sys.executable, "-m", "core", *words], cwd=ROOT, capture_output=True, text=True)

    done = core("track", WALK, "--loop", "--seconds", "3", "--push", "1,60,0", "-o", str(tmp_path / "walk.npz"))
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert not said["fell"] and said["following"]["joint_error_m"] < 0.08 and (tmp_path / "walk.npz").is_file()
    done = core("inspect", WALK, "--strip", str(tmp_path / "strip.png"), "--plot", str(tmp_path / "plot.png"))
    assert done.returncode == 0 and json.loads(done.stdout)["step_count"] >= 0
    assert (tmp_path / "strip.png").read_bytes()[1:4] == b"PNG" and (tmp_path / "plot.png").read_bytes()[1:4] == b"PNG"
    done = core("ablation", WALK, "--seconds", "2")
    assert done.returncode == 0 and [row["without"] for row in json.loads(done.stdout)["rows"]] == [None, *FEEDBACK]
    done = core("inspect", str(tmp_path / "none.bvh"))
    assert done.returncode == 2 and "none.bvh" in done.stderr


# -- real recordings --------------------------------------------------------------------------------------------------------


@shared
@pytest.mark.slow
def test_locomotion_is_followed_to_its_end():
    """With the usual gains at least three quarters of all clips."""
    results = {number: follow(clip(number)) for number in LOCOMOTION}
    standing = [number for number, result in results.items() if not result.outcome["fell"]]
    assert len(standing) >= 0.75 * len(LOCOMOTION)
    errors = [following(results[number])["joint_error_m"] for number in standing]
    assert np.mean(errors) < 0.06
    good = [number for number in standing if held(results[number])]
    assert len(good) >= 0.7 * len(LOCOMOTION)


@shared
@pytest.mark.slow
@pytest.mark.parametrize("number", ["02_01", "08_06", "138_05", "111_01", "16_11", "104_08"],
                         ids=["walk", "fast", "march", "backward", "turning", "jog"])
def test_loops_for_a_minute(number):
    # The jog is at the edge of what the usual friction of 0.8 allows: there it depends on the machine whether it falls after 55 s.
    result = follow(clip(number), loop=True, duration=60.0, friction=0.9 if number == "104_08" else 0.8)
    walked(result)
    assert following(result)["joint_error_m"] < 0.07  # the jog's is 6.1 cm, the others' below 2


@shared
@pytest.mark.slow
@pytest.mark.parametrize("part", [1.0, 0.75, 0.5])
@pytest.mark.parametrize("direction", CLIP_PUBLISHED, ids=["front", "rear", "right", "left"])
def test_repeated_pushes(direction, part):
    assert clip_survives(clip("02_01"), direction, part * CLIP_PUBLISHED[direction])


@shared
@pytest.mark.slow
def test_a_path_spliced_from_five_clips():
    """Straight, 90° to the left, a U-turn, a stop and a start."""
    way = [[0, 0], [12, 0], [12, 14], [9, 17], [6, 14], [6, -6]]
    clips = [clip(number) for number in ("02_01", "16_17", "16_11", "16_33", "82_08")]
    result = follow(*clips, loop=True, body="average_man", duration=60.0, path=way,
                    speed=[[0, 1.1], [40, 1.1], [40.1, 0], [45, 0], [45.1, 1.1]])
    walked(result)
    assert len(result.gait_names) >= 4
    for point in way:
        assert np.linalg.norm(result.root_positions[:, :2] - point, axis=1).min() < 0.5
    pace = np.linalg.norm(np.diff(result.root_positions[:, :2], axis=0), axis=1) * result.fps
    assert pace[43 * 30:45 * 30].max() < 0.05 and pace[48 * 30:].mean() > 0.8


def legs(factor: float, sides: str = "LR") -> dict:
    own = copy.deepcopy(body_of(read_clip(clip("02_01"))))
    for link in (f"{part}.{side}" for part in ("shin", "foot") for side in sides):
        own["skeleton"]["offsets"][link] = [factor * value for value in own["skeleton"]["offsets"][link]]
    return own


VARIATIONS = {
    "10 kg on one leg": lambda: {"body": {**legs(1.0), "loads": {"shin.L": 10}}},
    "legs 30 % longer": lambda: {"body": legs(1.3)},
    "legs 30 % shorter": lambda: {"body": legs(0.7)},
    "left leg 3 % shorter": lambda: {"body": legs(0.97, "L")},
    "6 degrees up": lambda: {"ground": {"type": "slope", "degrees": 6, "start": 2.0}},
    "4 degrees down": lambda: {"ground": {"type": "slope", "degrees": -4, "start": 2.0}},
    "friction x 0.6": lambda: {"friction": 0.6 * 0.8},
    "friction x 12": lambda: {"friction": 12 * 0.8},
}


@shared
@pytest.mark.parametrize("name", quick(VARIATIONS, "4 degrees down"))
def test_variations(name):
    walked(follow(clip("02_01"), loop=True, duration=15.0, self_collision=True, **VARIATIONS[name]()))
