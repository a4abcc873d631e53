"""Hits in seconds, that come back exactly: what the benchmark of random hits claims, on clips that are here; and what a hit that was taken is good
for in the next one."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from benchmarks.hits import BACK_DEG, BACK_MM, beyond, hits, taken
from core import feet, presets, rotation
from core.context import Context
from core.errors import JobError
from core.feet.drag import without_drags
from core.feet.slide import bearing_slides
from core.hit.flinch import Hit
from core.hit.foretold import foretold
from core.hit.held import Held
from core.hit.ranges import forced, in_range
from core.hit.take import hits_of
from core.jobs import make_job, run
from core.kinematic.retargeted import as_result
from core.motion import Motion
from core.reference.recordings import Recording, lasting
from tests.cases import quick

FPS = 60.0
MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"
KICK = MOTIONS / "humanoid3d_kick.txt"
CLIPS = Path(__file__).resolve().parents[1] / "clips"


@pytest.mark.parametrize("name, number", quick([("kick", 0), ("punch", 1), ("walk", 0), ("dance_a", 0), ("dance_b", 1), ("run", 0)], ("kick", 0)))
def test_a_hit_of_the_benchmark_is_taken_as_it_says(name, number):
    """A shove or a blow at random: it stays up, costs seconds, and is the clip again to the millimetre, without skating or broken joints."""
    clip = MOTIONS / f"humanoid3d_{name}.txt"
    row = taken(clip, list(hits(clip, number + 1, seed=1))[number], "auto")
    assert not row["fell"] and row["core_s"] < 25.0
    assert row["off_mm"] <= BACK_MM and row["off_deg"] <= BACK_DEG and row["seam"] <= 3.0
    assert row["slide_mm"] <= 20.0 and row["beyond_deg"] <= 5.0


def shoved(harder=1.0, **more):
    """The first hit of the benchmark on the kicking body, so many times as hard, and the sentences that it was told meanwhile."""
    said, row = [], next(hits(KICK, 1, seed=1))
    push = {"type": "push", "time": row["time_s"], "duration": row["seconds"], "force": [harder * newtons for newtons in row["force"]],
            "part": row["part"]}
    job = make_job({"method": "hit", "clips": [str(KICK)], "fps": FPS, "events": [push], **more})
    result = run(job, Context(progress=lambda _fraction, _seen, doing: said.append(doing), workers=1))
    return result, said


@pytest.mark.slow
def test_what_held_for_a_hit_is_tried_first_for_the_next_one():
    """A plan: nobody tries to track the kick again. And the job says all that the result depends on."""
    first, said = shoved()
    held = json.loads(json.dumps(first.outcome["held"]))
    assert not first.outcome["fell"] and list(held) == ["knots"] and any("keep walking" in sentence for sentence in said)
    (again, said), (same, _) = (shoved(1.1, like=held) for _ in range(2))
    assert not again.outcome["fell"] and not any("keep walking" in sentence for sentence in said)
    assert again.job["like"] == held
    np.testing.assert_array_equal(again.rotations, same.rotations)


@pytest.mark.parametrize(("name", "kind"), [("stand", "style"), ("walk", "attempt")])
def test_what_has_held_in_the_push_database_is_tried_first(name, kind):
    """Where nobody says how a hit like this one was taken."""
    push = {"type": "push", "time": 1.2, "duration": 0.15, "force": [0.0, 150.0, 0.0], "part": "torso", "frame": "world"}
    job = make_job({"method": "hit", "clips": [str(CLIPS / f"{name}.bvh")], "fps": FPS, "events": [push], "body": "average_man"})
    reference = lasting(Recording(str(CLIPS / f"{name}.bvh")), presets.body("average_man"), 8.0)
    clip = reference.motion.resample(FPS).facing(0.0)
    found = foretold(reference, clip, hits_of(job, clip)[0])
    assert list(found.data) == [kind]
    plain, told = run(job), run(dataclasses.replace(job, settings=dataclasses.replace(job.settings, like=found.data)))
    assert plain.outcome["held"] == told.outcome["held"] and not plain.outcome["fell"]
    np.testing.assert_array_equal(plain.rotations, told.rotations)


def test_of_a_kick_the_push_database_knows_nothing():
    reference = lasting(Recording(str(KICK)), presets.body("average_man"), 1.0)
    clip = reference.motion.resample(FPS).facing(0.0)
    assert foretold(reference, clip, Hit(0.8, 0.1, "torso", (300.0, 0.0, 0.0))) == Held()


def test_how_a_hit_was_taken_is_looked_at():
    knots = {"knots": [[0.1, 0.2], [0.0, 0.1]]}
    assert Held.of("like", knots).data == knots and Held.of("like", {}) == Held()
    for wrong in ({"knots": [[0.1], [0.1, 0.2]]}, {"knots": [[float("nan")]]}, {"style": {"capture": 1.0}}, {"attempt": {"speed": 1.0}}, {"step": 2}):
        with pytest.raises(JobError, match="like is not how a hit was taken"):
            Held.of("like", wrong)
    with pytest.raises(JobError, match="another body"):
        shoved(like=knots)


@pytest.fixture(scope="module")
def body():
    return presets.body("average_man")


def standing(body, turns=None, roots=None, frames=90, bears=(True, True)):
    """A result in which a body stands, and bears on both feet; with other rotations or roots."""
    roots = np.tile([0.0, 0.0, body.standing_height], (frames, 1)) if roots is None else roots
    turns = rotation.identity((frames, len(body.names))) if turns is None else turns
    return as_result({}, body, "stand", Motion(body.skeleton, FPS, roots, turns), np.tile(bears, (frames, 1)))


@pytest.mark.parametrize("metres, frames", [(0.1, 12), (0.03, 40)])
def test_feet_that_are_dragged_step(body, metres, frames):
    """Both feet glide a hand's breadth, or creep: each is lifted, goes there, and slides no more."""
    roots = np.tile([0.0, 0.0, body.standing_height], (90, 1))
    roots[:, 1] += metres * np.clip((np.arange(90) - 30) / frames, 0.0, 1.0)
    found = standing(body, roots=roots)
    assert max(bearing_slides(found)) > 0.8 * metres
    stepped = without_drags(found, body, np.arange(90) > 10)
    assert max(bearing_slides(stepped)) < 0.005 and stepped.penetrations.max() < 0.005
    ankles = [feet.link(body, "foot", foot) for foot in (0, 1)]
    places = Motion(body.skeleton, FPS, stepped.root_positions, stepped.rotations).world()[0][:, ankles]
    lifted = places[..., 2].max(axis=0) - places[0, :, 2]
    assert (lifted > 0.2 * metres).all() and np.abs(places[-1, :, 1] - places[0, :, 1] - metres).max() < 1e-3
    np.testing.assert_array_equal(stepped.rotations[:11], found.rotations[:11])


