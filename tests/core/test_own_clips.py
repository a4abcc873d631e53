"""The main claims on clips of this project's own (tests/clips), so that they are tested wherever the project is.

Jobs are run as a user runs them, by the command line, and judged by the Result that it writes.
"""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from core import feet, presets
from core.__main__ import main
from core.formats import read_clip
from core.kinematics import fastest, link_poses
from core.measure.following import following, off_clip
from core.measure.report import measure
from core.reference import Reference, find_cycle, looped, prepare
from core.reference.inspection import sink, slides
from core.result import Result
from core.retarget import body_of
from tests import clips
from tests.cases import quick

BUILDS = ("average_woman", "long_arm", "overweight", "tall", "stocky")
PUSH_S = 0.2


@pytest.fixture
def simulated(tmp_path):
    """Simulates a job's data and gives its Result."""

    def run(data: dict) -> Result:
        (tmp_path / "job.json").write_text(json.dumps(data), encoding="utf-8")
        assert main(["simulate", str(tmp_path / "job.json"), "-o", str(tmp_path / "result.npz")]) == 0
        return Result.load(tmp_path / "result.npz")

    return run


def following_job(name: str, method: str, **more) -> dict:
    """The data of a job that follows a clip; ``reference``: settings of the method, the rest stands beside it."""
    return {"reference": {"clips": [str(clips.path_of(name))], "method": method, **more.pop("reference", {})}, **more}


def hit_job(name: str, response: str, time: float, force: tuple[float, float, float], part: str = "chest", **more) -> dict:
    push = {"type": "push", "time": time, "duration": PUSH_S, "force": force, "part": part}
    reference = {"response": response, **more.pop("reference", {})}
    return following_job(name, "hit", reference=reference, fps=60.0, events=[push], **more)


def prepared(name: str, build: str | None = None) -> Reference:
    return prepare(read_clip(clips.path_of(name)), presets.body(build) if build else None)


def mean_speed(positions: np.ndarray, fps: float) -> float:
    """m/s over the floor, straight from the first of (F, 3) positions to the last."""
    return float(np.linalg.norm(positions[-1, :2] - positions[0, :2])) * fps / (len(positions) - 1)


# -- what is in them -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seconds", "speed"), [("walk", 5.0, 0.94), ("stand", 3.0, 0.0), ("kick", 3.2, 0.0)])
def test_clips_are_read_as_they_were_made(name, seconds, speed):
    clip = read_clip(clips.path_of(name))
    assert (clip.motion.fps, clip.motion.duration, len(clip.skeleton.names)) == (30.0, pytest.approx(seconds), 15)
    assert mean_speed(clip.motion.root_positions, 30.0) == pytest.approx(speed, abs=0.01)
    own, man = presets.body(body_of(clip)), presets.body("average_man")
    np.testing.assert_allclose(own.offsets, man.offsets, atol=0.006)
    # On the body that moved so, a prepared clip is the motion itself, but for a little smoothing of feet that swing.
    away = np.linalg.norm(prepare(clip, man).motion.resample(30.0).world()[0] - clip.motion.world()[0], axis=-1)
    assert away.mean() < 0.005 and away.max() < 0.03


def test_contacts_are_those_that_bore_weight_in_the_simulation():
    reference = prepared("walk")
    truth = json.loads((clips.FOLDER / "walk_contacts.json").read_text(encoding="utf-8"))
    for foot, side in enumerate(("left", "right")):
        found = [(stance.start / reference.motion.fps, stance.end / reference.motion.fps) for stance in reference.stances if stance.foot == foot]
        np.testing.assert_allclose(found, truth[side], atol=0.05)


def test_a_walk_is_cut_into_left_and_right_in_turn_and_nobody_flies():
    reference = prepared("walk")
    whole = [fragment for fragment in reference.fragments if fragment.whole]
    assert len(whole) == 12 and {fragment.kind for fragment in whole} == {"left", "right"}
    assert all(one.stance != other.stance for one, other in pairwise(whole))
    assert reference.contacts.any(axis=1).all()


def test_who_kicks_stands_on_the_other_foot():
    kinds = [fragment.kind for fragment in prepared("kick").fragments]
    assert kinds == ["both", "left", "both"] and prepared("kick").contacts[:, 0].all()
    assert prepared("stand").contacts.all()


def test_who_falls_walks_lies_and_has_no_fault():
    reference = prepared("fall")
    pelvis = reference.motion.root_positions[:, 2]
    assert pelvis[: int(2.0 * reference.motion.fps)].min() > 0.8 and pelvis[int(3.5 * reference.motion.fps):].max() < 0.3
    assert reference.faults == [] and sink(reference) < 0.03


