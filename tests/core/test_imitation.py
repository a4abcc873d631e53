"""Imitating a recording: one cycle of it as harmonics, and a controller that walks with them."""

from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import rotation
from core.context import Context
from core.control.foreseen import foreseen_torques
from core.control.imitator import Imitator, settings
from core.control.periodic import periodic
from core.errors import JobError
from core.formats import read_clip
from core.jobs import make_job, run
from core.kinematics import link_poses
from core.measure.following import following
from core.methods.imitate import imitated
from core.motion import Motion
from core.optimize.learning import learn_imitation
from core.reference import Reference, prepare
from core.result import Result
from core.search.imitation_gains import JOINTS, NUMBERS, moved
from tests.cases import quick

MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"
WALK, RUN = MOTIONS / "humanoid3d_walk.txt", MOTIONS / "humanoid3d_run.txt"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "mocap" / "cmu"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/mocap/cmu are not here")


@pytest.fixture(scope="module")
def walk() -> Reference:
    return prepare(read_clip(WALK))


def job_of(clip: Path, **fields) -> dict:
    return {"method": "imitate", "clips": [str(clip)], "loop": True, "duration": 20, **fields}


# -- one cycle -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clip", "speed", "period", "flies"), [(WALK, 0.98, 1.26, False), (RUN, 3.55, 0.80, True)])
def test_a_cycle_as_harmonics_is_the_recording(clip: Path, speed: float, period: float, flies: bool) -> None:
    motion = periodic(prepare(read_clip(clip)))
    assert motion.rms_deg < 1.2
    assert motion.velocity[0] == pytest.approx(speed, abs=0.06)
    assert motion.period == pytest.approx(period, abs=0.03)
    assert 0.4 < motion.right < 0.6
    assert (motion.flight > 0.15) == flies


