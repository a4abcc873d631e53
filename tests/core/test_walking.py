"""What the README claims of the gaits, run as claimed: real simulations, nothing shortened. Of long rows of cases every run tries a few."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import jobs, presets, rotation
from core.feet import slide as skate
from core.feet.apart import gaps
from core.jobs import load_job, make_job
from core.measure.report import measure
from core.measure.span import cut
from core.motion import Motion
from core.optimize.learning import learn
from core.optimize.pushes import DIRECTIONS, PUBLISHED, phase_time, push_job, survived
from core.physics import ENGINES
from core.rotation import from_axis_angle, heading
from tests.cases import quick

GAITS_3D = ("sturdy_walk", "fast_walk", "in_place", "run", "fast_run", "high_step", "bent", "crouch", "backward", "sideways_left",
            "sideways_right", "skip", "hop", "stand")
PLANAR = [name for name in presets.names("gaits") if name.startswith("planar_")]
REPEATED = list(zip(DIRECTIONS, PUBLISHED["repeated"], strict=True))
BODIES = [name for name in presets.names("bodies") if name != "planar_biped"]

GROUNDS = {"slope up": {"type": "slope", "degrees": 6, "start": 4}, "slope down": {"type": "slope", "degrees": -6, "start": 4},
           "stairs down": {"type": "steps", "height": -0.2, "start": 4, "depth": 3, "count": 3}}


def run(**job):
    return jobs.run(make_job(job))


def assert_upright(result) -> None:
    assert not result.outcome["fell"], result.outcome["reason"]
    assert "instead_of" not in result.outcome


def test_the_list_of_gaits_is_complete():
    assert set(GAITS_3D) <= set(presets.names("gaits"))
    assert len(PLANAR) == 12


@pytest.mark.slow
@pytest.mark.parametrize("gait", GAITS_3D)
def test_a_gait_holds_for_a_minute(gait):
    result = run(gait=gait, duration=60)
    assert_upright(result)
    report = measure(result)["gait"]
    travelled = result.root_positions[-1] - result.root_positions[0]
    if gait in ("run", "fast_run", "hop", "skip"):
        assert report["flight_ratio"] > 0.05
    elif gait != "stand":
        assert report["flight_ratio"] < 0.05
    forward = {"sturdy_walk": 0.9, "fast_walk": 1.3, "run": 1.5, "fast_run": 2.5, "high_step": 0.3, "bent": 0.3, "crouch": 0.3, "skip": 0.5,
               "hop": 0.15}
    if gait in forward:
        assert travelled[0] > 60 * forward[gait]
    elif gait == "backward":
        assert travelled[0] < -60 * 0.3
    elif gait.startswith("sideways"):
        assert travelled[1] * (1 if gait.endswith("left") else -1) > 60 * 0.15
    else:
        assert abs(travelled[0]) < 6.0


T_POSE = {"upper_arm.L": from_axis_angle([1, 0, 0], 1.4), "upper_arm.R": from_axis_angle([1, 0, 0], -1.4)}
MID_STRIDE = {"thigh.L": from_axis_angle([0, 1, 0], 0.5), "shin.L": from_axis_angle([0, 1, 0], 0.4), "shin.R": from_axis_angle([0, 1, 0], 0.1)}
TURNED = {"pelvis": from_axis_angle([0, 0, 1], 0.4)}


@pytest.mark.parametrize("gait", quick(("sturdy_walk", "run"), "sturdy_walk"))
@pytest.mark.parametrize("pose", (T_POSE, MID_STRIDE, TURNED), ids=("T", "stride", "turned"))
def test_a_walk_starts_from_a_pose(pose, gait):
    result = run(gait=gait, duration=6, start={"rotations": {link: list(map(float, turn)) for link, turn in pose.items()}})
    assert_upright(result)
    assert result.root_positions[-1, 0] > 3.0
    for link, turn in pose.items():
        np.testing.assert_allclose(result.rotations[0, result.link_names.index(link)], turn, atol=1e-6)
    assert result.stance[0] == (1 if pose is MID_STRIDE else 0)  # the leg under the hips carries the first step


def test_a_pose_is_the_same_whatever_the_signs_of_its_quaternions():
    one, other = (run(duration=0.1, start={"rotations": {link: (sign * turn).tolist() for link, turn in MID_STRIDE.items()}}) for sign in (1.0, -1.0))
    knee = one.link_names.index("shin.L")
    assert rotation.hinge_angle(one.rotations[0, knee]) == pytest.approx(0.4) == rotation.hinge_angle(other.rotations[0, knee])
    np.testing.assert_allclose(other.root_positions, one.root_positions, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("gait", PLANAR)
def test_a_planar_gait_holds_for_half_a_minute(gait):
    assert_upright(run(gait=gait, body="planar_biped", duration=30))


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_the_walk_fits_every_body(body):
    result = run(body=body, duration=60)
    assert_upright(result)
    assert result.root_positions[-1, 0] > 30.0


@pytest.mark.slow
@pytest.mark.parametrize("factor", (0.9, 1.1))
def test_the_walk_fits_longer_and_shorter_thighs(factor):
    assert_upright(run(body={"height": 1.741, "mass": 73.0, "sex": "male", "scale": {"thigh": factor}}, duration=60))


@pytest.mark.parametrize("direction, force", quick(REPEATED, *REPEATED[::4]), ids=str)
@pytest.mark.slow
def test_repeated_pushes_of_the_published_size_are_taken(direction, force):
    passed, part = survived(presets.load("gaits", "sturdy_walk"), "sturdy_walk", push_job("sturdy_walk", direction, force, "repeated"))
    assert passed, f"{force} N: stayed up for {100 * part:.0f} % of the trial"


@pytest.mark.parametrize("direction, force", quick((((1, 0), 340), ((0, 1), 330), ((0, -1), 240), ((-1, 0), 270)), ((0, 1), 330)),
                         ids=str)
def test_a_single_push_of_the_published_size_is_taken(direction, force):
    data = presets.load("gaits", "sturdy_walk")
    when = phase_time(data, "sturdy_walk", 0.1, "average_man")
    passed, part = survived(data, "sturdy_walk", push_job("sturdy_walk", direction, force, "single", when))
    assert passed, f"{force} N: stayed up for {100 * part:.0f} % of the trial"


@pytest.mark.parametrize("job", quick(("slope_up", "slope_down", "step_down", "climb", "boxes"), "slope_down"))
def test_unannounced_ground_is_walked(job):
    result = jobs.run(load_job(job))
    assert_upright(result)
    assert result.root_positions[-1, 0] > 8.0


@pytest.mark.slow
def test_boxes_in_the_way_are_moved():
    result = jobs.run(load_job("boxes"))
    shift = np.linalg.norm(result.object_positions[-1] - result.object_positions[0], axis=1)
    assert shift.max() > 0.3


@pytest.mark.parametrize("ground", quick(GROUNDS, "stairs down"))
def test_the_planar_walk_takes_slopes_and_steps(ground):
    result = run(gait="planar_walk", body="planar_biped", duration=20, ground=GROUNDS[ground])
    assert_upright(result)
    assert result.root_positions[-1, 0] > 10.0


@pytest.mark.parametrize("speed", quick((0.4, 0.7, 1.0, 1.3, 1.6), 1.6))
def test_a_commanded_speed_is_met(speed):
    result = run(duration=30, speed=speed)
    assert_upright(result)
    last = result.root_positions[-int(10 * result.fps):]
    measured = np.linalg.norm((last[-1] - last[0])[:2]) / ((len(last) - 1) / result.fps)
    assert measured == pytest.approx(speed, rel=0.1)


@pytest.mark.parametrize("gait", quick(("walk", "sturdy_walk"), "walk"))
def test_legs_that_collide_walk_too(gait):
    assert_upright(run(gait=gait, duration=20, self_collision=True))


def legs_apart(result) -> float:
    """m between the legs' shapes where they are nearest, below 0 where they are in each other."""
    body = presets.body(result.job["body"])
    return float(gaps(body, Motion(body.skeleton, result.fps, result.root_positions, result.rotations)).min())