@pytest.mark.parametrize("name", ["walk", "stand", "kick"])
@pytest.mark.parametrize("build", quick([None, *BUILDS], None, "overweight"))
def test_standing_feet_are_on_the_floor_and_do_not_slide(name, build):
    reference = prepared(name, build)
    lowest = feet.soles(reference.body, reference.motion)[..., 2].min(axis=2)
    for stance in reference.stances:
        assert np.abs(lowest[stance.start:stance.end, stance.foot] - stance.height).max() < 0.03
    assert max(slides(reference)) < 0.01 and sink(reference) < 0.001


def test_a_walk_loops():
    reference = prepared("walk")
    cycle = find_cycle(reference)
    loop = looped(reference, cycle, 4)
    strides = (cycle.end - cycle.start) / reference.motion.fps / 0.767  # s of a left and a right step
    assert strides == pytest.approx(round(strides), abs=0.05) and round(strides) >= 1
    assert max(slides(loop)) < 0.01 and sink(loop) < 0.001
    assert mean_speed(loop.motion.root_positions, loop.motion.fps) == pytest.approx(0.94, abs=0.03)
    jumps, own = (np.linalg.norm(np.diff(motion.world()[0], axis=0), axis=-1).max() for motion in (loop.motion, reference.motion))
    assert jumps < 1.2 * own, "the seam is seen"