def test_more_harmonics_come_closer(walk: Reference) -> None:
    errors = [periodic(walk, harmonics).rms_deg for harmonics in (1, 3, 6, 10)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 4.0 > 1.0 > errors[2]


def test_a_cycle_meets_its_own_beginning(walk: Reference) -> None:
    motion = periodic(walk)
    for values in zip(motion.pose(0.0) + motion.rates(0.0), motion.pose(1.0) + motion.rates(1.0), strict=True):
        np.testing.assert_allclose(*values, atol=1e-9)
    pace = np.linalg.norm(motion.rates(np.arange(200) / 200)[1], axis=-1)
    assert pace.max() < 15.0  # rad/s: no jolt at the seam


def test_feet_strike_at_phase_0_and_at_right(walk: Reference) -> None:
    motion = periodic(walk)
    long = motion.motion(3.0)
    positions, _ = long.world()
    for side, strike in (("L", 0.0), ("R", motion.right)):
        ankle = positions[:, walk.body.names.index(f"foot.{side}"), :2]
        pace = np.linalg.norm(np.diff(ankle, axis=0), axis=1) * long.fps
        before, after = (int((1.0 + strike + part) * motion.period * long.fps) for part in (-0.1, 0.1))
        assert pace[before] > 1.0 > 0.4 > pace[after]


def test_a_symmetric_cycle_is_its_own_mirror_image(walk: Reference) -> None:
    motion = periodic(walk, symmetric=True)
    assert motion.right == 0.5
    phases = np.linspace(0.0, 1.0, 17)
    frames, later = motion.pose(phases), motion.pose(phases + 0.5)
    mirrored = Motion(walk.body.skeleton, 30.0, frames[0], rotation.normalize(frames[1])).mirror()
    turns = rotation.log(rotation.multiply(rotation.conjugate(mirrored.rotations), later[1]))
    assert np.degrees(np.abs(turns)).max() < 0.5
    np.testing.assert_allclose(mirrored.root_positions, later[0], atol=1e-3)


def test_standing_has_no_cycle() -> None:
    clip = read_clip(WALK)
    still = np.repeat(clip.motion.rotations[:1], 60, axis=0)
    clip.motion = Motion(clip.motion.skeleton, 30.0, np.repeat(clip.motion.root_positions[:1], 60, axis=0), still)
    with pytest.raises(JobError, match="no two steps|in turn"):
        periodic(prepare(clip))


def test_foreseen_torques_carry_the_body(walk: Reference) -> None:
    motion = periodic(walk)
    torques = foreseen_torques(motion, 0.8)
    assert np.abs(torques).max() < 4.0 * walk.body.mass  # N·m for each kg
    # In the middle of the left stance its ankle holds the body's forward fall and its hip the pelvis's drop; the right leg hangs.
    left, right = (walk.body.names.index(f"foot.{side}") for side in "LR")
    row = int(0.7 * motion.right * len(torques))
    assert torques[row, left, 1] > 0.5 * walk.body.mass > 5.0 * abs(torques[row, right, 1])


# -- the controller ----------------------------------------------------------------------------------------------------------


def test_a_walk_is_imitated_for_20_s() -> None:
    result = run(make_job(job_of(WALK)))
    assert not result.outcome["fell"]
    away = result.root_positions[-1] - result.root_positions[int(4 * result.fps)]
    assert away[0] / 16.0 == pytest.approx(0.975, abs=0.06)
    assert abs(away[1]) < 1.5
    assert following(result)["joint_error_m"] < 0.12


RECORDED = {"02_01_walk.bvh": 1.19, "08_06_walk_fast.bvh": 1.76, "37_01_walk_slow.bvh": 0.93}  # and their m/s


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize(("name", "speed"), RECORDED.items())
def test_recorded_walks_are_imitated(name: str, speed: float) -> None:
    result = run(make_job(job_of(SHARED / name)))
    assert not result.outcome["fell"]
    away = result.root_positions[-1] - result.root_positions[int(4 * result.fps)]
    assert away[0] / 16.0 == pytest.approx(speed, rel=0.05)
    assert following(result)["joint_error_m"] < 0.08


@pytest.mark.slow
def test_it_goes_where_and_as_fast_as_it_is_told() -> None:
    result = run(make_job(job_of(WALK, heading=[[0, 0.0], [4, 0.0], [10, 1.2]], speed=0.8, duration=18)))
    assert not result.outcome["fell"]
    away = result.root_positions[-1] - result.root_positions[int(12 * result.fps)]
    assert np.arctan2(away[1], away[0]) == pytest.approx(1.2, abs=0.3)
    assert np.hypot(*away[:2]) / 6.0 == pytest.approx(0.8, abs=0.1)


def test_without_its_feedback_it_falls() -> None:
    assert run(make_job(job_of(WALK, without=["swing hip", "stance ankle"]))).outcome["fell"]


@pytest.mark.slow
def test_learned_torques_hold_the_trunk_at_low_gains() -> None:
    data = job_of(WALK, feedback_gain=0.3)
    table, figures = learn_imitation(data, 30.0)
    assert figures["feedback_over_feedforward_low_gain"] < 1.0
    trunk = {}
    for name, learned in (("learned", table), ("soft", None)):
        soften = None if learned else lambda driver, time: time == 0.0 and driver.soften(0.3)
        result = imitated(make_job({**data, "feedforward": learned}), supervise=soften)
        assert not result.outcome["fell"]
        trunk[name] = _trunk_error(result)
    assert trunk["learned"] < 0.8 * trunk["soft"]


def _trunk_error(result: Result) -> float:
    """Degrees, root mean square after the first seconds, between the torso of the body and that of the recording."""
    torso, head = (result.link_names.index(name) for name in ("torso", "head"))
    settled = slice(int(4 * result.fps), None)
    ours, theirs = (points[settled, head] - points[settled, torso] for points in (link_poses(result)[0], result.reference_positions))
    cosines = np.sum(ours * theirs, axis=1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    return float(np.degrees(np.sqrt(np.mean(np.arccos(np.clip(cosines, -1.0, 1.0)) ** 2))))


def test_a_start_is_in_stride(walk: Reference) -> None:
    driver = Imitator(walk.body, make_job(job_of(WALK, heading=0.5)), walk)
    start = driver.start
    assert np.arctan2(start["velocity"][1], start["velocity"][0]) == pytest.approx(0.5, abs=0.1)
    assert np.hypot(*start["velocity"][:2]) == pytest.approx(0.975, abs=0.2)
    assert 0.75 < start["height"] / walk.body.leg_length < 1.1


# -- its settings ------------------------------------------------------------------------------------------------------------


def test_gains_of_a_job_replace_those_of_the_preset() -> None:
    data = settings({"cd": [0.1, 0.2], "pelvis": [500, 50], "swing_knee_angle": -0.4})
    assert data["states"][0]["cd"] == [0.1, 0.2] and data["states"][0]["swing_knee"] == -0.4 and data["gains"]["pelvis"] == [500, 50]
    with pytest.raises(JobError, match="has no 'kneecap'"):
        settings({"kneecap": 1.0})


def test_a_search_moves_what_it_names() -> None:
    same = moved({}, np.zeros(len(JOINTS) + len(NUMBERS)))
    preset = settings()
    assert settings(same) == preset
    stiffer = moved({}, np.array([0.5] * len(JOINTS) + [0.0] * len(NUMBERS)))
    assert all(stiffer[joint][0] > preset["gains"][joint][0] for joint in JOINTS)


@pytest.mark.slow
def test_a_search_looks_for_gains_where_the_imitation_falls():
    seen = []
    job = make_job(job_of(WALK, duration=3, tune=10.0, gains={"pelvis": [0.0, 0.0, 0.0]}))
    outcome = run(job, Context(lambda fraction, *_: seen.append(fraction))).outcome
    assert seen and set(outcome["gains"]) > {"pelvis"}