@pytest.mark.parametrize("engine", quick(ENGINES, "mujoco"))
def test_legs_go_around_each_other(engine):
    push = {"type": "push", "time": 4.0, "duration": 0.3, "part": "torso", "frame": "world", "force": [0.0, 100.0, 0.0]}
    through, around = (run(gait="sturdy_walk", duration=8, self_collision=on, events=[push], engine=engine) for on in (False, True))
    assert_upright(around)
    assert legs_apart(through) < -0.04 and legs_apart(around) > -0.01


@pytest.mark.parametrize(("gait", "width", "within", "engine"), quick(
    ((*case, engine) for case in (("sturdy_walk", 0.12, 0.015), ("sturdy_walk", 0.25, 0.015), ("walk", 0.12, 0.015), ("walk", 0.25, 0.025))
     for engine in ENGINES), ("sturdy_walk", 0.25, 0.015, "pybullet"), ("walk", 0.12, 0.015, "mujoco")))
def test_steps_are_as_wide_as_asked(gait, width, within, engine):
    result = run(gait=gait, duration=12, step_width=width, engine=engine)
    assert_upright(result)
    late = measure(cut(result, 6 * int(result.fps), result.frames))["gait"]
    assert late["step_width_m"] == pytest.approx(width, abs=within)


@pytest.mark.slow
def test_the_heading_follows_a_sine():
    result = jobs.run(load_job("weave").having(gait="sturdy_walk"))
    assert_upright(result)
    assert measure(result)["gait"]["heading_error_max_rad"] < 0.1