def test_the_command_line_inspects_a_clip(tmp_path, capsys):
    assert main(["inspect", str(clips.path_of("walk")), "--strip", str(tmp_path / "strip.png")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["step_count"] == 12 and said["speed_mean"] == pytest.approx(0.94, abs=0.01) and said["faults"] == []
    assert (tmp_path / "strip.png").read_bytes()[1:4] == b"PNG"


# -- under physics and without ----------------------------------------------------------------------------------------------


def test_a_walk_is_followed_to_its_end(simulated):
    result = simulated(following_job("walk", "track"))
    assert not result.outcome["fell"] and result.outcome["simulated_s"] > 4.9
    figures = following(result)
    assert figures["joint_error_m"] < 0.02 and figures["speed_ratio"] == pytest.approx(1.0, abs=0.06)


def test_a_loop_goes_on_under_pushes_and_is_steered(simulated):
    pushes = [{"type": "push", "time": 2.0 + n, "duration": 0.4, "force": force} for n, force in enumerate([(60, 0, 0), (-60, 0, 0), (0, 40, 0)])]
    turn = [[0.0, 0.0], [6.0, 0.0], [8.0, 0.8]]
    result = simulated(following_job("walk", "track", reference={"loop": True}, duration=12.0, events=pushes, heading=turn))
    assert not result.outcome["fell"]
    way = result.root_positions[-1] - result.root_positions[-60]
    assert np.arctan2(way[1], way[0]) == pytest.approx(0.8, abs=0.25)
    skate = measure(result)["skate"]
    assert skate["slide_mean_mm"] < 10.0 and skate["penetration_max_mm"] < 10.0


def with_legs(factor: float, **more) -> dict:
    """The clip's own body with legs that are ``factor`` as long."""
    own = body_of(read_clip(clips.path_of("walk")))
    offsets = own["skeleton"]["offsets"]
    offsets |= {link: [factor * value for value in offsets[link]] for link in ("shin.L", "shin.R", "foot.L", "foot.R")}
    return {**own, **more}


@pytest.mark.parametrize("changes", [
    {"body": with_legs(0.8)}, *(pytest.param(changes, marks=pytest.mark.slow) for changes in (
        {"body": with_legs(1.1)}, {"body": with_legs(1.0, loads={"shin.L": 5})}, {"ground": {"type": "slope", "degrees": -4, "start": 2.0}})),
    {"friction": 0.6 * 0.8},
], ids=["shorter legs", "longer legs", "5 kg on one leg", "4 degrees down", "a slippery floor"])
def test_another_body_or_floor_is_walked_on(simulated, changes):
    result = simulated(following_job("walk", "track", reference={"loop": True}, duration=6.0, self_collision=True, **changes))
    assert not result.outcome["fell"], result.outcome["reason"]
    assert mean_speed(result.root_positions[30:], result.fps) > 0.6


def test_a_path_is_walked_along(simulated):
    way = [[0, 0], [5, 0], [5, 4]]
    result = simulated(following_job("walk", "track", reference={"loop": True}, duration=11.0, path=way))
    assert not result.outcome["fell"]
    for point in way:
        assert np.linalg.norm(result.root_positions[:, :2] - point, axis=1).min() < 0.5


def test_a_walk_is_imitated(simulated):
    result = simulated(following_job("walk", "imitate", reference={"loop": True}, duration=10.0))
    assert not result.outcome["fell"]
    assert mean_speed(result.root_positions[90:], result.fps) == pytest.approx(0.94, rel=0.05)
    assert following(result)["joint_error_m"] < 0.05


@pytest.mark.parametrize("name", ["walk", "kick"])
def test_a_clip_is_retargeted_onto_another_body(simulated, name):
    result = simulated(following_job(name, "retarget", body="tall"))
    assert following(result)["joint_error_m"] < 1e-6 and result.penetrations.max() < 0.005
    legs = presets.body("tall").leg_length / presets.body("average_man").leg_length
    clip = read_clip(clips.path_of(name)).motion.root_positions
    assert np.ptp(result.root_positions[:, 0]) == pytest.approx(legs * np.ptp(clip[:, 0]), rel=0.05, abs=0.02)


def test_a_kick_is_held_by_planning(simulated):
    """Through the swing, back and forward."""
    planned = simulated(following_job("kick", "plan", reference={"quality": "draft"}, duration=2.0))
    assert not planned.outcome["fell"] and following(planned)["joint_error_m"] < 0.03
    assert np.linalg.norm(planned.root_positions[:, :2] - planned.reference_positions[:, 0, :2], axis=1).max() < 0.1
    toes = link_poses(planned)[0][:, planned.link_names.index("toes.R")]
    assert toes[:, 2].max() > 0.35 and toes[:, 0].max() > 0.6, "it does not kick"


# -- hits ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "force"), [("chest", 120.0), ("head", 50.0), ("hand.R", 30.0)])
def test_who_flinches_gives_way_and_is_the_clip_again(simulated, part, force):
    result = simulated(hit_job("stand", "flinch", 0.5, (0.0, force, 0.0), part))
    assert result.outcome["response"] == "flinch" and not result.outcome["fell"]
    away = np.linalg.norm(link_poses(result)[0] - result.reference_positions, axis=-1)
    assert away[:31].max() < 1e-9 and away.max() > 0.02 and away[-12:].max() < 0.02


@pytest.mark.parametrize(("force", "least", "most"), [((-40.0, 0.0, 0.0), 0, 0), ((-150.0, 0.0, 0.0), 1, 2)], ids=["in place", "with a step"])
def test_who_stands_keeps_the_balance(simulated, force, least, most):
    result = simulated(hit_job("stand", "balance", 0.5, force))
    assert result.outcome["response"] == "balance" and not result.outcome["fell"]
    assert least <= result.outcome["recovery_steps"] <= most
    assert fastest(result)[-6:].max() < 0.3, "it does not come to rest"


@pytest.mark.parametrize("side", quick([1.0, -1.0], 1.0), ids=["left", "right"])
def test_a_walk_stumbles_and_goes_on(simulated, side):
    """34 N·s sideways, which people take in walking on average."""
    result = simulated(hit_job("walk", "stumble", 1.2, (0.0, side * 34.0 / PUSH_S, 0.0), "torso"))
    assert result.outcome["response"] == "stumble" and not result.outcome["fell"] and result.outcome.get("recovery_steps", 1) >= 1  # plans count none
    before = int(1.2 * 60) + 1
    assert off_clip(result)[:before].max() < 1e-9 and off_clip(result)[-20:].max() < 0.15
    aside = (result.root_positions - result.clip_roots)[before + 36, 1]
    assert 0.03 < side * aside < 1.0


def test_who_falls_goes_down_and_lies_still(simulated):
    result = simulated(hit_job("walk", "fall", 1.0, (0.0, 600.0, 0.0), "torso"))
    assert result.outcome["fell"] and 1.1 < result.outcome["fell_at"] < 2.5
    positions, _ = link_poses(result)
    assert positions[-1, 0, 2] < 0.35 and positions[-1, :, 2].max() < 0.6 and positions[:, :, 2].min() > -0.05
    assert fastest(result).max() < 10.0 and fastest(result)[-6:].max() < 0.25


def test_automatic_goes_by_the_hit(simulated):
    tap, shove = (simulated(hit_job("stand", "auto", 0.5, (force, 0.0, 0.0), part)) for force, part in ((40.0, "hand.L"), (-200.0, "chest")))
    assert tap.outcome["response"] == "flinch" and shove.outcome["response"] == "balance" and not shove.outcome["fell"]
