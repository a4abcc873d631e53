"""Balls that are thrown at clips: where they meet the body, what they give to it, and how they fly."""

import json
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets, rotation
from core.errors import JobError
from core.hit.ball import BOUNCE, CONTACT_S, thrown
from core.jobs import make_job, run
from core.methods.hit import task_of
from core.reference.recordings import lasting
from core.variations import varied

CLIPS = Path(pybullet_data.getDataPath()) / "data" / "motions"
AVERAGE = presets.body("average_man")


def job(clip="walk", response="flinch", **changes):
    ball = {"type": "ball", "time": 0.3, "mass": 0.45, "radius": 0.11, "position": [0, 2.5, 1.2], "velocity": [0, -10, 0], "part": "torso"} | changes
    return {"body": "average_man", "method": "hit", "clips": [str(CLIPS / f"humanoid3d_{clip}.txt")], "response": response,
            "fps": 60, "events": [ball]}


def flight(**changes):
    made = make_job(job(**changes))
    clip = lasting(task_of(made).recording, AVERAGE, made.duration).motion.resample(60).facing(0.0)
    return thrown(AVERAGE, clip, made.events[0]), clip


@pytest.mark.parametrize("part", ["head", "torso", "pelvis", "thigh.L"])
@pytest.mark.parametrize("side", [(1, 0), (-1, 0), (0, 1)])
def test_a_ball_meets_the_part_that_it_is_thrown_at(part, side):
    found, clip = flight(part=part, position=[2.5 * side[0], 2.5 * side[1], 1.2], velocity=[-10 * side[0], -10 * side[1], 0])
    neighbours = {part, AVERAGE.names[max(0, AVERAGE.parents[AVERAGE.names.index(part)])]}
    neighbours |= {name for name, parent in zip(AVERAGE.names, AVERAGE.parents, strict=True) if parent >= 0 and AVERAGE.names[parent] == part}
    arms = {name for name in AVERAGE.names if "arm" in name}  # swing before it
    assert found.hit.part in neighbours | arms
    assert 0.3 + 2.0 / 12 < found.hit.time < 0.3 + 2.5 / 8
    touches = found.at(np.array([found.hit.time]))[0]
    positions, orientations = AVERAGE.skeleton.forward_kinematics(*clip.sample(found.hit.time))
    link = AVERAGE.names.index(found.hit.part)
    middle = positions[link] + rotation.rotate(orientations[link], np.array(AVERAGE.shapes[link].center))
    assert np.linalg.norm(touches - middle) < 0.11 + np.linalg.norm(AVERAGE.shapes[link].half_extents) + 0.03


def test_what_it_gives_is_what_it_loses():
    found, _ = flight()
    impulse = np.array(found.hit.force) * CONTACT_S
    moment = round((found.hit.time - 0.3) * 480)
    before, after = (np.diff(found.path[span], axis=0).mean(axis=0) * 480 for span in (slice(moment - 8, moment), slice(moment + 2, moment + 10)))
    np.testing.assert_allclose(0.45 * (before - after), impulse, atol=0.1)
    assert 0.45 * 5 < np.linalg.norm(impulse) < 0.45 * 11 * (1 + BOUNCE)


def test_a_heavier_ball_hits_harder():
    light, heavy = (np.linalg.norm(flight(mass=mass)[0].hit.force) for mass in (0.5, 5.0))
    assert 3.0 * light < heavy < 10.0 * light


def test_it_flies_free_waits_before_and_lies_at_the_end():
    found, _ = flight(position=[5, 5, 1.5], velocity=[3, 0, 0], part=None, frame="world")  # past the body
    assert found.hit is None
    np.testing.assert_allclose(found.at(np.array([0.0, 0.3])), [found.path[0]] * 2)
    start, later = found.at(np.array([0.3, 0.5]))
    assert later[2] - start[2] == pytest.approx(-0.5 * 9.81 * 0.2**2, abs=0.01) and later[0] - start[0] == pytest.approx(0.6, abs=1e-6)
    ends = found.at(np.array([90.0, 99.0]))
    np.testing.assert_allclose(ends[0], ends[1])
    assert ends[0, 2] == pytest.approx(0.11, abs=0.02)


def test_a_job_with_a_ball(tmp_path):
    data = job(response="auto")
    result = run(make_job(data))
    assert result.outcome["response"] == "flinch" and result.job["events"] == [{**data["events"][0], "frame": "heading"}]
    assert result.object_names == ["ball 1"] and result.object_positions.shape == (result.frames, 1, 3)
    seconds = float(result.times[-1])
    clip = lasting(task_of(make_job(data)).recording, AVERAGE, seconds).motion.slice(0.0, seconds).resample(60).facing(0.0)
    hit = flight()[0].hit
    before, after = int(hit.time * 60), int(hit.time * 60) + 20
    np.testing.assert_array_equal(result.rotations[:before], clip.rotations[:before])
    positions = [AVERAGE.skeleton.forward_kinematics(motion.root_positions, motion.rotations)[0] for motion in (clip, result)]
    assert np.linalg.norm(positions[1] - positions[0], axis=-1)[before:after].max() > 0.01


def test_a_heavy_ball_makes_a_walker_stumble():
    data = job(response="auto", mass=5.0)
    data |= {"loop": True, "duration": 5.0}
    result = run(make_job(data))
    assert result.outcome["response"] in ("stumble", "fall") and result.object_positions.shape == (result.frames, 1, 3)


def test_a_ball_that_misses_is_said():
    with pytest.raises(JobError, match="The ball thrown at 0.3 s misses the character: aim it"):
        run(make_job(job(position=[5, 5, 1.5], velocity=[3, 0, 0], part=None)))


def test_variations_of_a_ball():
    data = job()
    first, *others = varied(data, 4, seed=2)
    assert first == data
    for other in others:
        ball, usual = other["events"][0], data["events"][0]
        assert ball["mass"] != usual["mass"] and np.linalg.norm(ball["velocity"]) == pytest.approx(10)
        assert np.linalg.norm(ball["position"][:2]) == pytest.approx(2.5) and ball["position"][0] != 0
        assert run(make_job(other)).outcome["fell"] is False


@pytest.mark.parametrize("options, words", [
    (["--ball", "0.45,0.1,10"], None),
    (["--ball", "0.45,0.1"], "--ball is '0.45,0.1'; give three numbers, KG,M,M/S"),
    (["--ball", "1,0.1,9", "--strength", "tap"], "give one of them"),
])
def test_on_the_command_line(options, words, tmp_path, capsys):
    from core.__main__ import main

    arguments = ["hit", str(CLIPS / "humanoid3d_punch.txt"), "--at", "0.3", "--from", "left", "-o", str(tmp_path / "hit.npz"), *options]
    if words:
        assert main(arguments) != 0 and words in capsys.readouterr().err
    else:
        assert main(arguments) == 0 and json.loads(capsys.readouterr().out)["response"] == "flinch"