@pytest.mark.slow
def test_the_heading_of_the_natural_walk_follows_a_sine_but_for_the_turn_of_its_hips_in_each_step():
    result = jobs.run(load_job("weave"))
    assert_upright(result)
    assert measure(result)["gait"]["heading_error_rms_rad"] < 0.08


def test_a_circle_is_closed():
    result = jobs.run(load_job("circle"))
    assert_upright(result)
    path = result.root_positions[:, :2]
    # From halfway round on, how near the start does it come again? (After that it walks straight on.)
    away = np.linalg.norm(path - path[0], axis=1)
    closed = len(path) // 2 + int(np.argmin(away[len(path) // 2:]))
    assert away[closed] < 0.3
    assert np.abs(np.linalg.norm(path[:closed] - [0.0, 3.0], axis=1) - 3.0).max() < 0.4
    turned = np.unwrap([float(heading(turn)) for turn in result.rotations[:, 0]])
    assert turned[-1] - turned[0] > 1.8 * math.pi


@pytest.mark.slow
def test_gaits_follow_each_other():
    result = jobs.run(load_job("gaits"))
    assert_upright(result)
    order = [result.gait_names[g] for g in result.gaits]
    seen = [name for name, before in zip(order, [None, *order[:-1]], strict=True) if name != before]
    wanted = iter(seen)
    assert all(name in wanted for name in ("sturdy_walk", "run", "sturdy_walk", "crouch", "sturdy_walk", "backward", "sturdy_walk", "stand")), seen
    last = result.root_positions[-int(1.5 * result.fps):]
    assert np.ptp(last[:, :2], axis=0).max() < 0.15


@pytest.mark.parametrize("engine", quick(ENGINES, "pybullet"))
def test_the_walk_keeps_its_feet_on_the_ground(engine):
    result = run(duration=20, start="gait", engine=engine)
    report = measure(result)["skate"]
    assert report["slide_max_mm"] < 10
    assert report["penetration_max_mm"] < 5
    assert report["skating_frames"] == 0


def test_only_the_first_steps_out_of_standing_drag_the_toes():
    result = run(gait="sturdy_walk", duration=20, start="rest")
    assert skate.summary(cut(result, int(result.fps), result.frames))["skating_frames"] == 0
    assert skate.summary(result)["skating_frames"] <= 2


@pytest.mark.parametrize("gait", quick(GAITS_3D, "run", "backward"))
def test_a_gait_can_begin_in_full_stride(gait):
    result = run(gait=gait, duration=10, start="gait")
    assert_upright(result)
    assert np.hypot(*result.root_positions[0, :2]) < 1e-9 and abs(float(heading(result.rotations[0, 0]))) < 0.6  # hips turn in a run
    course = result.root_positions[-1] - result.root_positions[0]
    if gait in ("sturdy_walk", "fast_walk", "run", "fast_run", "crouch", "bent"):
        assert abs(course[1]) < 0.12 * course[0]
    speed = np.linalg.norm(np.diff(result.root_positions[:, :2], axis=0), axis=1) * result.fps
    if gait not in ("in_place", "stand"):
        assert speed[:10].mean() > 0.5 * speed.mean()


@pytest.mark.slow
def test_learned_torques_do_the_work_of_the_feedback():
    _, figures = learn(presets.load("gaits", "sturdy_walk"), "sturdy_walk", 120.0)
    assert figures["trunk_swing_after_deg"] < 0.3 * figures["trunk_swing_before_deg"]
    assert figures["feedback_over_feedforward_low_gain"] < 0.05


@pytest.mark.slow
def test_a_walk_with_learned_torques_and_soft_gains_holds():
    assert_upright(run(gait="sturdy_walk", duration=30, feedforward=True))