def test_feet_that_give_way_a_little_stay_on_the_floor(body):
    roots = np.tile([0.0, 0.0, body.standing_height], (90, 1))
    roots[:, 1] += 0.008 * np.clip((np.arange(90) - 30) / 40, 0.0, 1.0)
    found = standing(body, roots=roots)
    assert without_drags(found, body, np.arange(90) > 10) is found


@pytest.mark.parametrize("link, axis", [("torso", 1), ("thigh.L", 0), ("upper_arm.R", 0)])
def test_joints_come_back_into_their_ranges(body, link, axis):
    """Who goes 30° beyond for a moment, and comes back: never by more than 5°, and feet that bear the body stay."""
    number = body.names.index(link)
    high, angles = body.limits[number, axis, 1], np.zeros((90, 3))
    angles[:, axis] = (high + np.radians(30.0)) * np.exp(-(((np.arange(90) - 45) / 8.0) ** 2))
    turns = rotation.identity((90, len(body.names)))
    turns[:, number] = rotation.from_euler(angles)
    found, still = standing(body, turns, bears=(link != "thigh.L", True)), rotation.identity((90, len(body.names)))
    found.outcome["hit_s"], found.clip_rotations = [0.1, 0.2], still
    held = in_range(found, body, still, np.arange(90) > 10)
    assert beyond(found) > 25.0 and beyond(held) <= 5.0
    assert max(bearing_slides(held)) <= max(bearing_slides(found)) + 1e-3
    assert np.abs(np.diff(held.rotations, axis=0)).max() < 1.5 * np.abs(np.diff(found.rotations, axis=0)).max()


def test_a_foot_that_is_broken_off_is_forced_back(body):
    """A foot turned 80° beyond its range is left where it stands by the gentle way, and comes back by force; none is in the floor then."""
    number, angles = body.names.index("foot.L"), np.zeros((90, 3))
    angles[:, 0] = (body.limits[number, 0, 1] + np.radians(80.0)) * np.exp(-(((np.arange(90) - 45) / 8.0) ** 2))
    turns = rotation.identity((90, len(body.names)))
    turns[:, number] = rotation.from_euler(angles)
    found, still, where = standing(body, turns), rotation.identity((90, len(body.names))), np.arange(90) > 10
    found.outcome["hit_s"], found.clip_rotations = [0.1, 0.2], still
    assert beyond(in_range(found, body, still, where)) > 30.0
    held = forced(found, body, still, where)
    assert beyond(held) <= 5.0 and held.penetrations.max() <= found.penetrations.max() + 0.01
    np.testing.assert_array_equal(held.rotations[:11], found.rotations[:11])
